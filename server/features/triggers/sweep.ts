// Removes the events of triggers after 7 days, also of those that have paused.
import type { Database } from '../../core/db/database.ts'
import { inBatches } from '../../core/db/sweep-batches.ts'

const KEPT = '7 days'
const SWEEP_BATCH = 5000

/** Returns the number of events that were removed. */
export const sweepEvents = ({ database }: { database: Database }): Promise<number> =>
  inBatches(SWEEP_BATCH, (limit) =>
    database.pool.query(
      `delete from trigger_events where (shop_id, id) in (
         select shop_id, id from trigger_events where created_at < now() - $1::interval limit $2)`,
      [KEPT, limit],
    ),
  )
