// The words that a name and a title are compared by: what people write differently without meaning anything by it is gone.

/** Words as they are compared, letters and numbers apart. */
export interface Words {
  letters: readonly string[]
  numbers: readonly string[]
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
  const parts = text.match(/\p{L}+|\p{N}+/gu) ?? []
  const numbers = parts.filter(isNumber).map((digits) => digits.replace(/^0+(?=.)/, ''))
  const letters = parts.filter((part) => !isNumber(part))
  const telling = letters.filter((word) => !VERSION_WORDS.has(word))
  return { letters: telling.length > 0 ? telling : letters, numbers: [...new Set(numbers)] }
}

/** The words of a filename, its extension left out. */
export const wordsOfName = (filename: string): Words => wordsOf(stemOf(filename))

/** The name without its extension: up to five letters and digits, not digits alone. */
export const stemOf = (filename: string): string =>
  filename.replace(/(\.tar)?\.(?=[^.]*[a-z])[a-z0-9]{1,5}$/i, '') || filename

const isNumber = (part: string) => /^\p{N}/u.test(part)
