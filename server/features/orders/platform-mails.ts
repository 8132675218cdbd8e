// The mails with which the platform tells buyers that their order was fulfilled. It sends none if no
// line could be fulfilled: the buyer then gets a mail of ours, so that somebody sends the link.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { FulfilResult } from '../../storefront/order-fulfilments.ts'
import { queueFirstMails } from '../messages/delivery-mail.ts'
import { promiseMails } from '../preparation/runs.ts'

/**
 * Notes whom the platform has told, and queues our mail for the others whom nobody has told.
 * @param fulfilled ready deliveries, in the order of their results.
 */
export const recordPlatformMails = (
  scope: ShopScope,
  fulfilled: readonly { order_id: string }[],
  results: readonly FulfilResult[],
): Promise<void> =>
  scope.transaction(async (tx) => {
    const withResult = (wanted: FulfilResult) =>
      fulfilled.flatMap(({ order_id }, at) => (results[at] === wanted ? order_id : []))
    await noteTold(tx, withResult(null))
    const untold = await noteTold(tx, withResult('nothing_open'))
    await queueFirstMails(tx, untold)
    await promiseMails(tx, untold)
  })

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
