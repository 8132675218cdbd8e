// Orders from before the installation: counts what an import would deliver, and imports them page by
// page. Each page's orders, and the place in the platform's list, are written in one transaction, by
// the same function as events about orders: both may work on an order, in any order.
import { setTimeout as delay } from 'node:timers/promises'
import { PortError, type PastOrders } from '../../../plugins/contract/index.ts'
import { isDatabaseUnavailable } from '../../core/db/error-classes.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { requirePublicId } from '../../core/ids.ts'
import { zip } from '../../core/lazy.ts'
import type { Secrets } from '../../core/secrets.ts'
import { readShop } from '../../files/shop-settings.ts'
import type {
  LiveOrders,
  OrderReading,
  PastOrdersPage,
  PlatformOrder,
} from '../../storefront/orders.ts'
import { isEntitled, textsBuyers } from './entitlement.ts'
import { filesOfOrders } from './order-rows.ts'
import { reconcileOrders } from './reconcile.ts'

export interface PastOrderParts {
  orders: LiveOrders
  secrets: Secrets
}

/** Waits before the platform is asked again. */
const RETRIES_MS = [1000, 5000, 15_000, 60_000, 300_000]

export const createPastOrders = (scope: ShopScope, parts: PastOrderParts): PastOrders => ({
  count: async (since, signal) => {
    const counts = { orders: 0, deliveries: 0 }
    const buyers = new Set<string>()
    for await (const { orders, ids } of pages(parts.orders, since, null, { signal })) {
      counts.orders += ids.length
      for (const order of await undelivered(scope, orders.filter(isWhole))) {
        counts.deliveries++
        buyers.add(order.email?.toLowerCase() ?? order.id)
      }
    }
    return { ...counts, buyers: buyers.size }
  },
  import: async ({ operation: id, since, mail }, seen, signal) => {
    const operation = requirePublicId('op', id)
    let at = await beginImport(scope, operation, () =>
      repeated(() => parts.orders.countPlaced(since, signal), signal),
    )
    await seen(at.orders, Math.max(at.total, at.orders))
    if (at.ended) return at
    const phones = mail && textsBuyers((await readShop(scope)).settings)
    const reading = { signal, phones }
    for await (const page of pages(parts.orders, since, at.cursor, reading)) {
      signal.throwIfAborted()
      at = await importPage(scope, parts, page, { operation, before: at, quiet: !mail, reading })
      await seen(at.orders, Math.max(at.total, at.orders))
    }
    return at
  },
})

const isWhole = (order: PlatformOrder | PortError): order is PlatformOrder => 'lines' in order

async function* pages(
  orders: LiveOrders,
  since: Date,
  from: string | null,
  reading: OrderReading,
): AsyncGenerator<PastOrdersPage> {
  let cursor = from
  do {
    const after = cursor
    const page = await repeated(() => orders.placedSince(since, after, reading), reading.signal)
    yield page
    cursor = page.cursor
  } while (cursor !== null)
}

/** Asks again after failures that may pass. */
async function repeated<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const ms of RETRIES_MS)
    try {
      return await ask()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof PortError) || !error.retryable) throw error
      await delay(ms, undefined, { signal })
    }
  return ask()
}

/** The orders that entitle their buyers to files and have no delivery. */
async function undelivered(
  scope: ShopScope,
  orders: readonly PlatformOrder[],
): Promise<readonly PlatformOrder[]> {
  const { settings } = await readShop(scope)
  const sold = Map.groupBy(await filesOfOrders(scope, orders), ({ order_id }) => order_id)
  const known = await deliveredOf(
    scope,
    orders.map(({ id }) => id),
  )
  return orders.filter((order) => {
    const lines = new Set((sold.get(order.id) ?? []).map(({ line_id }) => line_id))
    return (
      !known.has(order.id) &&
      order.lines.some((line) => lines.has(line.id) && isEntitled(order, line, settings, false))
    )
  })
}

/** Those of the orders that have a delivery. */
async function deliveredOf(scope: ShopScope, orders: readonly string[]): Promise<Set<string>> {
  const rows = await scope.query<{ order_id: string }>(
    'select order_id from deliveries where shop_id = :shop and order_id = any(:orders::text[])',
    { orders },
  )
  return new Set(rows.map(({ order_id }) => order_id))
}

interface ImportRow {
  cursor: string | null
  orders: number
  deliveries: number
  failed: number
  total: number
  /** All pages were written. */
  ended: boolean
}

const COLUMNS = 'cursor, orders, deliveries, failed, total, ended'

async function beginImport(
  scope: ShopScope,
  operation: string,
  count: () => Promise<number>,
): Promise<ImportRow> {
  const read = () =>
    scope.query<ImportRow>(
      `select ${COLUMNS} from past_imports where shop_id = :shop and operation_id = :operation`,
      { operation },
    )
  const [there] = await read()
  if (there) return there
  await scope.query(
    `insert into past_imports (shop_id, operation_id, total) values (:shop, :operation, :total)
     on conflict do nothing`,
    { operation, total: await count() },
  )
  const [row] = await read()
  if (!row) throw new Error('The import has no row')
  return row
}

/** Another worker has taken over the import. */
class OvertakenError extends Error {}

interface PageWork {
  operation: string
  before: ImportRow
  quiet: boolean
  reading: OrderReading
}

async function importPage(
  scope: ShopScope,
  { orders: live, secrets }: PastOrderParts,
  page: PastOrdersPage,
  { operation, before, quiet, reading }: PageWork,
): Promise<ImportRow> {
  const again = zip(page.ids, page.orders).flatMap(([id, order]) => (isWhole(order) ? [] : [id]))
  const reread =
    again.length > 0 ? await repeated(() => live.read(again, reading), reading.signal) : []
  const whole = [...page.orders, ...reread].flatMap((order) =>
    order !== null && isWhole(order) ? [order] : [],
  )
  return scope.transaction(async (tx) => {
    const there = await deliveredOf(tx, page.ids)
    const written = await writeOrdersOf(tx, whole, { secrets, now: new Date(), quiet })
    const made = [...(await deliveredOf(tx, page.ids))].filter((id) => !there.has(id)).length
    const [row] = await tx.query<ImportRow>(
      `update past_imports set cursor = coalesce(:cursor, cursor), ended = :cursor::text is null,
         orders = orders + :orders, deliveries = deliveries + :made, failed = failed + :failed
       where shop_id = :shop and operation_id = :operation and orders = :before
       returning ${COLUMNS}`,
      {
        operation,
        cursor: page.cursor,
        made,
        before: before.orders,
        orders: page.ids.length,
        failed: page.ids.length - written,
      },
    )
    if (!row) throw new OvertakenError()
    return row
  })
}

/** Writes all orders together; if that fails, one by one. Returns how many were written. */
async function writeOrdersOf(
  tx: ShopScope,
  orders: readonly PlatformOrder[],
  parts: Parameters<typeof reconcileOrders>[2],
): Promise<number> {
  if (orders.length === 0) return 0
  try {
    await tx.transaction((inner) => reconcileOrders(inner, orders, parts))
    return orders.length
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    if (orders.length === 1) return 0
  }
  let written = 0
  for (const one of orders) written += await writeOrdersOf(tx, [one], parts)
  return written
}
