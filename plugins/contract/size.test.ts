import { expect, test } from 'vitest'
import { sizeText } from './size.ts'
import { english, textIn } from './text.ts'

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1023, '1,023 bytes'],
  [1024, '1 KB'],
  [1550, '1.5 KB'],
  [22_528, '22 KB'],
  [99_499, '97 KB'],
  [1024 ** 2 - 1, '1 MB'],
  [5_000_000_000, '4.7 GB'],
  [3000 * 1024 ** 4, '3,000 TB'],
])('%d is %s', (bytes, text) => expect(english(sizeText(bytes))).toBe(text))

test('a size is written in the language of its reader', () => {
  const french = { locale: 'fr-FR', catalog: { '{size} KB': '{size} Ko' } }
  expect(textIn(sizeText(1550), french)).toBe('1,5 Ko')
})
