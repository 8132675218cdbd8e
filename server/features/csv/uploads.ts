// Uploaded CSV files: received in pieces and kept in the database for a day, so that any process
// can continue with them.
import { say, sayPlain } from '../../../plugins/contract/index.ts'
import Papa from 'papaparse'
import { AppError } from '../../core/errors.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { firstOf } from '../../core/lazy.ts'
import { IS_ENDED_PREVIEW } from '../../engine/lifecycle.ts'
import type { OnConflict } from '../../../plugins/contract/index.ts'
import { inSlices } from '../../core/turn.ts'
import {
  analyse,
  emptyFile,
  requireText,
  type Analysis,
  type HeadRow,
  type StructureProblem,
} from './analyse.ts'
import type { CheckProgress } from './check-state.ts'
import { dropCorrections, type RowEdit } from './edits.ts'
import type { ColumnMapping, RowMatch } from './columns.ts'
import {
  exportShape,
  filesOfRow,
  LIST_HEADERS,
  type ExportId,
  type ExportShape,
} from './exports.ts'
import {
  createEncodingDetector,
  decode,
  type DetectedEncoding,
  type Encoding,
} from '../../core/encoding.ts'
import { isBlank, readRows, type Format, type RowBatch } from './rows.ts'
import { findSavedMapping } from './saved-mappings.ts'
import { isWorkbook, type ReadWorkbook, type Sheet } from './workbook.ts'

export const MAX_BYTES = 50 * 1024 ** 2
export const MAX_CSV_ROWS = 50_000
/**
 * The maximum number of a shop's stored files. Above it, imported ones are removed first, then the
 * oldest.
 */
export const MAX_KEPT = 20
const CHUNK_BYTES = 512 * 1024
const KEPT = '24 hours'
/** An upload that is still incomplete after this time was abandoned by its client. */
const STALE = '1 hour'

export interface CheckOptions {
  probe: boolean
  on_conflict: OnConflict
  /** Whether tags and packs without signs, and named products, replace those of an existing file. */
  tags: 'add' | 'replace'
  packs: 'add' | 'replace'
  products: 'add' | 'replace'
  /** How rows without an id find existing files. */
  match: RowMatch
  /** The headers of the requests (`check-headers.ts`); absent: none. */
  headers_sealed?: string | null
}

/** How rows change existing files, unless something else was chosen. */
export const ROW_MODES = {
  tags: 'replace',
  packs: 'replace',
  products: 'add',
  match: 'id',
} as const

export interface CsvFormat extends Format {
  encoding: Encoding
  /** Whether no other encoding fits nearly as well. */
  encoding_sure: boolean
  /** The number of characters before the first row. */
  skipped: number
  /** The row of the header; 0: there is none. */
  header_row: number
  /** The first rows of the file. */
  head?: HeadRow[]
  /** The sheets of a workbook; absent: a CSV file. */
  sheets?: StoredSheet[]
  /** The index of the chosen sheet. */
  sheet?: number
}

/** A sheet of a workbook, stored as CSV text in separate chunks. */
interface StoredSheet {
  name: string
  first: number
  chunks: number
  /** The encoding of the file as it is; absent: UTF-8. */
  detected?: DetectedEncoding
  /** Set if the sheet is the list of files of another shop's export. */
  list?: ListedExport
}

/** What an export of another shop became. */
export interface ListedExport {
  id: ExportId
  files: number
  products: number
  /** The number of products without files, which are not in the list. */
  without_files: number
}

/** The part of a stored file that is read. */
type Place = Pick<CsvFormat, 'sheets' | 'sheet'>

/** A file's fields in lists. */
export interface ListedUpload {
  id: string
  filename: string
  status: 'ready' | 'checking' | 'checked' | 'started'
  size_bytes: number
  rows: number
  check_options: CheckOptions | null
  progress: CheckProgress | null
  failure: string | null
  /** The UUIDs of the import of the rows, and of the operation on the files that rows name. */
  operation_id: string | null
  update_operation_id: string | null
  created_at: Date
}

export interface CsvUpload extends ListedUpload {
  format: CsvFormat
  headers: string[]
  sample: { row: number; cells: string[] }[]
  structure: StructureProblem[]
  mapping: ColumnMapping
  saved_mapping: string | null
  round: number
  /** The progress of a check of corrected rows, {} while it waits; null: none is running. */
  recheck: CheckProgress | Record<string, never> | null
  /** The corrections of the rows in `sample`. */
  sample_edits: RowEdit[]
  corrections: {
    /** The numbers of corrected rows, and of those that are left out. */
    rows: number
    left_out: number
    can_undo: boolean
  }
}

/**
 * Stores a file and reads it once. Returns its UUID. Throws `payload_too_large`, `invalid_csv` with
 * the first problems if it cannot be read, and errors of `bytes`; then nothing is stored.
 * @param asIs another shop's export is not rewritten as a list of files, and no other file makes
 *   place: the caller removes it
 */
export async function receiveCsv(
  scope: ShopScope,
  bytes: AsyncIterable<Uint8Array>,
  filename: string,
  readWorkbook: ReadWorkbook,
  { asIs = false } = {},
): Promise<string> {
  const made = await scope.one<{ id: string }>(
    'insert into csv_uploads (shop_id, filename) values (:shop, :filename) returning id',
    { filename },
  )
  const { id } = made
  try {
    let size = 0
    const counted = async function* () {
      for await (const piece of chunked(bytes)) {
        size += piece.length
        if (size > MAX_BYTES) throw tooLarge()
        yield piece
      }
    }
    const pieces = counted()
    const first = await pieces.next()
    const all = prepended(first, pieces)
    const stored =
      !first.done && isWorkbook(first.value)
        ? await readWorkbook(scope.shop, all, (sheets) => storeSheets(scope, id, sheets))
        : await storeBytes(scope, id, all)
    await scope.query(
      'update csv_uploads set size_bytes = :size where shop_id = :shop and id = :id',
      { id, size },
    )
    await storeAnalysis(scope, id, asIs ? stored : await withList(scope, id, stored))
    if (!asIs) await removeSurplus(scope, id)
    return id
  } catch (error) {
    await removeUpload(scope, id)
    throw error
  }
}

interface TableReading {
  detected: DetectedEncoding
  analysis: Analysis
  /** The sheets of a workbook, and the index of the one that was read. */
  place?: Place
}

/**
 * Stores another shop's export also as a list of files, and reads that. The file itself stays
 * another sheet.
 */
async function withList(scope: ShopScope, id: string, read: TableReading): Promise<TableReading> {
  const { analysis, place = {}, detected } = read
  const sample = analysis.sample.map(({ cells }) => cells)
  const shape = analysis.format.header_row > 0 ? exportShape(analysis.headers, sample) : null
  // Cells of a row with a wrong shape may be in the wrong columns.
  if (!shape || analysis.structure.length > 0) return read
  const sheets = place.sheets ?? [{ name: WHOLE_FILE, first: 0, chunks: Infinity, detected }]
  const { encoding, sure } = detected
  const format = { ...analysis.format, ...place, encoding, encoding_sure: sure }
  const { csv, list } = await listOf(readUploadRows(scope, { id, format }), shape, format)
  if (list.files === 0) return read
  const first = await nextChunk(scope, id)
  const chunks = await insertText(scope, id, first, [csv])
  const own = sheets.map((sheet) =>
    sheet.chunks === Infinity ? { ...sheet, chunks: first } : sheet,
  )
  const added = { name: ONE_ROW_A_FILE, first, chunks, list }
  const found = { sheets: [...own, added], sheet: own.length }
  const text = decode(readBytes(scope, id, found), IN_UTF8.encoding)
  return { detected: IN_UTF8, analysis: await analyse(text, MAX_CSV_ROWS), place: found }
}

const WHOLE_FILE = sayPlain('The file as it is')
const ONE_ROW_A_FILE = sayPlain('One row for each file')

async function listOf(
  rows: AsyncIterable<RowBatch>,
  shape: ExportShape,
  { header_row }: Pick<CsvFormat, 'header_row'>,
): Promise<{ csv: Buffer; list: ListedExport }> {
  const list = { id: shape.id, files: 0, products: 0, without_files: 0 }
  const table: string[][] = [[...LIST_HEADERS]]
  for await (const { first, records } of rows)
    for (const [at, cells] of records.entries()) {
      if (first + at <= header_row || isBlank(cells)) continue
      const before = table.length
      await inSlices(filesOfRow(shape, first + at, cells), (file) => {
        if (table.push(file) > MAX_CSV_ROWS + 1)
          throw new AppError('too_many', {
            message: say('A CSV file has at most {most} files: split it', { most: MAX_CSV_ROWS }),
          })
      })
      if (table.length === before) list.without_files++
      else list.products++
    }
  list.files = table.length - 1
  const lines: string[] = []
  await inSlices(table, (row) => lines.push(Papa.unparse([row])))
  return { csv: Buffer.from(lines.join('\n')), list }
}

async function nextChunk(scope: ShopScope, id: string): Promise<number> {
  const row = await scope.one<{ next: number }>(
    `select coalesce(max(number) + 1, 0)::int as next from csv_chunks
     where shop_id = :shop and csv_id = :id`,
    { id },
  )
  return row.next
}

/** Stores the text in chunks and returns their number. */
async function insertText(
  scope: ShopScope,
  id: string,
  first: number,
  text: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<number> {
  let number = first
  for await (const piece of text)
    for (let at = 0; at < piece.length; at += CHUNK_BYTES)
      await insertChunk(scope, id, number++, piece.subarray(at, at + CHUNK_BYTES))
  return number - first
}

async function storeAnalysis(
  scope: ShopScope,
  id: string,
  { detected: { encoding, sure }, analysis, place = {} }: TableReading,
): Promise<void> {
  const { format, head, headers, rows, sample, structure, mapping } = analysis
  const saved = await findSavedMapping(scope, headers)
  await scope.query(
    `update csv_uploads set status = 'ready', format = :format, headers = :headers, rows = :rows,
       sample = :sample, structure = :structure, mapping = :mapping, saved_mapping = :saved,
       round = round + 1, check_options = null, progress = null, failure = null,
       recheck = null
     where shop_id = :shop and id = :id`,
    {
      id,
      headers,
      rows,
      format: JSON.stringify({ ...format, ...place, head, encoding, encoding_sure: sure }),
      sample: JSON.stringify(sample),
      structure: JSON.stringify(structure),
      mapping: JSON.stringify(saved?.mapping ?? mapping),
      saved: saved?.name ?? null,
    },
  )
}

/**
 * Reads a stored file again in the encoding that a person chose. Columns are suggested again, and
 * results of a check are dropped. Throws `not_found`, `conflict` if the import has started, and
 * `invalid_csv` if the file is no table in this encoding; then nothing changes.
 */
export async function chooseEncoding(
  scope: ShopScope,
  id: string,
  encoding: Encoding,
): Promise<void> {
  await readAgain(scope, id, () => ({ encoding }))
}

/**
 * Reads a stored file again in the way that a person chose, and drops the results of its check. The
 * header is looked for again unless it is chosen.
 */
async function readAgain(
  scope: ShopScope,
  id: string,
  choose: (now: CsvFormat) => FormatChoice,
): Promise<void> {
  await scope.transaction(async (tx) => {
    const { format } = await requireOpen(tx, id)
    const chosen = choose(format)
    const { sheets = [], sheet = 0 } = format
    const isList = sheets[sheet]?.list !== undefined
    const read =
      isList && chosen.encoding !== undefined
        ? await listAgain(tx, id, sheets, chosen.encoding)
        : await readPlace(tx, id, format, chosen)
    await storeAnalysis(tx, id, read)
    await tx.query('delete from csv_problems where shop_id = :shop and csv_id = :id', { id })
    await dropCorrections(tx, id)
  })
}

interface FormatChoice {
  encoding?: Encoding
  headerRow?: number
  sheet?: number
}

async function readPlace(
  tx: ShopScope,
  id: string,
  format: CsvFormat,
  { encoding, headerRow, sheet = format.sheet }: FormatChoice,
): Promise<TableReading> {
  const { sheets } = format
  const place = sheets && sheet !== undefined ? { sheets, sheet } : {}
  const detected =
    encoding !== undefined
      ? { encoding, sure: true }
      : sheets
        ? (sheets[sheet ?? 0]?.detected ?? IN_UTF8)
        : { encoding: format.encoding, sure: format.encoding_sure }
  const text = decode(readBytes(tx, id, place), detected.encoding)
  const analysis = await analyse(text, MAX_CSV_ROWS, headerRow)
  return { detected, analysis, place: withEncoding(place, detected) }
}

/** Keeps the encoding that a person chose with the sheet. */
const withEncoding = ({ sheets, sheet }: Place, detected: DetectedEncoding): Place =>
  sheets && sheet !== undefined
    ? { sheets: sheets.map((one, at) => (at === sheet ? { ...one, detected } : one)), sheet }
    : {}

/** Reads the file in another encoding and writes its list again. */
async function listAgain(
  tx: ShopScope,
  id: string,
  sheets: readonly StoredSheet[],
  encoding: Encoding,
): Promise<TableReading> {
  const detected = { encoding, sure: true }
  const own = sheets.filter(({ list }) => !list).map((sheet) => ({ ...sheet, detected }))
  const place = { sheets: own, sheet: 0 }
  const text = decode(readBytes(tx, id, place), encoding)
  const analysis = await analyse(text, MAX_CSV_ROWS)
  const old = firstOf(sheets.filter(({ list }) => list))
  await tx.query(
    'delete from csv_chunks where shop_id = :shop and csv_id = :id and number >= :first',
    { id, first: old.first },
  )
  return withList(tx, id, { detected, analysis, place })
}

/**
 * Reads another sheet of a stored workbook. Throws as `chooseEncoding` does, and
 * `validation_failed` for an unknown sheet.
 */
export const chooseSheet = (scope: ShopScope, id: string, name: string): Promise<void> =>
  readAgain(scope, id, ({ sheets = [] }) => {
    const sheet = sheets.findIndex((one) => one.name === name)
    if (sheet >= 0) return { sheet }
    const message = say('The file has no sheet of this name')
    throw new AppError('validation_failed', {
      param: 'sheet',
      message,
      details: [{ param: 'sheet', code: 'invalid_value', message }],
    })
  })

/**
 * Reads a stored file again with the header that a person chose; 0: it has none. Throws as
 * `chooseEncoding` does.
 */
export async function chooseHeader(scope: ShopScope, id: string, row: number): Promise<void> {
  await readAgain(scope, id, () => ({ headerRow: row }))
}

/**
 * Removes surplus files: imported ones first, then the oldest; never one that is being received or
 * checked. Throws `too_many` if there are no others.
 */
async function removeSurplus(scope: ShopScope, newest: string): Promise<void> {
  const counted = await scope.one<{ surplus: number }>(
    `with gone as (
       delete from csv_uploads where shop_id = :shop and id in (
         select id from csv_uploads where shop_id = :shop and id <> :newest
           and status not in ('uploading', 'checking')
         order by status = 'started' desc, id
         limit greatest(0, (select count(*) from csv_uploads where shop_id = :shop) - :max))
       returning id)
     select (select count(*) from csv_uploads where shop_id = :shop) - (select count(*) from gone) -
       :max as surplus`,
    { newest, max: MAX_KEPT },
  )
  if (counted.surplus > 0) throw new AppError('too_many', { message: TOO_MANY })
}

const TOO_MANY = say(
  '{most} CSV files are being checked: wait until one of them is, or remove one',
  { most: MAX_KEPT },
)

const insertChunk = (scope: ShopScope, id: string, number: number, chunk: Uint8Array) =>
  scope.query(
    `insert into csv_chunks (shop_id, csv_id, number, bytes)
     values (:shop, :id, :number, :chunk)`,
    { id, number, chunk },
  )

/** Stores each sheet as CSV text, and reads the one that is most like a list of files. */
async function storeSheets(
  scope: ShopScope,
  id: string,
  found: readonly Sheet[],
): Promise<TableReading> {
  if (found.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_BYTES) throw tooLarge()
  const sheets: StoredSheet[] = []
  let number = 0
  for (const { name, read } of found) {
    const chunks = await insertText(scope, id, number, read())
    sheets.push({ name, first: number, chunks })
    number += chunks
  }
  return readBestSheet(scope, id, sheets)
}

const IN_UTF8: DetectedEncoding = { encoding: 'utf-8', sure: true }

/**
 * Reads the sheet with the most known columns, the first of several. Throws the error of the first
 * sheet if none can be read.
 */
async function readBestSheet(
  scope: ShopScope,
  id: string,
  sheets: StoredSheet[],
): Promise<TableReading> {
  let best: { known: number; read: TableReading } | null = null
  let failure: unknown = null
  for (const sheet of sheets.keys()) {
    const place = { sheets, sheet }
    try {
      const text = decode(readBytes(scope, id, place), IN_UTF8.encoding)
      const analysis = await analyse(text, MAX_CSV_ROWS)
      const known = Object.values(analysis.mapping).filter((header) => header !== null).length
      if (!best || known > best.known)
        best = { known, read: { detected: IN_UTF8, analysis, place } }
    } catch (error) {
      failure ??= error
    }
  }
  if (best) return best.read
  throw failure ?? emptyFile()
}

async function* prepended(
  first: IteratorResult<Buffer>,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  if (first.done) return
  yield first.value
  yield* rest
}

/** Stores the bytes, and reads them while they arrive. */
async function storeBytes(
  scope: ShopScope,
  id: string,
  bytes: AsyncIterable<Buffer>,
): Promise<TableReading> {
  const detector = createEncodingDetector()
  const kept = async function* () {
    let number = 0
    for await (const chunk of bytes) {
      if (number === 0) requireText(chunk)
      detector.add(chunk)
      const inserted = insertChunk(scope, id, number++, chunk)
      // The error is handled below, unless the reader has stopped before.
      inserted.catch(() => {})
      yield chunk
      await inserted
    }
  }
  const chunks = kept()
  const first = await chunks.next()
  const presumed = (await detector.result()).encoding
  const all = async function* () {
    if (!first.done) yield first.value
    yield* chunks
  }
  const analysis = await analyse(decode(all(), presumed), MAX_CSV_ROWS)
  const detected = await detector.result()
  // A file that began as ASCII may contain other bytes later.
  if (detected.encoding === presumed) return { detected, analysis }
  const again = decode(readBytes(scope, id), detected.encoding)
  return { detected, analysis: await analyse(again, MAX_CSV_ROWS) }
}

const tooLarge = () =>
  new AppError('payload_too_large', { message: say('A CSV file has at most 50 MB: split it') })

/** Joins the incoming pieces into chunks of one size. */
async function* chunked(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let gathered: Uint8Array[] = []
  let size = 0
  for await (const piece of bytes) {
    gathered.push(piece)
    size += piece.length
    if (size < CHUNK_BYTES) continue
    yield Buffer.concat(gathered)
    gathered = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(gathered)
}

/** Reads one piece after another; the next one is read while one is processed. */
async function* readBytes(
  scope: ShopScope,
  id: string,
  { sheets, sheet = 0 }: Place = {},
): AsyncGenerator<Buffer> {
  const { first, chunks } = sheets?.[sheet] ?? { first: 0, chunks: Infinity }
  const read = async (number: number) => {
    if (number >= first + chunks) return undefined
    // Bytes are read as base64: the driver's own format is twice as long, and slower.
    const [chunk] = await scope.query<{ bytes: string }>(
      `select encode(bytes, 'base64') as bytes from csv_chunks
       where shop_id = :shop and csv_id = :id and number = :number`,
      { id, number },
    )
    return chunk && Buffer.from(chunk.bytes, 'base64')
  }
  let next = read(first)
  for (let number = first + 1; ; number++) {
    const bytes = await next
    if (!bytes) return
    next = read(number)
    // Not awaited if the reader stops here.
    next.catch(() => {})
    yield bytes
  }
}

/** Yields all rows of the file, the header first. */
export function readUploadRows(scope: ShopScope, { id, format }: Pick<CsvUpload, 'id' | 'format'>) {
  return rowsOf(decode(readBytes(scope, id, format), format.encoding), format)
}

export function rowsOf(
  text: AsyncIterable<string>,
  format: Format & Pick<CsvFormat, 'skipped'>,
): AsyncGenerator<RowBatch> {
  return readRows(withoutStart(text, format.skipped), format)
}

async function* withoutStart(text: AsyncIterable<string>, skipped: number): AsyncGenerator<string> {
  let left = skipped
  for await (const piece of text) {
    yield left > 0 ? piece.slice(left) : piece
    left = Math.max(0, left - piece.length)
  }
}

/** SQL: a started file whose operations were all discarded as previews is as after its check. */
const STATUS = `case when status = 'started' and (
    select bool_and(${IS_ENDED_PREVIEW}) from operations o where o.shop_id = csv_uploads.shop_id
      and o.id in (csv_uploads.operation_id, csv_uploads.update_operation_id))
  then 'checked' else status end as status`
const LISTED = `id, filename, ${STATUS}, size_bytes, rows, check_options, progress, failure, operation_id, update_operation_id,
  created_at`
const COLUMNS = `${LISTED}, format, headers, sample, structure, mapping, saved_mapping, round, recheck,
  (select coalesce(jsonb_agg(jsonb_build_object('row', e.row, 'cells', e.cells, 'left_out', e.left_out)), '[]')
   from csv_edits e where e.shop_id = csv_uploads.shop_id and e.csv_id = csv_uploads.id
     and e.row <= (csv_uploads.sample -> -1 ->> 'row')::int) as sample_edits,
  (select jsonb_build_object('rows', count(*) filter (where not left_out),
     'left_out', count(*) filter (where left_out),
     'can_undo', exists (select from csv_corrections c
       where c.shop_id = csv_uploads.shop_id and c.csv_id = csv_uploads.id))
   from csv_edits e where e.shop_id = csv_uploads.shop_id and e.csv_id = csv_uploads.id) as corrections`

/** Lists the stored files, newest first. */
export function listUploads(scope: ShopScope): Promise<ListedUpload[]> {
  return scope.query<ListedUpload>(
    `select ${LISTED} from csv_uploads where shop_id = :shop and status <> 'uploading'
      order by id desc limit :limit`,
    { limit: MAX_KEPT },
  )
}

/**
 * Reads the file with this bare UUID. Throws `not_found`. `lock`: locks the row for the rest of the
 * transaction.
 */
export async function requireUpload(
  scope: ShopScope,
  id: string,
  { lock = false } = {},
): Promise<CsvUpload> {
  const [row] = await scope.query<CsvUpload>(
    `select ${COLUMNS} from csv_uploads where shop_id = :shop and id = :id and status <> 'uploading'
     ${lock ? 'for update' : ''}`,
    { id },
  )
  if (!row) throw new AppError('not_found')
  return row
}

/**
 * Reads and locks a file that can still change. Throws `not_found`, and `conflict` if its import
 * has started.
 */
export async function requireOpen(tx: ShopScope, id: string): Promise<CsvUpload> {
  const upload = await requireUpload(tx, id, { lock: true })
  if (upload.status === 'started')
    throw new AppError('conflict', { message: say('The import of this file has started') })
  return upload
}

export const removeUpload = (scope: ShopScope, id: string): Promise<boolean> =>
  scope.has('delete from csv_uploads where shop_id = :shop and id = :id returning id', { id })

/**
 * Removes files after a day, across shops. For the hourly upkeep; several processes may run it
 * concurrently.
 */
export async function sweepCsvUploads(pool: {
  query(sql: string): Promise<unknown>
}): Promise<void> {
  await pool.query(
    `delete from csv_uploads where created_at < now() - interval '${KEPT}'
       or status = 'uploading' and created_at < now() - interval '${STALE}'`,
  )
}
