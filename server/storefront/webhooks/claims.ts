// Orders that are to be read from the platform, claimed in batches by several processes. A claim is
// an advisory lock of the transaction, not of the row: a webhook that reports the order in the
// meantime does not wait for it, and the claims of a dead process are released with its connection.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { ORDER_LOCKS } from '../../core/db/lock-classes.ts'

const RETRY_SECONDS = 15
const MAX_RETRIES_DOUBLED = 8

export interface ClaimedOrder {
  order: string
  /** A number that is incremented with every report of the order. */
  noted: number
  /** Failed runs since it was reported. */
  attempts: number
}

/**
 * At most `limit` orders that are due and not claimed. Each is claimed by an advisory lock until the
 * transaction ends (see above).
 */
export const claimOrders = (tx: ShopScope, limit: number): Promise<ClaimedOrder[]> =>
  tx.query<ClaimedOrder>(
    `with due as materialized (
       select subject, noted, attempts from platform_changes
       where shop_id = :shop and kind = 'order' and due_at <= now() order by due_at, subject
         limit :examined
     )
     select subject as order, noted, attempts from due
     where pg_try_advisory_xact_lock(${ORDER_LOCKS}, hashtext(:shop::text || '/' || subject))
       limit :limit`,
    { limit, examined: 4 * limit },
  )

/**
 * Deletes processed orders; an order that was reported again since it was claimed runs once more.
 */
export async function completeOrders(
  tx: ShopScope,
  orders: readonly ClaimedOrder[],
): Promise<void> {
  if (orders.length === 0) return
  // Locked in the order in which webhooks lock them.
  await tx.query(
    `with done as (
       select c.subject from platform_changes c
       join unnest(:orders::text[], :noted::bigint[]) as g (subject, noted) using (subject, noted)
       where c.shop_id = :shop and c.kind = 'order' order by c.subject for update of c
     )
     delete from platform_changes c using done
     where c.shop_id = :shop and c.kind = 'order' and c.subject = done.subject`,
    { orders: orders.map(({ order }) => order), noted: orders.map(({ noted }) => noted) },
  )
}

/** Delays the order's next run, each time twice as long. */
export async function delayOrder(
  tx: ShopScope,
  { order, noted, attempts }: ClaimedOrder,
): Promise<void> {
  const seconds = RETRY_SECONDS * 2 ** Math.min(attempts, MAX_RETRIES_DOUBLED)
  await tx.query(
    `update platform_changes set attempts = least(attempts + 1, 100),
       due_at = now() + :seconds * interval '1 second'
     where shop_id = :shop and kind = 'order' and subject = :order and noted = :noted`,
    { order, noted, seconds },
  )
}

/** When the next delayed order is due; null: none. */
export async function nextOrderDue(scope: ShopScope): Promise<Date | null> {
  const [row] = await scope.query<{ due_at: Date | null }>(
    `select min(due_at) as due_at from platform_changes
     where shop_id = :shop and kind = 'order' and due_at > now()`,
  )
  return row?.due_at ?? null
}
