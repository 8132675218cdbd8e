// Changes on the platform that are still to be read from there: one row for each subject, however
// often it is reported. Orders are read in batches by one job per shop; every other change has its
// own job.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { queuedTask, queueTask, type TaskKind } from '../../core/queue/background.ts'
import { mergeCustomers, reportCustomer } from './customer-changes.ts'
import type { ShopChange, ShopChangeKind } from './topics.ts'

/** Orders have their own task, so that nothing else delays them. Its key is the shop's number. */
export const RECONCILE_ORDERS: TaskKind = { name: 'reconcile-orders' }
export const APPLY_CHANGE: TaskKind = { name: 'apply-platform-change' }

/** A job's key names shop, kind and subject. */
const KEY = `shop_id || '/' || kind || '/' || subject`
const keyOf = (shop: number, { kind, subject }: ShopChange) => `${shop}/${kind}/${subject}`

export function changeOfKey(key: string): { kind: ShopChangeKind; subject: string } {
  const [, kind, ...subject] = key.split('/')
  return { kind: kind as ShopChangeKind, subject: subject.join('/') }
}

/**
 * SQL: the changes that must have a job. Changes of an uninstalled shop wait until it returns,
 * except compliance requests.
 */
export const WANTED_ORDERS = `
  select c.shop_id, c.shop_id::text as key, min(c.due_at) as due_at from platform_changes c
  join shops s on s.id = c.shop_id and s.uninstalled_at is null where c.kind = 'order'
  group by c.shop_id`
export const WANTED_CHANGES = `
  select c.shop_id, ${KEY} as key, c.due_at from platform_changes c join shops s on s.id = c.shop_id
  where c.kind in ('customer-data', 'customer-redact', 'shop-redact')
    or c.kind in ('product', 'profile') and s.uninstalled_at is null`

/** Orders whose webhooks were received, with the id of each webhook. */
export interface ReportedOrder {
  webhook: string
  topic: string
  order: string
}

/**
 * Records changed orders and queues the shop's job, each webhook once, in one statement. Concurrent
 * calls for one order wait for each other.
 */
export async function reportOrders(
  scope: ShopScope,
  reports: readonly ReportedOrder[],
): Promise<void> {
  await scope.query(
    `with given as (
       select distinct on (id) *
         from unnest(:ids::text[], :topics::text[], :orders::text[]) as g (id, topic, subject)
     ), stored as (
       insert into webhooks (shop_id, id, topic) select :shop, id, topic from given order by id
       on conflict do nothing returning id
     ), changed as (
       insert into platform_changes (shop_id, kind, subject)
       select distinct :shop, 'order', subject from given where id in (select id from stored)
         order by subject
       on conflict (shop_id, kind, subject) do update
         set noted = excluded.noted, due_at = now(), attempts = 0 returning 1
     )
     select ${queuedTask(RECONCILE_ORDERS)} from (select count(*) as orders from changed) c
       where c.orders > 0`,
    {
      ids: reports.map(({ webhook }) => webhook),
      topics: reports.map(({ topic }) => topic),
      orders: reports.map(({ order }) => order),
    },
  )
}

/** Records orders that changed and queues the shop's job. */
export async function recordChangedOrders(tx: ShopScope, orders: readonly string[]): Promise<void> {
  if (orders.length === 0) return
  await tx.query(
    `insert into platform_changes (shop_id, kind, subject)
     select distinct :shop, 'order', subject from unnest(:orders::text[]) subject order by subject
     on conflict (shop_id, kind, subject) do update
       set noted = excluded.noted, due_at = now(), attempts = 0`,
    { orders },
  )
  await queueTask(tx, RECONCILE_ORDERS, String(tx.shop))
}

/** Records a change and queues its job, in the caller's transaction. */
export async function reportChange(tx: ShopScope, change: ShopChange): Promise<void> {
  if (change.kind === 'order') return recordChangedOrders(tx, [change.subject])
  if (change.kind === 'customer')
    return change.merged_into === undefined
      ? reportCustomer(tx, change.subject)
      : mergeCustomers(tx, change.subject, change.merged_into)
  await tx.query(
    `insert into platform_changes (shop_id, kind, subject, payload)
       values (:shop, :kind, :subject, :payload)
     on conflict (shop_id, kind, subject) do update
       set noted = excluded.noted, due_at = now(), payload = excluded.payload`,
    {
      kind: change.kind,
      subject: change.subject,
      payload: change.payload === undefined ? null : JSON.stringify(change.payload),
    },
  )
  await queueTask(tx, APPLY_CHANGE, keyOf(tx.shop, change))
}

/** Each report raises `noted`: a run deletes the row only with the number that it has read. */
export interface ChangeReport {
  noted: number
  payload: unknown
}

/** The report of a change; null: it was processed already. */
export const readChange = (
  scope: ShopScope,
  { kind, subject }: Pick<ShopChange, 'kind' | 'subject'>,
): Promise<ChangeReport | null> =>
  scope.first<ChangeReport>(
    `select noted, payload from platform_changes
     where shop_id = :shop and kind = :kind and subject = :subject`,
    { kind, subject },
  )

/** Keeps a payload for the next run of a change, unless it was reported again meanwhile. */
export const keepPayload = async (
  scope: ShopScope,
  { kind, subject, noted }: Pick<ShopChange, 'kind' | 'subject'> & { noted: number },
  payload: object,
): Promise<void> =>
  void (await scope.query(
    `update platform_changes set payload = :payload
     where shop_id = :shop and kind = :kind and subject = :subject and noted = :noted`,
    { kind, subject, noted, payload: JSON.stringify(payload) },
  ))

/**
 * Deletes the processed change; false if it was reported again since it was read: then it runs once
 * more.
 */
export async function completeChange(
  scope: ShopScope,
  { kind, subject }: Pick<ShopChange, 'kind' | 'subject'>,
  noted: number,
): Promise<boolean> {
  const rows = await scope.query(
    `with gone as (
       delete from platform_changes
       where shop_id = :shop and kind = :kind and subject = :subject and noted = :noted
     )
     select from platform_changes
     where shop_id = :shop and kind = :kind and subject = :subject and noted <> :noted`,
    { kind, subject, noted },
  )
  return rows.length === 0
}
