// Texts with values that the server keeps in English without their values: why a file belongs to a
// product, and problems of CSV files. The page finds the message that a text was made of, and writes
// the same values in its own language. A text that no message fits is shown as it is.
import { connectionName } from './connection-name.ts'
import { messageLocale } from './locale.ts'
import { SERVER_TEMPLATES } from './server-texts.ts'
import { translated, translationOf } from './t.ts'

interface Template {
  message: string
  pattern: RegExp
  names: readonly string[]
}

const PLACEHOLDER = /\{(\w+)\}/g
const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

function templateOf(message: string): Template {
  const names = [...message.matchAll(PLACEHOLDER)].map(([, name]) => name!)
  const pattern = message
    .split(PLACEHOLDER)
    .map((part, at) => (at % 2 === 0 ? literal(part) : (VALUES[part] ?? '(.+)')))
  return { message, names, pattern: new RegExp(`^${pattern.join('')}$`) }
}

const FIGURES = 'count done total days limit px quality left files most'.split(' ')
/** Values that are numbers, and `what`: a few words, after which the sentence may continue. */
const VALUES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FIGURES.map((name) => [name, '([\\d.,]+)'])),
  what: '([^,.]+)',
}

let templates: readonly Template[] | null = null

/** Values that are texts themselves: a reason, a title. Others are names and figures. */
const TEXT_VALUES = new Set(['reason', 'what', 'title', 'effect', 'why', 'label'])

/**
 * A text of the server in the page's language; several sentences, lines or phrases each by itself.
 */
export function serverText(text: string): string {
  if (text.includes('\n')) return text.split('\n').map(serverText).join('\n')
  const whole = known(text)
  if (whole !== null) return whole
  const sentences = text.split(/(?<=[.!?…])\s+(?=\p{Lu}|\d|“)/u)
  if (sentences.length > 1) return sentencesText(sentences)
  return phrasesOf(text) ?? text
}

/** A fixed text may be several of the sentences. */
function sentencesText(sentences: readonly string[]): string {
  const fixed = sentences.findLastIndex((_, at) => {
    const text = sentences.slice(0, at + 1).join(' ')
    return translationOf(text) !== text
  })
  const end = Math.max(1, fixed + 1)
  const rest = sentences.slice(end)
  const first = serverText(sentences.slice(0, end).join(' '))
  return rest.length === 0 ? first : `${first} ${sentencesText(rest)}`
}

/** Null: no message fits. */
function known(text: string): string | null {
  if (translationOf(text) !== text) return translated(text)
  templates ??= SERVER_TEMPLATES.map(templateOf)
  for (const { message, names, pattern } of templates) {
    // In English there is nothing to find.
    const found = translationOf(message) === message ? null : pattern.exec(text)
    if (!found) continue
    const values = names.map((name, at) => {
      const value = found[at + 1]!
      return [name, valueText(name, value)] as const
    })
    return translated(message, Object.fromEntries(values))
  }
  return null
}

function valueText(name: string, value: string): string {
  if (name === 'connection') return connectionName(value)
  return TEXT_VALUES.has(name) ? serverText(value) : figureText(value)
}

/** `50,000` as the page's language writes it. */
const figureText = (value: string): string =>
  /^\d{1,3}(,\d{3})+$/.test(value)
    ? new Intl.NumberFormat(messageLocale()).format(Number(value.replaceAll(',', '')))
    : value

/** `A link for each file, valid 30 days.`: null unless every phrase is known. */
function phrasesOf(text: string): string | null {
  const [, body = '', end = ''] = /^(.*?)(\.?)$/s.exec(text) ?? []
  const phrases = body.split(', ').map(known)
  return phrases.every((phrase) => phrase !== null) ? phrases.join(', ') + end : null
}
