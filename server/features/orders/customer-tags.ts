// Keeps the tags of customers who bought files that require one. A webhook, a new order and an
// hourly comparison say which customers are to be read; one run reads many of them.
import { PortError, say } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { raiseNoticeOnce } from '../../core/outbox/notices.ts'
import { present } from '../../core/lazy.ts'
import { queueTask, type BackgroundTask } from '../../core/queue/background.ts'
import { CUSTOMERS_PER_QUERY, type LiveCustomers } from '../../storefront/customers.ts'
import { ScopeMissing } from '../../storefront/platform-failures.ts'
import { mayReadCustomers, readScopes } from '../../storefront/access.ts'
import { queueEffects } from './effects.ts'
import { READ_CUSTOMERS } from '../../storefront/customer-changes.ts'

export interface CustomerTagParts {
  database: Database
  storefront: { customers(shop: number): Pick<LiveCustomers, 'read' | 'changedSince'> }
  clock: () => Date
  log: Logger
}

/**
 * Notes the customers of these orders that bought a file which requires a tag. Call it in the
 * transaction that delivers the files.
 */
export async function noteTaggedCustomers(tx: ShopScope, orders: readonly string[]): Promise<void> {
  if (orders.length === 0) return
  const { noted, unknown } = await tx.one<{ noted: boolean; unknown: boolean }>(
    `with tagged as (
       select distinct o.customer_id from orders o
       join deliveries d on d.shop_id = o.shop_id and d.order_id = o.id
       join links p on p.shop_id = d.shop_id and p.delivery_id = d.id
       where o.shop_id = :shop and o.id = any(:orders::text[])
         and exists (select from links c where c.shop_id = p.shop_id and c.parent_id = p.id
           and c.needs_tag)
     ), noted as (
       insert into customer_tags (shop_id, customer_id)
       select :shop, customer_id from tagged where customer_id is not null
       order by 2 on conflict do nothing returning 1
     )
     select exists (select from noted) as noted,
       exists (select from tagged where customer_id is null) as unknown`,
    { orders },
  )
  if (noted) await queueTask(tx, READ_CUSTOMERS, String(tx.shop))
  // Without the scope the platform names no customer: not every order is one of a guest.
  if (unknown && !mayReadCustomers(await readScopes(tx))) await notifyOfRefusal(tx)
}

const RETRY_SECONDS = 15
const MAX_RETRIES_DOUBLED = 8

interface DueCustomer {
  customer_id: string
  noted: number
}

export const customerTagTask = (parts: CustomerTagParts): BackgroundTask => ({
  ...READ_CUSTOMERS,
  concurrency: 2,
  waits: true,
  wanted: `select c.shop_id, c.shop_id::text as key, min(c.due_at) as due_at from customer_tags c
    join shops s on s.id = c.shop_id and s.uninstalled_at is null
    where c.due_at is not null group by c.shop_id`,
  run: async ({ shop, signal }) => {
    const scope = forShop(parts.database, present(shop, 'The shop of the run'))
    while (await readDue(parts, scope, signal)) signal.throwIfAborted()
    return nextDue(scope)
  },
})

/** Reads the next customers that are due; false: none is. */
async function readDue(
  { storefront, log }: CustomerTagParts,
  scope: ShopScope,
  signal: AbortSignal,
): Promise<boolean> {
  const due = await scope.query<DueCustomer>(
    `select customer_id, noted from customer_tags where shop_id = :shop and due_at <= now()
     order by due_at, customer_id limit ${CUSTOMERS_PER_QUERY}`,
  )
  if (due.length === 0) return false
  const ids = due.map(({ customer_id }) => customer_id)
  try {
    const read = await storefront.customers(scope.shop).read(ids, signal)
    const found = new Map(read.map((customer) => [customer.id, customer]))
    const rows = due.map(({ customer_id, noted }) => {
      const { tags = [], updated_at = null } = found.get(customer_id) ?? {}
      return { customer_id, noted, tags, updated_at }
    })
    // A customer who was reported again meanwhile is read once more. Tags that were not read are those of a
    // customer that was merged: its orders may show others.
    const written = await scope.query<{ customer_id: string; changed: boolean }>(
      `update customer_tags c set attempts = 0, changed_at = coalesce(g.updated_at, c.changed_at),
         tags = array(select distinct lower(tag) from unnest(g.tags) tag),
         due_at = case when c.noted <> g.noted then c.due_at end
       from jsonb_to_recordset(:rows::jsonb)
         as g (customer_id text, noted bigint, tags text[], updated_at timestamptz)
       where c.shop_id = :shop and c.customer_id = g.customer_id
       returning c.customer_id, old.tags is distinct from new.tags
         or old.changed_at is null and old.tags <> '{}' as changed`,
      { rows: JSON.stringify(rows) },
    )
    await markOrdersOf(
      scope,
      written.flatMap(({ customer_id, changed }) => (changed ? customer_id : [])),
    )
  } catch (error) {
    if (!(error instanceof PortError) || signal.aborted) throw error
    log.warn('the tags of customers could not be read', {
      shop: scope.shop,
      ...errorFields(error),
    })
    await delay(scope, due)
    if (error instanceof ScopeMissing) await notifyOfRefusal(scope)
  }
  return true
}

/** The pages of orders in the account say whether a tag is missing. */
async function markOrdersOf(scope: ShopScope, customers: readonly string[]): Promise<void> {
  if (customers.length === 0) return
  await scope.transaction(async (tx) => {
    const orders = await tx.query<{ id: string }>(
      `select o.id from orders o join deliveries d on d.shop_id = o.shop_id and d.order_id = o.id
       join links p on p.shop_id = d.shop_id and p.delivery_id = d.id
       where o.shop_id = :shop and o.customer_id = any(:customers::text[])
         and exists (select from links c where c.shop_id = p.shop_id and c.parent_id = p.id
           and c.needs_tag)`,
      { customers },
    )
    await queueEffects(
      tx,
      orders.map(({ id }) => ({ order: id, kind: 'mark' as const })),
    )
  })
}

/** Known tags stay in force. A customer who was reported again meanwhile is not delayed. */
const delay = (scope: ShopScope, due: readonly DueCustomer[]) =>
  scope.query(
    `update customer_tags c set attempts = least(attempts + 1, 100),
       due_at = now() + ${RETRY_SECONDS} * power(2, least(attempts, ${MAX_RETRIES_DOUBLED}))
         * interval '1 second'
     from jsonb_to_recordset(:due::jsonb) as g (customer_id text, noted bigint)
     where c.shop_id = :shop and c.customer_id = g.customer_id and c.noted = g.noted`,
    { due: JSON.stringify(due) },
  )

const notifyOfRefusal = (scope: ShopScope): Promise<void> =>
  scope.transaction((tx) =>
    raiseNoticeOnce(tx, {
      level: 'warning',
      title: say('The tags of customers cannot be read'),
      body: say(
        'Files that require a customer tag stay closed to new buyers, because the app may not read your customers. Open the app again from the admin of your store and allow it to read customers. If it does not ask, its operator must add the scope read_customers. Or remove the tag from the files.',
      ),
      operation_id: null,
    }),
  )

async function nextDue(scope: ShopScope): Promise<Date | null> {
  const row = await scope.one<{ due_at: Date | null }>(
    'select min(due_at) as due_at from customer_tags where shop_id = :shop',
  )
  return row.due_at
}

const SYNC_EVERY_MS = 60 * 60 * 1000
/** The platform's clock and its index of customers may be behind. */
const OVERLAP_MS = 10 * 60 * 1000

/** Finds changes that no webhook reported, in shops that have files with a customer tag. */
export const customerSyncTask = (parts: CustomerTagParts): BackgroundTask => ({
  name: 'sync-customers',
  concurrency: 1,
  waits: true,
  wanted: `select s.id as shop_id, s.id::text as key, now() as due_at from shops s
    left join customer_syncs y on y.shop_id = s.id
    where s.uninstalled_at is null and (y.due_at is null or y.due_at <= now())
      and exists (select from customer_tags c where c.shop_id = s.id) limit 100`,
  run: async ({ shop, signal }) => {
    const scope = forShop(parts.database, present(shop, 'The shop of the run'))
    const now = parts.clock()
    const { synced_to } = await scope.one<{ synced_to: Date }>(
      `insert into customer_syncs (shop_id, synced_to, due_at) values (:shop, :now, :due)
       on conflict (shop_id) do update set due_at = excluded.due_at returning synced_to`,
      { now, due: new Date(now.getTime() + SYNC_EVERY_MS) },
    )
    const since = new Date(synced_to.getTime() - OVERLAP_MS)
    try {
      const pages = parts.storefront.customers(scope.shop).changedSince(since, signal)
      for await (const page of pages) await noteChanged(scope, page)
      await scope.query('update customer_syncs set synced_to = :now where shop_id = :shop', { now })
    } catch (error) {
      if (signal.aborted) throw error
      parts.log.warn('customers could not be compared with the platform', {
        shop: scope.shop,
        ...errorFields(error),
      })
    }
    return null
  },
})

/** Notes the known customers of a page whose state is newer than the stored one. */
const noteChanged = (scope: ShopScope, page: readonly { id: string; updated_at: Date }[]) =>
  scope.transaction(async (tx) => {
    const rows = await tx.query(
      `update customer_tags c set due_at = now(), noted = nextval('leases')
       from unnest(:ids::text[], :times::timestamptz[]) as g (customer_id, updated_at)
       where c.shop_id = :shop and c.customer_id = g.customer_id
         and (c.changed_at is null or c.changed_at < g.updated_at) returning 1`,
      {
        ids: page.map(({ id }) => id),
        times: page.map(({ updated_at }) => updated_at.toISOString()),
      },
    )
    if (rows.length > 0) await queueTask(tx, READ_CUSTOMERS, String(tx.shop))
  })
