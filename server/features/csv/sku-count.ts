// Counts the products of each SKU of a CSV file in the mirror of the catalog. SKUs that are missing
// there are looked up in the storefront, which may be newer.
import { type Catalog } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { present } from '../../core/lazy.ts'
import { skuKey } from '../../core/sku-key.ts'
import { findSpelledSkus } from '../../matching/spelled-skus.ts'
import type { OddSkus } from './check-state.ts'

/** The storefront answers about a hundred a second; above this number only the mirror is used. */
const MAX_LIVE = 2000

/**
 * Creates the function that counts products for one check. It throws `PortError` if the storefront
 * cannot be reached.
 */
export function createSkuCount(scope: ShopScope, live: Pick<Catalog, 'findBySku'>): OddSkus {
  let asked = 0
  return async (skus, signal) => {
    const odd = await oddInMirror(scope, skus)
    const unknown = [...odd].flatMap(([sku, products]) => (products === 0 ? [sku] : []))
    asked += unknown.length
    if (unknown.length === 0 || (asked > MAX_LIVE && (await hasMirror(scope)))) return odd
    const found = await live.findBySku(unknown, signal)
    for (const sku of unknown) {
      const products = new Set(found.get(sku)?.map((one) => one.product_id)).size
      if (products === 1) odd.delete(sku)
      else odd.set(sku, products)
    }
    return odd
  }
}

async function oddInMirror(
  scope: ShopScope,
  skus: readonly string[],
): Promise<Map<string, number>> {
  const rows = await scope.query<{ sku: string; products: number }>(
    `select s.sku, case when o.first is null then 0 else (
         select count(distinct product_id)::int from variants where shop_id = :shop and sku = s.sku)
           end as products
     from jsonb_array_elements_text(:skus::jsonb) as s(sku), lateral (
         select min(product_id) as first, max(product_id) as last from variants
         where shop_id = :shop and sku = s.sku collate "C") o
     where o.first is null or o.first <> o.last`,
    { skus: JSON.stringify(skus) },
  )
  const odd = new Map(rows.map(({ sku, products }) => [sku, products]))
  const absent = rows.filter(({ products }) => products === 0).map(({ sku }) => sku)
  for (const sku of await inAnotherForm(scope, absent)) odd.delete(sku)
  const left = absent.filter((sku) => odd.has(sku))
  for (const sku of (await findSpelledSkus(scope, left)).keys()) odd.delete(sku)
  return odd
}

/** Returns the SKUs that one product has in another case or form. */
async function inAnotherForm(scope: ShopScope, skus: readonly string[]): Promise<string[]> {
  if (skus.length === 0) return []
  const byKey = Map.groupBy(skus, skuKey)
  const rows = await scope.query<{ key: string }>(
    `select sku_key as key from variants where shop_id = :shop and sku_key in (
       select value collate "C" from jsonb_array_elements_text(:keys::jsonb) as value)
     group by sku_key having min(product_id) = max(product_id)`,
    { keys: JSON.stringify([...byKey.keys()]) },
  )
  return rows.flatMap(({ key }) => present(byKey.get(key), `The SKUs of ${key}`))
}

const hasMirror = (scope: ShopScope): Promise<boolean> =>
  scope.has('select 1 from catalog_mirrors where shop_id = :shop and finished_at is not null')
