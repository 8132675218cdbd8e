// Customers whose tags matter, and webhooks about them. Other customers leave nothing: a shop may
// have a million, and apps change many of them together.
import type { ShopScope } from '../core/db/for-shop.ts'
import { queueTask, type TaskKind } from '../core/queue/background.ts'

/** Reads customers, many in one run. Its key is the shop's number. */
export const READ_CUSTOMERS: TaskKind = { name: 'read-customers' }

/** Notes a customer that changed, if its tags are kept, and queues the shop's job. */
export async function reportCustomer(tx: ShopScope, customer: string): Promise<void> {
  const rows = await tx.query(
    `update customer_tags set due_at = now(), noted = nextval('leases'), attempts = 0
     where shop_id = :shop and customer_id = :customer returning 1`,
    { customer },
  )
  if (rows.length > 0) await queueTask(tx, READ_CUSTOMERS, String(tx.shop))
}

/**
 * Lets the orders of a customer follow the one that it became, whose tags count from now on. Not by
 * reading the orders: the platform may not show old ones. The known tags of both count until they are
 * read, then all its orders are marked again: the pages of those that have moved show the other tags.
 */
export async function mergeCustomers(tx: ShopScope, deleted: string, kept: string): Promise<void> {
  if (deleted === kept) return
  await tx.query(
    `update orders set customer_id = :kept where shop_id = :shop and customer_id = :deleted`,
    { deleted, kept },
  )
  const noted = await tx.query(
    `with gone as (
       delete from customer_tags where shop_id = :shop and customer_id = :deleted returning tags
     )
     insert into customer_tags (shop_id, customer_id, tags) select :shop, :kept, tags from gone
     on conflict (shop_id, customer_id) do update
       set tags = array(select distinct tag from unnest(customer_tags.tags || excluded.tags) tag),
         changed_at = null, due_at = now(), noted = nextval('leases'), attempts = 0
     returning 1`,
    { deleted, kept },
  )
  if (noted.length > 0) await queueTask(tx, READ_CUSTOMERS, String(tx.shop))
}
