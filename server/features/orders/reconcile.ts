// reconcileOrders: gives the deliveries of orders the files to which the platform's orders entitle
// their buyers. Every webhook about an order and the hourly comparison use it. It reads the whole
// state and writes the differences, so it is idempotent and events may arrive in any order. Orders
// of one batch share its statements.
import { say, sentences, type Text, ownValue } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { readShop } from '../../files/shop-settings.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import type { Secrets } from '../../core/secrets.ts'
import { firstOf, present } from '../../core/lazy.ts'
import type { PlatformLine, PlatformOrder } from '../../storefront/orders.ts'
import { raiseEvent } from '../../core/outbox/webhook-events.ts'
import { noteTaggedCustomers } from './customer-tags.ts'
import {
  addDeliveryFiles,
  lockDeliveries,
  createDeliveries,
  readFilesOf,
  withdrawFiles,
  writeState,
  type DeliveredFile,
  type DeliveryRow,
} from './delivery-rows.ts'
import {
  isEntitled,
  isRisky,
  paidUnits,
  type DeliveryFacts,
  noteUnfiled,
  type SoldLine,
  textsBuyers,
} from './entitlement.ts'
import {
  filesOfOrders,
  lockOrders,
  readEntitledLines,
  writeOrders,
  type EntitledLines,
  type JudgedOrder,
  type SoldFile,
  forgetPhones,
  writePhones,
} from './order-rows.ts'
import { ordersWorkflow } from '../workflows/find.ts'
import { prepareChanged, prepareFiles, workflowHolds } from './preparation.ts'
import { followUnits, queueFollowUps } from './follow-ups.ts'
import { deliveryData, orderRefunded, raiseHeld } from './events.ts'

export interface ReconcileParts {
  secrets: Secrets
  now: Date
  /**
   * The orders are from before the installation: new deliveries are ready without an email, a
   * notice or a trigger.
   */
  quiet?: boolean
  /** The order gets a delivery, also without a file of its products: the shop adds files to it. */
  deliver?: boolean
}

/** The result for an order. `stale`: a newer state was reconciled already. */
export type ReconcileResult = 'ignored' | 'stale' | 'reconciled'

type Settings = Parameters<typeof isRisky>[1] & Parameters<typeof textsBuyers>[0]

/** One order, in its own transaction. Exported for tests and benches: the product reconciles in batches. */
export const reconcileOrder = async (
  scope: ShopScope,
  order: PlatformOrder,
  parts: ReconcileParts,
): Promise<ReconcileResult> =>
  firstOf(await scope.transaction((tx) => reconcileOrders(tx, [order], parts)))

/**
 * All of them or none, in the caller's transaction; returns the result of each.
 * @param orders each once.
 */
export async function reconcileOrders(
  tx: ShopScope,
  orders: readonly PlatformOrder[],
  { secrets, now, quiet = false, deliver = false }: ReconcileParts,
): Promise<ReconcileResult[]> {
  const ids = orders.map(({ id }) => id)
  const known = await lockOrders(tx, ids)
  const entitling = await readEntitledLines(tx, ids)
  const { settings } = await readShop(tx)
  const all = orders.map((order) => judge(order, settings, entitling))
  const sold = groupBy(
    await filesOfOrders(
      tx,
      all.map(({ order }) => order),
    ),
    ({ order_id }) => order_id,
  )
  const results = orders.map(({ id, updated_at }): ReconcileResult => {
    const before = known.get(id)
    if (before && before > updated_at) return 'stale'
    return before || deliver || sold.has(id) ? 'reconciled' : 'ignored'
  })
  const current = all.filter((_, at) => results[at] !== 'stale')
  await noteUnfiled(
    tx,
    current.flatMap((one) => unfiledLines(one, sold.get(one.order.id) ?? [])),
  )
  const reconciled = new Set(ids.filter((_, at) => results[at] === 'reconciled'))
  const judged = current.filter(({ order }) => reconciled.has(order.id))
  await writeOrders(tx, judged)
  const perUnit = settings.multiply_limits
  const { rows: deliveries, added } = await deliveriesOf(tx, judged, sold, {
    secrets,
    perUnit,
    now,
    quiet,
    deliver,
    texts: textsBuyers(settings),
  })
  await noteTaggedCustomers(tx, [...deliveries.keys()])
  const about = { settings, before: entitling, added, now, quiet }
  await writeDeliveries(tx, judged, deliveries, about)
  return results
}

function judge(given: PlatformOrder, settings: Settings, before: EntitledLines): JudgedOrder {
  const of = ({ id }: PlatformLine) => before.get(`${given.id}/${id}`)
  const lines = given.lines.map((line) => ({
    ...line,
    quantity: paidUnits(given, line, settings, of(line)?.quantity),
  }))
  const order = { ...given, lines }
  const entitled = lines.filter((line) => isEntitled(order, line, settings, of(line) !== undefined))
  return { order, entitled: new Set(entitled.map(({ id }) => id)) }
}

/** Lines that entitle the buyer to files that do not exist. */
function unfiledLines({ order, entitled }: JudgedOrder, files: readonly SoldFile[]): SoldLine[] {
  const filed = new Set(files.map(({ line_id }) => line_id))
  return order.lines
    .filter(({ id }) => entitled.has(id) && !filed.has(id))
    .map((line) => ({ line, sold_at: order.created_at }))
}

type SoldFiles = ReadonlyMap<string, readonly SoldFile[]>

/**
 * Deliveries by order, with their files. The files of a line are fixed when it first entitles the
 * buyer: a file that is mapped to its product later belongs to later sales. An order that never
 * entitled its buyer to a file has no delivery.
 */
async function deliveriesOf(
  tx: ShopScope,
  judged: readonly JudgedOrder[],
  sold: SoldFiles,
  {
    secrets,
    perUnit,
    texts,
    now,
    quiet = false,
    deliver = false,
  }: ReconcileParts & { perUnit: boolean; texts: boolean },
): Promise<{ rows: ReadonlyMap<string, DeliveryRow>; added: AddedLines }> {
  const due = new Map(
    judged.map(({ order: { id }, entitled }) => [
      id,
      (sold.get(id) ?? []).filter(({ line_id }) => entitled.has(line_id)),
    ]),
  )
  const entitling = [...due].filter(([, files]) => files.length > 0).map(([id]) => id)
  await createDeliveries(tx, secrets, deliver ? [...due.keys()] : entitling, { now, quiet })
  if (texts)
    await writePhones(
      tx,
      secrets,
      judged.map(({ order }) => order),
    )
  const rows = await lockDeliveries(tx, [...due.keys()])
  const entitled = entitling.map((order) => ({
    delivery: present(rows.get(order), 'the delivery of an order'),
    sold: due.get(order) ?? [],
  }))
  const given = await readFilesOf(
    tx,
    entitled.map(({ delivery }) => delivery.id),
  )
  const lines = new Set(given.map(({ delivery_id, line_id }) => `${delivery_id}/${line_id}`))
  const added = entitled.flatMap(({ delivery, sold }) => {
    const files = sold.filter(({ line_id }) => !lines.has(`${delivery.id}/${line_id}`))
    return files.length > 0 ? [{ delivery, sold: files, perUnit }] : []
  })
  await addDeliveryFiles(tx, secrets, added, now)
  const workflow = added.length > 0 ? await ordersWorkflow(tx) : null
  if (workflow) for (const { delivery } of added) await prepareFiles(tx, delivery, workflow)
  const had = new Set(given.map(({ delivery_id, file_id }) => `${delivery_id}/${file_id}`))
  const withFiles = added.map(({ delivery: { id }, sold }): [string, string[]] => [
    id,
    sold.filter(({ file_id }) => !had.has(`${id}/${file_id}`)).map(({ line_id }) => line_id),
  ])
  return { rows, added: new Map(withFiles) }
}

/** By delivery, the lines that have just brought it files that it did not have. */
type AddedLines = ReadonlyMap<string, readonly string[]>

interface WriteOptions {
  settings: Settings & { multiply_limits: boolean }
  /** The last known state. */
  before: EntitledLines
  added: AddedLines
  now: Date
  quiet: boolean
}

/** Updates each delivery's files and state to the order, and queues mails and marks. */
async function writeDeliveries(
  tx: ShopScope,
  judged: readonly JudgedOrder[],
  deliveries: ReadonlyMap<string, DeliveryRow>,
  { settings, before, added, now, quiet }: WriteOptions,
): Promise<void> {
  const ids = [...deliveries.values()].map(({ id }) => id)
  if (ids.length === 0) return
  const files = groupBy(await readFilesOf(tx, ids), ({ delivery_id }) => delivery_id)
  if (settings.multiply_limits) await followUnits(tx, judged, before, deliveries, files)
  const restored = new Map<string, readonly string[]>()
  for (const row of deliveries.values()) {
    const { lost, back } = await withdrawFiles(tx, row, files.get(row.id) ?? [], now)
    restored.set(row.id, back)
    if (lost.length > 0 && !quiet)
      await raiseEvent(tx, orderRefunded, {
        key: `${row.id}/${now.getTime()}`,
        data: deliveryData(row, lost),
        files: lost,
      })
  }
  await prepareChanged(tx, [...deliveries.values()], restored)
  const holdOf = await workflowHolds(tx, ids)
  const written: Parameters<typeof queueFollowUps>[1][number][] = []
  for (const { order } of judged) {
    const row = deliveries.get(order.id)
    if (!row) continue
    const own = files.get(row.id) ?? []
    const state = stateOf(row, order, own, { ...settings, workflowHold: holdOf(row.id) }, now)
    const next = await writeState(tx, row, state, now)
    if (!quiet && next.held_by === 'risk' && row.held_by !== 'risk') {
      await notifyOfHold(tx, row.id, order)
      await raiseHeld(tx, next, own)
    }
    written.push({ row: next, files: own, addedLines: added.get(row.id) ?? [] })
  }
  await queueFollowUps(tx, written, quiet)
  await forgetPhones(
    tx,
    written.flatMap(({ row }) => (row.has_phone ? row.order_id : [])),
  )
}

function groupBy<One>(all: readonly One[], keyOf: (one: One) => string): Map<string, One[]> {
  const groups = new Map<string, One[]>()
  for (const one of all) {
    const there = groups.get(keyOf(one))
    if (there) there.push(one)
    else groups.set(keyOf(one), [one])
  }
  return groups
}

function stateOf(
  row: DeliveryRow,
  order: PlatformOrder,
  files: readonly DeliveredFile[],
  settings: Parameters<typeof isRisky>[1] & { workflowHold: DeliveryFacts['held_by'] },
  now: Date,
) {
  const entitles = files.some(({ entitled }) => entitled)
  const risky = isRisky(order, settings) && row.released_at === null
  return {
    revoked_at: row.revoked_at,
    withdrawn_at: entitles ? null : (row.withdrawn_at ?? now),
    held_by:
      row.held_by === 'merchant' ? row.held_by : risky ? ('risk' as const) : settings.workflowHold,
  }
}

const ADVICE: Readonly<Record<string, Text>> = {
  CANCEL: say('The platform advises to cancel it.'),
  INVESTIGATE: say('The platform advises to look into it.'),
}

const RELEASE = say(
  'The buyer gets the files once you release the delivery; revoke it if you refuse the order.',
)

function notifyOfHold(tx: ShopScope, delivery: string, order: PlatformOrder): Promise<void> {
  const advice = ownValue(ADVICE, order.recommendation)
  return raiseNotice(tx, {
    level: 'warning',
    title: say('The files of order {order} are held', { order: order.name }),
    body: advice ? sentences(advice, RELEASE) : RELEASE,
    operation_id: null,
    delivery_id: delivery,
  })
}
