// Background tasks for orders: one reconciles the changed orders of a shop, many in one run, and
// one compares hourly with the platform to find changes that no webhook reported.
import { setTimeout as delay } from 'node:timers/promises'
import { PortError, say } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { isDatabaseUnavailable } from '../../core/db/error-classes.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { RetryLater, type BackgroundTask } from '../../core/queue/background.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import { present } from '../../core/lazy.ts'
import {
  ORDERS_PER_QUERY,
  type ChangedOrder,
  type LiveOrders,
  type PlatformOrder,
} from '../../storefront/orders.ts'
import { recordChangedOrders, RECONCILE_ORDERS, WANTED_ORDERS } from '../../storefront/changes.ts'
import {
  claimOrders,
  delayOrder,
  nextOrderDue,
  completeOrders,
  separateOrders,
  type ClaimedOrder,
} from '../../storefront/intake.ts'
import { RECENT_ORDERS_MS } from '../../storefront/access.ts'
import { readShop } from '../../files/shop-settings.ts'
import { textsBuyers } from './entitlement.ts'
import { hourlyWarning } from './hourly-warning.ts'
import { forgetOrderPhones, forgetPhones } from './order-rows.ts'
import { reconcileOrders } from './reconcile.ts'

export interface OrderParts {
  database: Pick<Database, 'knex'>
  storefront: { orders(shop: number): LiveOrders }
  secrets: Secrets
  clock: () => Date
  log: Logger
  /** How long the platform may take to answer; tests set a shorter time. */
  readWithinMs?: number
}

const SHOP_CONCURRENCY = 4
/**
 * How long a run that had orders waits for further ones, so that the next batch has more of them.
 */
const GATHER_MS = 200
/** A run ends after this time, so that other shops get their turn. */
const RUN_MS = 10_000
/** PostgreSQL ends a transaction that is idle for longer, which would release the claims. */
const READ_WITHIN_MS = 20_000

/** After a run in which the platform gave no orders. */
const REFUSED_RETRY_MS = 20_000

export function reconcileTask(parts: OrderParts): BackgroundTask {
  const warnOfRefusal = hourlyWarning(
    parts,
    'orders could not be read from the platform, they will be read later',
  )
  return {
    ...RECONCILE_ORDERS,
    concurrency: SHOP_CONCURRENCY,
    waits: true,
    claims: true,
    wanted: WANTED_ORDERS,
    run: async ({ shop, signal }) => {
      const scope = forShop(parts.database, present(shop, 'the task’s shop'))
      try {
        for (const until = performance.now() + RUN_MS; performance.now() < until;) {
          const claimed = await reconcileBatch(parts, scope, signal)
          if (claimed.length === 0) return await nextOrderDue(scope)
          // Orders that failed are claimed one by one: there is nothing to gather.
          const isRetry = claimed.some(({ attempts }) => attempts > 0)
          if (claimed.length < ORDERS_PER_QUERY && !isRetry)
            await delay(GATHER_MS, undefined, { signal })
        }
      } catch (error) {
        if (signal.aborted || !(error instanceof PortError)) throw error
        warnOfRefusal(scope.shop, error)
        throw new RetryLater(REFUSED_RETRY_MS, { cause: error })
      }
      return 0
    },
  }
}

/** Runs in one transaction, whose end releases the claims; returns them. */
const reconcileBatch = (
  parts: OrderParts,
  scope: ShopScope,
  signal: AbortSignal,
): Promise<readonly ClaimedOrder[]> =>
  scope.transaction(async (tx) => {
    signal.throwIfAborted()
    const claimed = await claimOrders(tx, ORDERS_PER_QUERY)
    if (claimed.length === 0) return []
    const phones = textsBuyers((await readShop(tx)).settings)
    const read = await readWithin(parts, scope.shop, claimed, { phones, signal })
    if (read === null) {
      parts.log.warn('orders took too long to read together, each will be read alone', {
        shop: scope.shop,
        orders: claimed.length,
      })
      await separateOrders(tx, claimed)
      return claimed
    }
    const orders = claimed.map((claim, at) => ({ claim, order: read[at] ?? null }))
    const found = orders.flatMap(({ claim, order }) =>
      order && 'lines' in order ? [{ claim, order }] : [],
    )
    const failed = [
      ...orders.flatMap(({ claim, order }) =>
        order && !('lines' in order) ? [{ claim, error: order as unknown }] : [],
      ),
      ...(await writeBatch(parts, tx, found)),
    ]
    for (const { claim, error } of failed) {
      parts.log.warn('an order was not reconciled, it will be tried again', {
        shop: scope.shop,
        order: claim.order,
        ...errorFields(error),
      })
      await delayOrder(tx, claim)
    }
    const left = new Set(failed.map(({ claim }) => claim.order))
    await completeOrders(
      tx,
      claimed.filter(({ order }) => !left.has(order)),
    )
    return claimed
  })

/**
 * What the platform has of the orders. Null: it did not answer in time for several of them. One order
 * alone has the error as its result.
 */
async function readWithin(
  { storefront, readWithinMs = READ_WITHIN_MS }: OrderParts,
  shop: number,
  claimed: readonly ClaimedOrder[],
  { phones, signal }: { phones: boolean; signal: AbortSignal },
): Promise<readonly (PlatformOrder | PortError | null)[] | null> {
  const timeout = AbortSignal.timeout(readWithinMs)
  try {
    return await storefront.orders(shop).read(
      claimed.map(({ order }) => order),
      { phones, signal: AbortSignal.any([signal, timeout]) },
    )
  } catch (error) {
    if (!timeout.aborted || signal.aborted || error instanceof PortError) throw error
    if (claimed.length > 1) return null
    const seconds = Math.round(readWithinMs / 1000)
    const message = say('The platform did not answer within {count} s', { count: seconds })
    return [new PortError('storefront_unavailable', message, true)]
  }
}

interface ReadOrder {
  claim: ClaimedOrder
  order: PlatformOrder
}

/** Writes all orders together; if that fails, one by one. Returns those that failed alone. */
async function writeBatch(
  parts: OrderParts,
  tx: ShopScope,
  orders: readonly ReadOrder[],
): Promise<{ claim: ClaimedOrder; error: unknown }[]> {
  if (orders.length === 0) return []
  const { secrets, clock } = parts
  try {
    await tx.transaction((inner) =>
      reconcileOrders(
        inner,
        orders.map(({ order }) => order),
        { secrets, now: clock() },
      ),
    )
    return []
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    const [only, ...others] = orders
    if (only && others.length === 0) return [{ claim: only.claim, error }]
  }
  const failed = []
  for (const one of orders) failed.push(...(await writeBatch(parts, tx, [one])))
  return failed
}

const SYNC_EVERY_MS = 60 * 60 * 1000
/** The platform's clock and its index of orders may be behind. */
const OVERLAP_MS = 10 * 60 * 1000

/** A shop's first comparison starts from the time when the app was installed. */
export const syncTask = (parts: OrderParts): BackgroundTask => ({
  name: 'sync-orders',
  concurrency: 1,
  waits: true,
  wanted: `select t.shop_id, t.shop_id::text as key, now() as due_at from shop_tokens t
    join shops s on s.id = t.shop_id and s.uninstalled_at is null
    left join order_syncs o on o.shop_id = t.shop_id
    where o.due_at is null or o.due_at <= now() limit 100`,
  run: async ({ shop, signal }) => {
    const scope = forShop(parts.database, present(shop, 'the task’s shop'))
    const now = parts.clock()
    const since = await beginSync(scope, now)
    await forgetUnneededPhones(scope)
    try {
      const pages = parts.storefront.orders(scope.shop).changedSince(since, signal)
      for await (const page of pages) await queueChanged(scope, page)
      await endSync(scope, now)
    } catch (error) {
      if (signal.aborted) throw error
      parts.log.warn('orders could not be compared with the platform', {
        shop: scope.shop,
        ...errorFields(error),
      })
    }
    return null
  },
})

/** Reconciling an order deletes its number too; this finds deliveries that ended in other ways. */
async function forgetUnneededPhones(scope: ShopScope): Promise<void> {
  await forgetPhones(scope)
  if (!textsBuyers((await readShop(scope)).settings)) await forgetOrderPhones(scope)
}

async function beginSync(scope: ShopScope, now: Date): Promise<Date> {
  const row = await scope.one<{ synced_to: Date }>(
    `insert into order_syncs (shop_id, synced_to, due_at)
     select id, installed_at, :due from shops where id = :shop
     on conflict (shop_id) do update set due_at = excluded.due_at returning synced_to`,
    { due: new Date(now.getTime() + SYNC_EVERY_MS) },
  )
  return new Date(Math.max(+row.synced_to - OVERLAP_MS, now.getTime() - RECENT_ORDERS_MS))
}

async function endSync(scope: ShopScope, now: Date): Promise<void> {
  await scope.query('update order_syncs set synced_to = :now where shop_id = :shop', { now })
}

/** Queues the orders of a page whose state is newer than the stored one. */
async function queueChanged(scope: ShopScope, page: readonly ChangedOrder[]): Promise<void> {
  const known = await scope.query<{ id: string; changed_at: Date }>(
    'select id, changed_at from orders where shop_id = :shop and id = any(:ids::text[])',
    { ids: page.map(({ id }) => id) },
  )
  const at = new Map(known.map(({ id, changed_at }) => [id, +changed_at]))
  const changed = page.filter(({ id, updated_at }) => (at.get(id) ?? 0) < +updated_at)
  await scope.transaction((tx) =>
    recordChangedOrders(
      tx,
      changed.map(({ id }) => id),
    ),
  )
}
