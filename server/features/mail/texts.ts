// The texts of mails to buyers: the usual ones, and those that a shop has written in their place.
import { z } from 'zod'
import { IntlMessageFormat } from 'intl-messageformat'
import {
  say,
  sayFixed,
  sayPlain,
  type Text,
  textIssue,
  ownValue,
} from '../../../plugins/contract/index.ts'
import { present } from '../../core/lazy.ts'
import { LOCALES, type Locale, translatorFor } from '../downloads/translate.ts'
import deliveryTexts from './usual/delivery.json' with { type: 'json' }
import linkTexts from './usual/links.json' with { type: 'json' }

// The usual texts of mails to buyers, and the variables that a shop's own texts may contain.

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

export const DELIVERY_TEXTS: Readonly<Record<Locale, (typeof deliveryTexts)['en']>> = deliveryTexts

// The texts of the mail with a link that the shop has made for one buyer, in the languages of buyers:
// ICU messages. In `terms`, -1 downloads are unlimited ones; in `rental`, whole days are not hours.

export const LINK_TEXTS: Readonly<Record<Locale, (typeof linkTexts)['en']>> = linkTexts

// A shop's own texts of mails to buyers. They are plain text: `{name}` is replaced once, by a value
// as text, and nothing else in them has a meaning. They never reach the template language.

/** In one line: a header, and the text of a button. */
const ONE_LINE: readonly TextField[] = ['subject', 'button']

const VARIABLE = /\{(\w+)\}/g
const MAX_NAMED = 5

const unknownVariable = (message: Text) => textIssue(message, { code: 'unknown_variable' })

function textOf(mail: BuyerMail, field: TextField): z.ZodType<string | null, string | null> {
  const most = maxLengthOf(mail, field)
  const known = VARIABLES[mail].map((name) => `{${name}}`).join(', ')
  return z
    .string()
    .max(most, sayFixed('Enter at most {count} characters', { count: most }))
    .refine(
      (text) => !(ONE_LINE.includes(field) ? /\p{Cc}/u : /[^\P{Cc}\n\r\t]/u).test(text),
      ONE_LINE.includes(field)
        ? sayPlain('This text has one line and no control characters')
        : sayPlain('A text cannot contain control characters'),
    )
    .transform((text) => text.replaceAll('\r\n', '\n').trim())
    .superRefine((text, context) => {
      const names = [...text.matchAll(VARIABLE)].map(([, name = '']) => name)
      const unknown = [...new Set(names)].filter((name) => !VARIABLES[mail].includes(name))
      for (const name of unknown.slice(0, MAX_NAMED))
        context.addIssue(
          unknownVariable(
            say('This mail has no variable {name}. It has: {known}', {
              name: `{${name.slice(0, 50)}}`,
              known,
            }),
          ),
        )
      if (/[{}]/.test(text.replaceAll(VARIABLE, '')))
        context.addIssue(
          unknownVariable(say('Braces are for variables only. This mail has: {known}', { known })),
        )
    })
    .transform((text) => (text === '' ? null : text))
    .nullable() as z.ZodType<string | null, string | null>
}

const mailTexts = (mail: BuyerMail) =>
  z.strictObject(
    Object.fromEntries(fieldsOf(mail).map((field) => [field, textOf(mail, field)])) as Record<
      TextField,
      ReturnType<typeof textOf>
    >,
  )

const localeSchema = z.enum(LOCALES as [Locale, ...Locale[]])
const allTexts = z.strictObject(
  Object.fromEntries(
    BUYER_MAILS.map((mail) => [mail, mailTexts(mail).partial().optional()]),
  ) as Record<BuyerMail, z.ZodOptional<ReturnType<ReturnType<typeof mailTexts>['partial']>>>,
)

/** By language and mail. Null and an empty text: the usual one. */
export const textsChange = z
  .partialRecord(localeSchema, allTexts)
  .describe('By language and mail; null: the usual text')
export type TextsChange = z.output<typeof textsChange>

export type OwnMailTexts = Partial<
  Record<Locale, Partial<Record<BuyerMail, Partial<Record<TextField, string | null>>>>>
>
/** Stored texts were validated, and a variable that a later version drops stays as it is. */
export const ownTextsSchema = z.custom<OwnMailTexts>((value) => typeof value === 'object')

/** The texts with the changes: null removes one. */
export function withTexts(own: OwnMailTexts, change: TextsChange): OwnMailTexts {
  const changed = LOCALES.map((locale) => {
    const mails = BUYER_MAILS.map((mail) => {
      const fields = { ...own[locale]?.[mail], ...change[locale]?.[mail] }
      return [mail, withoutEmpty(fields)] as const
    })
    return [locale, withoutEmpty(Object.fromEntries(mails))] as const
  })
  return withoutEmpty(Object.fromEntries(changed))
}

/** Leaves out null, undefined and objects without fields. */
const withoutEmpty = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== null &&
        value !== undefined &&
        (typeof value !== 'object' || Object.keys(value as object).length > 0),
    ),
  ) as Partial<T>

export interface MailWords {
  mail: BuyerMail
  locale: Locale
  own: OwnMailTexts
  /** Of the usual texts; those of `VARIABLES` also of own ones. */
  values: TextValues
}

/** A text of a mail: the shop's own one, or the usual one. */
export function mailText({ mail, locale, own, values }: MailWords, field: TextField): string {
  const text = own[locale]?.[mail]?.[field]
  if (!text) return usualText({ mail, field, locale }, values)
  const known: TextValues = { ...values, files: filesText(locale, Number(values.count ?? 0)) }
  return text.replaceAll(VARIABLE, (whole, name: string) =>
    VARIABLES[mail].includes(name) ? String(ownValue(known, name) ?? '') : whole,
  )
}
