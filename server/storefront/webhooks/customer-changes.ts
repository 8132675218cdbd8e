// Customers whose tags matter, and webhooks about them. Other customers leave nothing: a shop may
// have a million, and apps change many of them together.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { queueTask, type TaskKind } from '../../core/queue/background.ts'

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
