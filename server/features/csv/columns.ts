// Assigns the columns of a CSV file to the fields of an import: suggested from the headers and the
// first rows, changed by the merchant, saved under a name.
import { ENTRY_SETTINGS } from '../../../plugins/contract/index.ts'
import { originalCell } from '../../files/cells.ts'
import { ENGLISH, isKnownHeader, normalizeHeader, wordFor } from './headers.ts'
import { fitsWords } from './setting-cells.ts'

/** Fields that name the products of a file; a cell may have several, with `;` between them. */
export const PRODUCT_FIELDS = ['product_sku', 'product_handle', 'product_id'] as const
export type ProductField = (typeof PRODUCT_FIELDS)[number]

export const FIELDS = [
  'filename',
  'file_url',
  'link_url',
  ...PRODUCT_FIELDS,
  ...ENTRY_SETTINGS,
  'pack',
  'tags',
  'id',
  'command',
  'sha256',
] as const

/** What a row does with its file. */
export const COMMANDS = ['new', 'update', 'merge', 'delete', 'restore', 'ignore'] as const
export type Command = (typeof COMMANDS)[number]

/** How rows without an id find the files that they change. */
export type RowMatch = 'id' | 'filename'

export type CsvField = (typeof FIELDS)[number]

/** The header of each field; null: no column has it. */
export type ColumnMapping = Record<CsvField, string | null>

/** The mapping in which no column has a field. */
export const NO_COLUMNS = Object.fromEntries(
  FIELDS.map((field) => [field, null]),
) as Readonly<ColumnMapping>

export interface Suggestion {
  header: string
  /** How sure the suggestion is, from 0 to 1. */
  sure: number
  reason: string
}

export type Suggestions = Record<CsvField, Suggestion | null>

const MIN_CONTAINED = 4

/** The labels of headers: unchanged; unnamed ones get their position, and duplicates a number. */
export function headerLabels(cells: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return cells.map((cell, at) => {
    const name = originalCell(cell).trim() || `Column ${at + 1}`
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    return times === 1 ? name : `${name} (${times})`
  })
}

/** Equal for files with the same headers, in any order and case. */
export const headersKey = (headers: readonly string[]): string =>
  JSON.stringify(headers.map(normalizeHeader).sort())

/** The index of each field's cell in a row; -1: no column. */
export const placesOf = (
  mapping: ColumnMapping,
  headers: readonly string[],
): Record<CsvField, number> =>
  Object.fromEntries(
    FIELDS.map((field) => [field, mapping[field] === null ? -1 : headers.indexOf(mapping[field])]),
  ) as Record<CsvField, number>

export const mappingOf = (suggestions: Suggestions): ColumnMapping =>
  Object.fromEntries(
    FIELDS.map((field) => [field, suggestions[field]?.header ?? null]),
  ) as ColumnMapping

/** A header with more is refused before its cells are compared. */
export const MAX_COLUMNS = 500

/** How many headers are names or synonyms of fields: a measure for guessing the delimiter. */
export const knownHeaders = (cells: readonly string[]): number =>
  cells.length > MAX_COLUMNS ? 0 : cells.filter((cell) => isKnownHeader(originalCell(cell))).length

/** The best column for each field; no column is suggested twice. `rows`: the first rows' cells. */
export function suggestColumns(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
): Suggestions {
  const columns = headers.map((header, at): Column => {
    const name = normalizeHeader(header)
    const isOfPictures = isNameOfPictures(name)
    return { header, name, isOfPictures, cells: columnCells(rows, at) }
  })
  // If several columns have addresses, such as pictures and files, a person chooses.
  const addresses = columns.filter(({ cells }) => areAddresses(cells)).length
  const guess = (field: CsvField, { isOfPictures, cells }: Column) =>
    isOfPictures ? null : byContent(field, cells, addresses)
  const all = FIELDS.flatMap((field) =>
    columns.flatMap((column) => {
      const { header } = column
      const found = confidence(field, column) ?? guess(field, column)
      return found ? [{ field, header, ...found }] : []
    }),
  ).sort((a, b) => b.sure - a.sure)
  const suggested = Object.fromEntries(FIELDS.map((field) => [field, null])) as Suggestions
  const taken = new Set<string>()
  for (const { field, header, sure, reason } of all) {
    if (suggested[field] || taken.has(header)) continue
    suggested[field] = { header, sure, reason }
    taken.add(header)
  }
  return suggested
}

interface Column {
  header: string
  /** The header as it is compared (`normalizeHeader`): once, since a header may be long. */
  name: string
  isOfPictures: boolean
  cells: readonly string[]
}

const PICTURES = /image|picture|photo|thumb|bild|foto|画像/

/**
 * Is it the header (`normalizeHeader`) of a column of pictures? Its addresses are seldom those of the
 * files.
 */
export const isNameOfPictures = (name: string): boolean => PICTURES.test(name)

/** The headers that are the fields' own names. */
const OWN_NAMES = Object.fromEntries(
  FIELDS.map((field) => [field, normalizeHeader(field)]),
) as Readonly<Record<CsvField, string>>

/** What a cell is shows at its beginning. */
const JUDGED_CHARACTERS = 500

const columnCells = (rows: readonly (readonly string[])[], at: number) =>
  rows
    .map((cells) => originalCell((cells[at] ?? '').slice(0, JUDGED_CHARACTERS)).trim())
    .filter((cell) => cell !== '')

const COMMAND_WORDS: ReadonlySet<string> = new Set(COMMANDS)
/** A column of another program may have that header too. */
const isCommand = (cell: string): boolean => COMMAND_WORDS.has(cell.toLowerCase())

/** Ids of products of the platform, or their numbers, which are long. */
const PRODUCT_IDS =
  /^(?:gid:\/\/shopify\/Product\/\d+|\d{8,20})(?:\s*;\s*(?:gid:\/\/shopify\/Product\/\d+|\d{8,20}))*$|^none$/i

/** A long list is cut within an id. */
const areProductIds = (cell: string): boolean =>
  PRODUCT_IDS.test(cell.length === JUDGED_CHARACTERS ? cell.slice(0, cell.lastIndexOf(';')) : cell)

function confidence(
  field: CsvField,
  { name, cells }: Column,
): { sure: number; reason: string } | null {
  if (name === OWN_NAMES[field]) {
    // Other exports may have a column of that name, but only ours contains ids like these.
    if (field === 'id' && !cells.every((cell) => cell.startsWith('file_'))) return null
    if (field === 'product_id' && !cells.every(areProductIds)) return null
    if (field === 'command' && cells.length > 0 && !cells.some(isCommand)) return null
    return { sure: 1, reason: 'The header is the field’s own name' }
  }
  if (field === 'id')
    return cells.length > 0 && cells.every((cell) => /^file_[0-9a-f]{32}$/.test(cell))
      ? { sure: 0.9, reason: 'The cells are ids of files' }
      : null
  // Other programs have ids of their own.
  if (field === 'product_id' && !(cells.length > 0 && cells.every(areProductIds))) return null
  if (field === 'command' && !(cells.length > 0 && cells.every(isCommand))) return null
  const word = wordFor(field, name)
  if (word >= 0)
    return { sure: Math.max(0.8, 0.95 - word / 100), reason: 'The header is another word for it' }
  const part = ENGLISH[field].find(
    (synonym) => synonym.length >= MIN_CONTAINED && name.includes(synonym),
  )
  return part === undefined || !fitsWords(field, cells)
    ? null
    : { sure: 0.5, reason: 'The header contains a word for it' }
}

/** Addresses, or `guide.pdf (https://…)` of Airtable, or `[Guide](https://…)` of Markdown. */
const areAddresses = (cells: readonly string[]): boolean =>
  cells.length > 0 && cells.every((cell) => /^(?:[^:]*[ \]]\()?https?:\/\//i.test(cell))
const areFilenames = (cells: readonly string[]): boolean =>
  cells.length > 0 && cells.every((cell) => /^[^/\\:]+\.[a-z][a-z0-9]{1,4}$/i.test(cell))

/**
 * How well the cells fit the field, for headers that say nothing and for files without a header.
 */
function byContent(field: CsvField, cells: readonly string[], addresses: number) {
  if (field === 'file_url' && addresses === 1 && areAddresses(cells))
    return { sure: 0.75, reason: 'The cells are addresses' }
  if (field === 'filename' && areFilenames(cells))
    return { sure: 0.7, reason: 'The cells are names of files' }
  return null
}
