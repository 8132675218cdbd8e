// Sizes and counts in the page's language.
import { messageLocale, pageLocale } from '../messages/locale.ts'
import { t } from '../messages/t.ts'

const UNITS = ['K', 'M', 'G', 'T'] as const
const STEP = 1024

/** French counts octets: `1,5 Mo`. */
const byteLetter = (locale = messageLocale()): string => (locale.startsWith('fr') ? 'o' : 'B')

/** 0 → `0 bytes`, 1536 → `1.5 KB`, 5 GB → `5 GB`. Units of 1,024, as the limits are. */
export function sizeText(bytes: number, locale = pageLocale()): string {
  if (bytes < STEP) return t('{bytes, plural, one {# byte} other {# bytes}}', { bytes })
  let value = bytes / STEP
  let unit = 0
  // 1,023.99 KB would be shown as 1,024 KB: show 1 MB.
  while (Math.round(value) >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit += 1
  }
  const digits = value < 10 ? 1 : 0
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value)} ${UNITS[unit]}${byteLetter(locale)}`
}

export const numberText = (value: number, locale = pageLocale()): string =>
  new Intl.NumberFormat(locale).format(value)

/** The text with a capital first letter. */
export const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/**
 * A label inside a sentence: `Product tags` → `product tags`, `SKU` → `SKU`. Only English,
 * French, Portuguese and Spanish write it in lower case: in German it would be a misspelt noun.
 */
export const inSentence = (label: string, locale: string = messageLocale()): string =>
  /^(en|es|fr|pt)/.test(locale) && !/^\p{Lu}{2}/u.test(label)
    ? label.slice(0, 1).toLowerCase() + label.slice(1)
    : label

/** 0.834 → `83%`, in French `83 %`; only 1 is shown as 100 %. */
export const scoreText = (score: number): string =>
  new Intl.NumberFormat(pageLocale(), { style: 'percent' }).format(
    score >= 1 ? 1 : Math.min(99, Math.floor(score * 100)) / 100,
  )

/** 1,000 → 260 bytes: `74% less`; null if it is not smaller. */
export function savedText(from: number | undefined, to: number | undefined): string | null {
  if (!from || to === undefined || to >= from) return null
  const percent = Math.floor((1 - to / from) * 100)
  return percent < 1 ? t('under 1% less') : t('{percent}% less', { percent })
}
