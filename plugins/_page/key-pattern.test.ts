import { expect, test } from 'vitest'
import { checkCharacter, generateKey, KEY_ALPHABET, keyBits } from './key-pattern.ts'

test('keys follow their pattern, and are different', () => {
  const about = { pattern: 'XXXX-99AA-XXXXXXXX', prefix: 'PRO/', checksum: false }
  const keys = Array.from({ length: 200 }, () => generateKey(about))
  const [x, a] = ['[2-9A-HJKMNP-TV-Z]', '[A-HJKMNP-TV-Z]']
  for (const key of keys) expect(key).toMatch(new RegExp(`^PRO/${x}{4}-[2-9]{2}${a}{2}-${x}{8}$`))
  expect(new Set(keys).size).toBe(200)
  // All characters occur, also the first and the last.
  expect(new Set(keys.join('').replaceAll(/[/-]/g, '')).size).toBeGreaterThanOrEqual(30)
})

test.each([
  ['XXXXX-XXXXX-XXXXX', 73.6],
  ['XXXXXXXXXX', 49.1],
  ['99AA', 14.9],
  ['no-random', 0],
])('%s has %d random bits', (pattern, bits) => {
  expect(keyBits(pattern)).toBeCloseTo(bits, 1)
})

test.each([
  // The same as in the document for merchants.
  ['PRO-7KQ2M-XW4TR-9HBCN', '3'],
  ['AAAA-BBBB', 'M'],
  ['2222', '2'],
])('the check character of %s is %s', (key, check) => {
  expect(checkCharacter(key)).toBe(check)
  expect(checkCharacter(key.toLowerCase().replaceAll('-', ' '))).toBe(check)
})

test('the check character detects every wrong character', () => {
  const key = generateKey({ pattern: 'XXXXXXXXXXXX', prefix: '', checksum: true })
  const isValid = (typed: string) => checkCharacter(typed.slice(0, -1)) === typed.at(-1)
  expect(isValid(key)).toBe(true)
  for (let at = 0; at < key.length; at += 1)
    for (const wrong of KEY_ALPHABET)
      if (wrong !== key[at])
        expect([at, wrong, isValid(key.slice(0, at) + wrong + key.slice(at + 1))]).toEqual([
          at,
          wrong,
          false,
        ])
})
