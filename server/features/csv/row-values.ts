// Reads one row of a CSV file: the values of its cells, and all problems.
import {
  type AnyText,
  ENTRY_SETTINGS,
  type EntrySettings,
  FILE_SETTINGS,
  linkFilename,
  MAX_NAMED_PRODUCTS,
  NAME_CLEANED,
  type PackCell,
  partsOfNames,
  readPackCell,
  say,
  sayPlain,
} from '../../../plugins/contract/index.ts'
import { isFormula, originalCell } from '../../files/cells.ts'
import {
  cleanName,
  filenameProblem,
  MAX_TAGS,
  tagProblem,
  linkUrlProblem,
  urlProblem,
  type Problem,
} from '../../files/rules.ts'
import { ERRORS, type ErrorCode } from '../../core/errors.ts'
import { decodedAgain } from '../../core/decoded-again.ts'
import { parsePublicId } from '../../core/ids.ts'
import {
  COMMANDS,
  FIELDS,
  PRODUCT_FIELDS,
  type Command,
  type CsvField,
  type ProductField,
  type RowMatch,
} from './columns.ts'
import { withEnding } from './endings.ts'
import { choice, isNone, isProblem, settingIn, type SettingValue } from './setting-cells.ts'
import { readTagCell, SIGN, type TagCell } from './tag-cells.ts'

/**
 * The values of a row. Settings are undefined if the cell is empty, null for `never` and
 * `unlimited`.
 */
export interface RowValues extends EntrySettings {
  /** Null: the cell is empty. */
  command: Command | null
  /** Whether its file gets bytes, from its address or as a link. */
  fetches: boolean
  /** The hash that the fetched bytes must have; empty: any. */
  sha256: string
  /** The bare UUID of the file that the row changes with its non-empty cells; null: a new file. */
  id: string | null
  filename: string
  file_url: string
  /** The address that buyers of a link are sent to; empty: the row is no link. */
  link_url: string
  /** Each may name several products, with `;` between them. */
  product_sku: string
  product_handle: string
  product_id: string
  /** The cell names none: an existing file loses its products. */
  no_products?: true
  /** Its packs; undefined: the cell is empty. */
  pack: PackCell | undefined
  /** The tags; undefined: the cell is empty; []: it contains only separators. */
  tags: string[] | undefined
  /** Tags that are removed; undefined: `tags` has no signs. */
  tags_removed: readonly string[] | undefined
}

export interface CellProblem {
  /** The field with the problem; null: the row as a whole. */
  field: CsvField | null
  severity: 'error' | 'warning'
  code:
    | ErrorCode
    | 'large_file'
    | 'not_asked'
    | 'formula'
    | 'name_cleaned'
    | 'no_extension'
    | 'wrong_letters'
    | 'tags_removed'
    | 'no_change'
  message: AnyText
  detail?: AnyText
  value?: string
}

const MAX_SKU = 255
const CONTROL = /[\u0000-\u001f\u007f]/

const NOT_AN_ID: Problem = {
  code: 'invalid_value',
  message: sayPlain('This is not the id of a file'),
}

/**
 * Reads the values of a row and its problems. `places`: the index of each field's cell, -1 for
 * none.
 */
export function readValues(
  cells: readonly string[],
  places: Record<CsvField, number>,
  match: RowMatch = 'id',
): { values: RowValues; problems: CellProblem[] } {
  const texts = textsOf(cells, places)
  const problems = textProblems(cells, places, texts)
  const cell = (field: CsvField) => texts[field] ?? ''
  const wrong: Wrong = (field, problem, value) => {
    if (problem)
      problems.push({
        field,
        severity: 'error',
        code: problem.code,
        message: problem.message,
        value,
      })
  }
  const command = readCommand(cell('command'), wrong)
  const idText = cell('id')
  const id = idText === '' ? null : parsePublicId('file', idText)
  wrong('id', idText !== '' && id === null ? NOT_AN_ID : idProblem(command, idText, match), idText)
  const given = cell('filename').normalize('NFC')
  const cleaned = cleanName(given)
  const isLink = cell('link_url') !== '' && cleaned !== ''
  const filename = isLink ? linkFilename(cleaned) : cleaned
  if (cleaned !== given) problems.push({ ...MARKS_REMOVED, value: given })
  // A row that changes a file may leave cells empty: those fields stay unchanged.
  if (filename !== '' || idText === '') wrong('filename', filenameProblem(filename), filename)
  const source = readSource(cell, wrong, { command, id, idText, match })
  const isWrong = problems.some(({ field }) => field === 'filename')
  if (!isWrong && withEnding(filename, source.file_url) !== filename)
    problems.push({ ...NO_EXTENSION, value: filename })
  const products = readProducts(cell, wrong)
  for (const value of partsOfNames(products.product_sku))
    if (SHORTENED.test(value)) problems.push({ ...SHORTENED_SKU, value })
  const { tags, tags_removed } = readTags(cell('tags'), wrong)
  const mayBeNew = id === null && match === 'id' && command !== 'update'
  if (mayBeNew && tags_removed && tags_removed.length > 0)
    problems.push({ ...TAGS_REMOVED, value: cell('tags') })
  return {
    values: {
      command,
      id,
      filename,
      ...source,
      ...products,
      ...readSettings(texts, wrong, id !== null || command === 'update'),
      pack: readPacks(cell('pack'), wrong),
      tags,
      tags_removed,
    },
    problems: problems.filter(({ field }) => concerns(command, field)),
  }
}

type Wrong = (field: CsvField, problem: Problem | null, value: string) => void

/** Where the bytes of the row's file come from. A link needs no other address. */
function readSource(
  cell: (field: CsvField) => string,
  wrong: Wrong,
  row: { command: Command | null; id: string | null; idText: string; match: RowMatch },
): Pick<RowValues, 'file_url' | 'link_url' | 'fetches' | 'sha256'> {
  const { command, id, idText, match } = row
  const [file_url, link_url] = [addressIn(cell('file_url')), cell('link_url')]
  const isFetched = file_url !== '' && !isOwnAddress(file_url, id, match)
  const fetches = (link_url !== '' || isFetched) && mayFetch(command, id)
  if (link_url !== '') wrong('link_url', linkUrlProblem(link_url), link_url)
  else if (fetches || needsAddress(command, idText, match))
    wrong('file_url', addressProblem(file_url), file_url)
  const sha256 = cell('sha256').toLowerCase()
  if (fetches && sha256 !== '' && !SHA256.test(sha256)) wrong('sha256', NO_SHA256, sha256)
  return { file_url, link_url, fetches, sha256 }
}

function readCommand(text: string, wrong: Wrong): Command | null {
  const command = text === '' ? null : choice(text, COMMANDS)
  if (command === null || typeof command === 'string') return command
  wrong('command', command, text)
  return null
}

function readProducts(
  cell: (field: CsvField) => string,
  wrong: Wrong,
): Pick<RowValues, ProductField | 'no_products'> {
  const products = {
    product_sku: cell('product_sku'),
    product_handle: cell('product_handle'),
    product_id: cell('product_id'),
  }
  for (const field of PRODUCT_FIELDS)
    wrong(field, nameProblem(products[field], field), products[field])
  const none = isNone(products.product_id)
  return { ...products, ...(none ? { product_id: '', no_products: true } : {}) }
}

function readPacks(text: string, wrong: Wrong): PackCell | undefined {
  if (text === '') return undefined
  const cell = readPackCell(text)
  if (!('code' in cell)) return cell
  wrong('pack', cell, text)
  return undefined
}

function readTags(text: string, wrong: Wrong): Pick<RowValues, 'tags' | 'tags_removed'> {
  const read = text === '' ? null : readTagCell(text)
  if (read) wrong('tags', 'code' in read ? read : tagsProblem(read), text)
  if (!read || 'code' in read) return { tags: undefined, tags_removed: undefined }
  return { tags: read.tags, tags_removed: read.tags_removed }
}

/** Does the cell matter to a row with this command? */
function concerns(command: Command | null, field: CsvField | null): boolean {
  if (command === 'ignore') return false
  if (command !== 'delete' && command !== 'restore') return true
  return field === 'id' || field === 'filename' || field === null
}

function idProblem(command: Command | null, idText: string, match: RowMatch): Problem | null {
  if (command === 'new' && idText !== '') return NO_ID_OF_NEW
  const names = command === 'update' || command === 'delete' || command === 'restore'
  return names && idText === '' && match === 'id' ? NO_ID : null
}

const SHA256 = /^[0-9a-f]{64}$/
const NO_SHA256: Problem = {
  code: 'invalid_value',
  message: sayPlain('This is not a SHA-256 hash: 64 hex digits'),
}

const NO_ID_OF_NEW: Problem = {
  code: 'invalid_value',
  message: sayPlain('A new file has no id'),
}
const NO_ID: Problem = {
  code: 'required',
  message: sayPlain('This command needs the id of a file, unless files are matched by name'),
}

/** A row with an id fetches nothing, unless its command says that it changes everything. */
const mayFetch = (command: Command | null, id: string | null): boolean =>
  command === null ? id === null : command === 'new' || command === 'update' || command === 'merge'

const needsAddress = (command: Command | null, idText: string, match: RowMatch): boolean =>
  command === 'new' ||
  (idText === '' && match === 'id' && (command === null || command === 'merge'))

const OWN_ADDRESS = /\/api\/files\/(file_[0-9a-f]{32})\/content$/

/** Is it the address that an export gives for this file? Where names are matched, the file has the row’s name. */
const isOwnAddress = (url: string, id: string | null, match: RowMatch): boolean => {
  const [, file] = OWN_ADDRESS.exec(url) ?? []
  if (file === undefined) return false
  return id === null ? match === 'filename' : parsePublicId('file', file) === id
}

/** The texts of a row's cells; no text: the file has no column for the field. */
type Texts = Partial<Record<CsvField, string>>

function textsOf(cells: readonly string[], places: Record<CsvField, number>): Texts {
  const texts: Texts = {}
  for (const field of FIELDS) {
    if (places[field] < 0) continue
    const cell = cells[places[field]] ?? ''
    const text = cellText(cell)
    texts[field] = NO_VALUE.test(text) && !isMarked(cell) ? '' : text
  }
  return texts
}

/** Formulas, and letters that could not be read or were read wrongly. */
function textProblems(
  cells: readonly string[],
  places: Record<CsvField, number>,
  texts: Texts,
): CellProblem[] {
  const problems: CellProblem[] = []
  for (const field of TEXTS) {
    const text = places[field] < 0 ? '' : (cells[places[field]] ?? '').trim()
    const isSigned = field === 'tags' && SIGN.test(text)
    if (isFormula(text) && !isSigned && !TEXT_FORMULA.test(text) && addressIn(text) === text)
      problems.push({ ...FORMULA, field, value: text })
    if (FAILED_FORMULAS.has(text.toUpperCase()))
      // As with other SKUs that do not exist, the file is imported without a product.
      problems.push({
        ...FAILED_FORMULA,
        field,
        value: text,
        severity: field === 'product_sku' ? 'warning' : 'error',
      })
  }
  for (const field of FIELDS)
    if (texts[field]?.includes('\ufffd') && !isMarked(cells[places[field]] ?? ''))
      problems.push({ ...UNREADABLE, field, value: texts[field] })
  for (const field of ['filename', 'tags'] as const)
    if (decodedAgain(texts[field] ?? '') !== null)
      problems.push({ ...WRONG_LETTERS, field, value: texts[field] ?? '' })
  return problems
}

function readSettings(
  texts: Texts,
  wrong: (field: CsvField, problem: Problem, value: string) => void,
  changes: boolean,
): EntrySettings {
  const values: Record<string, SettingValue | undefined> = {}
  for (const field of ENTRY_SETTINGS) {
    const text = texts[field] ?? ''
    // An export writes this word: the file keeps the password that it has.
    const isKept = field === 'ask_for' && changes && text.toLowerCase() === 'password'
    const value = text === '' || isKept ? undefined : settingIn(text, FILE_SETTINGS[field])
    values[field] = isProblem(value) ? undefined : value
    if (isProblem(value)) wrong(field, value, text)
  }
  return values as EntrySettings
}

/** Bytes that are no characters of the encoding became U+FFFD. */
const UNREADABLE = {
  severity: 'error',
  code: 'invalid_value',
  message: sayPlain('A character of this cell could not be read'),
  detail: sayPlain(
    'Choose the encoding of the file, or correct the cell and save the file as UTF-8',
  ),
} as const

/** What spreadsheets in English, German, French, Spanish, Italian and Portuguese show instead of a result. */
const FAILED_FORMULAS: ReadonlySet<string> = new Set([
  '#REF!',
  '#VALUE!',
  '#NAME?',
  '#DIV/0!',
  '#NUM!',
  '#NULL!',
  '#SPILL!',
  '#CALC!',
  '#ERROR!',
  '#BEZUG!',
  '#WERT!',
  '#ZAHL!',
  '#ÜBERLAUF!',
  '#VALEUR!',
  '#NOM?',
  '#NOMBRE!',
  '#NUL!',
  '#¡REF!',
  '#¡VALOR!',
  '#¿NOMBRE?',
  '#¡DIV/0!',
  '#¡NUM!',
  '#RIF!',
  '#VALORE!',
  '#NOME?',
  '#VALOR!',
  'ERR:502',
  'ERR:508',
  'ERR:509',
  'ERR:522',
])
const FAILED_FORMULA = {
  code: 'invalid_value',
  message: sayPlain('The formula of this cell has no result'),
  detail: sayPlain('Correct it in the spreadsheet, or enter the value here'),
} as const
/** Columns in which a formula may be escaped; numbers are parsed. */
const TEXTS = ['filename', 'file_url', 'link_url', 'product_sku', 'tags'] as const
const FORMULA = {
  severity: 'warning',
  code: 'formula',
  message: sayPlain('This cell begins like a formula'),
  detail: sayPlain('It is read as text: check that your spreadsheet saved its result'),
} as const

const MARKS_REMOVED: CellProblem = {
  field: 'filename',
  severity: 'warning',
  code: 'name_cleaned',
  message: NAME_CLEANED,
}

const WRONG_LETTERS = {
  severity: 'warning',
  code: 'wrong_letters',
  message: sayPlain('The letters of this cell seem to be wrong'),
  detail: sayPlain('A program has read them in a wrong encoding and saved the result'),
} as const

const NO_EXTENSION: CellProblem = {
  field: 'filename',
  severity: 'warning',
  code: 'no_extension',
  message: sayPlain('The name has no extension'),
  detail: sayPlain('Buyers may not be able to open the file: add the ending of its URL'),
}

/** A long number as spreadsheets write it in a narrow column: its last digits are lost. */
const SHORTENED = /^\d(?:[.,]\d+)?E\+\d{2,3}$/
const SHORTENED_SKU: CellProblem = {
  field: 'product_sku',
  severity: 'warning',
  code: 'invalid_value',
  message: sayPlain('A spreadsheet has shortened this SKU'),
  detail: sayPlain('Format the column as text in the spreadsheet, then enter the SKU again'),
}

/** The beginnings of addresses, after separators: an address may contain another one. */
const ADDRESSES = /(?<=^|[\s|;,(])https?:\/\//gi
/** `guide.pdf (https://…)` of Airtable, `[Guide](https://…)` of Markdown, `<https://…>` of mails. */
const WRAPPED = /^(?:(?:(?!https?:\/\/).)*[ \]]\(|<|["'“„«])(https?:\/\/\S+)[)>"'”“»]$/i

/** A link of HTML, and one of a spreadsheet that saved its formulas instead of their results. */
const LINK = /^<a\s[^>]*href=["'](https?:\/\/[^"'\s]+)["']|^=HYPERLINK\(\s*"(https?:\/\/[^"\s]+)"/i

/** The address in the cell, without what another program wrote around it. */
export function addressIn(text: string): string {
  const [, html, formula] = LINK.exec(text) ?? []
  if (html !== undefined || formula !== undefined) return html ?? formula ?? text
  return WRAPPED.exec(text)?.[1] ?? text
}

function addressProblem(text: string): Problem | null {
  if (text === '') return NO_URL
  const count = text.match(ADDRESSES)?.length ?? 0
  if (count > 1)
    return {
      code: 'invalid_url',
      message: say('This cell has {count} addresses: write one row for each file', { count }),
    }
  return urlProblem(text)
}

const NO_URL: Problem = { code: 'required', message: sayPlain('A file URL is required') }

/** Exports list all ids of a file’s products, also those that its pack has. */
const MAX_PRODUCT_IDS = 1000

function nameProblem(text: string, field: ProductField): Problem | null {
  const parts = partsOfNames(text)
  const most = field === 'product_id' ? MAX_PRODUCT_IDS : MAX_NAMED_PRODUCTS
  if (parts.length > most)
    return {
      code: 'too_many',
      message: say('At most {count} products', { count: most }),
    }
  if (parts.some((part) => part.length > MAX_SKU))
    return {
      code: 'invalid_value',
      message: say('A SKU has at most {count} characters', { count: MAX_SKU }),
    }
  if (CONTROL.test(text))
    return { code: 'invalid_value', message: sayPlain('A SKU cannot contain control characters') }
  return null
}

function tagsProblem({ tags, tags_removed = [] }: TagCell): Problem | null {
  if (tags.length > MAX_TAGS)
    return { code: 'too_many', message: say('At most {count} tags', { count: MAX_TAGS }) }
  return [...tags, ...tags_removed].map(tagProblem).find((problem) => problem !== null) ?? null
}

const TAGS_REMOVED: CellProblem = {
  field: 'tags',
  severity: 'warning',
  code: 'tags_removed',
  message: sayPlain('This cell removes tags'),
  detail: sayPlain('If the tag itself begins with -, write \\- instead'),
}

/** Excel's way to keep a text that looks like a number: `="EB-001"`. */
const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/
/** How databases and spreadsheets write a cell without a value. */
const NO_VALUE = /^(?:null|\(null\)|\[null\]|\\n|#n\/a|#n\/d|#nv|nan)$/i
/**
 * Spaces of any kind and characters without width, which cells from web pages begin or end with, and
 * the end of a file of DOS.
 */
const EDGE = /[\s\u001a\u200b\u2060\ufeff]/

/** Looked for from both ends: one expression would try each run of spaces within a long cell. */
function withoutEdges(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && EDGE.test(text.charAt(from))) from++
  while (to > from && EDGE.test(text.charAt(to - 1))) to--
  return text.slice(from, to)
}

/** Edges that `trim` leaves. Most cells have none. */
const ODD_EDGE = /^[\u001a\u200b\u2060]|[\u001a\u200b\u2060]$/

/** Has an export marked the cell? Its text is then what it seems, and no word for something else. */
const isMarked = (cell: string): boolean => originalCell(cell) !== cell

/** The text that a person entered into a cell. */
export function cellText(cell: string): string {
  const original = originalCell(cell)
  const trimmed = original.trim()
  const text = ODD_EDGE.test(trimmed) && original === cell ? withoutEdges(trimmed) : trimmed
  // What an export has marked is the text itself.
  const [, inner] = (original === cell && TEXT_FORMULA.exec(text)) || []
  return inner === undefined ? text : inner.replaceAll('""', '"').trim()
}

const invalid = (detail: AnyText): CellProblem => ({
  field: null,
  severity: 'error',
  code: 'invalid_csv',
  message: ERRORS.invalid_csv.message,
  detail,
})

const isAddress = (cell: string | undefined) =>
  /^https?:\/\//i.test(originalCell(cell ?? '').trim())

/**
 * The problem of an address in a neighbouring column, where a surplus or missing delimiter has
 * moved it.
 */
export function shiftProblem(
  cells: readonly string[],
  places: Record<CsvField, number>,
): CellProblem | null {
  const { file_url: own, link_url: link, id } = places
  // A link needs no other address.
  if (link >= 0 && isAddress(cells[link])) return null
  if (own < 0 || isAddress(cells[own]) || (id >= 0 && (cells[id] ?? '').trim() !== '')) return null
  // oxfmt-ignore
  const beside = FIELDS.find((field) => Math.abs(places[field] - own) === 1 && places[field] >= 0 && isAddress(cells[places[field]]))
  if (beside === undefined) return null
  return invalid(
    places[beside] > own
      ? say(
          'The address is in the column of {column}: there is a delimiter too many before it, or a cell without quotes',
          { column: beside },
        )
      : say(
          'The address is in the column of {column}: there is a delimiter missing before it, or a cell without quotes',
          { column: beside },
        ),
  )
}

/**
 * The problem of the number of cells in a row, or null. Empty cells after the last column do not
 * count.
 */
export function shapeProblem(
  cells: readonly string[],
  headers: readonly string[],
): CellProblem | null {
  // Spreadsheets leave out the last empty cells of a row.
  const surplus = cells.findIndex((cell, at) => at >= headers.length && cell.trim() !== '')
  if (surplus < 0) return null
  return invalid(
    say(
      'The row has {count, plural, one {# cell} other {# cells}} and the header {total}: a delimiter too many, or a cell without quotes',
      { count: cells.length, total: headers.length },
    ),
  )
}

export const fieldPlace = (field: CsvField | null): number =>
  field === null ? 0 : FIELDS.indexOf(field) + 1
