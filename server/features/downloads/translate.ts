// Translates for buyers: texts from the catalogs, and sizes, dates and numbers in the format of the
// language.
import type { IncomingMessage } from 'node:http'
import { IntlMessageFormat } from 'intl-messageformat'
import de from './texts/de.json' with { type: 'json' }
import en from './texts/en.json' with { type: 'json' }
import es from './texts/es.json' with { type: 'json' }
import fr from './texts/fr.json' with { type: 'json' }
import ja from './texts/ja.json' with { type: 'json' }
import pt from './texts/pt.json' with { type: 'json' }

/** A text of the catalogs, which are in ICU format. English defines the keys. */
export type MessageKey = keyof typeof en
type Messages = Readonly<Record<MessageKey, string>>

// The French apostrophe is ’: a straight one quotes in ICU messages.
const CATALOGS = { en, de, fr, es, ja, pt } satisfies Record<string, Messages>

export type Locale = keyof typeof CATALOGS
export const LOCALES = Object.keys(CATALOGS) as readonly Locale[]

export type MessageValues = Readonly<Record<string, string | number | boolean>>

export interface Translator {
  /** The text of that key. Values are inserted as plain text; templates escape them. */
  (key: MessageKey, values?: MessageValues): string
  /** The catalog's language, for `lang` and Content-Language. */
  locale: Locale
  /** `1.5 KB`, in units of 1,024, as on the admin page. */
  size(bytes: number): string
  /** The day in that time zone; absent: in UTC. */
  date(at: Date, timeZone?: string): string
  /** The day in that time zone, and the time of day unless it is midnight. */
  moment(at: Date, timeZone: string): string
  /**
   * The last day of something that ends, in that time zone. Near its end, before and after, with the time of
   * day: the day alone would promise the rest of it.
   */
  end(at: Date, timeZone: string, now: Date): string
  number(value: number): string
}

const translators = new Map<string, Translator>()
/** Language tags come from requests, so the cache needs a limit. */
const MAX_TRANSLATORS = 200

/** The translator for a language tag such as `de-AT`; English if there is no catalog for it. */
export function translatorFor(tag: string | null | undefined): Translator {
  const { locale, region } = supportedTag(tag ?? '') ?? { locale: 'en', region: 'en' }
  const known = translators.get(region)
  if (known) return known
  if (translators.size >= MAX_TRANSLATORS) translators.clear()
  const t = createTranslator(locale, region)
  translators.set(region, t)
  return t
}

/**
 * The translator for a request. The language is, in this order, `?locale=` in its address, `locale`
 * (of the order), Accept-Language, the shop's `language`, English.
 */
export function translatorForRequest(
  { url, headers }: Pick<IncomingMessage, 'url' | 'headers'>,
  own: { locale?: string | null | undefined; language?: string | null | undefined } = {},
): Translator {
  const wanted = [
    askedLocale(url),
    own.locale,
    ...acceptedTags(headers['accept-language']),
    own.language,
  ]
  return translatorForFirst(wanted)
}

/** The translator for the first of these tags that has a catalog; English if none has one. */
export const translatorForFirst = (tags: readonly (string | null | undefined)[]): Translator =>
  translatorFor(tags.find((tag) => tag && supportedTag(tag)))

const LOCALE_ASKED = /[?&]locale=([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})(?:&|$)/

/** The language that the address itself names. */
export const askedLocale = (url: string | undefined): string | null =>
  LOCALE_ASKED.exec(url ?? '')?.[1] ?? null

/** The tags of an Accept-Language header, in descending order of preference. */
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

/** The catalog for a tag, and the tag by which numbers and dates are formatted. */
function supportedTag(tag: string): { locale: Locale; region: string } | null {
  const locale = tag.toLowerCase().split(/[-_]/, 1)[0] as Locale
  if (!Object.hasOwn(CATALOGS, locale)) return null
  try {
    // Without extensions, which could change the calendar or the digits.
    return { locale, region: new Intl.Locale(tag.replaceAll('_', '-')).baseName }
  } catch {
    return { locale, region: locale }
  }
}

function createTranslator(locale: Locale, region: string): Translator {
  const formats = new Map<MessageKey, IntlMessageFormat>()
  const t = (key: MessageKey, values: MessageValues = {}): string => {
    let format = formats.get(key)
    if (!format) {
      // Without tags, so that `<` is plain text.
      format = new IntlMessageFormat(CATALOGS[locale][key], region, undefined, { ignoreTag: true })
      formats.set(key, format)
    }
    return String(format.format(selectable(values)))
  }
  const number = new Intl.NumberFormat(region)
  const brief = new Intl.NumberFormat(region, { maximumFractionDigits: 1 })
  const whole = new Intl.NumberFormat(region, { maximumFractionDigits: 0 })
  const zones = new Map<string, ZoneFormats>()
  const zone = (timeZone: string) => {
    const known = zones.get(timeZone) ?? formatsIn(region, timeZone)
    zones.set(timeZone, known)
    return known
  }
  return Object.assign(t, {
    locale,
    moment: (at: Date, timeZone: string) => zone(timeZone).moment(at),
    end: (at: Date, timeZone: string, now: Date) => {
      const { day: dayOf, time } = zone(timeZone)
      const isNear = Math.abs(at.getTime() - now.getTime()) < NEAR_END_MS
      return isNear ? time(at) : dayOf(at)
    },
    number: (value: number) => number.format(value),
    date: (at: Date, timeZone = 'UTC') => zone(timeZone).day(at),
    size: (bytes: number) => {
      const { value, unit } = scaled(bytes)
      if (unit === 'bytes') return t('size.bytes', { count: bytes })
      return t(`size.${unit}`, { value: (value < 10 ? brief : whole).format(value) })
    },
  })
}

/** How near an end is told with its time of day. */
const NEAR_END_MS = 48 * 60 * 60 * 1000

/** `1 March 2027`, `1 March 2027 at 15:42`, and the one or the other. */
type ZoneFormats = Readonly<Record<'day' | 'time' | 'moment', (at: Date) => string>>

function formatsIn(region: string, timeZone: string): ZoneFormats {
  const day = new Intl.DateTimeFormat(region, { dateStyle: 'long', timeZone })
  const time = new Intl.DateTimeFormat(region, { dateStyle: 'long', timeStyle: 'short', timeZone })
  const clock = new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23', timeZone })
  return {
    day: (at) => day.format(at),
    time: (at) => time.format(at),
    moment: (at) => (clock.format(at) === '00:00' ? day : time).format(at),
  }
}

/** Booleans as strings, because ICU `select` compares strings. */
const selectable = (values: MessageValues): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'boolean' ? String(value) : value,
    ]),
  )

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const
const LARGEST_UNIT = 'TB'
const STEP = 1024

function scaled(size: number): { value: number; unit: (typeof UNITS)[number] } {
  let value = size
  for (const unit of UNITS) {
    // Rounded first: 1,023.99 KB would otherwise read 1,024 KB instead of 1 MB.
    if (Math.round(value) < STEP || unit === LARGEST_UNIT) return { value, unit }
    value /= STEP
  }
  return { value, unit: LARGEST_UNIT }
}
