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

export const FIND_VARIANTS_BY_SKU = read('find-variants-by-sku')
export const SHOP_PROFILE = read('shop-profile')
export const RUN_BULK_QUERY = read('run-bulk-query')
export const BULK_OPERATION = read('bulk-operation')
/** Not sent by itself: a bulk query is the text of a query, run by the platform in its own time. */
export const WHOLE_CATALOG = read('whole-catalog')
