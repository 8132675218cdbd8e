// Signs that tell titles apart: spelled as words, so that a name may have either, or compared as
// signs if the name and the title both have some.
import { withoutInvisible, withPlainDigits } from '../core/sku-key.ts'
import { LABELS } from './distinctions.ts'

const ASCII = /^[\x20-\x7e]*$/
const START = String.raw`(?<![\p{L}\p{N}\p{M}])`

/** Signs as words, with the reason for the place in which they count. */
const SPELLED: readonly (readonly [RegExp, string | ((...found: string[]) => string)])[] = [
  [/𝄪/gu, ' sharp sharp '],
  [/𝄫/gu, ' flat flat '],
  [/♯/gu, ' sharp '],
  [/♭/gu, ' flat '],
  [/♮/gu, ' natural '],
  [/♂/gu, ' male '],
  [/♀/gu, ' female '],
  [new RegExp(`${START}(\\p{L})##`, 'gu'), '$1 sharp sharp '],
  // Not `Issue #3` and `Issue#3`.
  [new RegExp(`${START}(\\p{L})#`, 'gu'), '$1 sharp '],
  [/(\p{L})#(?![\p{L}\p{N}])/gu, '$1 sharp '],
  // Between words `+` stands for a space or for `and`.
  [
    /(?<=[\p{L}\p{N}])(?:\+{2,}|\+(?![\p{L}\p{N}]))/gu,
    (signs: string) => `${' plus'.repeat(signs.length)} `,
  ],
  [new RegExp(`${START}(\\p{L})\\*`, 'gu'), '$1 star '],
  // A grade or a blood group, not a hyphen or a dash.
  [new RegExp(`${START}(\\p{L})[-\u2212](?=[\\s_)\\],;]|$)`, 'gu'), '$1 minus '],
  [/(^|[\s([])[-\u2212](?=\p{N})/gu, '$1 minus '],
  // Exponents and charges: `10⁻³`, `Na⁺`.
  [/[\u207a\u208a]/gu, ' plus '],
  [/[\u207b\u208b]/gu, ' minus '],
  // `20×30 cm` is written `20x30 cm` in names of files.
  [/(?<=\p{N}\s?)×(?=\s?\p{N})/gu, 'x'],
  [/(^|[\s([_-])\.(?=net(?![\p{L}\p{M}]))/giu, '$1 dot '],
  [/(?<![\p{L}\p{N}])([2-9])xl(?![\p{L}\p{N}])/giu, (_, times: string) => `${'x'.repeat(+times)}l`],
]
const HAS_SIGN = /[^\x20-\x7e]|[#+*.]|[-\u2212](?:[\s_)\],;\d]|$)|\dxl/iu

/** The text with its signs as words; invisible characters are removed. */
export function spellSigns(title: string): string {
  if (!HAS_SIGN.test(title)) return title
  const text = withoutInvisible(title)
  return SPELLED.reduce((spelled, [sign, word]) => spelled.replace(sign, word as string), text)
}

/** The numerals of Chinese and Japanese before counters, as in 第二巻. */
const HAN_NUMBER =
  /第([〇零一二三四五六七八九十百]+)|([〇零一二三四五六七八九十百]+)(?=[巻卷章回話话号號部版課课集冊册級级月日年])/gu
const HAN_DIGITS = '〇一二三四五六七八九'
const HAN_UNITS = new Map([
  ['十', 10],
  ['百', 100],
])

function hanNumber(numeral: string): string {
  let [sum, digit] = [0, 0]
  for (const sign of numeral.replaceAll('零', '〇')) {
    const unit = HAN_UNITS.get(sign)
    if (unit === undefined) digit = digit * 10 + HAN_DIGITS.indexOf(sign)
    else [sum, digit] = [sum + (digit || 1) * unit, 0]
  }
  return String(sum + digit)
}

/**
 * Fractions as one number with `⁄`, digits of all scripts as ASCII; `10²` is not 102.
 * @param text not normalised
 */
export function spellNumbers(text: string): string {
  const isAscii = ASCII.test(text)
  if (isAscii && !text.includes('/')) return text
  const fractions = text.replace(
    /(?<![\p{N}/.,])(\d)\/([234568])(?![\p{N}/])/gu,
    (all: string, part: string, whole: string, at: number) => {
      const before = /(\p{L}+)[\s.]*$/u.exec(text.slice(0, at))?.[1]?.toLowerCase()
      const isLabelled = before !== undefined && LABELS.has(before)
      return +part < +whole && !isLabelled ? `${part}⁄${whole}` : all
    },
  )
  if (isAscii) return fractions
  return withPlainDigits(
    fractions
      .replace(
        /(?<=\p{N})(?=[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209f\u2150-\u215f\u2189])/gu,
        ' ',
      )
      .replace(HAN_NUMBER, (_, ordinal?: string, counted?: string) =>
        ordinal === undefined ? ` ${hanNumber(counted ?? '')} ` : `第 ${hanNumber(ordinal)} `,
      ),
  )
}

const UNIT =
  /(\d+(?:[.,]\d+)?)\s*(″|"|''|′′|′|'(?!\p{L})|°\s*[cf]|[$€£¥%]|(?:cm|mm|[µμ]m|nm|km|kg|mg|ml|cl|ft|feet|foot|inch|inches|in|oz|lbs?|g|m|l)(?![\p{L}\p{N}]))|([$€£¥])\s*(\d+(?:[.,]\d+)?)/giu
const SAME_UNITS: ReadonlyMap<string, string> = new Map([
  ...['″', '"', "''", '′′', 'inch', 'inches'].map((unit) => [unit, 'in'] as const),
  ...['′', "'", 'feet', 'foot'].map((unit) => [unit, 'ft'] as const),
  ['lbs', 'lb'],
  ['µm', 'μm'],
])

const HAS_UNIT = /\d\s*[^\d\s.,_()-]|[$€£¥]\s*\d/

/** The numbers with their units: `10 in` of 10″. */
export function unitsOf(text: string): string[] {
  if (!HAS_UNIT.test(text)) return []
  return [...text.matchAll(UNIT)].map(([, number, unit, currency, amount]) => {
    const sign = (unit ?? currency ?? '').toLowerCase().replace(/\s/g, '')
    return `${number ?? amount ?? ''} ${SAME_UNITS.get(sign) ?? sign}`
  })
}

/** Pictures, flags and signs of mathematics, each once; not those of trade marks. */
export function picturesOf(title: string): string[] {
  if (ASCII.test(title)) return []
  const found = title.match(
    /\p{RI}{2}|[[\p{Extended_Pictographic}\p{Sm}\p{So}]--[©®™℗℠♀♂♭♮♯\u2212⁄+<=>\|~\u00b0\u00ac]]\p{EMod}?/gv,
  )
  return [...new Set(found)].sort()
}
