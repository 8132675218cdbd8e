// Rows from text in pieces of any size, with any delimiter, quotes and line ends.
import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { detectFormat } from './format.ts'
import { DELIMITERS, readRows, type Format } from './rows.ts'

async function read(text: string, format: Format, size = 7) {
  const rows: string[][] = []
  const broken: Record<number, string> = {}
  for await (const batch of readRows(pieces(text, size), format)) {
    expect(batch.first).toBe(rows.length + 1)
    rows.push(...batch.records)
    for (const [row, { detail, cell }] of batch.broken) broken[row] = `${cell}: ${detail}`
  }
  return { rows, broken }
}

async function* pieces(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

const comma = { delimiter: ',', newline: '\n' } as const

describe('rows', () => {
  it.each(['\n', '\r\n', '\r'] as const)('end with %j', async (end) => {
    const text = ['a,b', '1,"two ""2"""', '"x, y","line one\nline two"', ''].join(end)
    const expected = [
      ['a', 'b'],
      ['1', 'two "2"'],
      ['x, y', 'line one\nline two'],
    ]
    const format = { delimiter: ',', newline: end === '\r' ? '\r' : '\n' } as const
    for (const size of [1, 2, 3, 5, 1000])
      expect((await read(text, format, size)).rows).toEqual(expected)
  })

  it('end with different line ends in one file', async () => {
    expect((await read('a,b\r\n1,2\n3,"4"\r\n5,6', comma)).rows).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ])
  })

  it('are read as papaparse wrote them', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', '"', ',', ';', '\n', ' ', 'é', '|', '\t'),
      maxLength: 6,
    })
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), {
      minLength: 1,
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom(...DELIMITERS),
        fc.integer({ min: 1, max: 9 }),
        async (rows, delimiter, size) => {
          const text = Papa.unparse(rows, { delimiter, newline: '\n', quotes: true })
          expect((await read(text, { delimiter, newline: '\n' }, size)).rows).toEqual(rows)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('are located by row and cell if a quote is wrong', async () => {
    const { rows, broken } = await read('a,b,c\n1,"two"2",3\n4,5,6\n7,8,"open\n9', comma)
    expect(rows[2]).toEqual(['4', '5', '6'])
    expect(broken).toEqual({
      2: '1: A quote inside a quoted cell is not doubled',
      4: '2: A quote that is opened here is never closed',
    })
  })

  it('stop if an open quote swallows the rest of a long file', async () => {
    const text = `a,b\n1,"${'x'.repeat(3_000_000)}`
    const { rows, broken } = await read(text, comma, 500_000)
    expect(rows.length).toBe(2)
    expect(broken[2]).toMatch('a quote may be open')
  })
})

describe('the delimiter', () => {
  it.each(DELIMITERS)('is %j by its headers', (delimiter) => {
    const text =
      ['filename', 'file_url', 'tags'].join(delimiter) +
      '\n' +
      ['a, b; c', 'http://x/?a|b', 'x'].join(delimiter)
    expect(detectFormat(text)).toEqual({ delimiter, newline: '\n', skipped: 0 })
  })

  it.each(DELIMITERS)('is %j by its rows if no header is known', (delimiter) => {
    const text = ['alpha', 'beta', 'gamma'].join(delimiter) + '\n' + ['1', '2', '3'].join(delimiter)
    expect(detectFormat(text).delimiter).toBe(delimiter)
  })

  it('is the one in the first line, if that is the line for spreadsheets', () => {
    expect(detectFormat('sep=;\r\nfilename;file_url\r\n')).toEqual({
      delimiter: ';',
      newline: '\n',
      skipped: 7,
    })
  })

  it('is found with old line ends, also if quotes contain line ends', () => {
    expect(detectFormat('a,b\r1,2\r').newline).toBe('\r')
    expect(detectFormat('a,"b\nc"\r1,2\r').newline).toBe('\r')
    expect(detectFormat('a,"b\rc"\n1,2\n').newline).toBe('\n')
  })
})
