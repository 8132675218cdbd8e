// A shop's own texts of mails to buyers. They are plain text: `{name}` is replaced once, by a value
// as text, and nothing else in them has a meaning. They never reach the template language.
import { z } from 'zod'
import {
  say,
  sayFixed,
  sayPlain,
  type Text,
  textIssue,
  ownValue,
} from '../../../plugins/contract/index.ts'
import { LOCALES, type Locale } from '../downloads/translate.ts'
import {
  BUYER_MAILS,
  filesText,
  fieldsOf,
  maxLengthOf,
  usualText,
  VARIABLES,
  type BuyerMail,
  type TextField,
  type TextValues,
} from './usual-texts.ts'

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
