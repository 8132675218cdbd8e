// The page's language. It is chosen once, before the page loads: see main.tsx.

/** The languages with a translation; English is in the code. `pt` is Brazilian Portuguese. */
export const TRANSLATED = ['de', 'es', 'fr', 'ja', 'pt'] as const
export type TranslatedLocale = (typeof TRANSLATED)[number]

const KEY = 'locale'

let chosen: string | undefined

/**
 * `locale`: for numbers and dates, a tag such as `de-AT`. Call it before any module with texts is
 * imported.
 */
export function setPageLocale(locale: string | undefined): void {
  chosen = locale
}

/** The locale of numbers and dates; undefined: the browser's. */
export const pageLocale = (): string | undefined => chosen

/** The locale of texts: for their plural rules, and for numbers in sentences. */
export function messageLocale(): string {
  const locale = chosen ?? (typeof navigator === 'undefined' ? 'en' : navigator.language)
  return isSpoken(locale) ? locale : 'en'
}

const languageOf = (locale: string): string => locale.toLowerCase().split('-')[0]!

/** The translation for a locale; undefined: English. */
export const translationFor = (locale: string): TranslatedLocale | undefined =>
  TRANSLATED.find((language) => language === languageOf(locale))

const isSpoken = (locale: string): boolean =>
  languageOf(locale) === 'en' || translationFor(locale) !== undefined

/**
 * The locale of the page: the address's (Shopify's admin adds `?locale=`), which the tab remembers
 * because later addresses lack it; otherwise the browser's first locale with a translation. A
 * browser's `de-AT` refines a plain `de`. `storage` may throw if the browser forbids it.
 */
export function chooseLocale(
  search: string,
  browser: readonly string[],
  storage: () => Pick<Storage, 'getItem' | 'setItem'>,
): string | undefined {
  const given = new URLSearchParams(search).get('locale')
  if (given && isLocale(given)) remember(storage, given)
  const asked = given && isLocale(given) ? given : remembered(storage)
  const own = browser.filter(isLocale)
  if (!asked) return own.find(isSpoken) ?? own[0]
  if (asked.includes('-')) return asked
  return own.find((tag) => languageOf(tag) === languageOf(asked)) ?? asked
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** The stored locale; null also if the browser forbids storage: each address must then contain it. */
function remembered(storage: () => Pick<Storage, 'getItem'>): string | null {
  try {
    return storage().getItem(KEY)
  } catch {
    return null
  }
}

function remember(storage: () => Pick<Storage, 'setItem'>, locale: string): void {
  try {
    storage().setItem(KEY, locale)
  } catch {
    // As above.
  }
}
