// Product search in the mirror by title, SKU and barcode: exact matches first, then prefixes, then
// titles with all words.
import { nameKey, searchWords } from '../../../plugins/contract/index.ts'
import { skuKey } from '../../core/sku-key.ts'
import type { Bindings, ShopScope } from '../../core/db/for-shop.ts'
import { likeLiteral } from '../../core/db/like-pattern.ts'
import { hasAllWords } from '../../core/db/word-match.ts'

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
export async function searchProducts(
  scope: ShopScope,
  { search, after, limit }: { search: string; after: SearchPlace | null; limit: number },
): Promise<FoundProduct[]> {
  const key = nameKey(search.trim())
  const like = likeLiteral(key)
  const within = hasAllWords('search_text(p.title)', searchWords(search))
  const code = skuKey(search) || key
  const bindings = {
    key,
    code,
    codes: `${likeLiteral(code)}%`,
    starts: `${like}%`,
    ...within.bindings,
  }
  const found: FoundProduct[] = []
  // A rank is only read if the better ones have not filled the page: a word that is in a hundred
  // thousand titles takes as long as one that is in a hundred.
  for (const [rank, conditions] of (key === '' ? ALL : ranksOf(within.sql)).entries()) {
    if (after && rank < after[0]) continue
    const page = {
      rank,
      limit: limit - found.length,
      after: after?.[0] === rank ? after : null,
    }
    const isFrequent = conditions === CODES && (await beginsManyCodes(scope, bindings.codes))
    const chosen = isFrequent ? CODES_IN_ORDER : conditions
    found.push(...(await readRank(scope, chosen, page, key === '' ? {} : bindings)))
    if (found.length >= limit) break
  }
  return found
}

interface RankPage {
  rank: number
  after: SearchPlace | null
  limit: number
}

/** Products of one rank, in the order of their titles. */
function readRank(
  scope: ShopScope,
  conditions: readonly string[],
  { rank, after, limit }: RankPage,
  bindings: Bindings,
): Promise<FoundProduct[]> {
  const [, titleKey, id] = after ?? []
  return scope.query<FoundProduct>(
    `with page as (
       select p.id, p.title, p.title_key, p.image_url as image, p.status, :rank::int as rank
       from products p where ${['p.shop_id = :shop', ...conditions].join(' and ')}
         ${after ? 'and (p.title_key, p.id) > (:titleKey, :id)' : ''}
       order by p.title_key, p.id limit :limit)
     select page.*,
       (select coalesce(jsonb_agg(jsonb_build_object('id', v.id, 'title', v.title, 'sku', v.sku)
        order by v.position), '[]')
        from variants v where v.shop_id = :shop and v.product_id = page.id) as variants,
       -- One probe for each file: without statistics, the planner would read all files.
       (select count(*) from (select distinct file_id from mappings
          where shop_id = :shop and product_id = page.id) m
        cross join lateral (select from files f where f.shop_id = :shop and f.id = m.file_id
          and f.deleted_at is null limit 1) f) as files
     from page order by title_key, id`,
    { ...bindings, rank, limit, ...(after ? { titleKey, id } : {}) },
  )
}

/** SQL: a variant of the product `p` has such a SKU or barcode. */
const hasCode = (condition: string) =>
  `exists (select from variants v where v.shop_id = :shop and v.product_id = p.id and ${condition})`

const EXACTLY = `p.id in (
  select v.product_id from variants v where v.shop_id = :shop and v.sku_key = :code
  union all select v.product_id from variants v where v.shop_id = :shop and v.barcode_key = :code
  union all select e.id from products e where e.shop_id = :shop and e.title_key = :key)`
const NOT_EXACTLY = [
  `p.title_key <> :key`,
  `not ${hasCode('(v.sku_key = :code or v.barcode_key = :code)')}`,
]
const CODE_BEGINS = `p.id in (
  select v.product_id from variants v where v.shop_id = :shop and v.sku_key like :codes
  union all
  select v.product_id from variants v where v.shop_id = :shop and v.barcode_key like :codes)`
const CODE_BEGINS_NOT = `not ${hasCode('(v.sku_key like :codes or v.barcode_key like :codes)')}`

/** Tests each product in the order of the list until the page is full. */
const CODE_BEGINS_IN_ORDER = `(select true from variants v
  where v.shop_id = :shop and v.product_id = p.id
    and (v.sku_key like :codes or v.barcode_key like :codes) limit 1)`
const CODES = [CODE_BEGINS, ...NOT_EXACTLY]
const CODES_IN_ORDER = [CODE_BEGINS_IN_ORDER, ...NOT_EXACTLY]
/** Above this number of codes, sorting their products takes longer than testing products in order. */
const MANY_CODES = 2000

async function beginsManyCodes(scope: ShopScope, codes: string): Promise<boolean> {
  const { count } = await scope.one<{ count: number }>(
    `select count(*)::int as count from (
       select from variants where shop_id = :shop and sku_key like :codes
       union all select from variants where shop_id = :shop and barcode_key like :codes
       limit ${MANY_CODES}) c`,
    { codes },
  )
  return count === MANY_CODES
}

const ALL: readonly (readonly string[])[] = [[]]
/** SQL conditions of each rank, without the products of better ranks. */
const ranksOf = (hasWords: string): readonly (readonly string[])[] => [
  [EXACTLY],
  CODES,
  ['p.title_key like :starts', ...NOT_EXACTLY, CODE_BEGINS_NOT],
  [hasWords, 'p.title_key not like :starts', ...NOT_EXACTLY, CODE_BEGINS_NOT],
]
