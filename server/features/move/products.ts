// Finds the products of this shop that another app names: by the platform's id, the SKU, the handle or
// the title, in this order. Only a product that is the only one counts.
import { nameKey, say, type Mapping, type Text } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { nextTurn } from '../../core/turn.ts'
import { variantsBySkuKey, type MirroredVariant } from '../../storefront/mirror/lookup.ts'
import type { NamedProduct } from './order-cells.ts'

export type MatchedBy = 'id' | 'sku' | 'handle' | 'title'

export interface MatchedProduct {
  by: MatchedBy
  mapping: Mapping
}

interface MirroredProduct {
  id: string
  title: string
  title_key: string
  handle: string
}

const LOOKED_UP = 5000

/** Finds the product that another app names; null: none, or several. */
export type FindProduct = (named: NamedProduct) => MatchedProduct | null

const skuKeyOf = (sku: string): string => nameKey(sku.trim())

const platformId = (id: string) => (id.startsWith('gid://') ? id : `gid://shopify/Product/${id}`)

/** Apps whose ids of products are the platform's; those of others are only numbers that look alike. */
const PLATFORM_APPS: ReadonlySet<string> = new Set(['shopify', 'other'])

/** Looks all of them up in the mirror of the catalog. */
export async function productFinder(
  scope: ShopScope,
  app: string,
  given: readonly NamedProduct[],
): Promise<FindProduct> {
  const own = ({ id, ...product }: NamedProduct): NamedProduct =>
    id !== undefined && PLATFORM_APPS.has(app) ? { ...product, id } : product
  await nextTurn()
  const named = given.map(own)
  const skus = await variantsOf(scope, unique(named.flatMap(({ sku }) => sku ?? [])))
  const products = {
    id: await productsWith(
      scope,
      'id',
      unique(
        named.flatMap(({ id }) => id ?? []),
        platformId,
      ),
    ),
    handle: await productsWith(
      scope,
      'handle',
      unique(named.flatMap(({ handle }) => handle ?? [])),
    ),
    title: await productsWith(
      scope,
      'title_key',
      unique(
        named.flatMap(({ titles }) => titles),
        nameKey,
      ),
    ),
  }
  const one = (by: keyof typeof products, key: string, reason: Text) => {
    const [product, ...others] = products[by].get(key) ?? []
    if (!product || others.length > 0) return null
    const about = { product_id: product.id, product_title: product.title, variant_id: null }
    const method = by === 'title' ? ('title' as const) : ('manual' as const)
    return { by, mapping: { ...about, sku: null, method, score: 1, reason } }
  }
  const find = ({ id, sku, handle, titles }: NamedProduct) =>
    (id === undefined
      ? null
      : one('id', platformId(id), say('The export names the product {name}', { name: id }))) ??
    (sku === undefined ? null : ofSku(skus.get(skuKeyOf(sku)) ?? [], sku)) ??
    (handle === undefined
      ? null
      : one('handle', handle, say('The export names the handle {name}', { name: handle }))) ??
    titles
      .map((title) =>
        one('title', nameKey(title), say('The export names the title {name}', { name: title })),
      )
      .find((found) => found !== null) ??
    null
  return (product) => find(own(product))
}

const unique = (texts: readonly string[], key = (text: string) => text) => [
  ...new Set(texts.map(key)),
]

async function variantsOf(scope: ShopScope, skus: readonly string[]) {
  const found: MirroredVariant[] = []
  const keys = unique(skus, skuKeyOf)
  for (let from = 0; from < keys.length; from += LOOKED_UP)
    found.push(...(await variantsBySkuKey(scope, keys.slice(from, from + LOOKED_UP))))
  return Map.groupBy(found, ({ key }) => key)
}

async function productsWith(
  scope: ShopScope,
  column: 'id' | 'handle' | 'title_key',
  values: readonly string[],
): Promise<ReadonlyMap<string, readonly MirroredProduct[]>> {
  const found: MirroredProduct[] = []
  for (let from = 0; from < values.length; from += LOOKED_UP)
    found.push(
      ...(await scope.query<MirroredProduct>(
        `select id, title, title_key, handle from products
         where shop_id = :shop and ${column} = any(:values::text[])`,
        { values: values.slice(from, from + LOOKED_UP) },
      )),
    )
  return Map.groupBy(found, (product) => product[column])
}

/** The variant with the SKU, or the whole product if several of its variants have it. */
function ofSku(variants: readonly MirroredVariant[], sku: string): MatchedProduct | null {
  const [variant, ...others] = variants
  if (!variant || others.some(({ product_id }) => product_id !== variant.product_id)) return null
  return {
    by: 'sku',
    mapping: {
      product_id: variant.product_id,
      product_title: variant.product_title,
      sku: variant.sku,
      variant_id: others.length === 0 ? variant.variant_id : null,
      method: 'sku',
      score: 1,
      reason: say('The import names the SKU {sku}', { sku: sku.trim() }),
    },
  }
}

/** What identifies the download or the product in other exports, the most exact first. */
export const refsOf = (
  app: string,
  { id, sku, titles, handle }: NamedProduct,
  download?: string,
): string[] => [
  ...(download === undefined ? [] : [`${app} download:${download}`]),
  ...(id === undefined ? [] : [`${app} id:${id}`]),
  ...(sku === undefined ? [] : [`sku:${skuKeyOf(sku)}`]),
  ...(handle === undefined ? [] : [`handle:${handle}`]),
  ...titles.map((title) => `title:${nameKey(title)}`),
]
