// Staged bytes of unfinished items, across shops: stored by one step, not yet a file's version. An
// operation may be paused for days in between, so the sweeps of the storage locations ask for them.
import type { Database } from '../../core/db/database.ts'

/** Returns those of the blobs that an unfinished item will need. */
export async function stagedBlobs(
  pool: Database['pool'],
  location: string,
  shop: number,
  hashes: readonly string[],
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set()
  const { rows } = await pool.query<{ hash: string }>(
    `select distinct staged ->> 'hash' as hash from items
     where shop_id = $1 and staged ->> 'location' = $2 and staged ->> 'hash' = any($3)
       and status in ('pending', 'running')`,
    [shop, location, hashes],
  )
  return new Set(rows.map(({ hash }) => hash))
}
