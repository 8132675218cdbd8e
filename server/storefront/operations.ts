// The GraphQL operations, read once at start: a file that is missing stops the server, not the first look-up.
import { readFileSync } from 'node:fs'

export interface Operation {
  name: string
  text: string
}

const read = (name: string): Operation => ({
  name,
  text: readFileSync(new URL(`./${name}.graphql`, import.meta.url), 'utf8'),
})

export const FIND_VARIANTS_BY_SKU = read('find-variants-by-sku')
export const SHOP_PROFILE = read('shop-profile')
