// Messages about a delivery that are written when they are sent: they name what it has by then.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { NOT_READY, queueDeliveryMail } from '../messages/delivery-mail.ts'

/**
 * The first message was queued and not tried yet, for example when an address was added: it is enough.
 * @param held also if it was tried and waits for the release
 */
export const waitsForFirst = (tx: ShopScope, id: string, held = false): Promise<boolean> =>
  tx.has(
    `select from outbox where shop_id = :shop and payload ->> 'delivery' = :id::text
       and key like '%/first' and (status = 'waiting' and attempts = 0 and result is null
         or :held and status = 'failed' and error = :reason) limit 1`,
    { id, held, reason: NOT_READY },
  )

/**
 * Queues a mail about files that an edit has brought, unless one waits that will name them. Returns
 * whether it was queued.
 * @param edit names the edit: it has one mail
 */
export async function queueLinesMail(
  tx: ShopScope,
  id: string,
  edit: string,
  held = false,
): Promise<boolean> {
  if (await waitsForFirst(tx, id, held)) return false
  return queueDeliveryMail(tx, id, `lines/${edit}/first`, 'edited')
}
