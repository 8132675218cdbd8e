// Formats ICU messages: `Tagging {count, plural, one {# file} other {# files}}`.
import { IntlMessageFormat } from 'intl-messageformat'
import { messageLocale } from './locale.ts'

export type MessageValues = Readonly<Record<string, string | number | boolean | undefined>>

const parsed = new Map<string, IntlMessageFormat>()

function parse(message: string, tags: boolean): IntlMessageFormat {
  const key = `${messageLocale()} ${tags} ${message}`
  const known = parsed.get(key)
  if (known) return known
  const format = new IntlMessageFormat(message, messageLocale(), undefined, { ignoreTag: !tags })
  parsed.set(key, format)
  return format
}

/**
 * An invalid message is shown unformatted, so that a plugin's mistake does not break the page. `<`
 * in it is text.
 */
export function formatMessage(message: string, values: MessageValues): string {
  try {
    const text: unknown = parse(message, false).format(textsOf(message, values))
    return String(text).replaceAll(/ {2,}/g, ' ').trim()
  } catch {
    return message
  }
}

/** As `formatMessage`, with all values given: an empty one stays empty, and spaces stay too. */
export function formatText(
  message: string,
  values: Readonly<Record<string, string | number>>,
): string {
  if (!message.includes('{')) return message
  try {
    return String(parse(message, false).format(values))
  } catch {
    return message
  }
}

/** Renders the text inside a tag of the message. */
export type TagRenderer<T> = (text: string) => T

/**
 * The parts of a message with tags, `See <link>the file</link>.`: texts, and the results of `tags`
 * for the enclosed ones.
 */
export function formatParts<T>(
  message: string,
  values: MessageValues,
  tags: Readonly<Record<string, TagRenderer<T>>>,
): (string | T)[] {
  const renderers = Object.fromEntries(
    Object.entries(tags).map(([name, render]) => [
      name,
      (chunks: (string | T)[]) => render(chunks.join('')),
    ]),
  )
  const parts = parse(message, true).format<T>({ ...textsOf(message, values), ...renderers })
  return Array.isArray(parts) ? parts : [parts as string | T]
}

const ARGUMENT = /\{\s*([\w-]+)\s*[,}]/g

/**
 * `select` compares texts. An argument without a value becomes `none`, because a missing argument
 * is an error.
 */
function textsOf(message: string, values: MessageValues): Record<string, string | number> {
  const given = Object.entries(values).flatMap(([name, value]): [string, string | number][] =>
    value === undefined || value === ''
      ? []
      : [[name, typeof value === 'boolean' ? String(value) : value]],
  )
  const absent = [...message.matchAll(ARGUMENT)].map(([, name]) => [name!, 'none'] as const)
  return { ...Object.fromEntries(absent), ...Object.fromEntries(given) }
}
