// Staged bytes of unfinished items, across shops: stored by one step, not yet a file's version. An
// operation may be paused for days in between, so the sweeps of the storage locations ask for them.
import type { Database } from '../core/db/database.ts'

/** Returns those of the blobs that an unfinished item will need. */
export async function stagedBlobs(
  pool: Database['pool'],
  location: string,
  shop: number,
  hashes: readonly string[],
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set()
  // Of operations that have not ended: all items of a shop may be a million.
  const { rows } = await pool.query<{ hash: string }>(
    `select distinct i.staged ->> 'hash' as hash from operations o
     join items i on i.shop_id = o.shop_id and i.operation_id = o.id
     where o.shop_id = $1 and o.finished_at is null and i.staged ->> 'location' = $2
       and i.staged ->> 'hash' = any($3) and i.status in ('pending', 'running')`,
    [shop, location, hashes],
  )
  return new Set(rows.map(({ hash }) => hash))
}
