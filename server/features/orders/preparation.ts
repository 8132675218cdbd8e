// Runs the shop's workflow for deliveries. A delivery is held until the workflow has prepared all
// of its files; the run that succeeds releases it.
import type { Workflow } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import {
  repeatPreparation,
  continuePreparation,
  restartPreparation,
  partlyReady,
  takePromise,
  prepareDelivery,
  prepareForKeys,
  readPreparation,
  readPreparations,
  type DeliveryAbout,
  type OrderLine,
} from '../preparation/runs.ts'
import { filesLackingKeys, returnLicenceKeys } from '../preparation/assigned-keys.ts'
import { readShop } from '../../files/shop-settings.ts'
import { ordersWorkflow } from '../workflows/find.ts'
import { queueReadyMail } from './delivery-mail.ts'
import { queueDeliveryTexts } from './delivery-text.ts'
import {
  lockDelivery,
  NO_LINE,
  readDeliveryFiles,
  writeState,
  type DeliveryRow,
} from './delivery-rows.ts'
import { type DeliveryFacts, textsBuyers } from './entitlement.ts'
import { queueFollowUps } from './follow-ups.ts'

/**
 * Queues the workflow for files that are new to the delivery.
 * @param given the shop's workflow for deliveries, null if it has none; absent: it is read.
 * @returns whether the run gets other lines of the order than before.
 */
export async function prepareFiles(
  tx: ShopScope,
  row: DeliveryRow,
  given?: Workflow | null,
): Promise<boolean> {
  if (row.link_id === null) return false
  const workflow = given === undefined ? await ordersWorkflow(tx) : given
  if (workflow === null) return false
  // Includes withdrawn files: the platform may restore them.
  const files = (await readDeliveryFiles(tx, row.id)).filter(({ taken_back }) => !taken_back)
  const { changed } = await prepareDelivery(tx, {
    delivery: row.id,
    page: row.link_id,
    workflow,
    about: await aboutOf(tx, row.id),
    files: [...new Set(files.map(({ file_id }) => file_id))],
  })
  return changed
}

async function aboutOf(tx: ShopScope, delivery: string): Promise<DeliveryAbout> {
  const row = await tx.one<
    DeliveryAbout['order'] & {
      email: string | null
      locale: string | null
      ordered: Date
      buyer: string | null
    }
  >(
    `select o.name, o.confirmation_number, o.ordered_at as ordered,
       coalesce(d.email, o.email) as email, o.locale, o.customer_name as buyer
     from deliveries d join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     where d.shop_id = :shop and d.id = :delivery`,
    { delivery },
  )
  const lines = await tx.query<OrderLine>(
    `select l.id, l.quantity, array_agg(df.file_id order by df.file_id) as files from delivery_files df
     join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
     join order_lines l on l.shop_id = d.shop_id and l.order_id = d.order_id and l.id = df.line_id
       and l.entitled
     where df.shop_id = :shop and df.delivery_id = :delivery and not df.taken_back
     group by l.id, l.quantity, l.position order by l.position`,
    { delivery },
  )
  // Each file that the shop added to the order has its own line.
  const added = await tx.query<OrderLine>(
    `select file_id as id, 1 as quantity, array[file_id] as files from delivery_files where shop_id = :shop and delivery_id = :delivery
       and line_id = '${NO_LINE}' and not withdrawn order by file_id`,
    { delivery },
  )
  const { name, confirmation_number, ordered, email, locale, buyer } = row
  return {
    order: { name, confirmation_number, ordered_at: ordered.toISOString() },
    buyer: { name: buyer, email, locale },
    lines: [...lines, ...added],
  }
}

/** `workflow` while the workflow has prepared none of its files, null afterwards. */
export async function heldByWorkflow(
  tx: ShopScope,
  delivery: string,
): Promise<DeliveryFacts['held_by']> {
  return (await workflowHolds(tx, [delivery]))(delivery)
}

/** The same for many deliveries. */
export async function workflowHolds(
  tx: ShopScope,
  deliveries: readonly string[],
): Promise<(delivery: string) => DeliveryFacts['held_by']> {
  const known = await readPreparations(tx, deliveries)
  const waiting = [...known].filter(([, { status }]) => status !== 'ready').map(([id]) => id)
  const partly = waiting.length > 0 ? await partlyReady(tx, waiting) : new Set()
  const held = new Set(waiting.filter((id) => !partly.has(id)))
  return (delivery) => (held.has(delivery) ? 'workflow' : null)
}

/**
 * Releases the delivery if only the run held it and a file is ready: during a run that takes long,
 * and in the transaction that ends it. After the mail that named files in preparation, another one
 * says that they are ready.
 */
export async function endPreparation(tx: ShopScope, delivery: string, now: Date): Promise<void> {
  const row = await lockDelivery(tx, delivery)
  // Units may have been taken from the order during the run.
  await returnKeys(tx, [delivery])
  const hasSucceeded = (await readPreparation(tx, delivery))?.status === 'ready'
  if (!row || (row.held_by !== null && row.held_by !== 'workflow')) return
  const held_by = await heldByWorkflow(tx, delivery)
  const next = await writeState(tx, row, { ...row, held_by }, now)
  await queueFollowUps(tx, [{ row: next, files: await readDeliveryFiles(tx, delivery) }])
  if (!hasSucceeded || !(await takePromise(tx, delivery))) return
  if (next.email !== null) return queueReadyMail(tx, delivery)
  if (next.has_phone && textsBuyers((await readShop(tx)).settings))
    await queueDeliveryTexts(tx, [delivery], `ready/${now.toISOString()}`)
}

/** Returns keys that nobody has seen or needs, and continues deliveries that wait for keys. */
export async function returnKeys(tx: ShopScope, deliveries: readonly string[]): Promise<void> {
  if ((await returnLicenceKeys(tx, deliveries)) > 0) await prepareForKeys(tx)
}

/**
 * After changes of orders: prepares files again whose lines entitle their buyer again. Files that
 * need more licence keys, because units were added, stay delivered meanwhile.
 * @param restored by delivery: files that were withdrawn before.
 */
export async function prepareChanged(
  tx: ShopScope,
  deliveries: readonly DeliveryRow[],
  restored: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const known = await readPreparations(
    tx,
    deliveries.map(({ id }) => id),
  )
  if (known.size === 0) return
  await returnKeys(tx, [...known.keys()])
  const lacking = await filesLackingKeys(tx, [...known.keys()])
  for (const row of deliveries) {
    const status = known.get(row.id)?.status
    if (status === undefined) continue
    const files = restored.get(row.id) ?? []
    const isLacking = lacking.has(row.id)
    // A run that has not ended gets the order's present lines.
    const isConcerned = files.length > 0 || isLacking || status !== 'ready'
    const hasChanged = isConcerned && (await prepareFiles(tx, row))
    // A failed run is not repeated for the same lines: it would fail again.
    const isDue = status === 'failed' ? hasChanged : isLacking
    if (files.length > 0) await restartPreparation(tx, row.id, files)
    else if (isDue) await continuePreparation(tx, row.id)
  }
}

/** Prepares the copies again after a correction of the buyer's address, because they show it. */
export async function prepareForAddress(tx: ShopScope, row: DeliveryRow): Promise<void> {
  if ((await readPreparation(tx, row.id)) === null) return
  await prepareFiles(tx, row)
  await restartPreparation(tx, row.id)
}

/** Prepares the delivery again if its workflow failed; returns the hold that remains. */
export async function releasePreparation(
  tx: ShopScope,
  { id }: DeliveryRow,
): Promise<DeliveryFacts['held_by']> {
  await repeatPreparation(tx, id)
  return heldByWorkflow(tx, id)
}
