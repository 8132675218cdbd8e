// Reads the mirror for guessing: SKUs ignoring case, tags, titles, and products by their ids.
import type { CatalogProduct, NamedProduct } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { lastOf } from '../../core/lazy.ts'

export interface MirroredVariant {
  /** The key that was looked up. */
  key: string
  product_id: string
  product_title: string
  variant_id: string
  sku: string
}

export interface TaggedProduct {
  key: string
  product_id: string
  product_title: string
}

/** @param keys as `skuKey` gives them. */
export async function variantsBySkuKey(
  scope: ShopScope,
  keys: readonly string[],
): Promise<MirroredVariant[]> {
  if (keys.length === 0) return []
  return scope.query<MirroredVariant>(
    `select v.sku_key as key, v.product_id, p.title as product_title, v.id as variant_id, v.sku
     from variants v join products p on p.shop_id = v.shop_id and p.id = v.product_id
     where v.shop_id = :shop and v.sku_key = any(:keys::text[]) order by v.product_id, v.position`,
    { keys: keys.filter(isText) },
  )
}

/** @param keys lower case, with `-` for all delimiters (`sku_parts`). */
export async function variantsBySkuParts(
  scope: ShopScope,
  keys: readonly string[],
): Promise<MirroredVariant[]> {
  if (keys.length === 0) return []
  return scope.query<MirroredVariant>(
    `select v.sku_parts as key, v.product_id, p.title as product_title, v.id as variant_id, v.sku
     from variants v join products p on p.shop_id = v.shop_id and p.id = v.product_id
     where v.shop_id = :shop and v.sku_parts = any(:keys::text[]) order by v.product_id,
       v.position`,
    { keys: keys.filter(isText) },
  )
}

export interface SpelledVariant extends MirroredVariant {
  variant_title: string
  /** Its other spellings, in the form of its key. */
  others: readonly string[]
}

/**
 * Variants whose SKU may be one of these in another spelling.
 * @param keys as for `variantsBySkuParts`
 * @param others other spellings of them
 */
export async function variantsBySpelling(
  scope: ShopScope,
  keys: readonly string[],
  others: readonly string[],
): Promise<SpelledVariant[]> {
  if (keys.length === 0) return []
  return scope.query<SpelledVariant>(
    `select v.sku_parts as key, v.product_id, p.title as product_title, v.id as variant_id, v.sku,
       v.title as variant_title, coalesce(v.sku_others, '{}') as others
     from variants v join products p on p.shop_id = v.shop_id and p.id = v.product_id
     where v.shop_id = :shop
       and (v.sku_parts = any(:others::text[])
         or v.sku_others is not null and v.sku_others && :keys::text[])
     order by v.product_id, v.position`,
    { keys: [...keys, ...others].filter(isText), others: others.filter(isText) },
  )
}

/** At most `limit` products per tag, plus one: a tag of more products identifies none. */
export async function productsByTag(
  scope: ShopScope,
  keys: readonly string[],
  limit: number,
): Promise<TaggedProduct[]> {
  if (keys.length === 0) return []
  return scope.query<TaggedProduct>(
    `select k.key, p.id as product_id, p.title as product_title from unnest(:keys::text[])
       as k(key),
       lateral (select id, title from products where shop_id = :shop and tag_keys @> array[k.key]
         limit :limit + 1) p
     order by p.id`,
    { keys: keys.filter(isText), limit },
  )
}

export async function titlesOf(
  scope: ShopScope,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await scope.query<{ id: string; title: string }>(
    'select id, title from products where shop_id = :shop and id = any(:ids::text[])',
    { ids },
  )
  return new Map(rows.map(({ id, title }) => [id, title]))
}

/**
 * Shown to people to recognise products and variants: images by product ids, titles by variant ids.
 */
export async function imagesAndTitles(
  scope: ShopScope,
  products: readonly string[],
  variants: readonly string[],
): Promise<{ images: Map<string, string>; titles: Map<string, string> }> {
  const rows = await scope.query<{ kind: 'image' | 'title'; id: string; text: string }>(
    `select 'image' as kind, id, image_url as text from products
     where shop_id = :shop and id = any(:products::text[]) and image_url is not null
     union all
     select 'title', id, title from variants where shop_id = :shop and id = any(:variants::text[])`,
    { products, variants },
  )
  const of = (kind: string) =>
    new Map(rows.filter((row) => row.kind === kind).map(({ id, text }) => [id, text]))
  return { images: of('image'), titles: of('title') }
}

const TITLES_PER_PAGE = 5000

/** All titles, a page at a time, in the order of their ids. */
export async function* allTitles(
  scope: ShopScope,
): AsyncGenerator<{ id: string; title: string }[]> {
  for (let after = ''; ;) {
    const page = await scope.query<{ id: string; title: string }>(
      `select id, title from products where shop_id = :shop and id > :after order by id
        limit :most`,
      { after, most: TITLES_PER_PAGE },
    )
    if (page.length > 0) yield page
    if (page.length < TITLES_PER_PAGE) return
    after = lastOf(page).id
  }
}

/** The number of changes of the shop's mirror; 0: there is none yet. */
export async function generationOf(scope: ShopScope): Promise<number> {
  const [row] = await scope.query<{ generation: number }>(
    'select generation from catalog_mirrors where shop_id = :shop',
  )
  return row?.generation ?? 0
}

export async function findProduct(
  scope: ShopScope,
  productId: string,
  variantId: string | null,
): Promise<CatalogProduct | null> {
  if (!isText(productId) || !isText(variantId ?? '')) return null
  const [row] = await scope.query<{ product_title: string; variant: CatalogProduct['variant'] }>(
    `select p.title as product_title, case when v.id is not null
       then jsonb_build_object('id', v.id, 'title', v.title, 'sku', v.sku) end as variant
     from products p left join variants v on v.shop_id = p.shop_id and v.product_id = p.id
       and v.id = :variantId
     where p.shop_id = :shop and p.id = :productId`,
    { productId, variantId },
  )
  if (!row || (variantId !== null && row.variant === null)) return null
  return { product_id: productId, ...row }
}

/** The products with these ids or handles, of several with one handle the first; unknown ones are absent. */
export async function findProducts(
  scope: ShopScope,
  by: 'id' | 'handle',
  values: readonly string[],
): Promise<Map<string, NamedProduct>> {
  const asked = values.filter(isText)
  if (asked.length === 0) return new Map()
  const rows = await scope.query<NamedProduct & { value: string }>(
    `select distinct on (${by}) ${by} as value, id as product_id, title as product_title from products
     where shop_id = :shop and ${by} = any(:asked::text[]) order by ${by}, id`,
    { asked },
  )
  return new Map(rows.map(({ value, ...product }) => [value, product]))
}

/** PostgreSQL stores neither the character 0 nor half a surrogate pair. */
const isText = (text: string) => text.isWellFormed() && !text.includes('\u0000')
