// The usual texts of mails to buyers, and the variables that a shop's own texts may contain.
import { IntlMessageFormat } from 'intl-messageformat'
import { present } from '../../core/lazy.ts'
import { translatorFor, type Locale } from '../downloads/translate.ts'
import { LINK_TEXTS } from './link-texts.ts'
import texts from './usual/delivery.json' with { type: 'json' }

/**
 * `order`: its files; `edited`: also those that a change of the order has brought; `update`, `added`, `ready`, `available`: later news of it; `link`: a link of
 * the shop; `links`: those of a past buyer of another app; `text`: the text message about an order without an email address.
 */
export const BUYER_MAILS = [
  'order',
  'edited',
  'update',
  'added',
  'ready',
  'available',
  'link',
  'links',
  'library',
  'text',
] as const
export type BuyerMail = (typeof BUYER_MAILS)[number]

/** The parts of a mail that a shop can write itself, with their lengths. */
const TEXT_FIELDS = {
  subject: 150,
  intro: 1000,
  button: 60,
  keep: 500,
  footer: 500,
} as const
export type TextField = keyof typeof TEXT_FIELDS
export const FIELD_NAMES = Object.keys(TEXT_FIELDS) as readonly TextField[]
/**
 * The parts that a mail has: a text message has one, and its link follows. A mail with several links
 * has no button.
 */
export const fieldsOf = (mail: BuyerMail): readonly TextField[] =>
  mail === 'text'
    ? ['intro']
    : mail === 'links'
      ? FIELD_NAMES.filter((field) => field !== 'button')
      : FIELD_NAMES
/** A text message of several parts costs several times. */
const MAX_MESSAGE_TEXT = 200
export const maxLengthOf = (mail: BuyerMail, field: TextField): number =>
  mail === 'text' ? MAX_MESSAGE_TEXT : TEXT_FIELDS[field]

/** The variables of own texts, by mail. `files`: how many, like “3 files”. */
export const VARIABLES: Readonly<Record<BuyerMail, readonly string[]>> = {
  order: ['order', 'shop', 'files'],
  edited: ['order', 'shop', 'files'],
  update: ['order', 'shop', 'files'],
  added: ['order', 'shop', 'files'],
  ready: ['order', 'shop', 'files'],
  available: ['order', 'shop', 'files'],
  link: ['name', 'shop'],
  links: ['shop', 'files'],
  library: ['shop', 'date'],
  text: ['order', 'shop'],
}

export type TextValues = Readonly<Record<string, string | number>>

type DeliveryMail = Exclude<BuyerMail, 'link' | 'links' | 'library' | 'text'>
const DELIVERY_FIELDS: Readonly<
  Record<DeliveryMail, Record<'subject' | 'intro', keyof (typeof DELIVERY_TEXTS)['en']>>
> = {
  order: { subject: 'subject', intro: 'intro' },
  edited: { subject: 'editedSubject', intro: 'editedIntro' },
  update: { subject: 'updateSubject', intro: 'updateIntro' },
  added: { subject: 'addedSubject', intro: 'addedIntro' },
  ready: { subject: 'readySubject', intro: 'readyIntro' },
  available: { subject: 'availableSubject', intro: 'availableIntro' },
}
const LINKS_FIELDS = {
  subject: 'linksSubject',
  intro: 'linksIntro',
  button: 'button',
  keep: 'linksKeep',
  footer: 'linksFooter',
} as const
const LIBRARY_FIELDS = {
  subject: 'library.mailSubject',
  intro: 'library.mailIntro',
  button: 'library.mailButton',
  keep: 'library.mailKeep',
  footer: 'library.mailFooter',
} as const

export interface UsualText {
  mail: BuyerMail
  field: TextField
  locale: Locale
}

/**
 * `viewed`: a file that the mail is about is only viewed. `partly`: others are being prepared, or become
 * available later.
 */
const USUAL_VALUES = { pack: 'false', viewed: 'false', partly: 'false' } as const

export function usualText({ mail, field, locale }: UsualText, given: TextValues): string {
  const values = { ...USUAL_VALUES, ...given }
  if (mail === 'library') return translatorFor(locale)(LIBRARY_FIELDS[field], values)
  if (mail === 'link') return formatText(locale, LINK_TEXTS[locale][field], values)
  if (mail === 'links') return formatText(locale, LINK_TEXTS[locale][LINKS_FIELDS[field]], values)
  if (mail === 'text') return formatText(locale, DELIVERY_TEXTS[locale].text, values)
  const own = DELIVERY_FIELDS[mail]
  const name = field === 'subject' || field === 'intro' ? own[field] : field
  return formatText(locale, DELIVERY_TEXTS[locale][name], values)
}

/** The number of files as `{files}` shows it. */
const FILES: Readonly<Record<Locale, string>> = {
  en: '{count, plural, one {# file} other {# files}}',
  de: '{count, plural, one {# Datei} other {# Dateien}}',
  fr: '{count, plural, one {# fichier} other {# fichiers}}',
  es: '{count, plural, one {# archivo} other {# archivos}}',
  ja: '{count, plural, other {# 件のファイル}}',
  pt: '{count, plural, one {# arquivo} other {# arquivos}}',
}
export const filesText = (locale: Locale, count: number): string =>
  formatText(locale, FILES[locale], { count })

/** Sentences of one paragraph: Japanese has no space between them. */
export const joinSentences = (locale: Locale, sentences: readonly string[]): string =>
  sentences.join(locale === 'ja' ? '' : ' ')

const compiled = new Map<string, IntlMessageFormat>()

/** Formats an ICU message of this program; the values are inserted as text. */
export function formatText(locale: Locale, message: string, values: TextValues): string {
  const key = `${locale}/${message}`
  if (!compiled.has(key))
    compiled.set(key, new IntlMessageFormat(message, locale, undefined, { ignoreTag: true }))
  return String(present(compiled.get(key), 'The message').format(values))
}

// The texts of the mail that brings an order's files, in the languages of buyers: ICU messages, into
// which values are inserted as text. `text` is the text message; the link follows.

export const DELIVERY_TEXTS: Readonly<Record<Locale, (typeof texts)['en']>> = texts
