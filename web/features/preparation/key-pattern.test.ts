import { expect, test } from 'vitest'
import { checkCharacter, exampleKey, keyBits } from './key-pattern.ts'

test('an example follows the pattern', () => {
  const pattern = { pattern: 'XX9A-B', prefix: 'ED-', checksum: true }
  const key = exampleKey(pattern)
  expect(key).toMatch(/^ED-[2-9A-Z]{2}[2-9][A-Z]-B[2-9A-Z]$/)
  expect(key.at(-1)).toBe(checkCharacter(key.slice(0, -1)))
  expect(exampleKey({ ...pattern, checksum: false })).toHaveLength(9)
})

test.each([
  // The same as in server/features/preparation/model/key-pattern.test.ts.
  ['PRO-7KQ2M-XW4TR-9HBCN', '3'],
  ['AAAA-BBBB', 'M'],
  ['2222', '2'],
])('the check character of %s is %s', (key, check) => {
  expect(checkCharacter(key)).toBe(check)
})

test('random bits of a pattern', () => {
  expect(keyBits('XXXXX-XXXXX')).toBeCloseTo(49.1, 1)
})
