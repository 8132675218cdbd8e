// Reads rows from text piece by piece: papaparse finds the cells, and this module counts rows and
// records problems of the structure. Only one piece and one row are in memory.
import { sayPlain } from '../../../plugins/contract/index.ts'
import { nextTurn } from '../../core/turn.ts'
import Papa from 'papaparse'

export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

export interface Format {
  delimiter: Delimiter
  newline: '\n' | '\r'
  /** The character before a quote inside a quoted cell; absent: another quote. */
  escape?: '"' | '\\'
  /** Whether spaces may precede quoted cells. */
  spaced?: boolean
  /**
   * Each row is the text of one cell, in a file with this delimiter: a CSV file that was opened in a
   * spreadsheet without splitting its cells, and saved again.
   */
  wrapped?: Delimiter
}

/**
 * Rows in order. Row numbers are those of a spreadsheet: the file's first record is 1, and empty
 * ones count.
 */
export interface RowBatch {
  /** The number of the first row. */
  first: number
  records: string[][]
  /** Problems of rows that could not be parsed. */
  broken: ReadonlyMap<number, BrokenCell>
}

export interface BrokenCell {
  /** The index of the cell, from 0. */
  cell: number
  detail: string
  /** Whether the rest of the file cannot be parsed after it, so that the whole file is rejected. */
  fatal: boolean
}

/** The longest row, in characters: a longer one has a quote that is never closed. */
const MAX_ROW_CHARACTERS = 1024 * 1024
/** One piece is parsed and its rows are used in one turn of the event loop. */
const PIECE = 64 * 1024
/**
 * The cell of a problem is found by parsing again what is before it: for this many problems, and this
 * many characters.
 */
const MAX_LOCATED = 20
const LOCATED_WITHIN = 2 * PIECE

interface ParseResult {
  data: string[][]
  errors: { code: string; row: number; index: number }[]
  meta: { cursor: number }
}
interface Parser {
  parse(input: string, baseIndex: number, ignoreLastRow: boolean): ParseResult
}

/**
 * Is the row blank? Spreadsheets write emptied rows as delimiters only. Programs of DOS write a
 * last line of U+001A.
 */
export const isBlank = (cells: readonly string[]): boolean =>
  cells.every((cell) => cell.trim() === '' || cell === '\u001a')

export async function* readRows(
  text: AsyncIterable<string>,
  { delimiter, newline, escape = '"', spaced = false, wrapped }: Format,
): AsyncGenerator<RowBatch> {
  const parse = (input: string, whole: boolean): ParseResult => {
    const parser = new Papa.Parser({
      delimiter: wrapped ?? delimiter,
      newline,
      quoteChar: '"',
      escapeChar: escape,
    } as never) as unknown as Parser
    return parser.parse(input, 0, !whole)
  }
  let first = 1
  let left = ''
  let located = 0
  const batchOf = (input: string, { data, errors }: ParseResult, whole: boolean): RowBatch => {
    if (newline === '\n') for (const cells of data) withoutReturn(cells)
    const broken = new Map<number, BrokenCell>()
    for (const error of errors) {
      // An incomplete row is parsed again with the rest of it.
      if (!whole && error.row >= data.length) continue
      const unclosed = error.code === 'MissingQuotes'
      if (broken.has(first + error.row) && !unclosed) continue
      const cell =
        error.index <= LOCATED_WITHIN && located++ < MAX_LOCATED
          ? cellAt(parse(input.slice(0, error.index - 1), true))
          : 0
      broken.set(first + error.row, { ...(unclosed ? UNCLOSED : UNDOUBLED), cell })
    }
    const records =
      wrapped === undefined ? data : data.map((cells) => cellsOfWrapped(cells, delimiter))
    const batch = { first, records, broken }
    first += data.length
    return batch
  }
  const pieces = inSmallPieces(text)
  for await (const piece of spaced ? withoutSpaces(pieces, delimiter) : pieces) {
    const input = left + piece
    const parsed = parse(input, false)
    left = input.slice(parsed.meta.cursor)
    if (parsed.data.length > 0) yield batchOf(input, parsed, false)
    if (left.length <= MAX_ROW_CHARACTERS) continue
    yield { first, records: [[]], broken: new Map([[first, ENDLESS]]) }
    return
  }
  if (left !== '') yield batchOf(left, parse(left, true), true)
}

/** The cells of a row that is the text of one cell. */
export const cellsOfWrapped = ([text = '']: readonly string[], delimiter: Delimiter): string[] =>
  Papa.parse<string[]>(text, { delimiter, newline: '\n', quoteChar: '"' }).data[0] ?? []

/**
 * Splits the text into small pieces: cells that are unused at the next garbage collection cost
 * nothing.
 */
async function* inSmallPieces(text: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of text)
    for (let at = 0; at < piece.length; at += PIECE) {
      yield piece.length > PIECE ? piece.slice(at, at + PIECE) : piece
      await nextTurn()
    }
}

/**
 * Removes spaces between a delimiter and a quote, with which some programs write rows: `a, "b"`.
 * Papaparse would read the quotes as text, and delimiters inside them as ends of cells.
 */
async function* withoutSpaces(
  text: AsyncIterable<string>,
  delimiter: Delimiter,
): AsyncGenerator<string> {
  const end = delimiter === '|' ? '\\|' : delimiter
  // A doubled quote is inside a cell, unless the cell is empty.
  const spaced = new RegExp(`([${end}\\n\\r]) +"(?!"[^${end}\\r\\n])`, 'g')
  const open = new RegExp(`[${end}\\n\\r] *"?"?$`)
  let left = ''
  for await (const piece of text) {
    const whole = left + piece
    // Spaces without an end are no row.
    const at = whole.length > MAX_ROW_CHARACTERS ? -1 : whole.search(open)
    left = at < 0 ? '' : whole.slice(at)
    yield (at < 0 ? whole : whole.slice(0, at)).replaceAll(spaced, '$1"')
  }
  if (left !== '') yield left.replaceAll(spaced, '$1"')
}

const UNCLOSED: BrokenCell = {
  cell: 0,
  detail: sayPlain('A quote that is opened here is never closed'),
  fatal: true,
}
const ENDLESS: BrokenCell = {
  cell: 0,
  detail: sayPlain('This row does not end within 1 MB: a quote may be open'),
  fatal: true,
}
const UNDOUBLED: BrokenCell = {
  cell: 0,
  detail: sayPlain('A quote inside a quoted cell is not doubled'),
  fatal: false,
}

const cellAt = ({ data }: ParseResult) => Math.max(0, (data.at(-1)?.length ?? 1) - 1)

/** Removes a CR from the last cell: lines may end with CR LF and with LF in one file. */
function withoutReturn(cells: string[]): void {
  const last = cells.at(-1)
  if (last?.endsWith('\r')) cells[cells.length - 1] = last.slice(0, -1)
}
