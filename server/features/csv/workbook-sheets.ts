// The sheets of a workbook (.xlsx, .ods) as CSV text. Runs only in the sandbox.
import { sayPlain } from '../../../plugins/contract.ts'
import { readOds } from 'hucre/ods'
import { readXlsx } from 'hucre/xlsx'
import Papa from 'papaparse'
import { Refusal } from '../../../plugins/sandbox.ts'

export interface SheetText {
  name: string
  /**
   * The sheet as CSV, with commas and line feeds. Empty rows are kept, so that row numbers are the
   * sheet's.
   */
  text: string
}

const MAX_SHEETS = 50
/** Spreadsheets may fill a sheet with empty rows and columns after its last cell. */
const MAX_ROWS = 1_048_576

/** Reads the visible sheets that have a cell. Throws `Refusal` for files that are no workbook. */
export async function sheetsOf(bytes: Buffer): Promise<SheetText[]> {
  const read = isOds(bytes) ? readOds : isXlsx(bytes) ? readXlsx : null
  if (!read)
    throw new Refusal(
      'invalid_csv',
      sayPlain('This is an archive: send the table in it as CSV or .xlsx'),
    )
  const visible = (info: { hidden?: boolean; veryHidden?: boolean }) =>
    !info.hidden && !info.veryHidden
  // Formats tell how many digits a number is shown with.
  const { sheets } = await read(bytes, { sheets: visible, readStyles: true, maxRows: MAX_ROWS })
  const texts = sheets
    .slice(0, MAX_SHEETS)
    .map((sheet) => ({ name: sheet.name, text: textOf(sheet) }))
  return texts.filter(({ text }) => text.trim() !== '')
}

/** The first entry of an .ods file is its media type, uncompressed. */
const isOds = (bytes: Buffer): boolean =>
  bytes.subarray(0, 200).includes('application/vnd.oasis.opendocument.spreadsheet')
const isXlsx = (bytes: Buffer): boolean => bytes.includes('xl/workbook.xml')

type Sheet = Awaited<ReturnType<typeof readXlsx>>['sheets'][number]

function textOf({ rows, cells }: Sheet): string {
  const written = rows.map((row, at) =>
    row.map((value, column) => cellText(value, cells?.get(`${at},${column}`)?.style?.numFmt)),
  )
  const last = written.findLastIndex((row) => row.some((cell) => cell !== ''))
  const table = written.slice(0, last + 1).map((row) => row.slice(0, lastFilled(row) + 1))
  return Papa.unparse(table, { newline: '\n' })
}

const lastFilled = (row: readonly string[]): number =>
  Math.max(
    0,
    row.findLastIndex((cell) => cell !== ''),
  )

const ONLY_ZEROS = /^0+$/

/** The cell as its sheet shows it, without losing digits: no exponents, and no separators. */
function cellText(value: unknown, format: string | undefined): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return dateText(value)
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value !== 'number') return String(value)
  const digits = Number.isSafeInteger(value) ? String(value) : numberText(value)
  // `0000` shows an article number with its leading zeros.
  return format !== undefined && ONLY_ZEROS.test(format) && Number.isInteger(value)
    ? digits.padStart(format.length, '0')
    : digits
}

/** The number as text without an exponent, also if it is large or small. */
const numberText = (value: number): string =>
  value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 15 })

const dateText = (date: Date): string =>
  Number.isNaN(date.getTime()) ? '' : date.toISOString().replace(/T00:00:00\.000Z$/, '')
