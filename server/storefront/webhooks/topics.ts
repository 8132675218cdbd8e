// The webhook topics that the app receives, and the change that each reports. Only ids are taken
// from a body: the state itself is read from the platform, because webhooks arrive late and out of
// order.

/** A change to read from the platform, or a request to carry out, once for each subject. */
export interface ShopChange {
  kind: ShopChangeKind
  /** The platform's id of the subject; empty for the shop itself. */
  subject: string
  /** The body of the compliance topics, whose data cannot be read from the platform. */
  payload?: object
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
    const id = fields.map((field) => gidOf('Order', body[field])).find((one) => one !== null)
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

const profile: Topic = () => ({ kind: 'profile', subject: '' })

/** Two requests about the same customer are separate: each is answered. */
const customer =
  (kind: ShopChangeKind): Topic =>
  (body) => {
    const { id, email, phone } = (body.customer ?? {}) as Body
    const orders = body.orders_requested ?? body.orders_to_redact
    const ids = Array.isArray(orders) ? orders.map((one) => gidOf('Order', one)) : []
    const request = String((body.data_request as Body | undefined)?.id ?? id ?? text(email) ?? '')
    return {
      kind,
      subject: request,
      payload: {
        customer: gidOf('Customer', id),
        email: text(email),
        phone: text(phone),
        orders: ids.filter((one) => one !== null),
      },
    }
  }

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
  'customer.tags_added': changedCustomer,
  'customer.tags_removed': changedCustomer,
  'customers/data_request': customer('customer-data'),
  'customers/redact': customer('customer-redact'),
  'shop/redact': () => ({ kind: 'shop-redact', subject: '' }),
}

/** Bodies contain numbers or global ids. */
function gidOf(type: string, value: unknown): string | null {
  const id = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  if (/^\d{1,20}$/.test(id)) return `gid://shopify/${type}/${id}`
  return id.startsWith(`gid://shopify/${type}/`) && /\/\d{1,20}$/.test(id) ? id : null
}

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.replaceAll('\0', '').slice(0, 320) : null
