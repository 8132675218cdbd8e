// Formats the ICU messages that plugins state: `Tagging {count, plural, one {# file} other {#
// files}}`.
import { IntlMessageFormat } from 'intl-messageformat'

export type MessageValues = Readonly<Record<string, string | number | boolean | undefined>>

const parsed = new Map<string, IntlMessageFormat>()

function parse(message: string): IntlMessageFormat {
  const known = parsed.get(message)
  if (known) return known
  // Tags are off: a text with < is a text.
  const format = new IntlMessageFormat(message, navigatorLocale(), undefined, { ignoreTag: true })
  parsed.set(message, format)
  return format
}

/** The texts are English, their numbers as the browser writes them. */
const navigatorLocale = (): string =>
  typeof navigator === 'undefined' || !navigator.language.startsWith('en')
    ? 'en'
    : navigator.language

/**
 * A message that cannot be read is shown as it is, so that a plugin's mistake does not break the
 * page.
 */
export function formatMessage(message: string, values: MessageValues): string {
  try {
    const text: unknown = parse(message).format(textsOf(message, values))
    return String(text).replaceAll(/ {2,}/g, ' ').trim()
  } catch {
    return message
  }
}

const ARGUMENT = /\{\s*([\w-]+)\s*[,}]/g

/**
 * `select` compares texts. An argument without a value is `none`, because a missing one is an
 * error.
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
