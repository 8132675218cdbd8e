// Which storage locations a file's bytes are in: its versions point at one each, and copies may be kept in others.
import type { ShopScope } from '../db/for-shop.ts'
import { holdBlobs } from './admit.ts'

export interface LocatedVersion {
  number: number
  hash: string
  size_bytes: number
  location: string
  /** It is the one that the file has. */
  current: boolean
}

/** All versions of a file that is not in the trash, oldest first; none: there is no such file. */
export function locateVersions(scope: ShopScope, fileId: string): Promise<LocatedVersion[]> {
  return scope.query<LocatedVersion>(
    `select v.number, encode(v.hash, 'hex') as hash, v.size_bytes, v.location, v.number = f.version as current
     from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
     where f.shop_id = :shop and f.id = :fileId and f.deleted_at is null order by v.number`,
    { fileId },
  )
}

/** From now on these versions' bytes are taken from `location`, where they must be. */
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
    await tx.query(
      `update versions set location = :location
       where shop_id = :shop and file_id = :fileId and number = any(:numbers::int[])`,
      { fileId, location, numbers: versions.map(({ number }) => number) },
    )
    // A copy that was kept there is no copy any more.
    await tx.query('delete from file_copies where shop_id = :shop and file_id = :fileId and location = :location', {
      fileId,
      location,
    })
  })
}

/** Notes that the version's bytes are in `location` too, for as long as the file is there. */
export function keepCopy(scope: ShopScope, fileId: string, version: LocatedVersion, location: string): Promise<void> {
  if (version.location === location) return Promise.resolve()
  return scope.transaction(async (tx) => {
    await holdBlobs(tx, [{ ...version, location, content_type: null }])
    await tx.query(
      `insert into file_copies (shop_id, file_id, hash, location) select :shop, :fileId::uuid, decode(:hash, 'hex'), :location
       on conflict do nothing`,
      { fileId, hash: version.hash, location },
    )
  })
}
