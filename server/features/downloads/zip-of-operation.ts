// The files of an operation as one ZIP file: the same layout as that of a buyer's “Download all”.
// One piece of its bytes is in memory at a time.
import { PortError, type FilesSize, type Listings } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { StoreError, DamagedBytes } from '../../core/store/store.ts'
import { readOrRepair, type CheckBlob } from '../../ports/repair.ts'
import { storeFailure } from '../../ports/catalog.ts'
import type { OperationListingParts } from '../feature.ts'
import { createListings } from '../links/listings.ts'
import { checksumOf } from './archive-content.ts'
import { readPieces } from './archive-reading.ts'
import { createByteSender, type Bytes } from './bytes.ts'
import type { BlobTarget } from './targets.ts'
import { layoutZip, type ZipEntry } from './zip.ts'

interface Entry extends ZipEntry, BlobTarget {}

interface Job {
  scope: ShopScope
  /** The bare UUID of the operation. */
  operation: string
  bytes: Bytes
  check: CheckBlob
  /** Called with the numbers of files that were read and written so far. */
  seen(files: number, written: number): void
}

/** All documents of an operation: lists of its files and links, and the files themselves. */
export const operationListings =
  (parts: OperationListingParts) =>
  (scope: ShopScope, operation: string, seen: Job['seen']): Listings => ({
    ...createListings(parts)(scope, operation, seen),
    size: () => sizeOf(scope, operation),
    zip: (signal) =>
      zipOf(
        { scope, operation, seen, check: parts.check, bytes: createByteSender(parts.stores) },
        signal,
      ),
  })

/** The operation's files: from its batches if no items were written, or else from its items. */
const ASKED = `
  asked as (
    select b.position + n - 1 as position, id from item_batches b,
      unnest(b.file_ids) with ordinality as t(id, n)
    where b.shop_id = :shop and b.operation_id = :operation
    union all
    select position, file_id from items
    where shop_id = :shop and operation_id = :operation and file_id is not null)`

const sizeOf = (scope: ShopScope, operation: string) =>
  scope.one<FilesSize>(
    `with ${ASKED}
     select count(f.id)::int as files, coalesce(sum(f.size_bytes), 0)::float8 as bytes
     from asked join files f on f.shop_id = :shop and f.id = asked.id and f.deleted_at is null`,
    { operation },
  )

interface Row {
  filename: string | null
  location: string
  hash: string
  size: number
  modified_ms: number
  crc32: number | null
}

async function* zipOf(job: Job, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { scope, operation, seen } = job
  const rows = await scope.query<Row>(
    `with ${ASKED}
     select f.filename, v.location, encode(v.hash, 'hex') as hash, v.size_bytes::float8 as size,
       extract(epoch from f.version_since)::float8 * 1000 as modified_ms, b.crc32
     from asked
     left join (files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
         and v.number = f.version and not v.quarantined)
       on f.shop_id = :shop and f.id = asked.id and f.deleted_at is null
     left join blobs b on b.shop_id = v.shop_id and b.hash = v.hash
     order by asked.position`,
    { operation },
  )
  const entries: Entry[] = []
  for (const row of rows)
    if (row.filename !== null) entries.push(await entryOf(job, row, row.filename, signal))
  const left = rows.length - entries.length
  const { segments } = layoutZip(entries)
  let written = 0
  for (const segment of segments) {
    if ('entry' in segment) yield* piecesOf(job, segment.entry, signal)
    else yield segment.bytes
    if ('entry' in segment) seen((written += 1), written)
  }
  seen(entries.length + left, entries.length)
}

/** The entry of a file. Reads its bytes once to compare them, and restores them if necessary. */
async function entryOf(
  { scope, bytes, check }: Job,
  { hash, location, size, modified_ms, crc32 }: Row,
  filename: string,
  signal: AbortSignal,
): Promise<Entry> {
  signal.throwIfAborted()
  const { shop } = scope
  const target = { shop, location, hash, size, blob: `${location}/${shop}/${hash}` }
  // Before the first byte of the ZIP file: damaged bytes can still be restored.
  const compare = () =>
    checksumOf(bytes, target).catch((error: unknown) => {
      if (error instanceof DamagedBytes) return null
      throw error
    })
  const sum = await readOrRepair(compare, target, check, signal).catch((error: unknown) => {
    throw unreadable(filename, error)
  })
  if (crc32 === null)
    await scope.query(
      `update blobs set crc32 = :sum where shop_id = :shop and hash = decode(:hash, 'hex')`,
      { sum, hash },
    )
  return { ...target, filename, modifiedMs: modified_ms, crc32: sum }
}

/** Copies: the pieces that are read share a buffer. */
async function* piecesOf(
  { bytes }: Job,
  entry: Entry,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const whole = { start: 0, end: entry.size - 1 }
  const reading = readPieces(bytes, [{ at: 0, length: entry.size, entry }], whole)
  try {
    for await (const { bytes: piece, free } of reading) {
      signal.throwIfAborted()
      yield Buffer.from(piece)
      free?.()
    }
  } catch (error) {
    throw unreadable(entry.filename, error)
  }
}

/** The error of a store, with the name of the file; other errors unchanged. */
function unreadable(filename: string, error: unknown): unknown {
  const problem = error instanceof DamagedBytes ? new StoreError('damaged') : error
  if (!(problem instanceof StoreError)) return error
  const { code, retryable } = storeFailure(problem)
  return new PortError(code, `“${filename}” could not be read`, retryable, { cause: error })
}
