// The words by which a name and a title are compared, without differences that have no meaning
// (case, accents, delimiters).

import { ownValue } from '../../plugins/contract/index.ts'
import { withBareLetters, withPlainApostrophes } from '../core/letters.ts'
import { inOneScript } from '../core/look-alikes.ts'
import { skuKey } from '../core/sku-key.ts'
import { isFlatKey, labelsOf } from './distinctions.ts'
import { picturesOf, spellNumbers, spellSigns, unitsOf } from './signs.ts'
import { romanisedFrom, type Romanised } from './romanised.ts'
import { loosely, otherSpellings } from './spellings.ts'

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
  /** Numbers with a letter: `1006a`. */
  lettered: readonly string[]
  /** Pictures, which count if the other text has some too. */
  pictures: readonly string[]
  /** Words that have accents, by their letters: where both texts have some, they count. */
  accents: ReadonlyMap<string, string>
  /** The other spellings of words that have some: `maerchen` of `marchen`. */
  spellings: ReadonlyMap<string, readonly string[]>
  /** The words in Latin letters, where their sound is known. */
  romanised: Romanised | null
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

/** A `v` without a number is a word. */
const isVersionWord = (part: string, next: string): boolean =>
  VERSION_WORDS.has(part) && (part !== 'v' || next === '' || isNumber(next))

/** The words of a title. If no others are left, version words count too. */
export function wordsOf(text: string): Words {
  const title = inPlainForms(text)
  const spelled = withPlainApostrophes(spellNumbers(spellSigns(title))).replace(
    /&(?:amp;)?/g,
    ' and ',
  )
  const isAscii = ASCII.test(spelled)
  // Capitals separate words, but not those after an apostrophe.
  const written = separated(spelled, isAscii)
    .replaceAll("'", '')
    .replace(/(\d)(st|nd|rd|th)(?!\p{L})/giu, '$1')
  const accented = isAscii ? written.toLowerCase() : withSameLetters(written.toLowerCase())
  const plain = isAscii ? accented : withoutAccents(accented)
  const parts = partsOf(plain)
  const letters = parts.filter((part) => !isNumber(part))
  const distinctive = parts.filter(
    (part, at) => !isNumber(part) && !isVersionWord(part, parts[at + 1] ?? ''),
  )
  const isCopy = /[([]\p{N}{1,2}[)\]]\s*$/u.test(plain)
  const versions = parts.filter(
    (part, at) =>
      isNumber(part) &&
      ((isCopy && at === parts.length - 1) || VERSION_WORDS.has(parts[at - 1] ?? '')),
  )
  const counted = distinctive.length > 0 ? distinctive : letters
  return {
    letters: counted,
    numbers: [...new Set(parts.filter(isNumber))],
    versions: [...new Set(versions)],
    labels: labelsOf(parts),
    units: unitsOf(title),
    lettered: plain.match(LETTERED) ?? NO_PARTS,
    pictures: picturesOf(title),
    accents: isAscii ? NO_ACCENTS : accentsOf(withBareLetters(accented), plain),
    spellings: isAscii ? NO_SPELLINGS : spellingsOf(written, plain),
    romanised: isAscii ? null : romanisedFrom(counted),
  }
}

/** Not `3D`, `10m`, `80s`. */
const LETTERED = /(?<![\p{L}\p{N}])\p{N}+[abc](?![\p{L}\p{N}])/gu
const NO_PARTS: readonly string[] = []

/**
 * Composed letters, marks of Japanese at the letter before them, Latin characters of full width as
 * others, and each word in one script.
 */
function inPlainForms(text: string): string {
  if (ASCII.test(text)) return text
  const wide = text
    .replace(/[\uff01-\uff5e\uffe0-\uffe6\u3000]+/g, (found) => found.normalize('NFKC'))
    .replace(/(?<=[\u3041-\u30ff])\s?[\u309b\u3099]/g, '\u3099')
    .replace(/(?<=[\u3041-\u30ff])\s?[\u309c\u309a]/g, '\u309a')
  return inOneScript(wide.normalize('NFC'))
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
  return withBareLetters(
    text
      .normalize('NFD')
      .replace(ACCENTED, (all, letter: string) => (isOwnLetter(all) ? all : letter))
      .replace(/[\p{M}&&[\p{sc=Hebrew}\p{sc=Arabic}]]|ـ/gv, '')
      .normalize('NFC'),
  )
}

/** й is another letter than и. */
const isOwnLetter = (letter: string) => letter === 'и\u0306'

/** One letter in its forms: at the end of a word, on the keyboard of a neighbouring language. */
const SAME_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ς: 'σ',
  ı: 'i',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ڪ: 'ك',
  ہ: 'ه',
  ھ: 'ه',
  ە: 'ه',
  ۃ: 'ة',
  ٱ: 'ا',
  ך: 'כ',
  ם: 'מ',
  ן: 'נ',
  ף: 'פ',
  ץ: 'צ',
}
const ALL_SAME = new RegExp(`[${Object.keys(SAME_LETTERS).join('')}]`, 'g')

/** `i̇` is the small letter of `İ`. */
const withSameLetters = (text: string): string =>
  text
    .replaceAll('i\u0307', 'i')
    .replace(ALL_SAME, (letter) => ownValue(SAME_LETTERS, letter) ?? letter)

/** Greek has other marks in capitals. */
const GREEK = /\p{sc=Greek}/u
const NO_ACCENTS: ReadonlyMap<string, string> = new Map()

function accentsOf(accented: string, plain: string): ReadonlyMap<string, string> {
  if (accented === plain) return NO_ACCENTS
  return new Map(
    pairsOf(plain, accented).filter(([bare, word]) => bare !== word && !GREEK.test(word)),
  )
}

const NO_SPELLINGS: ReadonlyMap<string, readonly string[]> = new Map()

function spellingsOf(written: string, plain: string): ReadonlyMap<string, readonly string[]> {
  const spelled = pairsOf(plain, written)
    .map(([bare, word]) => [bare, otherSpellings(word)] as const)
    .filter(([, spellings]) => spellings.length > 0)
  return spelled.length > 0 ? new Map(spelled) : NO_SPELLINGS
}

/** The words of a text in two forms. */
const pairsOf = (plain: string, other: string): (readonly [string, string])[] => {
  const words = plain.match(PARTS) ?? []
  return (other.match(PARTS) ?? []).flatMap((word, at) => {
    const bare = words[at]
    return bare === undefined ? [] : [[bare, word] as const]
  })
}

/** The words in their other spellings, for further searches. */
export function otherwise({ letters, spellings, ...words }: Words): Words[] {
  const most = Math.max(0, ...[...spellings.values()].map(({ length }) => length))
  return Array.from({ length: most }, (_, at) => ({
    ...words,
    spellings,
    letters: letters.map((word) => {
      const own = spellings.get(word)
      return own?.[at] ?? own?.[0] ?? loosely(word)
    }),
  }))
}

/** The words as other spellings of titles are written; null: no differently. */
export function loose(words: Words): Words | null {
  const letters = words.letters.map(loosely)
  return letters.join() === words.letters.join() ? null : { ...words, letters }
}

/** The title as it is written, without differences of case, delimiters and Unicode forms. */
export const exactForm = (title: string): string =>
  skuKey(title)
    .replace(/[\s_.-]+/g, ' ')
    .trim()

/** `Slow%20Bread.pdf` is a name that was taken from an address. */
export function withoutEscapes(filename: string): string {
  if (!/%[0-9a-f]{2}/i.test(filename)) return filename
  try {
    return decodeURIComponent(filename)
  } catch {
    return filename
  }
}

/** The words of a filename without its extension. */
export const wordsOfName = (filename: string): Words => wordsOf(stemOf(filename))

/** The name without its extension: up to five letters and digits, not digits alone. */
export const stemOf = (filename: string): string =>
  filename.replace(/(\.tar)?\.(?=[^.]*[a-z])[a-z0-9]{1,5}$/i, '') || filename

const isNumber = (part: string) => /^\p{N}/u.test(part)
