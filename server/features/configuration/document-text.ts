// Documents as text: YAML, or JSON, which is YAML too. A problem is told with its line.
import { createHash } from 'node:crypto'
import {
  Document,
  isCollection,
  isMap,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  visit,
  type Node,
  type ParsedNode,
} from 'yaml'
import { say, verbatim, type Text } from '../../../plugins/contract/index.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { firstOf } from '../../core/lazy.ts'

/** Of one document. */
export const MAX_DOCUMENT_BYTES = 256 * 1024
/** Of brackets. */
const MAX_DEPTH = 50
/** How many values aliases may stand for: each may be as large as the document. */
const MAX_ALIASES = 100

export type FieldValues = Readonly<Record<string, unknown>>
export const isFields = (value: unknown): value is FieldValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export interface ReadDocument {
  value: FieldValues
  /** The line of a place like `do[2].tag-files`, or of what is around it. */
  lineOf: (place: string) => number
}

/** The error of a document with all its problems. */
export const refusedDocument = (details: readonly ErrorDetail[]): AppError =>
  new AppError('validation_failed', { details, param: firstOf(details).param })

/** Reads a document. Throws `payload_too_large`, and `validation_failed` with lines. */
export function readDocument(text: string): ReadDocument {
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) throw new AppError('payload_too_large')
  const lines = new LineCounter()
  const lineAt = (offset: number) => lines.linePos(offset).line
  const wrong = (line: number, message: Text) =>
    refusedDocument([{ line, param: '', code: 'invalid_value', message }])
  const deep = tooDeepLine(text)
  if (deep !== null) throw wrong(deep, say('It is nested too deep'))
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
  })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) throw wrong(lineAt(problem.pos[0]), verbatim(problem.message))
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch {
    throw wrong(1, say('It repeats too much by aliases'))
  }
  if (!isFields(value)) throw wrong(1, say('A document is a list of fields with their values'))
  const lineOf = (place: string) => lineAt(offsetOf(document.contents, place))
  const uncarried = uncarriedNumber(value, '')
  if (uncarried !== null)
    throw refusedDocument([
      {
        line: lineOf(uncarried),
        param: uncarried,
        code: 'invalid_value',
        message: say('This number cannot be kept exactly'),
      },
    ])
  return { value, lineOf }
}

/**
 * Thousands of brackets take seconds to parse, and the stack. Nesting by indentation is bounded by the
 * size of the text.
 */
function tooDeepLine(text: string): number | null {
  let [deep, line] = [0, 1]
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') deep++
    else if (token === ']' || token === '}') deep--
    if (deep > MAX_DEPTH) return line
    line += token.split('\n').length - 1
  }
  return null
}

/** The place of a number that JSON or a computer would change; null: there is none. */
function uncarriedNumber(value: unknown, place: string): string | null {
  if (typeof value === 'number')
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
      ? null
      : place
  if (Array.isArray(value)) return firstPlace(value.map((one, at) => [one, `${place}[${at}]`]))
  if (!isFields(value)) return null
  const within = (name: string) => (place === '' ? name : `${place}.${name}`)
  return firstPlace(Object.entries(value).map(([name, one]) => [one, within(name)]))
}

function firstPlace(all: readonly (readonly [unknown, string])[]): string | null {
  for (const [value, place] of all) {
    const found = uncarriedNumber(value, place)
    if (found !== null) return found
  }
  return null
}

function offsetOf(contents: ParsedNode | null, place: string): number {
  let node: unknown = contents
  let offset = contents?.range[0] ?? 0
  for (const [part] of place.matchAll(/[^.[\]]+/g)) {
    if (isMap<Node, Node | null>(node)) {
      const pair = node.items.find(({ key }) => 'value' in key && String(key.value) === part)
      if (!pair) return offset
      offset = pair.key.range?.[0] ?? offset
      node = pair.value
    } else if (isSeq<Node>(node)) {
      const item = node.items[Number(part)]
      if (!item) return offset
      offset = item.range?.[0] ?? offset
      node = item
    } else return offset
  }
  return offset
}

/** Something that a document does not have, such as a password: a comment at its place says so. */
export interface Comment {
  path: readonly (string | number)[]
  text: string
}

const MAX_ON_A_LINE = 76
/** Lists whose entries begin on lines of their own. */
const LONG_LISTS = ['do', 'rules']

/** Writes a document as YAML. */
export function writeDocument(value: FieldValues, comments: readonly Comment[] = []): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Collection: (_key, node, path) => {
      const depth = path.filter(isCollection).length
      const list = path.flatMap((one) => ('key' in one ? String(one.key) : []))[0] ?? ''
      const isLong = LONG_LISTS.includes(list) && depth <= 2
      const json = JSON.stringify(node.toJSON())
      if (depth > 0 && !isLong && json.length <= MAX_ON_A_LINE && !json.includes('\\n'))
        node.flow = true
    },
  })
  for (const { path, text } of comments) {
    const node = document.getIn(path, true) as Node | undefined
    if (node) node.comment = ` ${text}`
  }
  return document.toString({ lineWidth: 0 })
}

/** The tag of a document’s state, for `If-Match`. */
export const tagOfDocument = (value: FieldValues): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 24)

/** Is the tag among those of an `If-Match`? */
export const matchesTag = (header: string, tag: string): boolean =>
  header.split(',').some((one) => ['*', tag].includes(one.trim().replace(/^(?:W\/)?"(.*)"$/, '$1')))
