// The sheets of a workbook (.xlsx, .ods) as CSV text. Runs only in the sandbox.
import { readOds } from 'hucre/ods'
import { readXlsx, streamXlsxRows } from 'hucre/xlsx'
import Papa from 'papaparse'
import { ownValue, Refusal, sayPlain } from '../../../plugins/contract/sandbox.ts'
import { HEADER_WITHIN } from './format.ts'
import { normalizeHeader, wordFor } from './headers.ts'
import { changedArchive, entryOf } from './zip-entry.ts'

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
  const read = isOds(bytes) ? readOds : isXlsx(bytes) ? readNamed : null
  if (!read) throw new Refusal('invalid_csv', otherArchive(bytes))
  const hidden = read === readOds ? hiddenSheets(bytes) : new Set<string>()
  const visible = (info: { name: string; hidden?: boolean; veryHidden?: boolean }) =>
    !info.hidden && !info.veryHidden && !hidden.has(info.name)
  // Formats tell how many digits a number is shown with.
  const { sheets } = await read(bytes, { sheets: visible, readStyles: true, maxRows: MAX_ROWS })
  const texts = sheets
    .slice(0, MAX_SHEETS)
    .map((sheet) => ({ name: sheet.name, text: textOf(sheet) }))
  return texts.filter(({ text }) => text.trim() !== '')
}

/** What the archive is, and what to do with it. */
function otherArchive(bytes: Buffer): string {
  const types = declaredTypes(bytes)
  if (types.includes('sheet.binary.') || bytes.includes('xl/workbook.bin'))
    return sayPlain('This workbook is stored in Excel’s binary format: save it as .xlsx')
  if (bytes.includes('Index/Document.iwa'))
    return sayPlain('This is a document of Numbers or Pages: export it as .xlsx or CSV')
  if (/wordprocessingml|presentationml|opendocument\.(?:text|presentation)/.test(types))
    return sayPlain(
      'This is a text document or a presentation: send the table in it as CSV or .xlsx',
    )
  return sayPlain('This is an archive: send the table in it as CSV or .xlsx')
}

type ReadOptions = NonNullable<Parameters<typeof readXlsx>[1]>

/**
 * Names of parts ignore case, and references to them may be escaped or begin with `./` (ECMA-376 part 2);
 * old programs write `\`. The library compares them as they are written: then they are all written alike.
 */
async function readNamed(bytes: Buffer, options: ReadOptions) {
  try {
    return await readFilled(bytes, options)
  } catch (error) {
    const plain = changedArchive(bytes, (written, read) => {
      const name = written.replaceAll('\\', '/').replace(/^\//, '')
      if (!/\.(?:xml|rels)$/i.test(name)) return null
      const isTypes = name.toLowerCase() === '[content_types].xml'
      const text = xmlText(read())
      const content =
        isTypes || /\.rels$/i.test(name) ? text.replace(REFERENCES, plainReference) : text
      return {
        name: isTypes ? '[Content_Types].xml' : name.toLowerCase(),
        content: Buffer.from(content),
      }
    })
    return readFilled(plain, options).catch(() => {
      throw error
    })
  }
}

const REFERENCES = /(\s(?:Target|PartName)=)(?:"([^"]*)"|'([^']*)')/g

function plainReference(_: string, name: string, double?: string, single?: string): string {
  const written = double ?? single ?? ''
  const isAddressOfWeb = /^[a-z][a-z0-9+.-]*:/i.test(written)
  return `${name}"${isAddressOfWeb ? written : plainTarget(written)}"`
}

const plainTarget = (target: string): string =>
  (decoded(target) ?? target)
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+/, '')
    .toLowerCase()

function decoded(target: string): string | null {
  try {
    return decodeURIComponent(target)
  } catch {
    return null
  }
}

/** XML is UTF-8 or UTF-16, whose mark it then has. */
function xmlText(bytes: Buffer): string {
  const isSwapped = bytes[0] === 0xfe && bytes[1] === 0xff
  if (!isSwapped && !(bytes[0] === 0xff && bytes[1] === 0xfe)) return bytes.toString()
  const text = new TextDecoder(isSwapped ? 'utf-16be' : 'utf-16le').decode(bytes)
  return text.replace(/(<\?xml[^>]*?)\sencoding=(?:"[^"]*"|'[^']*')/i, '$1')
}

/**
 * The library refuses sheets of more than 20 million cells, and counts empty cells with a format: one
 * formatted cell in the last row and column suffices. Then only the area with values is read.
 */
async function readFilled(bytes: Buffer, options: ReadOptions) {
  try {
    return await readXlsx(bytes, options)
  } catch (error) {
    if (!(error instanceof Error && / cells\), over the \d+ limit/.test(error.message))) throw error
    return readXlsx(bytes, { ...options, range: await filledRange(bytes, options) })
  }
}

/** The area that contains all values of the sheets, like `A1:G50`. */
async function filledRange(bytes: Buffer, options: ReadOptions): Promise<string> {
  let [lastRow, lastColumn] = [0, 0]
  const { sheets } = await readXlsx(bytes, { ...options, maxRows: 1 })
  for (const { name } of sheets)
    for await (const { index, values } of streamXlsxRows(bytes, { sheet: name })) {
      const column = values.findLastIndex((value) => value !== null && value !== '')
      if (column < 0) continue
      lastRow = Math.max(lastRow, index)
      lastColumn = Math.max(lastColumn, column)
    }
  return `A1:${columnName(lastColumn)}${lastRow + 1}`
}

/** `A` is column 0, `AA` column 26. */
const columnName = (column: number): string =>
  (column < 26 ? '' : columnName(Math.floor(column / 26) - 1)) +
  String.fromCharCode(65 + (column % 26))

/** The parts that declare what an archive is, wherever its other parts are; '' if there are none. */
function declaredTypes(bytes: Buffer): string {
  try {
    const declared = ['[Content_Types].xml', 'mimetype'].map((name) => entryOf(bytes, name))
    return declared.find((one) => one !== null)?.toString('utf8') ?? ''
  } catch {
    return ''
  }
}

const isOds = (bytes: Buffer): boolean =>
  /opendocument\.spreadsheet/.test(declaredTypes(bytes)) ||
  // The first entry is usually its media type, uncompressed.
  bytes.subarray(0, 200).includes('application/vnd.oasis.opendocument.spreadsheet')

/** Workbooks and their templates, with or without macros. */
const MAIN_SHEET =
  /spreadsheetml\.(?:sheet|template)\.main\+xml|ms-excel\.(?:sheet|template)\.macroEnabled\.main\+xml/

/** An archive whose directory cannot be read may be one that the library can read. */
function isXlsx(bytes: Buffer): boolean {
  const types = declaredTypes(bytes)
  return types === '' ? bytes.includes('xl/workbook.xml') : MAIN_SHEET.test(types)
}

type Sheet = Awaited<ReturnType<typeof readXlsx>>['sheets'][number]

/**
 * What spreadsheets show for a formula that they could not calculate. Programs write workbooks without
 * results of formulas; an empty result is an empty text.
 */
const NOT_CALCULATED = '#CALC!'

function textOf({ rows, cells }: Sheet): string {
  const written = rows.map((row, at) =>
    row.map((value, column) => {
      const cell = cells?.get(`${at},${column}`)
      const isOpen = value === null && cell?.type === 'formula'
      return isOpen ? NOT_CALCULATED : cellText(value, cell?.style?.numFmt)
    }),
  )
  showLinks(written, cells)
  const last = written.findLastIndex((row) => row.some((cell) => cell !== ''))
  const table = written.slice(0, last + 1).map((row) => row.slice(0, lastFilled(row) + 1))
  return Papa.unparse(table, { newline: '\n' })
}

/**
 * Writes the addresses of links that the sheet shows under another text, such as _Download_: instead
 * of the text in a column of file URLs, otherwise in a new column after the last one.
 */
function showLinks(table: string[][], cells: Sheet['cells']): void {
  const links = Map.groupBy(linksOf(table, cells), ({ column }) => column)
  // A sheet may have a million rows: too many for the arguments of one call.
  let end = table.reduce((most, { length }) => Math.max(most, length), 0)
  for (const [column, all] of links) {
    const start = table.slice(0, HEADER_WITHIN).map((row) => row[column] ?? '')
    const target = start.some((cell) => wordFor('file_url', normalizeHeader(cell)) >= 0)
      ? column
      : end++
    const first = all.reduce((least, { row }) => Math.min(least, row), Infinity)
    const header = table.slice(0, first).findLastIndex((row) => (row[column] ?? '') !== '')
    if (target !== column && header >= 0)
      setCell(table, header, target, `${table[header]?.[column]} (link)`)
    for (const { row, address } of all) setCell(table, row, target, address)
  }
}

/** Fills the row up to the column: rows have different lengths. */
function setCell(table: readonly string[][], at: number, column: number, text: string): void {
  const row = table[at]
  if (!row) return
  while (row.length < column) row.push('')
  row[column] = text
}

const HYPERLINK = /^=?HYPERLINK\(\s*"((?:[^"]|"")+)"/i
const isAddress = (text: string) => /^https?:\/\//i.test(text.trim())

function linksOf(table: readonly string[][], cells: Sheet['cells']) {
  return [...(cells ?? [])].flatMap(([place, { hyperlink, formula }]) => {
    const [row, column] = place.split(',').map(Number)
    if (row === undefined || column === undefined || isAddress(table[row]?.[column] ?? ''))
      return []
    const named = HYPERLINK.exec(formula ?? '')?.[1]?.replaceAll('""', '"')
    const address = hyperlink?.target ?? named ?? ''
    return isAddress(address) ? [{ row, column, address }] : []
  })
}

const lastFilled = (row: readonly string[]): number =>
  Math.max(
    0,
    row.findLastIndex((cell) => cell !== ''),
  )

/** A format of zeros and texts, as article numbers have: `0000`, `"EB-"000`, `000-000`. */
const ZEROS_AND_TEXTS = /^(?:0|"[^"]*"|\\.|[-() ])+$/
/** A number with a unit: `0" days"`. */
const ONE_PLACE_FIRST = /^0(?:"[^"]*"|\\.|[-() ])*$/
const PARTS_OF_FORMAT = /0|"[^"]*"|\\.|./g

/** The cell as its sheet shows it, without losing digits: no exponents, and no separators. */
function cellText(value: unknown, format: string | undefined): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return dateText(value)
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value !== 'number') return String(value)
  if (!Number.isSafeInteger(value)) return numberText(value)
  const [positive = ''] = (format ?? '').split(';')
  const isArticle = ZEROS_AND_TEXTS.test(positive) && !ONE_PLACE_FIRST.test(positive)
  return value >= 0 && isArticle ? formattedDigits(String(value), positive) : String(value)
}

/** The digits at the places of the format's zeros, from the right; further ones before the first. */
function formattedDigits(digits: string, format: string): string {
  const parts = format.match(PARTS_OF_FORMAT) ?? []
  const places = parts.filter((part) => part === '0').length
  if (places === 0) return digits
  const padded = digits.padStart(places, '0')
  let next = padded.length - places
  const head = padded.slice(0, next)
  let isFirst = true
  return parts
    .map((part) => {
      if (part !== '0') return part.replace(/^"(.*)"$/, '$1').replace(/^\\/, '')
      const shown = (isFirst ? head : '') + padded.charAt(next++)
      isFirst = false
      return shown
    })
    .join('')
}

/** The number as text without an exponent, also if it is large or small. */
const numberText = (value: number): string =>
  value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 15 })

const dateText = (date: Date): string =>
  Number.isNaN(date.getTime()) ? '' : date.toISOString().replace(/T00:00:00\.000Z$/, '')

// The hidden sheets of an .ods file, which the library reads like others. Runs only in the sandbox.

/** Styles with what is in them; some are empty tags. */
const STYLES = /<style:style\s(?:[^<>]*\/>|[^<>]*>(?:(?!<\/style:style>)[^])*)/g

/**
 * The names of the sheets that are hidden; none if the archive's directory has another form, such as
 * ZIP64: the library may read it nevertheless.
 */
export function hiddenSheets(ods: Buffer): ReadonlySet<string> {
  try {
    return hiddenIn(entryOf(ods, 'content.xml')?.toString('utf8') ?? '')
  } catch {
    return new Set()
  }
}

function hiddenIn(xml: string): ReadonlySet<string> {
  const hidden = new Set<string>()
  for (const [style] of xml.matchAll(STYLES))
    if (/\bstyle:family="table"/.test(style) && /\btable:display="false"/.test(style))
      hidden.add(attribute(style, 'style:name'))
  const tables = Array.from(xml.matchAll(/<table:table\s[^>]*>/g), ([tag]) => tag)
  return new Set(
    tables
      .filter((tag) => hidden.has(attribute(tag, 'table:style-name')))
      .map((tag) => attribute(tag, 'table:name')),
  )
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

function attribute(tag: string, name: string): string {
  const [, value = ''] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? []
  return value.replaceAll(
    /&(\w+);/g,
    (written, entity: string) => ownValue(ENTITIES, entity) ?? written,
  )
}
