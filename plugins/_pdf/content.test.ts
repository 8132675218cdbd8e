import { describe, expect, it } from 'vitest'
import { closingOperators, balancedContent, readContent } from './content.ts'

const read = (text: string) => readContent(Buffer.from(text, 'latin1'))
const text = (content: string) =>
  balancedContent(Buffer.from(content, 'latin1'), read(content))?.toString('latin1')

describe('what a content stream leaves open', () => {
  it.each([
    ['q 1 0 0 1 5 5 cm Q', ''],
    ['q q 1 w Q', 'Q'],
    ['q BT /F 9 Tf (a) Tj', 'ET Q'],
    ['/P BMC q /OC /L BDC', 'EMC EMC Q'],
    ['(q q q) Tj <71> Tj /q gs % q', ''],
    ['[(q) 5 (\\)q) 6] TJ /Span <</Lang (q)>> BDC EMC', ''],
    ['q BI /W 1 /H 1 /BPC 8 /CS /G ID q EI Q', ''],
    ['q BI /W 1 /H 1 ID xx', 'EI Q'],
    ['BI /W 4 /H 1 ID a EI\x80\x81 q EI Q', ''],
  ])('%s', (content, expected) => expect(closingOperators(read(content))).toBe(expected))

  it('is closed without changing the content if that is sufficient', () => {
    for (const content of ['', 'q', '0 0 9 9 re f', 'BT', 'q (a) Tj'])
      expect(text(content)).toBe(undefined)
  })
  it('is removed if it would undo or swallow what follows', () => {
    expect(text('1 w Q 2 w q Q Q')).toBe('1 w   2 w q Q  ')
    expect(text('1 w (never ends')).toBe('1 w ')
    expect(text('1 w <41')).toBe('1 w ')
  })
  it('is found in linear time', () => {
    const million = 1_000_000
    for (const part of ['(', '<', 'q ', 'BI ', 'EI ', 'BI ID EI\x80', '% ', '/'])
      expect(read(part.repeat(million / part.length)).end).toBeGreaterThanOrEqual(0)
  })
})
