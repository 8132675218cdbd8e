// Sizes and counts in the page's language.
import { sizeParts, type SizeUnit } from '../../../plugins/_page/size-parts.ts'
import { messageLocale, pageLocale } from '../messages/locale.ts'
import { t } from '../messages/t.ts'

const UNIT_TEXTS: Readonly<Record<Exclude<SizeUnit, 'bytes'>, (size: string) => string>> = {
  KB: (size) => t('{size} KB', { size }),
  MB: (size) => t('{size} MB', { size }),
  GB: (size) => t('{size} GB', { size }),
  TB: (size) => t('{size} TB', { size }),
}

/** 0 → `0 bytes`, 1536 → `1.5 KB`, 5 GB → `5 GB`, in French `5 Go`. */
export function sizeText(bytes: number, locale = pageLocale()): string {
  const { value, unit } = sizeParts(bytes)
  if (unit === 'bytes') return t('{bytes, plural, one {# byte} other {# bytes}}', { bytes })
  return UNIT_TEXTS[unit](numberText(value, locale))
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
