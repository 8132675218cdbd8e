// reconcileOrder: brings the delivery of one order to what the platform's order entitles its buyer
// to. It is behind every webhook about an order and behind the hourly comparison. It reads the whole
// state and writes what differs, so that it can be repeated, and events may come in any order.
import type { ShopScope } from '../db/for-shop.ts'
import { readShop } from '../files/shop-settings.ts'
import { raiseNotice } from '../files/notices.ts'
import { queueDeliveryMail } from '../notify/delivery-mail.ts'
import type { Secrets } from '../secrets.ts'
import type { PlatformOrder } from '../storefront/orders.ts'
import {
  addDeliveryFiles,
  ensureDelivery,
  holdDelivery,
  readDeliveryFiles,
  withdrawFiles,
  writeState,
  type DeliveredFile,
  type DeliveryRow,
} from './delivery-rows.ts'
import { queueEffects } from './effects.ts'
import { isEntitled, isRisky, statusOf } from './entitlement.ts'
import { filesOfLines, holdOrder, writeOrder, type SoldFile } from './order-rows.ts'

export interface ReconcileParts {
  secrets: Secrets
  now: Date
}

/** What became of the order. `stale`: a newer state was reconciled already. */
export type Reconciled = 'ignored' | 'stale' | 'reconciled'

export function reconcileOrder(
  scope: ShopScope,
  order: PlatformOrder,
  { secrets, now }: ReconcileParts,
): Promise<Reconciled> {
  return scope.transaction(async (tx) => {
    const known = await holdOrder(tx, order.id)
    if (known && known.changed_at > order.updated_at) return 'stale'
    const sold = await filesOfLines(tx, order)
    if (!known && sold.length === 0) return 'ignored'
    const { settings } = await readShop(tx)
    const entitled = new Set(
      order.lines.filter((line) => isEntitled(order, line, settings)).map(({ id }) => id),
    )
    await writeOrder(tx, order, entitled)
    const due = sold.filter(({ line_id }) => entitled.has(line_id))
    const row = await deliveryOf(tx, secrets, order.id, due, now)
    if (!row) return 'reconciled'
    const files = await readDeliveryFiles(tx, row.id)
    await withdrawFiles(tx, row, files, now)
    const next = await writeState(tx, row, stateOf(row, order, files, settings, now), now)
    if (next.held_by === 'risk' && row.held_by !== 'risk') await tellHold(tx, order)
    await settleDelivery(tx, next, files, now)
    return 'reconciled'
  })
}

/**
 * The delivery with the files that are due. What a line gives is fixed when it entitles for the first
 * time: a file that is attached to its product later is a new sale. Null: nothing was ever due.
 */
async function deliveryOf(
  tx: ShopScope,
  secrets: Secrets,
  order: string,
  due: readonly SoldFile[],
  now: Date,
): Promise<DeliveryRow | null> {
  if (due.length === 0) return holdDelivery(tx, { order })
  const row = await ensureDelivery(tx, secrets, order, now)
  const given = new Set((await readDeliveryFiles(tx, row.id)).map(({ line_id }) => line_id))
  const added = due.filter(({ line_id }) => !given.has(line_id))
  await addDeliveryFiles(tx, secrets, row, added, now)
  return row
}

function stateOf(
  row: DeliveryRow,
  order: PlatformOrder,
  files: readonly DeliveredFile[],
  settings: Parameters<typeof isRisky>[1],
  now: Date,
) {
  const entitles = files.some(({ entitled }) => entitled)
  const risky = isRisky(order, settings) && row.released_at === null
  return {
    revoked_at: row.revoked_at,
    withdrawn_at: entitles ? null : (row.withdrawn_at ?? now),
    held_by: row.held_by === 'merchant' ? row.held_by : risky ? ('risk' as const) : null,
  }
}

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
  const fulfils = settings.fulfil_orders || settings.delivery_mail === 'platform'
  await queueEffects(tx, row.order_id, ready && fulfils ? ['mark', 'fulfil'] : ['mark'])
}

const ADVICE: Readonly<Record<string, string>> = {
  CANCEL: 'The platform advises to cancel it.',
  INVESTIGATE: 'The platform advises to look into it.',
}

const tellHold = (tx: ShopScope, order: PlatformOrder): Promise<void> =>
  raiseNotice(tx, {
    level: 'warning',
    title: `The files of order ${order.name} are held`,
    body: `${ADVICE[order.recommendation] ?? ''} The buyer gets the files once you release the delivery under Deliveries; revoke it there if you refuse the order.`.trim(),
    operation_id: null,
  })
