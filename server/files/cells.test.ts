import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { codePoint } from '../../test/code-points.ts'
import { originalCell, plainCell } from './cells.ts'

/** Texts that a spreadsheet would execute. */
const RUNS = /^[=+\-@\t\r\n＝＋－＠]/
const text = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.string({
    unit: fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      '\t',
      '\r',
      "'",
      '"',
      ',',
      '\n',
      ' ',
      'a',
      '＝',
      '＋',
      '－',
      '＠',
    ),
  }),
)

describe('a written cell', () => {
  it('is executed by no spreadsheet, and reads back unchanged', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(plainCell(value)).not.toMatch(RUNS)
        expect(originalCell(plainCell(value))).toBe(value)
      }),
      { numRuns: 2000 },
    )
  })
  it('reads back in a whole table, with the library that writes and reads CSV', () => {
    const row = fc.array(text, { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        const csv = Papa.unparse(
          rows.map((cells) => cells.map(plainCell)),
          { newline: '\r\n' },
        )
        const { data } = Papa.parse<string[]>(csv, { delimiter: ',', newline: '\r\n' })
        expect(data.map((cells) => cells.map(originalCell))).toEqual(rows)
      }),
      { numRuns: 500 },
    )
  })
  it.each([
    ['=HYPERLINK("http://example.com")', '\'=HYPERLINK("http://example.com")'],
    ['-5 °C.pdf', "'-5 °C.pdf"],
    ["'quoted'", "''quoted'"],
    ['guide.pdf', 'guide.pdf'],
    ['', ''],
  ])('%j becomes %j', (value, cell) => expect(plainCell(value)).toBe(cell))
  it('numbers stay numbers, absent values are empty', () => {
    expect([plainCell(-5), plainCell(null), plainCell(undefined)]).toEqual(['-5', '', ''])
  })
})

it('a cell written by another program keeps its own apostrophe', () => {
  expect(["'tis", "o'clock", "'", "'="].map(originalCell)).toEqual(["'tis", "o'clock", "'", '='])
})
