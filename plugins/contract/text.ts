// Texts for people, as data: an English ICU message with its values, as in gettext. The English
// message is the code of the text: the catalogs of translations have it as their key. A text is
// stored and sent as it is, and written in a language where a person reads it. `npm run messages`
// collects the messages from the calls of `say`.
// Where texts are stored and translated: docs/decisions/0053.
import { IntlMessageFormat } from 'intl-messageformat'
import { ownValue } from '../_page/own-value.ts'
import { say, type Text, type AnyText } from './say.ts'

export * from './say.ts'

/** The texts of `sayFixed` by their English strings. */
const FIXED = new Map<string, Text>()

/**
 * States a text with constants where a plain string is needed, such as the message of a schema:
 * `textOf` finds the text of the string again. Only for values that never change, since they are
 * kept.
 */
export function sayFixed(message: string, values: Text['values']): string {
  const text = say(message, values)
  const string = english(text)
  FIXED.set(string, text)
  return string
}

/**
 * A schema's problem whose message has values: what answers with it finds the text in `params`.
 * @param params what else the answer says, such as the `code`
 */
export const textIssue = (text: AnyText, params: Readonly<Record<string, unknown>> = {}) => ({
  code: 'custom' as const,
  message: english(text),
  params: { ...params, text },
})

/**
 * The text of a string that is stated elsewhere: a title, another system's answer. It is shown in
 * the reader's language if a catalog has it.
 */
export function textOf(text: AnyText): Text {
  if (typeof text !== 'string') return text
  const fixed = FIXED.get(text)
  if (fixed) return fixed
  return SYNTAX.test(text) ? verbatim(text) : say(text)
}

/** The text of a name, which is the same in every language. */
export const verbatim = (text: string): Text => ({ message: '{text}', values: { text } })

/** Characters with a meaning in ICU messages. */
const SYNTAX = /[{}'<]/

/** Sentences of one paragraph. */
export const sentences = (...texts: readonly AnyText[]): Text =>
  joined(texts, (first, second) => say('{first} {second}', { first, second }))

/** Parts of one sentence: `A link for each file, valid 30 days`. */
export const phrases = (...texts: readonly AnyText[]): Text =>
  joined(texts, (first, second) => say('{first}, {second}', { first, second }))

/** Texts on lines of their own. */
export const lines = (...texts: readonly AnyText[]): Text =>
  joined(texts, (first, second) => ({ message: '{first}\n{second}', values: { first, second } }))

/** `Images up to 2,000 px.` */
export const sentence = (text: AnyText): Text => say('{text}.', { text: textOf(text) })

function joined(texts: readonly AnyText[], join: (first: Text, second: Text) => Text): Text {
  const [first, ...others] = texts.map(textOf)
  return others.reduce(join, first ?? textOf(''))
}

/** A language that texts are written in. */
export interface TextLanguage {
  /** The tag by which numbers and plurals are written, `de-AT`. */
  locale: string
  /** The translations by their English messages; with a context, by `message || context`. */
  catalog: Readonly<Record<string, string>>
}

export const ENGLISH: TextLanguage = { locale: 'en-US', catalog: {} }

/** The text in English: for fields of the API, the log and tests. */
export const english = (text: AnyText): string => textIn(textOf(text), ENGLISH)

/**
 * The text in a language. An invalid message is shown unformatted, so that the mistake of a plugin
 * or of a translation does not stop the work that it reports.
 */
export function textIn({ message, context, values }: Text, language: TextLanguage): string {
  const { catalog } = language
  const key = context === undefined ? message : `${message} || ${context}`
  const translation = ownValue(catalog, key) ?? ownValue(catalog, message) ?? message
  if (!translation.includes('{')) return translation
  const written = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object'
      ? textIn(value, language)
      : figureOf(translation, name, value, language),
  ])
  try {
    return String(formatOf(translation, language.locale).format(Object.fromEntries(written)))
  } catch {
    return translation
  }
}

/** A plain argument is formatted here: ICU writes it without grouping. */
const figureOf = (
  message: string,
  name: string,
  value: string | number,
  { locale }: TextLanguage,
): string | number =>
  typeof value === 'string' || message.includes(`{${name},`)
    ? value
    : numbersOf(locale).format(value)

/** Far more than there are translations. */
const MAX_LOCALES = 100
/** Creating one takes longer than the rest of a text. */
const numbers = new Map<string, Intl.NumberFormat>()

const numbersOf = (locale: string): Intl.NumberFormat =>
  kept(numbers, MAX_LOCALES, locale, () => new Intl.NumberFormat(locale))

const formats = new Map<string, IntlMessageFormat>()

/** Most messages are literals of the code; callers of the API may give others. */
const MAX_FORMATS = 5000

const formatOf = (message: string, locale: string): IntlMessageFormat =>
  kept(
    formats,
    MAX_FORMATS,
    `${locale} ${message}`,
    () => new IntlMessageFormat(message, locale, undefined, { ignoreTag: true }),
  )

/** The value of the key, made once; a map that has `most` is emptied first. */
function kept<Value>(
  values: Map<string, Value>,
  most: number,
  key: string,
  make: () => Value,
): Value {
  const known = values.get(key)
  if (known !== undefined) return known
  const made = make()
  if (values.size >= most) values.clear()
  values.set(key, made)
  return made
}
