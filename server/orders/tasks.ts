// Orders in the background: one job for each order that changed, and an hourly comparison with the
// platform that finds what no webhook reported.
import type { Database } from '../db/database.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import type { BackgroundTask } from '../engine/background.ts'
import { errorFields, type Logger } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import type { ChangedOrder, LiveOrders } from '../storefront/orders.ts'
import {
  changeOfKey,
  readChange,
  RECONCILE_ORDER,
  reportChange,
  settleChange,
  WANTED_ORDERS,
} from '../storefront/webhooks/changes.ts'
import { reconcileOrder } from './reconcile.ts'

export interface OrderParts {
  database: Pick<Database, 'knex'>
  storefront: { orders(shop: number): LiveOrders }
  secrets: Secrets
  clock: () => Date
  log: Logger
}

/** Each waits for the platform most of the time, and shares its queries with the others. */
const ORDERS_AT_A_TIME = 4

export const reconcileTask = (parts: OrderParts): BackgroundTask => ({
  ...RECONCILE_ORDER,
  atOnce: ORDERS_AT_A_TIME,
  wanted: WANTED_ORDERS,
  run: async ({ shop, key, signal }) => {
    const scope = forShop(parts.database, shop!)
    const change = changeOfKey(key)
    const reported = await readChange(scope, change)
    if (!reported) return null
    const order = await parts.storefront.orders(scope.shop).read(change.subject, signal)
    if (order) await reconcileOrder(scope, order, { secrets: parts.secrets, now: parts.clock() })
    // Reported again meanwhile: the state that was read may be older than that report.
    return (await settleChange(scope, change, reported.noted)) ? null : new Date()
  },
})

const SYNC_EVERY_MS = 60 * 60 * 1000
/** The platform's clock and its index of orders may be behind. */
const OVERLAP_MS = 10 * 60 * 1000
/** Without `read_all_orders` the platform shows no older ones. */
const OLDEST_MS = 60 * 24 * 60 * 60 * 1000

/** A shop's first comparison begins when the app was installed. */
export const syncTask = (parts: OrderParts): BackgroundTask => ({
  name: 'sync-orders',
  atOnce: 1,
  wanted: `select t.shop_id, t.shop_id::text as key, now() as due_at from shop_tokens t
    join shops s on s.id = t.shop_id and s.uninstalled_at is null
    left join order_syncs o on o.shop_id = t.shop_id
    where o.due_at is null or o.due_at <= now() limit 100`,
  run: async ({ shop, signal }) => {
    const scope = forShop(parts.database, shop!)
    const now = parts.clock()
    const since = await beginSync(scope, now)
    try {
      const pages = parts.storefront.orders(scope.shop).changedSince(since, signal)
      for await (const page of pages) await reportUnknown(scope, page)
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

async function beginSync(scope: ShopScope, now: Date): Promise<Date> {
  const [row] = await scope.query<{ synced_to: Date }>(
    `insert into order_syncs (shop_id, synced_to, due_at)
     select id, installed_at, :due from shops where id = :shop
     on conflict (shop_id) do update set due_at = excluded.due_at returning synced_to`,
    { due: new Date(now.getTime() + SYNC_EVERY_MS) },
  )
  return new Date(Math.max(+row!.synced_to - OVERLAP_MS, now.getTime() - OLDEST_MS))
}

async function endSync(scope: ShopScope, now: Date): Promise<void> {
  await scope.query('update order_syncs set synced_to = :now where shop_id = :shop', { now })
}

/** Orders that are known in this state need nothing. */
async function reportUnknown(scope: ShopScope, page: readonly ChangedOrder[]): Promise<void> {
  const known = await scope.query<{ id: string; changed_at: Date }>(
    'select id, changed_at from orders where shop_id = :shop and id = any(:ids::text[])',
    { ids: page.map(({ id }) => id) },
  )
  const at = new Map(known.map(({ id, changed_at }) => [id, +changed_at]))
  const changed = page.filter(({ id, updated_at }) => (at.get(id) ?? 0) < +updated_at)
  await scope.transaction(async (tx) => {
    for (const { id } of changed) await reportChange(tx, { kind: 'order', subject: id })
  })
}
