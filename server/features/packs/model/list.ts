// Lists packs with their products and their number of files, without files in the trash.
import { searchWords } from '../../../../plugins/contract/index.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { hasAllWords } from '../../../core/db/word-match.ts'

export interface PackProduct {
  product_id: string
  product_title: string
  /** The variant; null for the whole product. */
  variant_id: string | null
  sku: string | null
}

export interface PackRow {
  /** A bare UUID. */
  id: string
  name: string
  name_key: string
  files: number
  size_bytes: number
  products: PackProduct[]
  created_at: Date
  updated_at: Date
}

const DETAILS = `chosen.id, chosen.name, chosen.name_key, chosen.created_at, chosen.updated_at,
  held.files, held.size_bytes, coalesce((
    select json_agg(json_build_object('product_id', product_id, 'product_title', product_title,
      'variant_id', nullif(variant_id, ''), 'sku', sku) order by product_title, variant_id)
    from pack_products p where p.shop_id = chosen.shop_id and p.pack_id = chosen.id
  ), '[]') as products
  from chosen, lateral (
    select count(*) as files, coalesce(sum(f.size_bytes), 0)::bigint as size_bytes
    from pack_files k join files f on f.shop_id = k.shop_id and f.id = k.file_id
    where k.shop_id = chosen.shop_id and k.pack_id = chosen.id and f.deleted_at is null
  ) held`

/** By name. `after`: the previous page's last name_key; `search`: words of the name. */
export function listPacks(
  scope: ShopScope,
  { search, after, limit }: { search: string; after: string | null; limit: number },
): Promise<PackRow[]> {
  const found = hasAllWords('search_text(name)', searchWords(search))
  return scope.query<PackRow>(
    `with chosen as (
       select * from packs where shop_id = :shop and ${found.sql} and name_key > :after
       order by name_key limit :limit
     ) select ${DETAILS} order by chosen.name_key`,
    { ...found.bindings, after: after ?? '', limit },
  )
}

/** The pack with this bare UUID, or null. */
export const readPack = (scope: ShopScope, id: string): Promise<PackRow | null> =>
  scope.first<PackRow>(
    `with chosen as (select * from packs where shop_id = :shop and id = :id) select ${DETAILS}`,
    { id },
  )

export const hasPack = (scope: ShopScope, id: string): Promise<boolean> =>
  scope.has('select from packs where shop_id = :shop and id = :id', { id })
