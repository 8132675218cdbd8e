// The pattern of generated licence keys, and their check character. The server generates keys with
// it, and the page shows examples. The alphabet has no characters that are easily confused (0 and O;
// 1, I and L; U and V). It has an even number of characters, as the Luhn algorithm needs.
// docs/merchants/licence-keys-and-stamps.md describes both for programs that check a typed key
// offline.
import { ownValue } from './own-value.ts'

export interface KeyPattern {
  /** `X`: a letter or digit, `9`: a digit, `A`: a letter; all others stand for themselves. */
  pattern: string
  /** A fixed text before the pattern. */
  prefix: string
  /** A check character follows the pattern. */
  checksum: boolean
}

const DIGITS = '23456789'
const LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ'
export const KEY_ALPHABET = DIGITS + LETTERS
const PLACES: Readonly<Record<string, string>> = { X: KEY_ALPHABET, 9: DIGITS, A: LETTERS }

/** The fewest random bits of a pattern: with fewer, keys could be guessed by trying. */
export const MIN_KEY_BITS = 50

/** The random bits of the keys of a pattern. */
export const keyBits = (pattern: string): number =>
  [...pattern].reduce((bits, sign) => bits + Math.log2(ownValue(PLACES, sign)?.length ?? 1), 0)

/** A new key from the system's secure random numbers. It may exist already. */
export function generateKey({ pattern, prefix, checksum }: KeyPattern): string {
  const random = [...pattern].map((sign) => {
    const signs = ownValue(PLACES, sign)
    return signs === undefined ? sign : signs.charAt(randomBelow(signs.length))
  })
  const key = prefix + random.join('')
  return checksum ? key + checkCharacter(key) : key
}

/** `count` is at most 256. Bytes above the last whole multiple would make some numbers more likely. */
function randomBelow(limit: number): number {
  const end = 256 - (256 % limit)
  while (true) {
    const [byte = end] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < end) return byte % limit
  }
}

/**
 * Luhn mod 30 over the characters of the key that are in the alphabet, in upper case; all others
 * are skipped. Detects any wrong character, and most neighbours that were swapped.
 * Exported for tests of keys that a workflow assigns.
 */
export function checkCharacter(key: string): string {
  const size = KEY_ALPHABET.length
  const values = [...key.toUpperCase()]
    .map((sign) => KEY_ALPHABET.indexOf(sign))
    .filter((value) => value >= 0)
  const sum = values.toReversed().reduce((total, value, at) => {
    const addend = at % 2 === 0 ? value * 2 : value
    return total + Math.floor(addend / size) + (addend % size)
  }, 0)
  return KEY_ALPHABET.charAt((size - (sum % size)) % size)
}
