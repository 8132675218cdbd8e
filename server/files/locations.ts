// The storage locations of files' bytes: each version is in one location, and copies may be in
// others.
import type { StoredAt } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { holdBlobs } from './blobs.ts'

export interface LocatedVersion {
  number: number
  hash: string
  size_bytes: number
  location: string
  /** Is it the file's current version? */
  current: boolean
}

/**
 * All versions of a file that is not in the trash, oldest first; empty if there is no such file.
 */
export function locateVersions(scope: ShopScope, fileId: string): Promise<LocatedVersion[]> {
  return scope.query<LocatedVersion>(
    `select v.number, encode(v.hash, 'hex') as hash, v.size_bytes, v.location,
       v.number = f.version as current
     from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
     where f.shop_id = :shop and f.id = :fileId and f.deleted_at is null order by v.number`,
    { fileId },
  )
}

/** The locations of files' bytes; purged files and files in the trash are absent. */
export async function locateFiles(
  scope: ShopScope,
  fileIds: readonly string[],
): Promise<Map<string, StoredAt>> {
  const rows = await scope.query<StoredAt & { id: string }>(
    `select f.id, jsonb_agg(jsonb_build_object('location', v.location, 'size_bytes', v.size_bytes,
         'current', v.number = f.version) order by v.number) as versions,
       array(select c.location from file_copies c join versions now
         on now.shop_id = f.shop_id and now.file_id = f.id and now.number = f.version
           and now.hash = c.hash
         where c.shop_id = f.shop_id and c.file_id = f.id) as copies
     from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
     where f.shop_id = :shop and f.id = any(:fileIds::uuid[]) and f.deleted_at is null
       group by f.shop_id, f.id`,
    { fileIds },
  )
  return new Map(rows.map(({ id, versions, copies }) => [id, { versions, copies }]))
}

/**
 * Does the blob have a row in `location`? Then it can be reused: the sweep keeps the row and its
 * bytes as if they were in use. Bytes without a row may be swept at any moment.
 */
export const holdsBlob = (scope: ShopScope, hash: string, location: string): Promise<boolean> =>
  scope.has(
    `update blob_locations set unneeded_since = null
     where shop_id = :shop and hash = decode(:hash, 'hex') and location = :location
       returning location`,
    { hash, location },
  )

/** Records a blob whose bytes must have been written just before. */
export function recordBlob(
  scope: ShopScope,
  blob: { hash: string; size_bytes: number },
  location: string,
): Promise<void> {
  return holdBlobs(scope, [{ ...blob, location, content_type: null }])
}

/** Points these versions at `location`, where their bytes must be. */
export function pointVersionsAt(
  scope: ShopScope,
  fileId: string,
  versions: readonly LocatedVersion[],
  location: string,
): Promise<void> {
  return scope.transaction(async (tx) => {
    await holdBlobs(
      tx,
      versions.map((version) => ({ ...version, location, content_type: null })),
    )
    // A write to the file's row invalidates delivery's cache.
    await tx.query(
      `update files set version = version where shop_id = :shop and id = :fileId
         and version = any(:numbers::int[])`,
      { fileId, numbers: versions.map(({ number }) => number) },
    )
    await tx.query(
      `update versions set location = :location
       where shop_id = :shop and file_id = :fileId and number = any(:numbers::int[])`,
      { fileId, location, numbers: versions.map(({ number }) => number) },
    )
    // A copy there is now the version itself: remove the copy's row.
    await tx.query(
      `delete from file_copies where shop_id = :shop and file_id = :fileId
        and location = :location`,
      {
        fileId,
        location,
      },
    )
  })
}

/**
 * Records a copy of a file's bytes in `location`, which is kept as long as the file exists. False:
 * it was recorded before, or the version itself is there.
 */
export async function recordCopy(
  scope: ShopScope,
  fileId: string,
  blob: Pick<LocatedVersion, 'hash' | 'size_bytes' | 'location'>,
  location: string,
): Promise<boolean> {
  if (blob.location === location) return false
  return scope.transaction(async (tx) => {
    await holdBlobs(tx, [{ ...blob, location, content_type: null }])
    return tx.has(
      `insert into file_copies (shop_id, file_id, hash, location) select :shop, :fileId::uuid,
         decode(:hash, 'hex'), :location
       on conflict do nothing returning file_id`,
      { fileId, hash: blob.hash, location },
    )
  })
}
