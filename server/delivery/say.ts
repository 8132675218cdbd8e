// Speaks to buyers in their language: texts from the catalogs, and sizes, dates and numbers as
// that language writes them.
import type { IncomingMessage } from 'node:http'
import { IntlMessageFormat } from 'intl-messageformat'
import { de } from './messages/de.ts'
import { en, type MessageKey, type Messages } from './messages/en.ts'
import { es } from './messages/es.ts'
import { fr } from './messages/fr.ts'
import { ja } from './messages/ja.ts'

const CATALOGS = { en, de, fr, es, ja } satisfies Record<string, Messages>

export type Locale = keyof typeof CATALOGS
export const LOCALES = Object.keys(CATALOGS) as readonly Locale[]

export type SayValues = Readonly<Record<string, string | number | boolean>>

export interface Say {
  /** The text of that key; a value is inserted as plain text, and is escaped by the template. */
  (key: MessageKey, values?: SayValues): string
  /** The catalog's language, for `lang` and Content-Language. */
  locale: Locale
  /** `1.5 KB`, in units of 1,024, as on the admin page. */
  size(bytes: number): string
  /** The day, in UTC. */
  date(at: Date): string
  number(value: number): string
}

const speakers = new Map<string, Say>()
/** Tags come from requests: more than this many are not remembered. */
const MAX_SPEAKERS = 200

/** In a language tag such as `de-AT`; English where there is no catalog for it. */
export function sayIn(tag: string | null | undefined): Say {
  const { locale, region } = spoken(tag ?? '') ?? { locale: 'en', region: 'en' }
  const known = speakers.get(region)
  if (known) return known
  if (speakers.size >= MAX_SPEAKERS) speakers.clear()
  const say = createSay(locale, region)
  speakers.set(region, say)
  return say
}

/**
 * In the language that a request wants: `?locale=` in its address, then `locale` (of the order),
 * then Accept-Language, then the shop's own choice, then English.
 */
export function sayFor(
  { url, headers }: Pick<IncomingMessage, 'url' | 'headers'>,
  own: { locale?: string | null | undefined; language?: string | null | undefined } = {},
): Say {
  const wanted = [
    askedLocale(url),
    own.locale,
    ...acceptedTags(headers['accept-language']),
    own.language,
  ]
  return sayIn(wanted.find((tag) => tag && spoken(tag)))
}

const LOCALE_ASKED = /[?&]locale=([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})(?:&|$)/

/** The language that the address itself names. */
export const askedLocale = (url: string | undefined): string | null =>
  LOCALE_ASKED.exec(url ?? '')?.[1] ?? null

/** Most wanted first. */
export function acceptedTags(header: string | undefined): string[] {
  if (!header) return []
  return header
    .slice(0, 1000)
    .split(',')
    .map((part, at) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim())
      const q = parameters.find((text) => text.startsWith('q='))
      return { tag, at, weight: q ? Number(q.slice(2)) || 0 : 1 }
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.at - b.at)
    .map(({ tag }) => tag)
}

/** The catalog for a tag, and the tag itself where numbers and dates can be written by it. */
function spoken(tag: string): { locale: Locale; region: string } | null {
  const locale = tag.toLowerCase().split(/[-_]/, 1)[0] as Locale
  if (!Object.hasOwn(CATALOGS, locale)) return null
  try {
    const [region] = Intl.getCanonicalLocales(tag.replaceAll('_', '-'))
    // An extension could change the calendar or the digits.
    return { locale, region: new Intl.Locale(region!).baseName }
  } catch {
    return { locale, region: locale }
  }
}

function createSay(locale: Locale, region: string): Say {
  const formats = new Map<MessageKey, IntlMessageFormat>()
  const say = (key: MessageKey, values: SayValues = {}): string => {
    let format = formats.get(key)
    if (!format) {
      // Tags are off: a text with < is a text.
      format = new IntlMessageFormat(CATALOGS[locale][key], region, undefined, { ignoreTag: true })
      formats.set(key, format)
    }
    return String(format.format(selectable(values)))
  }
  const number = new Intl.NumberFormat(region)
  const brief = new Intl.NumberFormat(region, { maximumFractionDigits: 1 })
  const whole = new Intl.NumberFormat(region, { maximumFractionDigits: 0 })
  const day = new Intl.DateTimeFormat(region, { dateStyle: 'long', timeZone: 'UTC' })
  return Object.assign(say, {
    locale,
    number: (value: number) => number.format(value),
    date: (at: Date) => day.format(at),
    size: (bytes: number) => {
      const { value, unit } = scaled(bytes)
      if (unit === 'bytes') return say('size.bytes', { count: bytes })
      return say(`size.${unit}`, { value: (value < 10 ? brief : whole).format(value) })
    },
  })
}

/** `select` compares texts. */
const selectable = (values: SayValues): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'boolean' ? String(value) : value,
    ]),
  )

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const
const STEP = 1024

function scaled(size: number): { value: number; unit: (typeof UNITS)[number] } {
  let [value, unit] = [size, 0]
  // Rounded first: 1,023.99 KB would otherwise read 1,024 KB instead of 1 MB.
  while (Math.round(value) >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit++
  }
  return { value, unit: UNITS[unit]! }
}
