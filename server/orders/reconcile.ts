// reconcileOrder: brings the delivery of one order to what the platform's order entitles its buyer
// to. It is behind every webhook about an order and behind the hourly comparison. It reads the whole
// state and writes what differs, so that it can be repeated, and events may come in any order.
import type { ShopScope } from '../db/for-shop.ts'
import { readShop } from '../files/shop-settings.ts'
import { raiseNotice } from '../files/notices.ts'
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
import { isEntitled, isRisky, type DeliveryFacts } from './entitlement.ts'
import { filesOfLines, holdOrder, writeOrder, type SoldFile } from './order-rows.ts'
import { heldByWorkflow, prepareFiles } from './preparation.ts'
import { settleDelivery } from './settle.ts'

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
    const prepares = await heldByWorkflow(tx, row.id)
    const state = stateOf(row, order, files, { ...settings, prepares }, now)
    const next = await writeState(tx, row, state, now)
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
  if (added.length > 0) await prepareFiles(tx, row)
  return row
}

function stateOf(
  row: DeliveryRow,
  order: PlatformOrder,
  files: readonly DeliveredFile[],
  settings: Parameters<typeof isRisky>[1] & { prepares: DeliveryFacts['held_by'] },
  now: Date,
) {
  const entitles = files.some(({ entitled }) => entitled)
  const risky = isRisky(order, settings) && row.released_at === null
  return {
    revoked_at: row.revoked_at,
    withdrawn_at: entitles ? null : (row.withdrawn_at ?? now),
    held_by:
      row.held_by === 'merchant' ? row.held_by : risky ? ('risk' as const) : settings.prepares,
  }
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
