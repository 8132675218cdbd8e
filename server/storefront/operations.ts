// The GraphQL operations, read once at start: a missing file stops the start, not the first
// request.
import { readFileSync } from 'node:fs'
import { AsyncLocalStorage } from 'node:async_hooks'
import '@shopify/shopify-api/adapters/node'
import { setAbstractFetchFunc } from '@shopify/shopify-api/runtime'

export interface GraphqlOperation {
  name: string
  text: string
  /** Keys of nullable fields that the platform may refuse to this app: they are read as null. */
  refusable?: readonly string[]
}

/**
 * The platform refuses `customer` without the scope `read_customers`, and `email`, `phone` and names
 * without its approval for protected customer data. It then answers with the rest and an error for each
 * field.
 */
const REFUSABLE_OF_ORDERS = ['customer', 'namedCustomer', 'email', 'phone'] as const

const read = (name: string): GraphqlOperation => ({
  name,
  text: readFileSync(new URL(`./${name}.graphql`, import.meta.url), 'utf8'),
})

/**
 * An operation with its fragments, which are separate documents, so that operations can share them.
 */
const readWith = (name: string, ...fragments: string[]): GraphqlOperation => ({
  name,
  text: [name, ...fragments].map((one) => read(one).text).join('\n'),
})

export const FIND_VARIANTS_BY_SKU = read('find-variants-by-sku')
export const SHOP_PROFILE = read('shop-profile')
export const RUN_BULK_QUERY = read('run-bulk-query')
export const BULK_OPERATION = read('bulk-operation')
export const PRODUCT_BY_ID = read('product-by-id')
export const PRODUCT_BY_HANDLE = read('product-by-handle')
export const CREATE_PRODUCT = read('create-product')
export const ORDERS_BY_ID: GraphqlOperation = {
  ...readWith('orders-by-id', 'order-fields'),
  refusable: REFUSABLE_OF_ORDERS,
}
export const PAST_ORDERS: GraphqlOperation = {
  ...readWith('past-orders', 'order-fields'),
  refusable: REFUSABLE_OF_ORDERS,
}
export const ORDER_PAYMENT = read('order-payment')
export const ORDERS_COUNT = read('orders-count')
export const CHANGED_ORDERS = read('changed-orders')
export const CUSTOMERS_BY_ID = read('customers-by-id')
export const CUSTOMER_EMAIL = read('customer-email')
export const CHANGED_CUSTOMERS = read('changed-customers')
export const INSTALLATION_ID = read('installation-id')
export const SET_INSTALLATION_FIELDS = read('set-installation-fields')
export const FLOW_TRIGGER = read('flow-trigger')
export const SHOP_SUBSCRIPTION = read('shop-subscription')
export const SUBSCRIBE = read('subscribe')
export const FULFILMENT_OF_ORDERS = readWith('fulfilment-of-orders', 'fulfilment-fields')
export const WHOLE_ORDER_FULFILMENT = readWith('whole-order-fulfilment', 'fulfilment-fields')
export const FULFILMENT_ORDER_LINES = read('fulfilment-order-lines')
export const FULFILMENTS_OF_ORDER = read('fulfilments-of-order')
/** The text of a bulk query, which the platform runs in the background. */
export const WHOLE_CATALOG = read('whole-catalog')

const USER_ERRORS = '{ userErrors { field message } }'
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

/**
 * Writes `$metafields`, and adds `$tags` to the orders `$order0`, `$order1` …: one request for all.
 */
export function markOrders(tagged: number): GraphqlOperation {
  const tags = tagged > 0 ? ', $tags: [String!]!' : ''
  const variables = numbers(tagged).map((at) => `, $order${at}: ID!`)
  const fields = numbers(tagged).map(
    (at) => `tagged${at}: tagsAdd(id: $order${at}, tags: $tags) ${USER_ERRORS}`,
  )
  const text = `mutation MarkOrders($metafields: [MetafieldsSetInput!]!${tags}${variables.join('')}) {
    metafieldsSet(metafields: $metafields) ${USER_ERRORS}
    ${fields.join('\n')}
  }`
  return { name: 'mark-orders', text }
}

/** Makes the fulfilments `$fulfilment0`, `$fulfilment1` … in one request. */
export function fulfilOrders(count: number): GraphqlOperation {
  const variables = numbers(count).map((at) => `$fulfilment${at}: FulfillmentInput!`)
  const fields = numbers(count).map(
    (at) => `made${at}: fulfillmentCreate(fulfillment: $fulfilment${at}) ${USER_ERRORS}`,
  )
  const text = `mutation FulfilOrders(${variables.join(', ')}) { ${fields.join('\n')} }`
  return { name: 'fulfil-orders', text }
}

// The only way from the platform's library to the network. The library uses one fetch for the whole
// process; this one uses the transport of the current call, so that the platform and the demo can
// both be reached.

export type Transport = (url: string, init: RequestInit) => Promise<Response>

// The library itself sets no time limit. It must be shorter than the lease of a token
// (access.ts).
const TIMEOUT_MS = 20_000

const present = new AsyncLocalStorage<Transport>()

setAbstractFetchFunc((input: Parameters<typeof fetch>[0], init: RequestInit = {}) => {
  const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(init.signal ? [init.signal] : [])]
  const url = input instanceof Request ? input.url : String(input)
  return (present.getStore() ?? fetch)(url, {
    ...init,
    redirect: 'error',
    signal: AbortSignal.any(signals),
  })
})

/** Runs `work`; every request of the library inside it uses `transport`. */
export function withTransport<T>(transport: Transport, work: () => Promise<T>): Promise<T> {
  return present.run(transport, work)
}
