// Changes on the platform that are still to be read from there: one row for each subject, however
// often it is reported. Orders are read in batches by one job per shop; every other change has its
// own job.
import { createHash } from 'node:crypto'
import { ownValue } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { queuedTask, queueTask, type TaskKind } from '../core/queue/background.ts'
import { mergeCustomers, reportCustomer } from './customer-changes.ts'

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

// The webhook topics that the app receives, and the change that each reports. Only ids are taken
// from a body: the state itself is read from the platform, because webhooks arrive late and out of
// order.

/** A change to read from the platform, or a request to carry out, once for each subject. */
interface ShopChange {
  kind: ShopChangeKind
  /** The platform's id of the subject; empty for the shop itself. */
  subject: string
  /** The body of the compliance topics, whose data cannot be read from the platform. */
  payload?: object
  /** The customer that the subject, a customer, became. */
  merged_into?: string
}

const CHANGE_KINDS = [
  'order',
  'product',
  'profile',
  'customer-data',
  'customer-redact',
  'shop-redact',
  'customer',
] as const
export type ShopChangeKind = (typeof CHANGE_KINDS)[number]

type Body = Record<string, unknown>
type Topic = (body: Body) => ShopChange | 'uninstalled' | null

const order =
  (...fields: readonly string[]): Topic =>
  (body) => {
    const id = fields
      .map((field) => gidOf('Order', ownValue(body, field)))
      .find((one) => one !== null)
    return id ? { kind: 'order', subject: id } : null
  }

const product: Topic = (body) => {
  const id = gidOf('Product', body.admin_graphql_api_id) ?? gidOf('Product', body.id)
  return id ? { kind: 'product', subject: id } : null
}

const changedCustomer: Topic = (body) => {
  const id = [body.admin_graphql_api_id, body.customerId, body.customer_id, body.id]
    .map((one) => gidOf('Customer', one))
    .find((one) => one !== null)
  return id ? { kind: 'customer', subject: id } : null
}

/** Two customers became one. A merge that failed has changed nothing. */
const mergedCustomers: Topic = (body) => {
  const deleted = gidOf('Customer', body.admin_graphql_api_customer_deleted_id)
  const kept = gidOf('Customer', body.admin_graphql_api_customer_kept_id)
  const isDone = /^completed$/i.test(text(body.status) ?? '')
  return isDone && deleted && kept
    ? { kind: 'customer', subject: deleted, merged_into: kept }
    : null
}

const profile: Topic = () => ({ kind: 'profile', subject: '' })

/**
 * Each request is carried out, also two about one customer with other orders. The subject is a part of
 * job keys and log lines, so it contains no address.
 */
const customer =
  (kind: ShopChangeKind): Topic =>
  (body) => {
    const { id, email, phone } = (body.customer ?? {}) as Body
    const orders = body.orders_requested ?? body.orders_to_redact
    const ids = Array.isArray(orders) ? orders.map((one) => gidOf('Order', one)) : []
    const payload = {
      customer: gidOf('Customer', id),
      email: text(email),
      phone: text(phone),
      orders: ids.filter((one) => one !== null),
    }
    const request = numberOf((body.data_request as Body | null | undefined)?.id)
    return { kind, subject: request ?? digestOf(JSON.stringify(payload)), payload }
  }

const digestOf = (value: string): string =>
  createHash('sha256').update(value).digest('hex').slice(0, 32)

export const TOPICS: Readonly<Record<string, Topic>> = {
  'app/uninstalled': () => 'uninstalled',
  'app/scopes_update': profile,
  'shop/update': profile,
  'products/create': product,
  'products/update': product,
  'products/delete': product,
  // The waiting refresh polls the platform itself.
  'bulk_operations/finish': () => null,
  // No other topic reports an authorized payment; `orders/paid` reports its capture, days later.
  'orders/create': (body) =>
    body.financial_status === 'authorized' ? order('admin_graphql_api_id', 'id')(body) : null,
  'orders/paid': order('admin_graphql_api_id', 'id'),
  'orders/edited': (body) => order('order_id')((body.order_edit ?? body) as Body),
  'orders/cancelled': order('admin_graphql_api_id', 'id'),
  'orders/risk_assessment_changed': order('admin_graphql_api_order_id', 'order_id'),
  'refunds/create': order('order_id'),
  'customers/update': changedCustomer,
  'customers/merge': mergedCustomers,
  'customer.tags_added': changedCustomer,
  'customer.tags_removed': changedCustomer,
  'customers/data_request': customer('customer-data'),
  'customers/redact': customer('customer-redact'),
  'shop/redact': () => ({ kind: 'shop-redact', subject: '' }),
}

/** An id, as a number or as text. */
function numberOf(value: unknown): string | null {
  const id = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  return /^\d{1,20}$/.test(id) ? id : null
}

/** Bodies contain numbers or global ids. */
function gidOf(type: string, value: unknown): string | null {
  const id = numberOf(value)
  if (id !== null) return `gid://shopify/${type}/${id}`
  const isGid = typeof value === 'string' && value.startsWith(`gid://shopify/${type}/`)
  return isGid && /\/\d{1,20}$/.test(value) ? value : null
}

const INEXACT = /\d{16}/

/** The types of TypeScript lack the third parameter: the number as it is written. */
const exactly = (_: string, value: unknown, written?: { source?: string }): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) ? (written?.source ?? value) : value

/** Reads a body's JSON. Integers that a double cannot hold are read as text. Throws `SyntaxError`. */
export const readBody = (json: string): unknown =>
  INEXACT.test(json) ? JSON.parse(json, exactly) : JSON.parse(json)

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.replaceAll('\0', '').slice(0, 320) : null
