// The mails with which the platform tells buyers that their order was fulfilled. It sends none if no
// line could be fulfilled: the buyer then gets a mail of ours, so that somebody sends the link.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { queueFirstMails } from '../messages/delivery-mail.ts'
import { promiseMails } from '../preparation/runs.ts'
import { STATUS_SQL } from './entitlement.ts'

/** Notes whose buyers the platform has told. */
export const recordPlatformMails = async (
  scope: ShopScope,
  orders: readonly string[],
): Promise<void> => void (await noteTold(scope, orders))

/** Queues our mail for the orders, all ready, whose buyers nobody has told. */
export const mailUntold = (scope: ShopScope, orders: readonly string[]): Promise<void> =>
  scope.transaction(async (tx) => {
    const untold = await noteTold(tx, orders)
    await queueFirstMails(tx, untold)
    await promiseMails(tx, untold)
  })

/**
 * SQL: nobody has told the buyer of the delivery `d` about all that was sold. A mail of ours that
 * failed tells nothing. Files that were given later have mails of their own.
 */
export const UNTOLD_SQL = `(d.mailed_at is null
  or exists (select from delivery_files n where n.shop_id = d.shop_id and n.delivery_id = d.id
    and not n.withdrawn and n.given_by is null
    and n.created_at > greatest(d.mailed_at, d.created_at))
  or exists (select from outbox m where m.shop_id = d.shop_id and m.status = 'failed'
    and m.payload ->> 'delivery' = d.id::text and m.key like '%/first'))`

const OVERDUE = '2 hours'
const MAILS_PER_STEP = 1000

/**
 * Queues our mail for ready orders that the platform was to fulfil some time ago, while it is away: it
 * may be away for days, and tells nobody.
 */
export async function mailOverdue(scope: ShopScope): Promise<void> {
  const overdue = await scope.query<{ order_id: string }>(
    `select e.order_id from order_effects e
     join deliveries d on d.shop_id = e.shop_id and d.order_id = e.order_id and d.mailed_at is null
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     where e.shop_id = :shop and e.kind = 'fulfil' and e.error is null
       and e.due_at < now() - interval '${OVERDUE}' and ${STATUS_SQL} = 'ready'
       and coalesce(d.email, o.email) is not null
     order by e.due_at limit ${MAILS_PER_STEP}`,
  )
  if (overdue.length === 0) return
  await mailUntold(
    scope,
    overdue.map(({ order_id }) => order_id),
  )
}

/** Returns the deliveries (bare UUIDs) whose buyers have an address and were not told before. */
async function noteTold(tx: ShopScope, orders: readonly string[]): Promise<string[]> {
  if (orders.length === 0) return []
  const rows = await tx.query<{ id: string }>(
    `with untold as (
       select d.id from deliveries d join orders o on o.shop_id = d.shop_id and o.id = d.order_id
       where d.shop_id = :shop and d.order_id = any(:orders::text[]) and d.mailed_at is null
         and coalesce(d.email, o.email) is not null
       order by d.order_id for no key update of d
     )
     update deliveries d set mailed_at = now() from untold
     where d.shop_id = :shop and d.id = untold.id returning d.id`,
    { orders },
  )
  return rows.map(({ id }) => id)
}
