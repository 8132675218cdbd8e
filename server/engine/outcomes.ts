// Counting outcomes: the operation's counters move in the transaction that writes the outcomes, and whoever completes
// them queues the finish.
import type { ShopScope } from '../db/for-shop.ts'
import { queueFinish } from './queue.ts'

export interface Counts {
  done?: number
  failed?: number
  skipped?: number
  cancelled?: number
  bytes?: number
}

/** Adds to the counters. Queues the finish when every item has ended. */
export async function countOutcomes(tx: ShopScope, operation: string, counts: Counts): Promise<void> {
  const [row] = await tx.query<{ complete: boolean }>(
    `update operations set done = done + :done, failed = failed + :failed, skipped = skipped + :skipped,
       cancelled = cancelled + :cancelled, bytes = bytes + :bytes
     where shop_id = :shop and id = :operation
     returning done + failed + skipped + cancelled = total as complete`,
    { operation, done: 0, failed: 0, skipped: 0, cancelled: 0, bytes: 0, ...counts },
  )
  if (row?.complete) await queueFinish(tx, operation)
}
