// The first pass over a CSV file: reads its headers, its number of rows and the first rows, and
// checks that it is a table.
import { type AnyText, say, sayPlain, type Text, textOf } from '../../../plugins/contract/index.ts'
import { AppError, ERRORS, type ErrorDetail } from '../../core/errors.ts'
import { present } from '../../core/lazy.ts'
import {
  headerLabels,
  knownHeaders,
  MAX_COLUMNS,
  mappingOf,
  NO_COLUMNS,
  suggestColumns,
  type ColumnMapping,
} from './columns.ts'
import { detectFormat, HEADER_WITHIN } from './format.ts'
import { shapeProblem } from './row-values.ts'
import { isBlank, readRows, type BrokenCell, type Format } from './rows.ts'

const PREVIEWED_ROWS = 10
const MAX_PROBLEMS = 20
/** A cell and a row are cut to this many characters in the preview. */
const MAX_CHARACTERS = 5000
const MAX_ROW_CHARACTERS = 100_000
/**
 * The maximum number of blank rows: spreadsheets write a million after a cell far below was
 * touched.
 */
const MAX_BLANK_ROWS = 2_000_000

export interface StructureProblem {
  row: number
  column: string | null
  code: 'invalid_csv'
  message: string
  detail: AnyText
}

/** One of the first rows of the file, from which a person may choose the header. */
export interface HeadRow {
  row: number
  cells: string[]
}

export interface Analysis {
  format: Format & { skipped: number; header_row: number }
  /** The first rows of the file, with titles and the header. */
  head: HeadRow[]
  headers: string[]
  rows: number
  sample: { row: number; cells: string[] }[]
  structure: StructureProblem[]
  mapping: ColumnMapping
}

/**
 * Throws `invalid_csv` if the file cannot be read as a table, and `too_many` above `maxRows`.
 * @param headerRow the row of the header as a person chose it; 0: there is none; absent: the row
 *   that fits.
 */
export async function analyse(
  text: AsyncIterable<string>,
  maxRows: number,
  headerRow?: number,
): Promise<Analysis> {
  const pieces = text[Symbol.asyncIterator]()
  const first = await pieces.next()
  const head = first.done ? '' : first.value
  if (head.trim() === '') throw emptyFile()
  const [, other] = OTHER_TEXTS.find(([pattern]) => pattern.test(head)) ?? []
  if (other) throw invalidFile(other)
  const format = detectFormat(head)
  const all = async function* () {
    yield storableText(head).slice(format.skipped)
    for (let next = await pieces.next(); !next.done; next = await pieces.next())
      yield storableText(next.value)
  }
  const table = new TableAnalysis(format, headerRow)
  for await (const { first: number, records, broken } of readRows(all(), format)) {
    for (const [at, cells] of records.entries())
      table.add({ row: number + at, cells, broken: broken.get(number + at) })
    if (table.found.rows > maxRows)
      throw new AppError('too_many', {
        message: say('A CSV file has at most {count} rows: split it', { count: maxRows }),
      })
  }
  return table.end()
}

/** Gathers the first rows until they show which one is the header, and then counts the others. */
class TableAnalysis {
  readonly found: Analysis
  readonly #chosenHeader: number | undefined
  /** The first rows; null: the header is known. */
  #start: Row[] | null = []
  #blank = 0

  constructor(format: DetectedFormat, headerRow: number | undefined) {
    this.#chosenHeader = headerRow
    this.found = {
      format: { ...format, header_row: -1 },
      head: [],
      headers: [],
      rows: 0,
      sample: [],
      structure: [],
      mapping: NO_COLUMNS,
    }
  }

  /** Adds the next row. Throws `invalid_csv`. */
  add(one: Row): void {
    const { row, cells, broken } = one
    if (broken?.fatal) {
      this.#begin()
      const column = this.found.headers[broken.cell] ?? null
      throw invalidCsv([{ row, column, detail: broken.detail }])
    }
    if (isBlank(cells)) {
      if (++this.#blank > MAX_BLANK_ROWS)
        throw invalidCsv([
          { row, column: null, detail: sayPlain('There are too many empty lines') },
        ])
    } else if (this.#start === null) addRow(this.found, one)
    else if (this.#start.push(withFewCells(one)) >= HEADER_WITHIN) this.#begin()
  }

  end(): Analysis {
    this.#begin()
    const { found } = this
    if (found.rows === 0) throw invalidFile(NO_ROWS)
    const samples = found.sample.map(({ cells }) => cells)
    found.mapping = mappingOf(suggestColumns(found.headers, samples))
    return found
  }

  #begin(): void {
    if (this.#start === null) return
    const rows = this.#start
    this.#start = null
    const { found } = this
    found.head = rows.map(shownRow)
    found.format.header_row = this.#chosenHeader ?? headerRowOf(rows)
    if (found.format.header_row === 0) found.headers = unnamedHeaders(rows)
    for (const one of rows) addRow(found, one)
  }
}

type DetectedFormat = Omit<Analysis['format'], 'header_row'>

interface Row {
  row: number
  cells: string[]
  broken: BrokenCell | undefined
}

/** Leaves one cell too many, so that the header is refused and a row does not fit it. */
const withFewCells = (one: Row): Row =>
  one.cells.length > MAX_COLUMNS ? { ...one, cells: one.cells.slice(0, MAX_COLUMNS + 1) } : one

/**
 * How many cells of a row are shown for the choice of the header, and how many characters of each.
 */
const HEAD_CELLS = 6
const HEAD_CHARACTERS = 40

const shownRow = ({ row, cells }: Row): HeadRow => ({
  row,
  cells: cells
    .filter((cell) => cell.trim() !== '')
    .slice(0, HEAD_CELLS)
    .map((cell) => cell.trim().slice(0, HEAD_CHARACTERS).toWellFormed()),
})

const filled = ({ cells }: Row) => cells.filter((cell) => cell.trim() !== '').length

/**
 * The row of the header: the one with most known words; otherwise the first row as wide as the
 * table, since a title has one cell. 0: the first rows are files already.
 */
function headerRowOf(rows: readonly Row[]): number {
  const [first] = rows
  if (!first) return 0
  const known = rows.map(({ cells }) => (cells.length > 1 ? knownHeaders(cells) : 0))
  const most = Math.max(...known)
  if (most > 0) return present(rows[known.indexOf(most)], 'The row of the header').row
  const widest = Math.max(...rows.map(filled))
  const table = present(
    rows.find((one) => filled(one) === widest),
    'The widest row',
  )
  const hasAddress = table.cells.some((cell) => /^https?:\/\//i.test(cell.trim()))
  return hasAddress ? 0 : widest > 1 ? table.row : first.row
}

const unnamedHeaders = (rows: readonly Row[]): string[] =>
  headerLabels(
    Array.from(
      { length: Math.min(MAX_COLUMNS, Math.max(...rows.map(({ cells }) => cells.length))) },
      () => '',
    ),
  )

function addRow(found: Analysis, { row, cells, broken }: Row): void {
  const { header_row } = found.format
  if (row < header_row) return
  if (row === header_row) {
    if (broken) throw invalidCsv([{ row, column: null, detail: broken.detail }])
    if (cells.length > MAX_COLUMNS)
      throw new AppError('too_many', {
        message: say('A table has at most {count} columns, and this header has more: remove some', {
          count: MAX_COLUMNS,
        }),
      })
    found.headers = headerLabels(cells)
    return
  }
  found.rows++
  if (found.sample.length < PREVIEWED_ROWS) found.sample.push({ row, cells: previewOf(cells) })
  if (found.structure.length >= MAX_PROBLEMS) return
  const detail = broken?.detail ?? shapeProblem(cells, found.headers)?.detail
  if (detail === undefined) return
  const at = broken?.cell ?? Math.min(cells.length, found.headers.length - 1)
  found.structure.push(problemOf({ row, column: found.headers[at] ?? null, detail }))
}

function previewOf(cells: readonly string[]): string[] {
  const shown = cells.slice(0, MAX_COLUMNS)
  const length = shown.reduce((sum, cell) => sum + cell.length, 0)
  const most = length > MAX_ROW_CHARACTERS ? MAX_ROW_CHARACTERS / shown.length : MAX_CHARACTERS
  return shown.map((cell) => cell.slice(0, Math.min(most, MAX_CHARACTERS)))
}

type ProblemText = Pick<StructureProblem, 'row' | 'column' | 'detail'>
const problemOf = (found: ProblemText): StructureProblem => ({
  ...found,
  code: 'invalid_csv',
  message: ERRORS.invalid_csv.message,
})

function invalidCsv(found: readonly ProblemText[]): AppError {
  const details = found.map(({ row, column, detail }): ErrorDetail => ({
    index: row - 1,
    param: column ?? '',
    code: 'invalid_csv',
    message:
      column === null
        ? say('Row {row}: {reason}', { row: String(row), reason: textOf(detail) })
        : say('Row {row}, column {column}: {reason}', {
            row: String(row),
            column,
            reason: textOf(detail),
          }),
  }))
  return new AppError('invalid_csv', { details })
}

/** The error for a problem of the whole file, not of one row. */
const invalidFile = (detail: Text): AppError =>
  new AppError('invalid_csv', {
    details: [{ index: 0, param: '', code: 'invalid_csv', message: detail }],
  })

const EMPTY = say('The file is empty')
const NO_ROWS = say('The file has a header but no rows')

export const emptyFile = (): AppError => invalidFile(EMPTY)

/** Does the error say that the table has no rows? */
export const isEmptyTable = (error: AppError): boolean =>
  error.details.some(({ message }) => message === EMPTY.message || message === NO_ROWS.message)

/**
 * Returns the text. Throws `invalid_csv` if it has the character 0, which PostgreSQL cannot store.
 */
function storableText(text: string): string {
  if (text.includes('\0')) throw invalidFile(NOT_TEXT)
  return text
}

/** Texts that programs export under the name of a table, by their beginnings. */
const OTHER_TEXTS: readonly (readonly [RegExp, Text])[] = [
  [
    /^\s*<(?:!doctype|html|head|body|table|meta|style|\?xml)\b/i,
    say('This is a web page or XML, not a table: open it in a spreadsheet, and save it as .xlsx'),
  ],
  [
    /^\s*(?:\{\s*"|\[\s*[[{])/,
    say('This is JSON, not a table: save it as CSV, or send it to the HTTP API'),
  ],
]

const NOT_TEXT = say('This is not a text file: save it as CSV first')
const MAGIC: readonly (readonly [hex: string, detail: Text])[] = [
  ['d0cf11e0', say('This workbook has an old format or a password: save it as .xlsx or CSV')],
  ['25504446', NOT_TEXT],
]

/** Refuses other file types by their first bytes. Throws `invalid_csv`. */
export function requireText(start: Buffer): void {
  const [, detail] = MAGIC.find(([hex]) => start.toString('hex', 0, 4) === hex) ?? []
  if (detail) throw invalidFile(detail)
}
