// The webhook topics that the app receives, and the change that each reports. Only ids are taken
// from a body: the state itself is read from the platform, because webhooks arrive late and out of
// order.
import { ownValue } from '../../../plugins/contract.ts'
import { createHash } from 'node:crypto'

/** A change to read from the platform, or a request to carry out, once for each subject. */
export interface ShopChange {
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
