import { readdirSync, readFileSync } from 'node:fs'
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { expect, test } from 'vitest'
import de from './texts/de.json' with { type: 'json' }
import en from './texts/en.json' with { type: 'json' }
import es from './texts/es.json' with { type: 'json' }
import fr from './texts/fr.json' with { type: 'json' }
import ja from './texts/ja.json' with { type: 'json' }
import pt from './texts/pt.json' with { type: 'json' }
import delivery from '../mail/usual/delivery.json' with { type: 'json' }
import links from '../mail/usual/links.json' with { type: 'json' }
import { acceptedTags, translatorForRequest, translatorFor, type MessageKey } from './translate.ts'

const KEYS = Object.keys(en) as MessageKey[]

/** The names of a message's values. */
function valuesOf(elements: readonly MessageFormatElement[]): string[] {
  return elements.flatMap((element) => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return []
    if (element.type === TYPE.select || element.type === TYPE.plural)
      return [
        element.value,
        ...Object.values(element.options).flatMap((option) => valuesOf(option.value)),
      ]
    return 'value' in element ? [String(element.value)] : []
  })
}

test.each(Object.entries({ de, fr, es, ja, pt }))(
  '%s uses no value that English lacks',
  (_, its) => {
    for (const key of KEYS) {
      const known = new Set(valuesOf(parse(en[key], { ignoreTag: true })))
      const used = new Set(valuesOf(parse(its[key], { ignoreTag: true })))
      expect([key, [...used].filter((value) => !known.has(value))]).toEqual([key, []])
      expect(its[key]).not.toContain("'")
    }
  },
)

/** The literal parts of a message. A number sign within a selection within a plural is one: no count replaces it. */
function literalsOf(elements: readonly MessageFormatElement[]): string[] {
  return elements.flatMap((element) => {
    if (element.type === TYPE.literal) return [element.value]
    return element.type === TYPE.select || element.type === TYPE.plural
      ? Object.values(element.options).flatMap((option) => literalsOf(option.value))
      : []
  })
}

test('each number sign is replaced by a count', () => {
  const texts: object[] = [de, en, es, fr, ja, pt]
  const all = [...texts, ...Object.values(delivery), ...Object.values(links)].flatMap((catalog) =>
    Object.values(catalog as Record<string, string>),
  )
  expect(all.length).toBeGreaterThan(1000)
  for (const message of all)
    expect(literalsOf(parse(message, { ignoreTag: true })).join('')).not.toContain('#')
})

test('templates use only existing keys', () => {
  const templates = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.hbs'))
  const used = templates.flatMap((name) =>
    [...readFileSync(`${import.meta.dirname}/${name}`, 'utf8').matchAll(/\{\{t ["']([^"']+)/g)].map(
      ([, key]) => key as MessageKey,
    ),
  )
  expect(used.length).toBeGreaterThan(5)
  expect(used.filter((key) => !KEYS.includes(key))).toEqual([])
})

test('numbers, days and sizes are formatted in the language', () => {
  const day = new Date('2027-03-09T23:30:00Z')
  const samples = ['en', 'de', 'fr', 'es', 'ja', 'pt'].map((locale) => {
    const t = translatorFor(locale)
    return [t.size(1550), t.size(1_234_567_890_123), t.date(day)]
  })
  expect(samples).toEqual([
    ['1.5 KB', '1.1 TB', 'March 9, 2027'],
    ['1,5 KB', '1,1 TB', '9. März 2027'],
    ['1,5 Ko', '1,1 To', '9 mars 2027'],
    ['1,5 KB', '1,1 TB', '9 de marzo de 2027'],
    ['1.5 KB', '1.1 TB', '2027年3月9日'],
    ['1,5 KB', '1,1 TB', '9 de março de 2027'],
  ])
  expect(translatorFor('en-GB').date(day)).toBe('9 March 2027')
  expect(translatorFor('de')('pack.left', { count: 1200 })).toBe('noch 1.200 Downloads')
})

test('an end is told with its time of day while it is near, in the shop’s time zone', () => {
  const end = new Date('2027-03-01T00:30:00Z')
  const at = (now: string, zone: string) =>
    translatorFor('en').end(end, zone, new Date(now)).replaceAll('\u202f', ' ')
  expect(at('2027-02-01T00:00:00Z', 'UTC')).toBe('March 1, 2027')
  expect(at('2027-02-01T00:00:00Z', 'America/New_York')).toBe('February 28, 2027')
  expect(at('2027-02-28T00:00:00Z', 'UTC')).toBe('March 1, 2027 at 12:30 AM')
  expect(at('2027-03-01T08:00:00Z', 'America/New_York')).toBe('February 28, 2027 at 7:30 PM')
  expect(at('2027-04-01T00:00:00Z', 'UTC')).toBe('March 1, 2027')
  expect(translatorFor('en').date(end, 'America/New_York')).toBe('February 28, 2027')
})

test('the language is chosen by the address, then the order, then the browser, then the shop', () => {
  const headers = { 'accept-language': 'nl, fr-CH;q=0.9, de;q=0.8, *;q=0.1' }
  const url = '/download?key=x&locale=ja'
  const localeOf = (...given: Parameters<typeof translatorForRequest>) =>
    translatorForRequest(...given).locale
  expect(localeOf({ url, headers }, { locale: 'es-MX', language: 'de' })).toBe('ja')
  expect(localeOf({ url: '/download', headers }, { locale: 'es-MX' })).toBe('es')
  expect(localeOf({ url: '/download', headers }, { locale: 'nl' })).toBe('fr')
  expect(localeOf({ url: '/download', headers: {} }, { language: 'de' })).toBe('de')
  expect(localeOf({ url: '/download?locale=%2e%2e', headers: {} })).toBe('en')
  expect(localeOf({ url: '/download?locale=constructor', headers: {} })).toBe('en')
})

test('a hostile Accept-Language is parsed as a list of tags', () => {
  expect(acceptedTags('de;q=0, fr;q=abc, es;q=0.5,ja')).toEqual(['ja', 'es'])
  expect(translatorFor('de-u-nu-thai-ca-buddhist').date(new Date(0))).toBe('1. Januar 1970')
  expect(translatorFor('de_AT').locale).toBe('de')
  expect(translatorFor('fr-!!').locale).toBe('fr')
  expect(acceptedTags('x'.repeat(100_000))).toHaveLength(1)
})
