// Files that the shop adds to one order, as those that were made for its buyer. They belong to none of
// its products, and their buyer has them until the order is cancelled or refunded as a whole. An order
// without a delivery gets one: it is found on the platform, because such orders are not stored.
import { randomUUID } from 'node:crypto'
import { PortError, say } from '../../../plugins/contract/index.ts'
import { retryTransaction, type ShopScope } from '../../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { firstOf, present } from '../../core/lazy.ts'
import { readShop } from '../../files/shop-settings.ts'
import type { LiveOrders, PlatformOrder } from '../../storefront/orders.ts'
import { unknownFiles } from '../links/model/creation.ts'
import { promiseMails } from '../preparation/runs.ts'
import {
  changeTerms,
  conflict,
  WHY_NOT_READY,
  type ChangeParts,
  type DeliveryChange,
} from './changes.ts'
import { noteTaggedCustomers } from './customer-tags.ts'
import { dropAddedMail, queueAddedMail } from './delivery-mail.ts'
import { queueDeliveryTexts } from './delivery-text.ts'
import { lockDelivery, NO_LINE, readDeliveryFiles, type DeliveryRow } from './delivery-rows.ts'
import { isEntitled, isWholePaid, ORDER_ENTITLES, statusOf, textsBuyers } from './entitlement.ts'
import { giveToDeliveries, takeBack } from './give-effect.ts'
import { lockOrders } from './order-rows.ts'
import { waitsForFirst } from './platform-mails.ts'
import { reconcileOrders } from './reconcile.ts'

/** An order of the shop, with or without a delivery. */
export interface FoundOrder {
  id: string
  name: string
  email: string | null
  ordered_at: Date
  /** The bare UUID; null: it has none. */
  delivery: string | null
  /** As the platform has it; null: it was not asked, because the order has a delivery. */
  live: PlatformOrder | null
}

type Finder = Pick<LiveOrders, 'find' | 'read'>

const GID = 'gid://shopify/Order/'
/** Numbers of orders have four digits or so, ids at least ten. */
const ID = /^\d{10,19}$/

/**
 * The orders with this id, name (with or without `#`) or confirmation number: usually one. Those with a
 * delivery are read here, others from the platform. Throws `storefront_unavailable`.
 */
export async function findOrders(
  scope: ShopScope,
  live: Finder,
  text: string,
  signal: AbortSignal,
): Promise<FoundOrder[]> {
  const wanted = text.trim()
  const stored = await scope.query<Omit<FoundOrder, 'live'>>(
    `select o.id, o.name, coalesce(d.email, o.email) as email, o.ordered_at, d.id as delivery
     from orders o join deliveries d on d.shop_id = o.shop_id and d.order_id = o.id
     where o.shop_id = :shop and (o.id = any(:ids::text[])
       or lower(o.name) collate "C" = any(:names::text[])
       or o.confirmation_number = upper(:wanted))
     order by o.ordered_at desc limit 10`,
    {
      wanted,
      ids: [wanted, GID + wanted],
      names: [wanted, `#${wanted}`].map((name) => name.toLowerCase()),
    },
  )
  if (stored.length > 0) return stored.map((order) => ({ ...order, live: null }))
  const orders = await askPlatform(scope, live, wanted, signal)
  return orders.map((order) => ({
    id: order.id,
    name: order.name,
    email: order.email,
    ordered_at: order.created_at,
    delivery: null,
    live: order,
  }))
}

async function askPlatform(
  scope: ShopScope,
  live: Finder,
  wanted: string,
  signal: AbortSignal,
): Promise<PlatformOrder[]> {
  const phones = textsBuyers((await readShop(scope)).settings)
  const reading = { phones, signal }
  const id = wanted.startsWith(GID) ? wanted : ID.test(wanted) ? GID + wanted : null
  try {
    const found = id ? await live.read([id], reading) : await live.find(wanted, reading)
    return found.flatMap((order) => {
      if (order instanceof PortError) throw order
      return order ?? []
    })
  } catch (cause) {
    if (!(cause instanceof PortError)) throw cause
    const message = say('The store could not be asked for this order: try again in a minute')
    throw new AppError('storefront_unavailable', { message, cause })
  }
}

type Terms = Pick<
  DeliveryChange,
  'expiry_days' | 'download_limit' | 'view_limit' | 'view_days' | 'ask_for'
>

export interface Addition {
  /** Bare UUIDs. */
  files: readonly string[]
  /** Absent ones are those of each file. */
  terms: Terms
  /** The buyer gets a message that names the files. */
  tell: boolean
}

/**
 * Adds the files that the buyer does not have; returns the delivery's bare UUID. Throws `conflict` if the
 * order entitles its buyer to nothing, and `validation_failed`, which names every unknown file.
 */
export const addToOrder = (
  scope: ShopScope,
  order: FoundOrder,
  addition: Addition,
  parts: ChangeParts,
): Promise<string> =>
  retryTransaction(scope, async (tx) => {
    await requireKept(tx, addition.files)
    const id = order.live
      ? await deliveryFor(tx, order.live, parts)
      : present(order.delivery, 'The delivery of a stored order')
    await lockOrders(tx, [order.id])
    const row = present(await lockDelivery(tx, id), 'The delivery')
    await requireEntitling(tx, row)
    const has = new Set(
      (await readDeliveryFiles(tx, id)).flatMap((one) => (one.entitled ? one.file_id : [])),
    )
    const files = addition.files.filter((file) => !has.has(file))
    if (files.length === 0) return id
    const by = randomUUID()
    await addFiles(tx, row, files, by, { ...parts, addition })
    if (addition.tell) await tellBuyer(tx, id, by)
    return id
  })

async function addFiles(
  tx: ShopScope,
  delivery: DeliveryRow,
  files: readonly string[],
  by: string,
  { addition, secrets, now }: ChangeParts & { addition: Addition },
): Promise<void> {
  const given = await tx.query<{
    file_id: string
    expiry_days: number | null
    download_limit: number | null
  }>(
    `select id as file_id, expiry_days, download_limit from files
     where shop_id = :shop and id = any(:files::uuid[])`,
    { files },
  )
  const sold = given.map((file) => ({ ...file, line_id: NO_LINE, source: NO_LINE, units: 1 }))
  const added = [{ delivery, sold }]
  await giveToDeliveries(tx, added, by, { secrets, now, quiet: !addition.tell })
  await changeTerms(tx, delivery, { ...addition.terms, file_ids: files }, now)
  await noteTaggedCustomers(tx, [delivery.order_id])
  await tx.query(
    'update deliveries set updated_at = :now, ask = null where shop_id = :shop and id = :id',
    { id: delivery.id, now },
  )
}

/** Throws `validation_failed` for unknown files, and for those that no buyer could download. */
export async function requireKept(tx: ShopScope, files: readonly string[]): Promise<void> {
  const details: ErrorDetail[] = await unknownFiles(tx, files)
  const ended = await tx.query<{ id: string }>(
    `select f.id from files f join shops s on s.id = f.shop_id
     where f.shop_id = :shop and f.id = any(:files::uuid[]) and f.mapping_state = 'unmapped'
       and not s.keep_paid`,
    { files },
  )
  for (const { id } of ended)
    details.push({
      index: files.indexOf(id),
      param: 'file_ids',
      code: 'invalid_value',
      message: say(
        'This file has lost its products, which ends it for its buyers: attach it to a product first, or let paid files survive',
      ),
    })
  if (details.length > 0) throw new AppError('validation_failed', { param: 'file_ids', details })
}

/** Stores an order of the platform, and gives it a delivery. */
async function deliveryFor(
  tx: ShopScope,
  order: PlatformOrder,
  { secrets, now }: ChangeParts,
): Promise<string> {
  const { settings } = await readShop(tx)
  const hasPaid =
    isWholePaid(order, settings) ||
    order.lines.some((line) => isEntitled(order, line, settings, false))
  if (!hasPaid)
    throw conflict(say('The order is not paid yet: files can be added to it when it is'))
  await reconcileOrders(tx, [order], { secrets, now, deliver: true })
  const [row] = await tx.query<{ id: string }>(
    'select id from deliveries where shop_id = :shop and order_id = :order',
    { order: order.id },
  )
  // A newer state of the order was stored since it was read here.
  if (!row) throw conflict(say('The order has changed meanwhile: try again'))
  return row.id
}

/** Throws `conflict` if the delivery was revoked, or its order cancelled or refunded. */
async function requireEntitling(tx: ShopScope, row: DeliveryRow): Promise<void> {
  if (row.revoked_at) throw conflict(WHY_NOT_READY.revoked)
  const entitles = await tx.has(
    `select from orders o where o.shop_id = :shop and o.id = :order and ${ORDER_ENTITLES}`,
    { order: row.order_id },
  )
  if (!entitles)
    throw conflict(say('The order was cancelled or refunded: its buyer gets no more files'))
}

/** By email, or by text without an address. A message about the order that still waits names the files too. */
async function tellBuyer(tx: ShopScope, id: string, by: string): Promise<void> {
  const row = present(await lockDelivery(tx, id), 'The delivery')
  // It is told when it is released, with all of its files.
  if (statusOf(row) === 'held' && row.mailed_at === null && row.texted_at === null) return
  if (await waitsForFirst(tx, id)) return
  if (row.email !== null) await queueAddedMail(tx, id, by)
  else if (row.has_phone && textsBuyers((await readShop(tx)).settings))
    await queueDeliveryTexts(tx, [id], `added/${by}`)
  else return
  await promiseMails(tx, [id])
}

/** Takes a file that was added to the order from its buyer. Idempotent. Throws `not_found`. */
export const takeFromOrder = (
  scope: ShopScope,
  { delivery, file }: { delivery: string; file: string },
  now: Date,
): Promise<void> =>
  retryTransaction(scope, async (tx) => {
    const sql = `delivery_id = :delivery and line_id = '${NO_LINE}' and file_id = :file`
    const given = { delivery, file }
    const isAdded = await tx.has(
      `select from delivery_files where shop_id = :shop and ${sql}`,
      given,
    )
    if (!isAdded) throw new AppError('not_found')
    await takeBack(tx, { sql, given }, now)
    await dropAddedMail(tx, delivery)
  })

/** The only one of the orders. Throws `not_found`, and `conflict`, which names them if they are several. */
export function onlyOrder(orders: readonly FoundOrder[], text: string): FoundOrder {
  if (orders.length === 1) return firstOf(orders)
  if (orders.length === 0)
    throw new AppError('not_found', {
      message: say(
        'The store has no order {order}, or does not show it to this app: without the permission read_all_orders it shows the last 60 days',
        { order: text },
      ),
    })
  throw conflict(
    say('Several orders are called {order}: send the id of one of them', { order: text }),
  )
}
