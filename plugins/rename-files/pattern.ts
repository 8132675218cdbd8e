// A pattern of names: text and variables. A variable without a value is left out together with the
// separator before it, or, at the beginning of the name, with the one after it.
import { ownValue } from '../contract/index.ts'

export const VARIABLES = [
  'product_name',
  'sku',
  'tags',
  'pack',
  'version',
  'sequence',
  'date',
  'original',
  'extension',
] as const
export type Variable = (typeof VARIABLES)[number]

type PatternPart =
  | { text: string; variable?: never; unknown?: never }
  | { variable: Variable; unknown?: never }
  | { unknown: string; variable?: never }

const VARIABLE = /(\{[^{}]*\})/

export const patternParts = (pattern: string): PatternPart[] =>
  pattern.split(VARIABLE).flatMap((text, at): PatternPart[] => {
    if (at % 2 === 0) return text === '' ? [] : [{ text }]
    const variable = VARIABLES.find((name) => text === `{${name}}`)
    return [variable ? { variable } : { unknown: text }]
  })

const SEPARATORS = '[\\s._\\-–—,·+&]*'
const AT_END = new RegExp(`${SEPARATORS}$`)
const AT_START = new RegExp(`^${SEPARATORS}`)
const BRACKETS: Readonly<Record<string, string>> = { '(': ')', '[': ']' }

/**
 * Fills in the variables.
 * @param valueOf returns null for a value that the file lacks
 * @returns the name, and the first variable that has no value
 */
export function fillPattern(
  parts: readonly PatternPart[],
  valueOf: (variable: Variable) => string | null,
): { name: string; lacking: Variable | null } {
  const texts: { text: string; value: boolean }[] = []
  let lacking: Variable | null = null
  /** What is cut off the beginning of the next text. */
  let cut: RegExp | null = null
  for (const [at, part] of parts.entries()) {
    if (part.variable === undefined) {
      const text = part.unknown ?? part.text
      texts.push({ text: cut ? text.replace(cut, '') : text, value: false })
      cut = null
      continue
    }
    const value = valueOf(part.variable)
    if (value !== null) {
      texts.push({ text: value, value: true })
      cut = null
      continue
    }
    lacking ??= part.variable
    cut = leaveOut(texts, parts[at + 1])
  }
  return { name: texts.map(({ text }) => text).join(''), lacking }
}

/** Removes the separator before a missing value. Returns what is cut off the text after it. */
function leaveOut(
  texts: { text: string; value: boolean }[],
  next: PatternPart | undefined,
): RegExp | null {
  const last = texts.at(-1)
  const opened = last && !last.value ? last.text.slice(-1) : ''
  const closing = ownValue(BRACKETS, opened)
  const bracketed =
    closing !== undefined && next !== undefined && 'text' in next && next.text.startsWith(closing)
  if (last && !last.value) {
    if (bracketed) last.text = last.text.slice(0, -1)
    last.text = last.text.replace(AT_END, '')
  }
  const close = bracketed ? `\\${closing}` : ''
  const begins = texts.every(({ text }) => text === '')
  if (begins) return new RegExp(`^${close}${AT_START.source.slice(1)}`)
  return bracketed ? new RegExp(`^${close}`) : null
}
