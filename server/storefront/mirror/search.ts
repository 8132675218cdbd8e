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
  const [rank, titleKey, id] = after ?? [-1, '', '']
  const like = key.replace(/[\\%_]/g, '\\$&')
  return scope.query<FoundProduct>(
    `with hits as (${key === '' ? ALL : MATCHING}),
     page as (
       select p.id, p.title, p.title_key, p.image_url as image, p.status, hits.rank
       from hits join products p on p.shop_id = :shop and p.id = hits.id
       where (hits.rank, p.title_key, p.id) > (:rank, :titleKey, :id)
       order by hits.rank, p.title_key, p.id limit :limit
     )
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
      rank,
      titleKey,
      id,
      ...(key === '' ? {} : { key, starts: `${like}%`, within: `%${like}%` }),
    },
  )
}

const ALL = 'select id, 0 as rank from products where shop_id = :shop'
// Each part is answered by a separate index.
const MATCHING = `select id, min(rank) as rank from (
    select product_id as id, 0 as rank from variants where shop_id = :shop and sku_key = :key
    union all select id, 0 from products where shop_id = :shop and title_key = :key
    union all select product_id, 1 from variants where shop_id = :shop and sku_key like :starts
    union all select id, 2 from products where shop_id = :shop and title_key like :starts
    union all select id, 3 from products where shop_id = :shop and title_key like :within
  ) found group by id`
