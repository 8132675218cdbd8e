// The blobs of all shops and locations, a page at a time.
import type { Database } from '../core/db/database.ts'
import type { SizedBlob, StoredBlob } from './blob-checks.ts'

export interface LocatedBlob extends SizedBlob {
  /** Is its SHA-256 digest stored? */
  summed: boolean
}

const PAGE = 500

/** The next rows after this one, in a fixed order. Empty: there are none. */
export async function readLocatedBlobs(
  pool: Database['pool'],
  after: StoredBlob | null,
): Promise<readonly LocatedBlob[]> {
  const { rows } = await pool.query<LocatedBlob>(
    `select l.shop_id as shop, encode(l.hash, 'hex') as hash, l.location, b.size_bytes,
       b.sha256 is not null as summed
     from blob_locations l join blobs b on b.shop_id = l.shop_id and b.hash = l.hash
     where (l.shop_id, l.hash, l.location) > ($1, decode($2, 'hex'), $3)
     order by l.shop_id, l.hash, l.location limit ${PAGE}`,
    [after?.shop ?? -1, after?.hash ?? '', after?.location ?? ''],
  )
  return rows
}

/** False: the row was deleted after it was read, and the bytes with it. */
export async function isStillLocated(pool: Database['pool'], blob: StoredBlob): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from blob_locations
     where shop_id = $1 and hash = decode($2, 'hex') and location = $3`,
    [blob.shop, blob.hash, blob.location],
  )
  return rowCount === 1
}
