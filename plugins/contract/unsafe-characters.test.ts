import { expect, test } from 'vitest'
import { onOneLine } from './rules.ts'

test.each([
  ['Copy of\r\n\tAnn\u2028Lee ', 'Copy of Ann Lee'],
  // As in names in Hebrew or Arabic beside Latin letters.
  ['\u05d0\u200f\u05d1 A\u200eB \u2067C\u2069 \u202ad\u202c', '\u05d0\u05d1 AB C d'],
])('%j is drawn as %j', (text, drawn) => {
  expect(onOneLine(text)).toBe(drawn)
})
