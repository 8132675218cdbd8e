// The form in which SKUs and barcodes are compared: what cannot be seen, or only in some fonts, makes
// no other code.
import { nameKey } from '../../plugins/contract.ts'

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

/**
 * Like `nameKey`, also without differences of width, of the kind of a dash, a space or a bracket,
 * and between ß and ss. `server/matching/sku-in-name.ts` splits it at delimiters.
 */
export function skuKey(code: string): string {
  if (ASCII.test(code)) return code.toLowerCase().trim()
  const plain = withoutInvisible(code)
    .normalize('NFKC')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/\p{Pc}/gu, '_')
    .replace(/\p{Ps}/gu, '(')
    .replace(/\p{Pe}/gu, ')')
    .replace(/[’ʼ]/g, "'")
    .replace(/\s/gu, ' ')
  return nameKey(withPlainDigits(plain)).replaceAll('ß', 'ss').trim()
}
