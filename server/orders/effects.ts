// Changes of the platform's orders, outside the transaction that decides them: a row for each order
// and kind says that the order is to be marked or fulfilled, and a task of the shop works them off. A
// row names no content: the state at the time of the work counts, so that late effects are right.
import { PortError } from '../../plugins/contract.ts'
import type { Database } from '../db/database.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { queueTask, type BackgroundTask, type TaskKind } from '../engine/background.ts'
import { readShop } from '../files/shop-settings.ts'
import { linkAddress } from '../files/links.ts'
import { errorFields, type Logger } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import type { LiveOrders } from '../storefront/orders.ts'
import { STATUS_SQL, type DeliveryStatus } from './entitlement.ts'

export type EffectKind = 'mark' | 'fulfil'

const ORDER_EFFECTS: TaskKind = { name: 'order-effects' }
const AT_A_TIME = 20
const MAX_ATTEMPTS = 8
const RETRY_SECONDS = 30

/** Call it in the transaction that changes the delivery. */
export async function queueEffects(
  tx: ShopScope,
  order: string,
  kinds: readonly EffectKind[],
): Promise<void> {
  await tx.query(
    `insert into order_effects (shop_id, order_id, kind) select :shop, :order, kind from unnest(:kinds::text[]) kind
     on conflict (shop_id, order_id, kind) do update
       set noted = excluded.noted, due_at = now(), attempts = 0, error = null`,
    { order, kinds },
  )
  await queueTask(tx, ORDER_EFFECTS, String(tx.shop))
}

interface DueEffect {
  order_id: string
  kind: EffectKind
  noted: number
  attempts: number
}

interface Shown {
  status: DeliveryStatus
  link_id: string
  rotation: number
  files: number
  lines: string[]
}

export interface EffectParts {
  database: Pick<Database, 'knex'>
  storefront: { orders(shop: number): LiveOrders }
  secrets: Secrets
  baseUrl: string
  log: Logger
}

export const effectTask = (parts: EffectParts): BackgroundTask => ({
  ...ORDER_EFFECTS,
  // All changes of a shop draw from one bucket of points: more at a time would be no faster.
  atOnce: 1,
  wanted: `select distinct on (e.shop_id) e.shop_id, e.shop_id::text as key, e.due_at from order_effects e
    join shops s on s.id = e.shop_id and s.uninstalled_at is null where e.error is null
    order by e.shop_id, e.due_at`,
  run: async ({ shop, signal }) => {
    const scope = forShop(parts.database, shop!)
    const due = await scope.query<DueEffect>(
      `select order_id, kind, noted, attempts from order_effects
       where shop_id = :shop and error is null and due_at <= now() order by due_at limit :most`,
      { most: AT_A_TIME },
    )
    for (const effect of due) {
      signal.throwIfAborted()
      await carryOut(parts, scope, effect, signal)
    }
    return due.length === AT_A_TIME ? new Date() : nextDue(scope)
  },
})

async function nextDue(scope: ShopScope): Promise<Date | null> {
  const [row] = await scope.query<{ due_at: Date | null }>(
    'select min(due_at) as due_at from order_effects where shop_id = :shop and error is null',
  )
  return row?.due_at ?? null
}

async function carryOut(
  parts: EffectParts,
  scope: ShopScope,
  effect: DueEffect,
  signal: AbortSignal,
): Promise<void> {
  const { order_id: order, kind, noted, attempts } = effect
  const one = 'shop_id = :shop and order_id = :order and kind = :kind and noted = :noted'
  try {
    await perform(parts, scope, effect, signal)
    await scope.query(`delete from order_effects where ${one}`, { order, kind, noted })
  } catch (error) {
    if (signal.aborted) throw error
    const lasting = attempts + 1 >= MAX_ATTEMPTS || (error instanceof PortError && !error.retryable)
    parts.log.warn('an order could not be changed on the platform', {
      ...{ shop: scope.shop, order, kind, given_up: lasting },
      ...errorFields(error),
    })
    await scope.query(
      `update order_effects set attempts = attempts + 1, due_at = now() + :wait * interval '1 second',
         error = case when :lasting then :error else null end where ${one}`,
      {
        ...{ order, kind, noted, lasting, wait: RETRY_SECONDS * 2 ** attempts },
        error: error instanceof PortError ? error.message : 'Something went wrong on our side',
      },
    )
  }
}

async function perform(
  { storefront, secrets, baseUrl }: EffectParts,
  scope: ShopScope,
  { order_id: order, kind }: DueEffect,
  signal: AbortSignal,
): Promise<void> {
  const shown = await readShown(scope, order)
  if (!shown) return
  const { name, settings } = await readShop(scope)
  const orders = storefront.orders(scope.shop)
  const ready = shown.status === 'ready'
  const url = linkAddress(baseUrl, secrets.linkKey(shown.link_id, shown.rotation))
  if (kind === 'mark') {
    const value = { status: shown.status, files: shown.files, url: ready ? url : null }
    return orders.mark({ order, value, tag: ready ? settings.order_tag : null }, signal)
  }
  if (!ready) return
  const notify = settings.delivery_mail === 'platform' ? { company: name, url } : null
  await orders.fulfil({ order, lines: shown.lines, notify }, signal)
}

async function readShown(scope: ShopScope, order: string): Promise<Shown | null> {
  const [row] = await scope.query<Shown>(
    `select ${STATUS_SQL} as status, l.id as link_id, l.rotation,
       (select count(distinct file_id)::int from delivery_files df
        where df.shop_id = d.shop_id and df.delivery_id = d.id and not df.withdrawn) as files,
       coalesce((select array_agg(distinct line_id) from delivery_files df
        where df.shop_id = d.shop_id and df.delivery_id = d.id and not df.withdrawn), '{}') as lines
     from deliveries d join links l on l.shop_id = d.shop_id and l.delivery_id = d.id
     where d.shop_id = :shop and d.order_id = :order`,
    { order },
  )
  return row ?? null
}
