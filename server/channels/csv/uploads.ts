// Uploaded CSV files: received in pieces and kept in the database for a day, so that any process
// can continue with them.
import { AppError } from '../../errors.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import type { OnConflict } from '../../files/admission.ts'
import {
  analyse,
  requireText,
  type Analysis,
  type HeadRow,
  type StructureProblem,
} from './analyse.ts'
import type { CheckProgress } from './check-state.ts'
import type { ColumnMapping } from './columns.ts'
import { createEncodingDetector, decode, type DetectedEncoding, type Encoding } from './encoding.ts'
import { readRows, type Format, type RowBatch } from './rows.ts'
import { findSavedMapping } from './saved-mappings.ts'

export const MAX_BYTES = 50 * 1024 ** 2
export const MAX_CSV_ROWS = 50_000
/** Above this number of a shop's files, imported ones are removed first, then the oldest. */
export const MAX_KEPT = 20
const CHUNK_BYTES = 512 * 1024
const KEPT = '24 hours'
/** An upload that is still incomplete after this time was abandoned by its client. */
const STALE = '1 hour'

export interface CheckOptions {
  probe: boolean
  on_conflict: OnConflict
}

export interface CsvFormat extends Format {
  encoding: Encoding
  /** false: another encoding fits nearly as well. Absent in files of earlier versions: true. */
  encoding_sure?: boolean
  /** Characters before the first row. */
  skipped: number
  /** The row of the header; 0: there is none. Absent in files of earlier versions: the first. */
  header_row?: number
  /** The first rows of the file. */
  head?: HeadRow[]
}

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
  /** The import of its rows, and the operation on the files that rows name. */
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
}

/**
 * Stores a file and reads it once. Returns its UUID. Throws `payload_too_large`, `invalid_csv` with
 * the first problems if it cannot be read, and errors of `bytes`; then nothing is stored.
 */
export async function receiveCsv(
  scope: ShopScope,
  bytes: AsyncIterable<Uint8Array>,
  filename: string,
): Promise<string> {
  const [made] = await scope.query<{ id: string }>(
    'insert into csv_uploads (shop_id, filename) values (:shop, :filename) returning id',
    { filename },
  )
  const { id } = made!
  try {
    const { size, detected, analysis } = await storeBytes(scope, id, bytes)
    await scope.query(
      'update csv_uploads set size_bytes = :size where shop_id = :shop and id = :id',
      { id, size },
    )
    await storeAnalysis(scope, id, detected, analysis)
    await removeSurplus(scope, id)
    return id
  } catch (error) {
    await removeUpload(scope, id)
    throw error
  }
}

async function storeAnalysis(
  scope: ShopScope,
  id: string,
  { encoding, sure }: DetectedEncoding,
  { format, head, headers, rows, sample, structure, mapping }: Analysis,
): Promise<void> {
  const saved = await findSavedMapping(scope, headers)
  await scope.query(
    `update csv_uploads set status = 'ready', format = :format, headers = :headers, rows = :rows,
       sample = :sample, structure = :structure, mapping = :mapping, saved_mapping = :saved,
       round = round + 1, check_options = null, progress = null, failure = null
     where shop_id = :shop and id = :id`,
    {
      ...{ id, headers, rows },
      format: JSON.stringify({ ...format, head, encoding, encoding_sure: sure }),
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
  await scope.transaction(async (tx) => {
    await requireOpen(tx, id)
    const analysis = await analyse(decode(readBytes(tx, id), encoding), MAX_CSV_ROWS)
    await storeAnalysis(tx, id, { encoding, sure: true }, analysis)
    await tx.query('delete from csv_problems where shop_id = :shop and csv_id = :id', { id })
  })
}

/**
 * Reads a stored file again with the header that a person chose; 0: it has none. Throws as
 * `chooseEncoding` does.
 */
export async function chooseHeader(scope: ShopScope, id: string, row: number): Promise<void> {
  await scope.transaction(async (tx) => {
    const { format } = await requireOpen(tx, id)
    const { encoding, encoding_sure: sure = true } = format
    const analysis = await analyse(decode(readBytes(tx, id), encoding), MAX_CSV_ROWS, row)
    await storeAnalysis(tx, id, { encoding, sure }, analysis)
    await tx.query('delete from csv_problems where shop_id = :shop and csv_id = :id', { id })
  })
}

/**
 * Removes imported files first, then the oldest; never one that is being received or checked.
 * Throws `too_many` if there are no others.
 */
async function removeSurplus(scope: ShopScope, newest: string): Promise<void> {
  const [counted] = await scope.query<{ surplus: number }>(
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
  if (counted!.surplus > 0) throw new AppError('too_many', { message: TOO_MANY })
}

const TOO_MANY = `${MAX_KEPT} CSV files are being checked: wait until one of them is, or remove one`

/** Stores the bytes, and reads them while they arrive. */
async function storeBytes(scope: ShopScope, id: string, bytes: AsyncIterable<Uint8Array>) {
  const detector = createEncodingDetector()
  let size = 0
  const kept = async function* () {
    let number = 0
    for await (const chunk of chunked(bytes)) {
      size += chunk.length
      if (size > MAX_BYTES) throw new AppError('payload_too_large', { message: TOO_LARGE })
      if (number === 0) requireText(chunk)
      detector.add(chunk)
      const sql = `insert into csv_chunks (shop_id, csv_id, number, bytes)
          values (:shop, :id, :number, :chunk)`
      const inserted = scope.query(sql, { id, number: number++, chunk })
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
  if (detected.encoding === presumed) return { size, detected, analysis }
  const again = decode(readBytes(scope, id), detected.encoding)
  return { size, detected, analysis: await analyse(again, MAX_CSV_ROWS) }
}

const TOO_LARGE = 'A CSV file has at most 50 MB: split it'

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
async function* readBytes(scope: ShopScope, id: string): AsyncGenerator<Buffer> {
  const read = async (number: number) => {
    // As base64: the driver's own format for bytes is twice as long, and slower.
    const [chunk] = await scope.query<{ bytes: string }>(
      `select encode(bytes, 'base64') as bytes from csv_chunks
       where shop_id = :shop and csv_id = :id and number = :number`,
      { id, number },
    )
    return chunk && Buffer.from(chunk.bytes, 'base64')
  }
  let next = read(0)
  for (let number = 1; ; number++) {
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
  return rowsOf(decode(readBytes(scope, id), format.encoding), format)
}

export function rowsOf(
  text: AsyncIterable<string>,
  format: Omit<CsvFormat, 'encoding'>,
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

const LISTED = `id, filename, status, size_bytes, rows, check_options, progress, failure, operation_id, update_operation_id,
  created_at`
const COLUMNS = `${LISTED}, format, headers, sample, structure, mapping, saved_mapping, round`

/** All stored files, newest first. */
export function listUploads(scope: ShopScope): Promise<ListedUpload[]> {
  return scope.query<ListedUpload>(
    `select ${LISTED} from csv_uploads where shop_id = :shop and status <> 'uploading'
      order by id desc limit :limit`,
    { limit: MAX_KEPT },
  )
}

/** `id`: a bare UUID. Throws `not_found`. `lock`: locks the row for the rest of the transaction. */
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

/** Locks the row. Throws `not_found`, and `conflict` if its import has started. */
export async function requireOpen(tx: ShopScope, id: string): Promise<CsvUpload> {
  const upload = await requireUpload(tx, id, { lock: true })
  if (upload.status === 'started')
    throw new AppError('conflict', { message: 'The import of this file has started' })
  return upload
}

export async function removeUpload(scope: ShopScope, id: string): Promise<boolean> {
  const gone = await scope.query(
    'delete from csv_uploads where shop_id = :shop and id = :id returning id',
    { id },
  )
  return gone.length > 0
}

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
