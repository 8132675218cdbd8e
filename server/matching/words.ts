// The words by which a name and a title are compared, without differences that have no meaning
// (case, accents, delimiters).

import { ownValue } from '../../plugins/contract.ts'
import { skuKey } from '../core/sku-key.ts'
import { isFlatKey, labelsOf } from './distinctions.ts'
import { picturesOf, spellNumbers, spellSigns, unitsOf } from './signs.ts'

/** Words in the form in which they are compared, letters and numbers apart. */
export interface Words {
  letters: readonly string[]
  numbers: readonly string[]
  /** The numbers that distinguish versions of a file: `v3`, `copy 2`, a last `(1)`. */
  versions: readonly string[]
  /** Labels with their numbers: `volume 2`. */
  labels: readonly string[]
  /** Numbers with their units: `10 in`. */
  units: readonly string[]
  /** Pictures, which count if the other text has some too. */
  pictures: readonly string[]
  /** Words that have accents, by their letters: where both texts have some, they count. */
  accents: ReadonlyMap<string, string>
}

/** Words that distinguish versions of a file, never products. */
const VERSION_WORDS: ReadonlySet<string> = new Set([
  'v',
  'ver',
  'version',
  'rev',
  'revised',
  'revision',
  'final',
  'draft',
  'copy',
  'edit',
  'edited',
  'latest',
  'updated',
])

/** The words of a title. If no others are left, version words count too. */
export function wordsOf(title: string): Words {
  const spelled = spellNumbers(spellSigns(title))
    .replace(/['’ʼ`´]/g, '')
    .replace(/&/g, ' and ')
  const isAscii = ASCII.test(spelled)
  const accented = separated(spelled, isAscii)
    .toLowerCase()
    .replace(/(\d)(st|nd|rd|th)(?!\p{L})/gu, '$1')
  const text = isAscii ? accented : withoutAccents(accented)
  const parts = partsOf(text)
  const letters = parts.filter((part) => !isNumber(part))
  const distinctive = letters.filter((word) => !VERSION_WORDS.has(word))
  const isCopy = /[([]\p{N}{1,2}[)\]]\s*$/u.test(text)
  const versions = parts.filter(
    (part, at) =>
      isNumber(part) &&
      ((isCopy && at === parts.length - 1) || VERSION_WORDS.has(parts[at - 1] ?? '')),
  )
  return {
    letters: distinctive.length > 0 ? distinctive : letters,
    numbers: [...new Set(parts.filter(isNumber))],
    versions: [...new Set(versions)],
    labels: labelsOf(parts),
    units: unitsOf(title),
    pictures: picturesOf(title),
    accents: accentsOf(accented, text),
  }
}

/** `TideTables` as two words, in one Unicode form. */
const separated = (text: string, isAscii: boolean): string =>
  isAscii
    ? text.replace(/([a-z])([A-Z])/g, '$1 $2')
    : text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').normalize('NFKC')

/** A whole number and its fraction are one number. */
const PARTS = /\p{N}+ \p{N}+⁄\p{N}+|\p{N}+⁄\p{N}+|[\p{L}\p{M}]+|\p{N}+/gu

function partsOf(text: string): string[] {
  const parts = (text.match(PARTS) ?? []).map((part) =>
    part.startsWith('0') ? part.replace(/^0+(?=\p{N})/u, '') : (SAME_WORDS.get(part) ?? part),
  )
  const isFlat = (part: string, at: number) => isFlatKey(part, parts[at - 1], parts[at + 1])
  return parts.some(isFlat)
    ? parts.flatMap((part, at) => (isFlat(part, at) ? [part.slice(0, 1), 'flat'] : part))
    : parts
}

const SAME_WORDS: ReadonlyMap<string, string> = new Map([
  ['und', 'and'],
  ['et', 'and'],
])

const ASCII = /^[\x20-\x7e]*$/

/**
 * Accents and vowel points make no other word in these scripts; the marks of others do: か is not
 * が.
 */
const ACCENTED =
  /([[\p{L}\p{M}]&&[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}]])(\p{M}+)/gv

function withoutAccents(text: string): string {
  return text
    .normalize('NFD')
    .replace(ACCENTED, (all, letter: string) => (isOwnLetter(all) ? all : letter))
    .replace(/[\p{M}&&[\p{sc=Hebrew}\p{sc=Arabic}]]|ـ/gv, '')
    .normalize('NFC')
    .replace(/[ßςıіىیک]/g, (letter) => ownValue(SAME_LETTERS, letter) ?? letter)
}

/** й is another letter than и. */
const isOwnLetter = (letter: string) => letter === 'и\u0306'

const SAME_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ς: 'σ',
  ı: 'i',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
}

const NO_ACCENTS: ReadonlyMap<string, string> = new Map()

function accentsOf(accented: string, plain: string): ReadonlyMap<string, string> {
  if (accented === plain) return NO_ACCENTS
  const words = plain.match(PARTS) ?? []
  const pairs = (accented.match(PARTS) ?? []).flatMap((word, at) => {
    const bare = words[at]
    return bare === undefined || bare === word || /[ßςı]/.test(word) ? [] : [[bare, word] as const]
  })
  return new Map(pairs)
}

/** The title as it is written, without differences of case, delimiters and Unicode forms. */
export const exactForm = (title: string): string =>
  skuKey(title)
    .replace(/[\s_.-]+/g, ' ')
    .trim()

/** The words of a filename without its extension. */
export const wordsOfName = (filename: string): Words => wordsOf(stemOf(filename))

/** The name without its extension: up to five letters and digits, not digits alone. */
export const stemOf = (filename: string): string =>
  filename.replace(/(\.tar)?\.(?=[^.]*[a-z])[a-z0-9]{1,5}$/i, '') || filename

const isNumber = (part: string) => /^\p{N}/u.test(part)
