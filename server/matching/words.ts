// The words that a name and a title are compared by: what people write differently without meaning
// anything by it is gone.

import { labelsOf } from './telling.ts'

/** Words as they are compared, letters and numbers apart. */
export interface Words {
  letters: readonly string[]
  numbers: readonly string[]
  /** Those of the numbers that tell states of a file apart: `v3`, `copy 2`, a last `(1)`. */
  versions: readonly string[]
  /** `volume 2`: what is numbered. */
  labels: readonly string[]
}

/** Words that tell one state of a file from another, never one product from another. */
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

/** The words of a title. Where there would be none left, version words count like others. */
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
  const telling = letters.filter((word) => !VERSION_WORDS.has(word))
  const isCopy = /[([]\p{N}{1,2}[)\]]\s*$/u.test(text)
  const versions = parts.filter(
    (part, at) =>
      isNumber(part) &&
      ((isCopy && at === parts.length - 1) || VERSION_WORDS.has(parts[at - 1] ?? '')),
  )
  return {
    letters: telling.length > 0 ? telling : letters,
    numbers: [...new Set(parts.filter(isNumber))],
    versions: [...new Set(versions)],
    labels: labelsOf(parts),
  }
}

/** The words of a filename, its extension left out. */
export const wordsOfName = (filename: string): Words => wordsOf(stemOf(filename))

/** The name without its extension: up to five letters and digits, not digits alone. */
export const stemOf = (filename: string): string =>
  filename.replace(/(\.tar)?\.(?=[^.]*[a-z])[a-z0-9]{1,5}$/i, '') || filename

const isNumber = (part: string) => /^\p{N}/u.test(part)
