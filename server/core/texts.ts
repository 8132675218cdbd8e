// Texts for people in a language other than English, for what the server itself sends: emails. The
// translations are those of the page. API fields and the log are English: `english` of the contract.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import {
  ENGLISH,
  english,
  textIn,
  type AnyText,
  type Text,
  type TextLanguage,
} from '../../plugins/contract/index.ts'

const WEB = path.resolve(import.meta.dirname, '../../web')

/** The languages with a translation; English is in the code. `pt` is Brazilian Portuguese. */
export const TEXT_LANGUAGES = ['en', 'de', 'es', 'fr', 'ja', 'pt'] as const

const catalogs = new Map<string, TextLanguage['catalog']>()

/** The language of a tag such as `de-AT`; English if there is no translation. */
export function languageOf(tag: string | null): TextLanguage {
  const language = TEXT_LANGUAGES.find((one) => one === tag?.toLowerCase().split(/[-_]/, 1)[0])
  if (!language || language === 'en') return ENGLISH
  return { locale: language, catalog: catalogOf(language) }
}

function catalogOf(language: string): TextLanguage['catalog'] {
  const known = catalogs.get(language)
  if (known) return known
  const files = globSync(`{shell/messages,features/*/texts}/${language}.json`, { cwd: WEB })
  const catalog = Object.assign(
    {},
    ...files.map((file) => JSON.parse(readFileSync(path.join(WEB, file), 'utf8')) as object),
  ) as TextLanguage['catalog']
  catalogs.set(language, catalog)
  return catalog
}

/** A message as rows and answers have it. */
export interface StoredMessage {
  /** English. */
  message: string
  /** Absent: the English message has no values, so it is its own text. */
  message_text?: Text
}

/** A message with a further detail. */
export interface StoredDetail extends StoredMessage {
  detail?: string
  detail_text?: Text
}

/** A message as rows and answers have it: English, and the text beside it if it has values. */
export const storedMessage = (message: AnyText): StoredMessage => ({
  message: english(message),
  ...(typeof message === 'object' && hasValues(message) ? { message_text: message } : {}),
})

/** A warning with its code. */
export const storedWarning = ({ code, message }: { code: string; message: AnyText }) => ({
  code,
  ...storedMessage(message),
})

/** Why something is so, as answers have it. */
export const storedReason = (reason: AnyText): { reason: string; reason_text?: Text } => ({
  reason: english(reason),
  ...(typeof reason === 'object' && hasValues(reason) ? { reason_text: reason } : {}),
})

/** A reason as two columns have it: an English sentence, and its text as JSON if that has values. */
export function reasonColumns(reason: AnyText | null): {
  reason: string | null
  reasonText: string | null
} {
  if (reason === null) return { reason, reasonText: null }
  const { message, message_text: text } = storedMessage(reason)
  return { reason: message, reasonText: text ? JSON.stringify(text) : null }
}

/** What is wrong with a file, as answers have it. Null: nothing. */
export function problemFields(problem: AnyText | null): {
  problem: string | null
  problem_text?: Text
} {
  if (problem === null) return { problem }
  const { message, message_text } = storedMessage(problem)
  return { problem: message, ...(message_text ? { problem_text: message_text } : {}) }
}

/** A message and its detail, each as `storedMessage` writes it. */
export const storedDetail = (message: AnyText, detail?: AnyText): StoredDetail => ({
  ...storedMessage(message),
  ...(detail ? { detail: english(detail) } : {}),
  ...(typeof detail === 'object' && hasValues(detail) ? { detail_text: detail } : {}),
})

const hasValues = ({ context, values }: Text): boolean =>
  context !== undefined || Object.keys(values).length > 0

/** The message of a row, for other languages. */
export const textOfMessage = ({ message, message_text }: StoredMessage): AnyText =>
  message_text ?? message

/** The message and the detail of a row, for other languages. */
export const textsOfDetail = (stored: StoredDetail): { message: AnyText; detail?: AnyText } => {
  const detail = stored.detail_text ?? stored.detail
  return { message: textOfMessage(stored), ...(detail === undefined ? {} : { detail }) }
}

/** A copy of plain data with every text in it as a string in the language. */
export function writtenIn(data: unknown, language: TextLanguage): unknown {
  if (typeof data !== 'object' || data === null) return data
  if (isText(data)) return textIn(data, language)
  if (Array.isArray(data)) return data.map((one) => writtenIn(one, language))
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, writtenIn(value, language)]),
  )
}

/** Text has values: a failure of an item has a `message` too. */
const isText = (data: object): data is Text =>
  'message' in data && 'values' in data && typeof data.message === 'string'

/** The text that was percent-encoded; null: it is no UTF-8, or has a bad escape. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

// A text in two columns: its message in `NAME`, and its values in `NAME_values`, which are null if it
// has none. Large tables keep texts in this form: a message and its values need less room than the
// text in English with both beside it. Small tables have the English sentence, by which they are searched,
// and the text beside it (`reasonColumns`).

/** SQL: the text as JSON: a message with its values, or a string without any. */
export const textOfColumns = (name: string): string =>
  `case when ${name}_values is null then to_jsonb(${name})
    else jsonb_build_object('message', ${name}, 'values', ${name}_values) end`

/** SQL: what the two columns get for a text as JSON. */
export const columnsOfText = (json: string): string =>
  `coalesce(${json} ->> 'message', ${json} #>> '{}'), nullif(${json} -> 'values', '{}')`
