// Products that sell as downloads and have no file: nobody delivers anything to their buyers, and
// orders without a file are not stored, so the products are noted when an order is reconciled.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { PlatformLine } from '../../storefront/orders.ts'

/** Products in one list. */
const MAX_PRODUCTS = 100
const LISTED_DAYS = 90

export interface UnfiledProduct {
  product_id: string
  title: string
  last_sold_at: Date
}

export interface SoldLine {
  line: PlatformLine
  sold_at: Date
}

/**
 * Notes the products of lines that gave their buyers no file. Lines that need shipping are no
 * downloads; the file of a bundle's component may belong to the bundle. A product is written at most
 * once an hour, so that orders do not wait for each other.
 */
export async function noteUnfiled(tx: ShopScope, sold: readonly SoldLine[]): Promise<void> {
  const rows = sold.flatMap(({ line: { product_id, title, requires_shipping, bundle }, sold_at }) =>
    product_id === null || requires_shipping || bundle ? [] : [{ product_id, title, sold_at }],
  )
  if (rows.length === 0) return
  await tx.query(
    `with given as (
       select product_id, max(title) as title, max(sold_at) as sold_at
       from jsonb_to_recordset(:rows::jsonb) as g (product_id text, title text,
         sold_at timestamptz) group by product_id)
     insert into unfiled_products (shop_id, product_id, title, last_sold_at)
     select :shop, g.product_id, g.title, g.sold_at from given g
     where not exists (select from unfiled_products u where u.shop_id = :shop
       and u.product_id = g.product_id and u.last_sold_at > g.sold_at - interval '1 hour')
     order by g.product_id
     on conflict (shop_id, product_id) do update set title = excluded.title,
       last_sold_at = greatest(unfiled_products.last_sold_at, excluded.last_sold_at)`,
    { rows: JSON.stringify(rows) },
  )
}

/** SQL after `from`: those that still have no file and were sold lately. */
export const UNFILED_PRODUCTS = `unfiled_products u where u.shop_id = :shop and not u.dismissed
  and u.last_sold_at > now() - interval '${LISTED_DAYS} days'
  and not exists (select from mappings m join files f on f.shop_id = m.shop_id and f.id = m.file_id
    and f.deleted_at is null where m.shop_id = u.shop_id and m.product_id = u.product_id)`

/** The latest sale first. */
export const listUnfiled = (scope: ShopScope): Promise<UnfiledProduct[]> =>
  scope.query<UnfiledProduct>(
    `select u.product_id, u.title, u.last_sold_at from ${UNFILED_PRODUCTS}
     order by u.last_sold_at desc, u.product_id limit ${MAX_PRODUCTS}`,
  )

export const dismissUnfiled = (
  scope: ShopScope,
  product: string,
  dismissed: boolean,
): Promise<unknown> =>
  scope.query(
    `update unfiled_products set dismissed = :dismissed
     where shop_id = :shop and product_id = :product`,
    { product, dismissed },
  )
