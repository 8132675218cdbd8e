// Include and exclude patterns of a connection, matched in linear time.
import { RE2JS } from 're2js'

export const MAX_PATTERNS = 100
export const LONGEST_PATTERN = 500

/** The problem of a pattern, or null. */
export function patternProblem(pattern: string): string | null {
  if (pattern.trim() === '') return 'Enter a pattern, like *.pdf'
  if (!pattern.isWellFormed() || /[\0-\x1f]/.test(pattern))
    return 'This pattern has characters that are not allowed'
  try {
    RE2JS.compile(expressionOf(pattern))
    return null
  } catch {
    return 'This pattern cannot be read: brackets need both their ends'
  }
}

/**
 * A function that says whether a path, relative to the synced folder, is synced. Without an include
 * pattern all are.
 */
export function pathFilter(
  include: readonly string[],
  exclude: readonly string[],
): (path: string) => boolean {
  const compiled = (patterns: readonly string[]) =>
    patterns.length === 0
      ? null
      : RE2JS.compile(patterns.map((pattern) => `(?:${expressionOf(pattern)})`).join('|'))
  const [wanted, unwanted] = [compiled(include), compiled(exclude)]
  return (path) => !(unwanted?.matches(path) ?? false) && (wanted?.matches(path) ?? true)
}

/**
 * A pattern without a slash matches names at any depth; a slash at its start means the synced
 * folder.
 */
function expressionOf(pattern: string): string {
  const rooted = pattern.startsWith('/')
  const text = rooted ? pattern.slice(1) : pattern
  const anywhere = !rooted && !text.replace(/\/$/, '').includes('/')
  const body = text.endsWith('/') ? `${text}**` : text
  return `${anywhere || !rooted ? '(?:.*/)?' : ''}${translated(body)}`
}

const PARTS = /\*\*\/?|\*|\?|\[!?[^\]/]*\]|./gsu

function translated(text: string): string {
  return text.replace(PARTS, (part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?') return '[^/]'
    if (part.length > 1 && part.startsWith('[')) return classOf(part)
    return RE2JS.quote(part)
  })
}

const classOf = (text: string) => {
  const not = text.startsWith('[!')
  const inner = text.slice(not ? 2 : 1, -1).replace(/[\\^[]/g, '\\$&')
  return `[${not ? '^' : ''}${inner}]`
}
