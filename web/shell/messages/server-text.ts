// Texts of the server: English messages with their values, which the page writes in its language.
import { formatText } from './format.ts'
import { messageLocale } from './locale.ts'
import { translationOf } from './t.ts'

/** A text of the server: the schema `Text` of the API. */
export interface ServerText {
  message: string
  context?: string
  values: Readonly<Record<string, string | number | ServerText>>
}

/** A message of a record; without a text, the English message has no values. */
export const messageText = ({
  message,
  message_text,
}: {
  message: string
  message_text?: ServerText
}): string => (message_text ? shownText(message_text) : translationOf(message))

/** Why something is so. */
export const reasonText = ({
  reason,
  reason_text,
}: {
  reason: string
  reason_text?: ServerText
}): string => messageText({ message: reason, ...(reason_text && { message_text: reason_text }) })

/** Why something failed. */
export const errorText = ({
  error,
  error_text,
}: {
  error: string
  error_text?: ServerText
}): string => messageText({ message: error, ...(error_text && { message_text: error_text }) })

/** The detail of a record, as its message; null: it has none. */
export const detailText = ({
  detail,
  detail_text,
}: {
  detail?: string | null
  detail_text?: ServerText
}): string | null => (detail_text ? shownText(detail_text) : detail ? translationOf(detail) : null)

/** A text of the server in the page's language; in English if the catalogs lack its message. */
export function shownText({ message, context, values }: ServerText): string {
  const translation = translationOf(message, context)
  const written = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' ? shownText(value) : figureOf(translation, name, value),
  ])
  return formatText(translation, Object.fromEntries(written) as Record<string, string | number>)
}

/** A plain argument is formatted here: ICU writes it without grouping. */
const figureOf = (message: string, name: string, value: string | number): string | number =>
  typeof value === 'string' || message.includes(`{${name},`)
    ? value
    : new Intl.NumberFormat(messageLocale()).format(value)
