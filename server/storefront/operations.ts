// The GraphQL operations, read once at start: a file that is missing stops the server, not the
// first look-up.
import { readFileSync } from 'node:fs'

export interface GraphqlOperation {
  name: string
  text: string
}

const read = (name: string): GraphqlOperation => ({
  name,
  text: readFileSync(new URL(`./${name}.graphql`, import.meta.url), 'utf8'),
})

/** With the fragments that it uses: each is a separate document, so that operations can share it. */
const readWith = (name: string, ...fragments: string[]): GraphqlOperation => ({
  name,
  text: [name, ...fragments].map((one) => read(one).text).join('\n'),
})

export const FIND_VARIANTS_BY_SKU = read('find-variants-by-sku')
export const SHOP_PROFILE = read('shop-profile')
export const RUN_BULK_QUERY = read('run-bulk-query')
export const BULK_OPERATION = read('bulk-operation')
export const PRODUCT_BY_ID = read('product-by-id')
export const ORDERS_BY_ID = readWith('orders-by-id', 'order-fields')
export const CHANGED_ORDERS = read('changed-orders')
export const ORDER_FULFILMENT = read('order-fulfilment')
export const MARK_ORDER = read('mark-order')
export const MARK_ORDER_UNTAGGED = read('mark-order-untagged')
export const FULFIL_ORDER = read('fulfil-order')
export const FLOW_TRIGGER = read('flow-trigger')
export const SHOP_SUBSCRIPTION = read('shop-subscription')
export const SUBSCRIBE = read('subscribe')
/** Not sent by itself: a bulk query is the text of a query, run by the platform in its own time. */
export const WHOLE_CATALOG = read('whole-catalog')
