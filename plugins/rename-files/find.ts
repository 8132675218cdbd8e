// Find and replace in a name. Plain text is found literally. A merchant's expression runs on RE2,
// whose time grows only with the length of the name; features that would need more are refused by
// name.
import { RE2JS, RE2JSException } from 're2js'
import { say, sayPlain, type Text, textOf, type AnyText } from '../contract/index.ts'

export interface Replacement {
  find: string
  replace: string
  case_sensitive: boolean
  regex: boolean
}

/** Returns the name with all matches replaced. */
export type Replacer = (name: string) => string

/**
 * The most instructions of a compiled expression: each character of a name is tried on all of them.
 */
const MAX_INSTRUCTIONS = 200

/** The replacement function, or the problem of the options. */
export function replacerOf({
  find,
  replace,
  case_sensitive,
  regex,
}: Replacement): Replacer | Problem {
  if (!regex) {
    const text = new RegExp(literal(find.normalize('NFC')), case_sensitive ? 'gu' : 'giu')
    return (name) => name.replace(text, () => replace)
  }
  const expression = compileExpression(find, case_sensitive)
  if ('message' in expression) return expression
  const parts = partsOf(replace, expression)
  return 'message' in parts ? parts : (name) => replacedIn(name, expression, parts)
}

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

function compileExpression(find: string, caseSensitive: boolean): RE2JS | Problem {
  try {
    const expression = RE2JS.compile(
      find.normalize('NFC'),
      caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE,
    )
    if (expression.programSize() <= MAX_INSTRUCTIONS) return expression
    return {
      path: 'find',
      message: sayPlain('This expression is too large: reduce its repetitions'),
    }
  } catch (error) {
    if (error instanceof RE2JSException)
      return { path: 'find', message: objectionTo(error.message) }
    throw error
  }
}

/** Features of other engines that RE2 lacks, by their first characters. */
const LACKING: readonly (readonly [construct: RegExp, name: string])[] = [
  [/^\(\?[=!]/, sayPlain('Look-ahead')],
  [/^\(\?<[=!]/, sayPlain('Look-behind')],
  [/^\\[1-9k]/, sayPlain('A reference back to a group')],
  [/^\(\?>/, sayPlain('An atomic group')],
  [/^[*+?}]\+$/, sayPlain('A possessive repetition')],
  [/^\(\?R/, sayPlain('Recursion')],
]

/** RE2's messages end with the part that it refuses: `invalid escape sequence: `\1``. */
function objectionTo(message: string): Text {
  const construct = /`(.*)`$/s.exec(message)?.[1] ?? ''
  const name = LACKING.find(([begins]) => begins.test(construct))?.[1]
  if (name !== undefined)
    return say('{name} ({construct}) is not available in expressions here', {
      name: textOf(name),
      construct: construct.slice(0, 20),
    })
  return say('This expression cannot be read: {reason}', {
    // `(?i)` is how the library writes that case is ignored.
    reason: message.replace(/^error parsing regexp: /, '').replace('`(?i)', '`'),
  })
}

/** A part of the replacement: literal text, or a group by its number. */
type Part = string | number
// A name ends at the next $: otherwise each `${` of a text without `}` would be searched to the end
// of the text.
const REFERENCE = /\$(?:(\$)|(&)|(\d{1,2})|<([^>$]*)>|\{([^}$]*)\})/g

/** `$1`, `$<name>` and `${name}` are groups, `$&` is the whole match, `$$` a dollar. */
function partsOf(replace: string, expression: RE2JS): Part[] | Problem {
  const names = new Map(Object.entries(expression.namedGroups()))
  const parts: Part[] = []
  let end = 0
  for (const found of replace.matchAll(REFERENCE)) {
    const [text, dollar, whole, digits, angled, braced] = found
    parts.push(replace.slice(end, found.index))
    end = found.index + text.length
    const named = names.get(angled ?? braced ?? '') ?? -1
    const group = whole ? 0 : digits === undefined ? named : Number(digits)
    if (dollar) parts.push('$')
    else if (group >= 0 && group <= expression.groupCount()) parts.push(group)
    else
      return {
        path: 'replace',
        message: say('The expression has no group {group}', { group: text }),
      }
  }
  parts.push(replace.slice(end))
  return parts
}

function replacedIn(name: string, expression: RE2JS, parts: readonly Part[]): string {
  const matcher = expression.matcher(name)
  let result = ''
  let end = 0
  while (matcher.find()) {
    result += name.slice(end, matcher.start())
    for (const part of parts)
      result += typeof part === 'string' ? part : (matcher.group(part) ?? '')
    end = matcher.end()
  }
  return result + name.slice(end)
}

// An option's problem, with its name.

export interface Problem {
  path: string
  message: AnyText
}
