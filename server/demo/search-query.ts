// The platform's search syntax: terms with an optional field and comparator, quoted or bare values,
// AND, OR, NOT, -, and parentheses. Like the platform it accepts any input: text that is not valid
// syntax is searched for as text.
export type Comparator = '=' | '<' | '<=' | '>' | '>='

export interface Term {
  kind: 'term'
  /** The field; null: any. */
  field: string | null
  comparator: Comparator
  value: string
  quoted: boolean
  /** Is the value a prefix, because it ended in `*`? */
  prefix: boolean
}

export type Expression =
  | Term
  | { kind: 'and' | 'or'; of: Expression[] }
  | { kind: 'not'; of: Expression }

type Token = { kind: 'open' | 'close' | 'and' | 'or' | 'not' } | Term

const SPACE = /\s/

/** The expression of a query; null: it is empty. */
export function parseSearch(query: string): Expression | null {
  const tokens = [...readTokens(query)]
  let at = 0
  const list = (kind: 'and' | 'or', of: Expression[]): Expression | null =>
    of.length > 1 ? { kind, of } : (of[0] ?? null)

  const readOr = (): Expression | null => {
    const parts: Expression[] = []
    while (true) {
      const part = readAnd()
      if (part) parts.push(part)
      if (tokens[at]?.kind !== 'or') return list('or', parts)
      at++
    }
  }
  const readAnd = (): Expression | null => {
    const parts: Expression[] = []
    for (let token = tokens[at]; token; token = tokens[at]) {
      if (token.kind === 'or' || token.kind === 'close') break
      if (token.kind === 'and') {
        at++
        continue
      }
      const part = readOne()
      if (part) parts.push(part)
    }
    return list('and', parts)
  }
  const readOne = (): Expression | null => {
    const token = tokens[at++]
    if (token === undefined) return null
    if (token.kind === 'not') {
      const of = readOne()
      return of && { kind: 'not', of }
    }
    if (token.kind === 'open') {
      const inside = readOr()
      if (tokens[at]?.kind === 'close') at++
      return inside
    }
    return token.kind === 'term' ? token : null
  }

  const parts: Expression[] = []
  while (at < tokens.length) {
    const part = readOr()
    if (part) parts.push(part)
    // A closing parenthesis without an opening one is skipped.
    if (tokens[at]?.kind === 'close') at++
  }
  return list('and', parts)
}

function* readTokens(text: string): Generator<Token> {
  let at = 0
  while (at < text.length) {
    const character = text.charAt(at)
    if (SPACE.test(character)) {
      at++
    } else if (character === '(' || character === ')') {
      at++
      yield { kind: character === '(' ? 'open' : 'close' }
    } else if (character === '-' && at + 1 < text.length && !SPACE.test(text.charAt(at + 1))) {
      at++
      yield { kind: 'not' }
    } else {
      const [token, end] = readTerm(text, at)
      at = end
      yield token
    }
  }
}

function readTerm(text: string, start: number): [Token, number] {
  const name = readValue(text, start, ':()')
  if (text[name.end] !== ':' || name.quoted) {
    const word = text.slice(start, name.end)
    if (word === 'AND' || word === 'OR' || word === 'NOT')
      return [{ kind: word.toLowerCase() as 'and' }, name.end]
    return [{ kind: 'term', field: null, comparator: '=', ...valueOf(name) }, name.end]
  }
  const sign = /^[<>]=?/.exec(text.slice(name.end + 1, name.end + 3))?.[0] ?? ''
  const value = readValue(text, name.end + 1 + sign.length, '()')
  const comparator = (sign || '=') as Comparator
  return [
    { kind: 'term', field: name.text.toLowerCase(), comparator, ...valueOf(value) },
    value.end,
  ]
}

interface Value {
  text: string
  quoted: boolean
  starred: boolean
  end: number
}

const valueOf = ({ text, quoted, starred }: Value) => ({
  value: starred ? text.slice(0, -1) : text,
  quoted,
  prefix: starred,
})

/**
 * A quoted value, or everything up to white space or one of `special`. A backslash escapes the next
 * character.
 */
function readValue(text: string, start: number, special: string): Value {
  const quote = text[start] === '"' || text[start] === "'" ? text[start] : null
  let value = ''
  let escaped = false
  let at = quote ? start + 1 : start
  for (; at < text.length; at++) {
    const character = text.charAt(at)
    if (quote ? character === quote : SPACE.test(character) || special.includes(character)) break
    escaped = character === '\\' && at + 1 < text.length
    value += escaped ? text.charAt(++at) : character
  }
  // As on the platform, a star at the end counts inside quotes too.
  const starred = value.endsWith('*') && !escaped
  return {
    text: value,
    quoted: quote !== null,
    starred,
    end: quote && at < text.length ? at + 1 : at,
  }
}
