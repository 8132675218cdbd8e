// SKUs in another spelling: they count only for what is no SKU of the shop itself, and only if one SKU
// of the shop can be meant.
import { otherSkuKeys, partsKey, skuKey } from '../core/sku-key.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { variantsBySpelling, type SpelledVariant } from '../storefront/mirror/lookup.ts'

/**
 * The variants whose SKU may be meant by each key; keys without one are absent.
 * @param keys in the form of `partsKey`
 */
export async function spelledVariants(
  scope: ShopScope,
  keys: readonly string[],
): Promise<ReadonlyMap<string, readonly SpelledVariant[]>> {
  const others = new Map(keys.map((key) => [key, otherSkuKeys(key).map(partsKey)] as const))
  const variants = await variantsBySpelling(scope, [...others.keys()], [...others.values()].flat())
  const known = Map.groupBy(
    variants.flatMap((variant) =>
      [variant.key, ...variant.others].map((key) => ({ key, variant })),
    ),
    ({ key }) => key,
  )
  if (variants.length === 0) return new Map()
  const found = [...others].map(([key, own]) => {
    const same = [key, ...own].flatMap((one) => known.get(one) ?? [])
    return [key, [...new Set(same.map(({ variant }) => variant))]] as const
  })
  return new Map(found.filter(([, own]) => own.length > 0))
}

export const haveOneSku = (variants: readonly { sku: string }[]): boolean =>
  new Set(variants.map(({ sku }) => skuKey(sku))).size === 1

/** The variants with the one SKU that each of these means in another spelling. */
export async function findSpelledSkus(
  scope: ShopScope,
  skus: readonly string[],
): Promise<Map<string, readonly SpelledVariant[]>> {
  const keys = new Map(skus.map((sku) => [sku, partsKey(skuKey(sku))] as const))
  const found = await spelledVariants(scope, [...new Set(keys.values())])
  return new Map(
    [...keys].flatMap(([sku, key]) => {
      const variants = found.get(key) ?? []
      return haveOneSku(variants) ? [[sku, variants] as const] : []
    }),
  )
}
