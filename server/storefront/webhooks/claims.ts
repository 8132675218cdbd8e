// Orders that are to be read from the platform, claimed in batches by several processes. A claim is
// an advisory lock of the transaction, not of the row: a webhook that reports the order in the
// meantime does not wait for it, and the claims of a dead process are released with its connection.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { ORDER_LOCKS } from '../../core/db/lock-classes.ts'

/** SQL: claims the order of a row, by an advisory lock of the transaction (see above). */
const CLAIM = `pg_try_advisory_xact_lock(${ORDER_LOCKS}, hashtext(:shop::text || '/' || subject))`

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
 * At most `limit` orders that are due and not claimed, the oldest first. An order whose last run failed
 * is claimed alone when its turn comes: if each read of it takes too long, it must not delay the
 * others. Each is claimed by an advisory lock until the transaction ends (see above).
 */
export const claimOrders = (tx: ShopScope, limit: number): Promise<ClaimedOrder[]> =>
  tx.query<ClaimedOrder>(
    `with due as materialized (
       select subject, noted, attempts, row_number() over (order by due_at, subject) as place
       from (select subject, noted, attempts, due_at from platform_changes
         where shop_id = :shop and kind = 'order' and due_at <= now() order by due_at, subject
         limit :examined) oldest
     ), alone as materialized (
       select subject, noted, attempts from due
       where attempts > 0
         and place < coalesce((select min(place) from due where attempts = 0), place + 1)
         and ${CLAIM} limit 1
     ), others as materialized (
       select subject, noted, attempts from due
       where attempts = 0 and not exists (select from alone) and ${CLAIM}
         limit :limit
     )
     select subject as order, noted, attempts from alone
     union all select subject as order, noted, attempts from others`,
    { limit, examined: 4 * limit },
  )

/**
 * Notes that a read of several orders took too long: each is read alone from now on, which shows whose
 * fault it is.
 */
export const separateOrders = async (
  tx: ShopScope,
  orders: readonly ClaimedOrder[],
): Promise<void> =>
  void (await tx.query(
    `with slow as (
       select c.subject from platform_changes c
       join unnest(:orders::text[], :noted::bigint[]) as g (subject, noted) using (subject, noted)
       where c.shop_id = :shop and c.kind = 'order' order by c.subject for update of c
     )
     update platform_changes c set attempts = greatest(c.attempts, 1) from slow
     where c.shop_id = :shop and c.kind = 'order' and c.subject = slow.subject`,
    { orders: orders.map(({ order }) => order), noted: orders.map(({ noted }) => noted) },
  ))

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
