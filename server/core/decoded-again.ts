// Texts of UTF-8 that a program has read in another encoding and stored: `MÃ¼ller`, or `M√ºller` by
// Excel for Mac.
import { isUtf8 } from 'node:buffer'

/** The encodings in which spreadsheets open a file of UTF-8 that has no mark. */
const READ_AS = ['windows-1252', 'macintosh'] as const

const inverses = READ_AS.map((encoding) => {
  const decoder = new TextDecoder(encoding)
  const bytes = Array.from({ length: 256 }, (_, byte) => byte)
  return new Map(bytes.map((byte) => [decoder.decode(Buffer.from([byte])), byte]))
})

/** The text as it was before it was read in a wrong encoding; null: it was not. */
export function decodedAgain(text: string): string | null {
  if (!/[^\u0000-\u007f]/.test(text) || ENDS_IN_SIGN.test(text)) return null
  const characters = Array.from(text)
  for (const inverse of inverses) {
    const bytes = characters.map((character) => inverse.get(character))
    if (!bytes.every((byte) => byte !== undefined)) continue
    const encoded = Buffer.from(bytes)
    const before = isUtf8(encoded) ? encoded.toString('utf8') : null
    if (before !== null && isPlausible(before)) return before
  }
  return null
}

/** `KESÄ…`, `MANHÃ®`: a word of capitals with a sign; its last two characters may be one of UTF-8. */
const ENDS_IN_SIGN = /(?<=\p{Lu})[ÂÃÄÅÈ][…’”»–—®™](?!\p{L})/u
/** Letters of European languages and of Vietnamese, signs of texts, pictures, and accents of their own. */
const LETTERS = String.raw`\u0000-\u007f\u00a0-\u017f\u01a0\u01a1\u01af\u01b0\u0218-\u021b\u1e00-\u1eff`
const SIGNS = String.raw`\u2010-\u203a\u20ac\u2122\u2190-\u27bf\u{1f300}-\u{1faff}\u200d\ufe0f`
const ACCENTS = String.raw`\u0300-\u0304\u0306-\u030c\u031b\u0323-\u0328`
const USUAL = new RegExp(`[${LETTERS}${SIGNS}${ACCENTS}]`, 'gu')
/** Letters of other scripts, and the signs of East Asia. */
const OTHER = String.raw`[[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Inherited}]]\u3000-\u303f\u30fb\u30fc\uff00-\uffef]`
const OTHERS_ONLY = new RegExp(`^${OTHER}*$`, 'v')
const WORD_OF_OTHERS = new RegExp(`${OTHER}{2}`, 'v')
const LONE_IN_WORD = new RegExp(
  String.raw`\p{Script=Latin}${OTHER}(?!${OTHER})|(?<!${OTHER})${OTHER}\p{Script=Latin}`,
  'v',
)

/**
 * Whether people write such texts. A capital letter and a sign are UTF-8 by chance (`ROSÉ®` would be
 * `ROSɮ`), but not several in a row: another script counts if it has two letters in a row.
 */
function isPlausible(text: string): boolean {
  const others = text.replaceAll(USUAL, '')
  if (!OTHERS_ONLY.test(others)) return false
  return others === '' || (WORD_OF_OTHERS.test(text) && !LONE_IN_WORD.test(text))
}
