// The stored bytes of a file that was replaced, shortened or removed. Nothing else names them as a
// rule: they are removed immediately, so that no number of small changes fills the disk
// (docs/decisions/0109-bytes-of-waiting-files.md).
import type { Database } from '../../core/db/database.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { BlobStore } from '../../core/store/store.ts'
import { removeUnnamed } from '../../files/blobs.ts'

/** What a row named before a statement. */
export interface DroppedBytes {
  hash: string | null
  location: string | null
  /** As in `WrittenBlob`; null: an import has had them, or other bytes were here before. */
  placed: string | null
}

export interface ReleaseParts {
  database: Database
  stores: ReadonlyMap<string, BlobStore>
  log: Logger
}

/**
 * Removes bytes that a committed statement has dropped, unless something names them. What cannot be
 * removed counts as waiting until a sweep has removed it. Never rejects.
 */
export async function releaseBytes(
  { database, stores, log }: ReleaseParts,
  shop: number,
  dropped: DroppedBytes | null,
): Promise<void> {
  if (dropped === null || dropped.hash === null || dropped.location === null) return
  const { hash, location, placed } = dropped
  const store = stores.get(location)
  const remove = async () =>
    placed !== null && store?.removePlaced !== undefined && store.removePlaced(shop, hash, placed)
  await removeUnnamed(database.pool, { shop, hash, location }, remove).catch((error: unknown) =>
    log.warn('drop: bytes that were replaced could not be removed', errorFields(error)),
  )
}
