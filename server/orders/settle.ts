// What follows from a delivery's state: the buyer's mail, and the order's marks on the platform.
import type { ShopScope } from '../db/for-shop.ts'
import { readShop } from '../files/shop-settings.ts'
import { toPublicId } from '../ids.ts'
import { queueDeliveryMail } from '../notify/delivery-mail.ts'
import { raiseTrigger } from '../notify/flow/triggers.ts'
import type { DeliveredFile, DeliveryRow } from './delivery-rows.ts'
import { queueEffects } from './effects.ts'
import { statusOf } from './entitlement.ts'

/** What follows from the delivery's state: the buyer's mail, once, and the order's marks. */
export async function settleDelivery(
  tx: ShopScope,
  row: DeliveryRow,
  files: readonly DeliveredFile[],
  now: Date,
): Promise<void> {
  const { settings } = await readShop(tx)
  const ready = statusOf(row) === 'ready'
  if (ready && row.mailed_at === null && row.email !== null && settings.delivery_mail === 'own') {
    await queueDeliveryMail(tx, row.id, 'first')
    await tx.query('update deliveries set mailed_at = :now where shop_id = :shop and id = :id', {
      id: row.id,
      now,
    })
  }
  const lines = files.filter(({ entitled }) => entitled).map(({ line_id }) => line_id)
  const marked = [statusOf(row), row.rotation, ...new Set(lines.sort())].join(' ')
  if (marked === row.marked) return
  await tx.query('update deliveries set marked = :marked where shop_id = :shop and id = :id', {
    id: row.id,
    marked,
  })
  // Told once for a delivery, when its buyer can have the files for the first time.
  if (ready)
    await raiseTrigger(tx, {
      handle: 'file-delivered',
      key: row.id,
      payload: {
        order_id: Number(row.order_id.split('/').at(-1)),
        'Delivery ID': toPublicId('delivery', row.id),
        'Files delivered': new Set(
          files.filter(({ entitled }) => entitled).map((file) => file.file_id),
        ).size,
      },
    })
  const fulfils = settings.fulfil_orders || settings.delivery_mail === 'platform'
  await queueEffects(tx, row.order_id, ready && fulfils ? ['mark', 'fulfil'] : ['mark'])
}
