// What a search compares: texts without case, accents and forms of writing. The page, the server and
// PostgreSQL (`search_text`, migrations/0002_files.ts) have one rule, so that a list, a selection and the marks
// in a row agree.

/** Letters that no decomposition of Unicode takes apart, and signs that keyboards replace. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['þ', 'th'],
  ...paired('øđðħłıŧĸς‐‑‒–—―−⁄‘’‚‛“”„‟«»♯', `oddhlitkσ-------/''''""""""#`),
  // Arabic letters in their forms, and as neighbouring languages have them.
  ...paired('ىیےکڪہھەۃةٱ', 'يييككههههها'),
  ...paired('٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '01234567890123456789'),
  ...paired('०१२३४५६७८९০১২৩৪৫৬৭৮৯๐๑๒๓๔๕๖๗๘๙', '012345678901234567890123456789'),
])
/** They are decomposed into a space and an accent, and into two apostrophes. */
const WHOLE: ReadonlyMap<string, string> = new Map(paired('´″', `'"`))

function paired(from: string, to: string): [string, string][] {
  const targets = [...to]
  return Array.from(from, (letter, at) => [letter, targets[at] ?? ''])
}

/**
 * Accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic, and characters without
 * width. Marks of other scripts are letters: Thai vowels, the voiced sounds of kana.
 */
const MARKS = new RegExp(
  `[${[
    '\\u00ad\\u0300-\\u036f',
    '\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7',
    '\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc',
    '\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f',
    '\\u200b-\\u200f\\u2060\\ufe00-\\ufe0f\\ufeff',
  ].join('')}]+`,
  'g',
)
const FOLDED = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'g')

/**
 * The form in which a search compares texts: `cafe` finds `Café`, `strasse` finds `Straße`, and full
 * width and decomposed letters are the usual ones.
 */
export const searchKey = (text: string): string =>
  /^[\0-\x7f]*$/.test(text)
    ? text.toLowerCase()
    : text
        .replace(/[´″]/g, (sign) => WHOLE.get(sign) ?? sign)
        .normalize('NFKD')
        .toLowerCase()
        .replace(MARKS, '')
        .replace(FOLDED, (letter) => LETTERS.get(letter) ?? letter)
        .normalize('NFKC')

/** The words of a search, all of which must be found, in any order. */
export const searchWords = (text: string): string[] =>
  text.split(/\s+/).filter((word) => word !== '')

/**
 * Whether the text has the word: a number where it begins, since `chart 1` finds `chart 12` but not
 * `chart 21`, and other words anywhere.
 */
export function hasWord(text: string, word: string): boolean {
  const key = searchKey(word)
  const searched = searchKey(text)
  return isNumber(key) ? new RegExp(`(^|[^0-9])${key}`).test(searched) : searched.includes(key)
}

export const isNumber = (key: string): boolean => /^[0-9]+$/.test(key)

/** Whether each word of the search is in one of the texts. */
export const hasWords = (texts: readonly string[], search: string): boolean =>
  searchWords(search).every((word) => texts.some((text) => hasWord(text, word)))
