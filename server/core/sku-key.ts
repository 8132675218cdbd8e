// The form in which SKUs and barcodes are compared: what cannot be seen, or only in some fonts, makes
// no other code.
import { nameKey } from '../../plugins/contract/index.ts'
import { inKatakana, withBareLetters, withDigraphs, withPlainApostrophes } from './letters.ts'
import { inOneScript, latinTwinOf } from './look-alikes.ts'

const ASCII = /^[\x20-\x7e]*$/
/** Zero-width characters, soft hyphens, marks of direction, byte order marks, variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

export const withoutInvisible = (text: string): string =>
  ASCII.test(text) ? text : text.replace(INVISIBLE, '')

/** Digits of all scripts as ASCII. */
export const withPlainDigits = (text: string): string =>
  text.replace(/(?![0-9])\p{Nd}/gu, (digit) => String(valueOf(digit)))

/** The digits of a script are consecutive, from 0. */
function valueOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  return (code - zero) % 10
}

const DOUBLE_QUOTES = /[“”„‟″〝〞＂]/gu

/**
 * Like `nameKey`, also without differences of width, of the kind of a dash, a quotation mark, a slash, a
 * space or a bracket, of the number of spaces, and between ß and ss. `server/matching/sku-in-name.ts` splits it at delimiters.
 */
export function skuKey(code: string): string {
  if (ASCII.test(code)) return code.toLowerCase().trim().replace(/ {2,}/g, ' ')
  const plain = withoutInvisible(code)
    // `″` is two signs in NFKC, and `„` opens like a bracket.
    .replace(DOUBLE_QUOTES, '"')
    .normalize('NFKC')
    .replace(/[\p{Pd}\u2212\u2043\u02d7]/gu, '-')
    .replace(/[\u2044\u2215]/gu, '/')
    .replace(/\p{Pc}/gu, '_')
    .replace(/\p{Ps}/gu, '(')
    .replace(/\p{Pe}/gu, ')')
    .replace(/[\s\u0085\u2800]+/gu, ' ')
  return nameKey(withPlainDigits(withPlainApostrophes(plain)))
    .replaceAll('ß', 'ss')
    .trim()
}

/** The key of a SKU with `-` for each run of delimiters, as the mirror has it (`sku_parts`). */
export const partsKey = (key: string): string =>
  key.replace(/[\][ _.(){}-]+/g, '-').replace(/^-|-$/g, '')

/**
 * The other spellings of a SKU, in which it counts only if no other SKU of the shop has them: Latin
 * letters for those of another script that look alike, katakana for hiragana, two letters for `ä`, `x` for
 * `×`, and no accents.
 * @param key from `skuKey`
 */
export function otherSkuKeys(key: string): string[] {
  if (ASCII.test(key)) return []
  // Codes are compared without case, and capitals are those that look alike.
  const latin = nameKey(
    inOneScript(key.toUpperCase().replaceAll('×', 'X')).replace(
      /[\p{L}\p{M}]+/gu,
      (word) => latinTwinOf(word) ?? word,
    ),
  ).replaceAll('ß', 'ss')
  const plain = inKatakana(latin)
  const bare = (text: string) =>
    withBareLetters(
      text
        .normalize('NFD')
        .replace(/[\u0300-\u036f]/g, '')
        .normalize('NFC'),
    )
  const others = [plain, bare(plain), bare(withDigraphs(plain) ?? plain)]
  return [...new Set(others)].filter((other) => other !== key)
}
