// The mails with which the platform tells buyers that their order was fulfilled. It sends none if no
// line could be fulfilled: the buyer then gets a mail of ours, so that somebody sends the link.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { queueFirstMails } from '../messages/delivery-mail.ts'
import { promiseMails } from '../preparation/runs.ts'

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
