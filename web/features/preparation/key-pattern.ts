// Examples of the keys that a list generates, and their random bits. The server makes the keys, by
// the same rules (server/features/preparation/model/key-pattern.ts).
import { type Schemas } from '../../shell/client/types.ts'

export type KeyPattern = Schemas['LicencePattern']

const DIGITS = '23456789'
const LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ'
const ALPHABET = DIGITS + LETTERS
const PLACES: Readonly<Record<string, string>> = { X: ALPHABET, 9: DIGITS, A: LETTERS }

export const MIN_KEY_BITS = 50
export const FIRST_PATTERN = 'XXXXX-XXXXX-XXXXX'

export const keyBits = (pattern: string): number =>
  [...pattern].reduce((bits, sign) => bits + Math.log2(PLACES[sign]?.length ?? 1), 0)

export function exampleKey({ pattern, prefix, checksum }: KeyPattern): string {
  const numbers = crypto.getRandomValues(new Uint16Array(pattern.length))
  const random = [...pattern].map((sign, at) => {
    const signs = PLACES[sign]
    return signs === undefined ? sign : signs.charAt((numbers[at] ?? 0) % signs.length)
  })
  const key = prefix + random.join('')
  return checksum ? key + checkCharacter(key) : key
}

/** Luhn mod 30 over the characters that are in the alphabet. */
export function checkCharacter(key: string): string {
  const size = ALPHABET.length
  const values = [...key.toUpperCase()]
    .map((sign) => ALPHABET.indexOf(sign))
    .filter((value) => value >= 0)
  const sum = values.toReversed().reduce((total, value, at) => {
    const addend = at % 2 === 0 ? value * 2 : value
    return total + Math.floor(addend / size) + (addend % size)
  }, 0)
  return ALPHABET.charAt((size - (sum % size)) % size)
}
