// The words by which a name and a title are compared, without differences that have no meaning
// (case, accents, delimiters).

import { labelsOf } from './distinctions.ts'

/** Words in the form in which they are compared, letters and numbers apart. */
export interface Words {
  letters: readonly string[]
  numbers: readonly string[]
  /** The numbers that distinguish versions of a file: `v3`, `copy 2`, a last `(1)`. */
  versions: readonly string[]
  /** Labels with their numbers: `volume 2`. */
  labels: readonly string[]
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
  const text = title
    .replace(/['’ʼ`´]/g, '')
    .replace(/&/g, ' and ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/(\d)(st|nd|rd|th)(?!\p{L})/gu, '$1')
  const parts = (text.match(/\p{L}+|\p{N}+/gu) ?? []).map((part) =>
    part.replace(/^0+(?=\p{N})/u, ''),
  )
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
  }
}

/** The words of a filename without its extension. */
export const wordsOfName = (filename: string): Words => wordsOf(stemOf(filename))

/** The name without its extension: up to five letters and digits, not digits alone. */
export const stemOf = (filename: string): string =>
  filename.replace(/(\.tar)?\.(?=[^.]*[a-z])[a-z0-9]{1,5}$/i, '') || filename

const isNumber = (part: string) => /^\p{N}/u.test(part)
