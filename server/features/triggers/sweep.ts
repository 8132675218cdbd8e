// Removes the events of triggers after 7 days, also of those that have paused.
import type { Database } from '../../core/db/database.ts'

const KEPT = '7 days'
const BATCH = 5000

/** Returns the number of events that were removed. */
export async function sweepEvents({ database }: { database: Database }): Promise<number> {
  for (let removed = 0; ;) {
    const { rowCount } = await database.pool.query(
      `delete from trigger_events where (shop_id, id) in (
         select shop_id, id from trigger_events where created_at < now() - $1::interval limit $2)`,
      [KEPT, BATCH],
    )
    removed += rowCount ?? 0
    if ((rowCount ?? 0) < BATCH) return removed
  }
}
