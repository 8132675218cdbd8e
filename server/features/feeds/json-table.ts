// A table as JSON: an array of objects, alone or in one field of an object, or one object in each
// line. It becomes rows with a header, which are read like those of a CSV file.
import Papa from 'papaparse'
import { ownValue, say } from '../../../plugins/contract/index.ts'
import { AppError } from '../../core/errors.ts'
import { inSlices } from '../../core/turn.ts'

/** The most bytes of a table as JSON: all of it is in memory. */
export const MAX_JSON_BYTES = 20 * 1024 ** 2
/** How many fields within each other are read: of an answer with data in data, and of an object. */
const MAX_DEPTH = 5
/** A text in which several values of a list are joined, as cells have them. */
const SEPARATOR = ';'

type JsonObject = Readonly<Record<string, unknown>>

/** Does the text begin as JSON does? */
export const isJsonText = (start: string): boolean =>
  /^\ufeff?\s*(?:\{\s*["}]|\[\s*[\]{])/.test(start)

/** The table as CSV text, in pieces. Throws `invalid_json` with the place, and `empty_table`. */
export async function csvOfJson(text: string): Promise<Buffer[]> {
  const records = recordsOf(text.replace(/^\ufeff/, ''))
  if (records.length === 0) throw new AppError('empty_table')
  const columns = new Map<string, number>()
  const rows: string[][] = []
  await inSlices(records, (record) => {
    const row: string[] = []
    for (const [name, cell] of cellsOf(record)) {
      const at = columns.get(name) ?? columns.size
      columns.set(name, at)
      row[at] = cell
    }
    rows.push(row)
  })
  const lines: Buffer[] = []
  const width = columns.size
  await inSlices([[...columns.keys()], ...rows], (row) => {
    const cells = Array.from({ length: width }, (_, at) => row[at] ?? '')
    lines.push(Buffer.from(`${Papa.unparse([cells])}\r\n`))
  })
  return lines
}

function recordsOf(text: string): JsonObject[] {
  const whole = parsed(text)
  if (whole !== undefined) {
    const found = listIn(whole, MAX_DEPTH)
    if (found) return found
    // One line of JSON Lines is an object too.
    if (isObject(whole)) return [whole]
    throw invalid(say('It has no list of objects'))
  }
  return recordsOfLines(text)
}

/** One object in each line. */
function recordsOfLines(text: string): JsonObject[] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    if (line.trim() === '') return []
    const record = parsed(line)
    if (isObject(record)) return [record]
    throw invalid(
      at === 0
        ? say('It is cut off, or no JSON')
        : say('Line {line} is no object of JSON, or is cut off', { line: String(at + 1) }),
    )
  })
}

const invalid = (detail: ReturnType<typeof say>): AppError =>
  new AppError('invalid_json', {
    details: [{ index: 0, param: '', code: 'invalid_json', message: detail }],
  })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The list of objects, or the only one in the fields of an object. */
function listIn(value: unknown, depth: number): JsonObject[] | null {
  if (Array.isArray(value)) return value.every(isObject) ? value : null
  if (!isObject(value) || depth === 0) return null
  const lists = Object.keys(value).flatMap((name) => {
    const field = ownValue(value, name)
    const list = Array.isArray(field) || isObject(field) ? listIn(field, depth - 1) : null
    return list && list.length > 0 ? [list] : []
  })
  const empty = Object.values(value).some((field) => Array.isArray(field) && field.length === 0)
  if (lists.length === 0) return empty && Object.keys(value).length > 0 ? [] : null
  return lists.length === 1 ? (lists[0] ?? null) : null
}

/** The cells of an object: fields within fields have names such as `file.url`. */
function* cellsOf(
  record: JsonObject,
  before = '',
  depth = MAX_DEPTH,
): Generator<[name: string, cell: string]> {
  for (const [name, value] of Object.entries(record)) {
    const path = before + name
    if (isObject(value) && depth > 0) yield* cellsOf(value, `${path}.`, depth - 1)
    else yield [path, cellOf(value)]
  }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null))
    return value.map(cellOf).join(SEPARATOR)
  return typeof value === 'object' ? JSON.stringify(value) : String(value as number | boolean)
}
