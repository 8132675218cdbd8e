// Product search in the mirror by title and by SKU: exact matches first, then prefixes, then parts.
import { nameKey } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'

export interface FoundProduct {
  id: string
  title: string
  title_key: string
  image: string | null
  status: string
  /** How well the product matches the search: 0 is best. */
  rank: number
  variants: { id: string; title: string; sku: string | null }[]
  /** The number of files that are mapped to the product, trash excluded. */
  files: number
}

export type SearchPlace = readonly [rank: number, titleKey: string, id: string]

/**
 * @param search '' for all products, in the order of their titles.
 * @param after the previous page's last product.
 */
export function searchProducts(
  scope: ShopScope,
  { search, after, limit }: { search: string; after: SearchPlace | null; limit: number },
): Promise<FoundProduct[]> {
  const key = nameKey(search.trim())
  const like = key.replace(/[\\%_]/g, '\\$&')
  return scope.query<FoundProduct>(
    `with page as (${key === '' ? allOf(after) : matchingOf(after)})
     select page.*,
       (select coalesce(jsonb_agg(jsonb_build_object('id', v.id, 'title', v.title, 'sku', v.sku)
        order by v.position), '[]')
        from variants v where v.shop_id = :shop and v.product_id = page.id) as variants,
       -- One probe for each file: without statistics, the planner would read all files.
       (select count(*) from (select distinct file_id from mappings
          where shop_id = :shop and product_id = page.id) m
        cross join lateral (select from files f where f.shop_id = :shop and f.id = m.file_id
          and f.deleted_at is null limit 1) f) as files
     from page order by rank, title_key, id`,
    {
      limit,
      ...(after ? { titleKey: after[1], id: after[2] } : {}),
      ...(key === '' ? {} : { key, starts: `${like}%`, within: `%${like}%` }),
    },
  )
}

const COLUMNS = 'p.id, p.title, p.title_key, p.image_url as image, p.status'
/** SQL: the products of this rank that follow the previous page, in the order of their titles. */
const pageOf = (rank: number, conditions: readonly string[], after: SearchPlace | null) =>
  `select ${COLUMNS}, ${rank} as rank from products p
   where ${['p.shop_id = :shop', ...conditions].join(' and ')}
     ${after?.[0] === rank ? 'and (p.title_key, p.id) > (:titleKey, :id)' : ''}
   order by p.title_key, p.id limit :limit`

const allOf = (after: SearchPlace | null): string => pageOf(0, [], after)

/** SQL: a variant of the product `p` has such a SKU. */
const hasSku = (condition: string) =>
  `exists (select from variants v where v.shop_id = :shop and v.product_id = p.id and ${condition})`
/** SQL: the products that have a variant with such a SKU, from the index of SKUs. */
const withSku = (condition: string) =>
  `p.id in (select v.product_id from variants v where v.shop_id = :shop and ${condition})`

const RANKS: readonly { found: string; isFound: string }[] = [
  { found: `(${withSku('v.sku_key = :key')} or p.title_key = :key)`, isFound: `(${hasSku('v.sku_key = :key')} or p.title_key = :key)` },
  { found: withSku('v.sku_key like :starts'), isFound: hasSku('v.sku_key like :starts') },
  { found: 'p.title_key like :starts', isFound: 'p.title_key like :starts' },
  { found: 'p.title_key like :within', isFound: 'p.title_key like :within' },
]

/**
 * Each rank reads a page of its products in the order of their titles, so that a word that is in a
 * hundred thousand titles takes as long as one that is in a hundred.
 */
function matchingOf(after: SearchPlace | null): string {
  const pages = RANKS.map(({ found }, rank) => {
    const better = RANKS.slice(0, rank).map(({ isFound }) => `not ${isFound}`)
    return `(${pageOf(rank, [found, ...better], after)})`
  }).slice(after?.[0] ?? 0)
  return `select * from (${pages.join(' union all ')}) found
    order by rank, title_key, id limit :limit`
}
