// Formats ICU messages: `Tagging {count, plural, one {# file} other {# files}}`.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { type IcuPart, parseIcu, writeIcu } from './icu.ts'
import { messageLocale } from './locale.ts'

export type MessageValues = Readonly<Record<string, string | number | boolean | undefined>>

const parsed = new Map<string, readonly IcuPart[]>()

function parse(message: string, tags: boolean): readonly IcuPart[] {
  const key = `${tags} ${message}`
  const known = parsed.get(key)
  if (known) return known
  const parts = parseIcu(message, tags)
  parsed.set(key, parts)
  return parts
}

/** Throws if the message cannot be parsed, or an argument has no value. */
function write<T>(
  message: string,
  values: Readonly<Record<string, string | number>>,
  tags?: Readonly<Record<string, TagRenderer<T>>>,
): (string | T)[] {
  return writeIcu<T>(parse(message, tags !== undefined), {
    locale: messageLocale(),
    value: (name) => present(ownValue(values, name), name),
    tag: (name, inside) => present(ownValue(tags, name), name)(inside),
  })
}

function present<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`The message has no ${name}`)
  return value
}

/**
 * An invalid message is shown unformatted, so that a plugin's mistake does not break the page. `<`
 * in it is text.
 */
export function formatMessage(message: string, values: MessageValues): string {
  try {
    return write(message, textsOf(message, values)).join('').replaceAll(/ {2,}/g, ' ').trim()
  } catch {
    return message
  }
}

/** Formats like `formatMessage`, but all values are given: empty ones and spaces stay. */
export function formatText(
  message: string,
  values: Readonly<Record<string, string | number>>,
): string {
  if (!message.includes('{')) return message
  try {
    return write(message, values).join('')
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
  return write(message, textsOf(message, values), tags)
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
