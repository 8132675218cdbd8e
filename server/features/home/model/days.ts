// The daily figures of a shop that a worker counts again: the last two days each hour, and all kept
// days once for a shop that has none.
import { beginningOf, dayAt } from '../../../../plugins/contract/index.ts'
import { IMPORTED_FILES } from '../../../engine/types.ts'
import type { Database } from '../../../core/db/database.ts'
import { forShop, type ShopScope } from '../../../core/db/for-shop.ts'
import { readShop } from '../../../files/shop-settings.ts'
import { NOT_FAILURES } from '../../orders/mail-writer.ts'

const KEPT_DAYS = 13 * 31
const DAY_MS = 86_400_000
/** How many days before today are counted again: a result may come later than its operation began. */
const RECOUNTED_DAYS = 2

/** SQL: an operation `o` is or was only a preview. */
const IS_PREVIEW = '(o.preview and o.round = 0)'

// SQL of each figure: rows (day, subject, value) of the days since :from.
const FIGURES: Readonly<Record<string, string>> = {
  deliveries: `
    select (created_at at time zone :zone)::date as day, '' as subject, count(*) as value
    from deliveries where shop_id = :shop and created_at >= :from group by 1`,
  orders: `
    select (ordered_at at time zone :zone)::date, '', count(*)
    from orders where shop_id = :shop and ordered_at >= :from group by 1`,
  imports: `
    select (created_at at time zone :zone)::date, channel, count(*)
    from operations o where shop_id = :shop and created_at >= :from and kind = 'import'
      and not ${IS_PREVIEW} group by 1, 2`,
  imported_files: `
    select (created_at at time zone :zone)::date, channel, sum(${IMPORTED_FILES})
    from operations o where shop_id = :shop and created_at >= :from and kind = 'import'
      and not ${IS_PREVIEW} group by 1, 2`,
  failures: `
    select (o.created_at at time zone :zone)::date, c.key, sum(c.value::bigint)
    from operations o cross join jsonb_each_text(o.failure_causes) c
    where o.shop_id = :shop and o.created_at >= :from and o.failed > 0
      and not ${IS_PREVIEW} group by 1, 2`,
  bounced_mails: `
    select (created_at at time zone :zone)::date, '', count(*) from outbox
    where shop_id = :shop and created_at >= :from and kind = 'email' and status in ('failed', 'bounced')
      and coalesce(error, '') <> all(:notFailures::text[])
    group by 1`,
}
/**
 * Counts the figures of the days of the shop since `from`, and writes those that differ from the
 * stored ones: each reader of the home page counts them.
 */
async function countDays(
  scope: ShopScope,
  figures: readonly (readonly [name: string, select: string])[],
  { from, zone }: CountedFrom,
): Promise<void> {
  await scope.transaction(async (tx) => {
    for (const [figure, select] of figures)
      await tx.query(
        `with counted as (${select}), gone as (
           delete from shop_days d where d.shop_id = :shop and d.figure = :figure
             and d.day >= (:from::timestamptz at time zone :zone)::date
             and not exists (select from counted c (day, subject, value)
               where c.day = d.day and c.subject = d.subject)
         )
         insert into shop_days as d (shop_id, day, figure, subject, value)
         select :shop, day, :figure, subject, value
         from counted as c (day, subject, value) order by day, subject
         on conflict (shop_id, day, figure, subject) do update set value = excluded.value
           where d.value <> excluded.value`,
        { figure, from, zone, notFailures: NOT_FAILURES },
      )
  })
}

interface CountedFrom {
  /** When the first day begins in the time zone. */
  from: Date
  /** The time zone of the shop. */
  zone: string
}

/** The days since the one so many days ago. */
function daysSince(now: Date, daysAgo: number, zone: string): CountedFrom {
  const day = new Date(Date.parse(dayAt(now, zone)) - daysAgo * DAY_MS)
  return { from: beginningOf(day.toISOString().slice(0, 10), zone), zone }
}

/**
 * Counts the days of one shop that may have changed.
 * @param only this figure; a trigger counts the downloads
 */
export async function refreshShop(scope: ShopScope, now: Date, only?: string): Promise<void> {
  const all = Object.entries(FIGURES)
  const wanted = all.filter(([name]) => only === undefined || name === only)
  if (wanted.length === 0) return
  const row = await scope.one<{ known: boolean }>(
    `select exists (select from shop_days where shop_id = :shop and figure not in ('downloads', 'orders')) as known`,
  )
  const { time_zone } = (await readShop(scope)).settings
  if (row.known) await countDays(scope, wanted, daysSince(now, RECOUNTED_DAYS, time_zone))
  else await countDays(scope, all, daysSince(now, KEPT_DAYS, time_zone))
}

/**
 * Counts the orders of earlier days again that got deliveries lately: an import of past orders
 * brings them. One run of the worker; a reader counts the last days only.
 */
async function recountPastOrders(scope: ShopScope, now: Date): Promise<void> {
  const { time_zone: zone } = (await readShop(scope)).settings
  const { from } = daysSince(now, RECOUNTED_DAYS, zone)
  const { from: kept } = daysSince(now, KEPT_DAYS, zone)
  await scope.query(
    `with changed as (
       select distinct (o.ordered_at at time zone :zone)::date as day
       from deliveries d join orders o on o.shop_id = d.shop_id and o.id = d.order_id
       where d.shop_id = :shop and d.created_at >= :from and o.ordered_at < :from
         and o.ordered_at >= :kept
     )
     insert into shop_days as d (shop_id, day, figure, subject, value)
     select :shop, c.day, 'orders', '', n.orders
     from changed c cross join lateral (
       select count(*) as orders from orders o where o.shop_id = :shop
         and o.ordered_at >= c.day::timestamp at time zone :zone
         and o.ordered_at < (c.day + 1)::timestamp at time zone :zone) n
     order by c.day
     on conflict (shop_id, day, figure, subject) do update set value = excluded.value
       where d.value <> excluded.value`,
    { from, kept, zone },
  )
}

/** Finds shops in which something happened since `since`. */
async function changedShops({ pool }: Database, since: Date): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `select s.id from shops s where s.uninstalled_at is null and (
       exists (select from operations o where o.shop_id = s.id and o.created_at >= $1)
       or exists (select from deliveries d where d.shop_id = s.id and d.created_at >= $1))
     order by 1`,
    [since],
  )
  return rows.map(({ id }) => id)
}

/** Deletes days older than 13 months, of all shops. */
async function sweepDays({ pool }: Database, now: Date): Promise<void> {
  await pool.query('delete from shop_days where day < $1', [daysSince(now, KEPT_DAYS, 'UTC').from])
}

/** Refreshes the figures of the shops that changed, and sweeps old days. One run of the worker. */
export async function refreshDays(
  database: Database,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  for (const shop of await changedShops(
    database,
    new Date(now.getTime() - (RECOUNTED_DAYS + 1) * DAY_MS),
  )) {
    signal.throwIfAborted()
    const scope = forShop(database, shop)
    await refreshShop(scope, now)
    await recountPastOrders(scope, now)
  }
  await sweepDays(database, now)
}
