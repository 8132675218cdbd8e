// A shop's mirror filled with the products that a test names, by the code that a refresh uses.
import type { ShopScope } from '../server/db/for-shop.ts'
import { stage, swap } from '../server/storefront/mirror/staging.ts'
import { askForRefresh, takeTurn, type Refreshed } from '../server/storefront/mirror/turns.ts'
import type { CatalogRow } from '../server/storefront/whole-catalog.ts'

export interface MadeProduct {
  title: string
  /** Of its variants, in order; null: a variant without one. Absent: one variant without. */
  skus?: readonly (string | null)[]
  tags?: readonly string[]
}

const STAGED_AT_ONCE = 2000

/** The id of the n-th product, from 1; its variants' begin with the same number. */
export const productId = (n: number): string => `gid://shopify/Product/${n}`
export const variantId = (n: number, variant: number): string => `gid://shopify/ProductVariant/${n * 1000 + variant}`

/** The mirror has these products and no others afterwards. */
export async function fillMirror(scope: ShopScope, products: readonly MadeProduct[]): Promise<Refreshed> {
  await askForRefresh(scope)
  const turn = (await takeTurn(scope))!
  const rows = products.flatMap((product, at) => rowsOf(product, at + 1))
  for (let from = 0; from < rows.length; from += STAGED_AT_ONCE)
    await stage(scope, turn, rows.slice(from, from + STAGED_AT_ONCE))
  return swap(scope, turn, rows.length)
}

function rowsOf({ title, skus = [null], tags = [] }: MadeProduct, n: number): CatalogRow[] {
  const id = productId(n)
  const look = { handle: `product-${n}`, status: 'ACTIVE', image_url: `https://cdn.example.com/${n}.png` }
  return [
    { kind: 'product', id, title, ...look, tags: [...tags] },
    ...skus.map((sku, at): CatalogRow => {
      const variant = { id: variantId(n, at + 1), product_id: id, title: `Variant ${at + 1}`, position: at + 1 }
      return { kind: 'variant', ...variant, sku }
    }),
  ]
}
