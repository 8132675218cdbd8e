// Counts outcomes. The operation's counters change in the transaction that writes the outcomes, and
// the transaction that completes them queues the finalization.
import type { ShopScope } from '../core/db/for-shop.ts'
import { announceControl } from './control.ts'
import { LeaseLost } from '../core/queue/lease.ts'
import { queueFinish } from '../core/queue/queue.ts'
import type { Stop } from './types.ts'

export type { Stop } from './types.ts'

export interface Counts {
  done?: number
  failed?: number
  skipped?: number
  /** Done items whose files were as wanted already. */
  unchanged?: number
  /** Done items of an import whose files existed before it. */
  present?: number
  bytes?: number
  saved?: number
}

/**
 * Adds to the operation's counters, and queues its finalization when every item has ended.
 * @param stop why the operation ends now, with its other items cancelled; null: it continues
 * @throws `LeaseLost` if the operation was ended elsewhere in the meantime: then nothing may be
 *   written
 */
export async function countOutcomes(
  tx: ShopScope,
  operation: string,
  counts: Counts,
  stop: Stop | null = null,
): Promise<void> {
  const { done = 0, failed = 0, skipped = 0, unchanged = 0, present = 0 } = counts
  const { bytes = 0, saved = 0 } = counts
  const [row] = await tx.query<{ complete: boolean }>(
    `update operations set done = done + :done, failed = failed + :failed,
       skipped = skipped + :skipped, unchanged = unchanged + :unchanged,
       present = present + :present,
       bytes = bytes + :bytes, bytes_saved = bytes_saved + :saved,
       stopped = coalesce(stopped, :stop::jsonb), open = open and :stop::jsonb is null,
       cancelled = case when :stop::jsonb is null then cancelled
         else total - done - failed - skipped - :ended end
     where shop_id = :shop and id = :operation and status in ('running', 'previewing', 'paused')
       and done + failed + skipped + cancelled + :ended <= total
     returning not open and done + failed + skipped + cancelled = total as complete`,
    {
      operation,
      done,
      failed,
      skipped,
      unchanged,
      present,
      bytes,
      saved,
      stop: stop && JSON.stringify(stop),
      ended: done + failed + skipped,
    },
  )
  if (!row) throw new LeaseLost()
  if (row.complete) await queueFinish(tx, operation)
  if (row.complete && stop) await announceControl(tx, operation)
}
