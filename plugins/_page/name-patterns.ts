// Patterns of names: `WS-*`. The server compares names with them, and the page shows them in words
// while they are typed.

export const NAME_RULE_KINDS = ['starts', 'contains', 'is', 'pattern'] as const
export type NameRuleKind = (typeof NAME_RULE_KINDS)[number]

/** A pattern as it is stored: only `text` of the kind `pattern` contains `*`. */
export interface NamePattern {
  kind: NameRuleKind
  text: string
}

export const ANY = '*'

/** Reads a pattern: `*` is any text, also none. */
export function parseNamePattern(pattern: string): NamePattern {
  const text = pattern.replaceAll(/\*+/g, ANY)
  const [first = '', second = '', ...more] = text.split(ANY)
  if (!text.includes(ANY)) return { kind: 'is', text }
  if (more.length === 0 && second === '') return { kind: 'starts', text: first }
  if (more.length === 1 && first === '' && more[0] === '') return { kind: 'contains', text: second }
  return { kind: 'pattern', text }
}

/** The pattern that `parseNamePattern` reads. */
export function writeNamePattern({ kind, text }: NamePattern): string {
  if (kind === 'starts') return text + ANY
  return kind === 'contains' ? ANY + text + ANY : text
}
