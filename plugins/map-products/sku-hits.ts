// The products that variants with one SKU belong to.
import type { AnyText, CatalogVariant, Mapping } from '../contract.ts'

/** The products that a SKU means, at least one. */
export type SkuHits = readonly [Mapping, ...Mapping[]]

/**
 * One hit for each product: the variant with that SKU, or the whole product where several of its
 * variants share it. Null: no variant has the SKU.
 */
export function mappingsOfSku(
  variants: readonly CatalogVariant[],
  reason: AnyText,
): SkuHits | null {
  const products = [...Map.groupBy(variants, ({ product_id }) => product_id).values()]
  const [first, ...others] = products.flatMap(([variant, ...more]) =>
    variant ? [mappingOf(variant, more.length === 0, reason)] : [],
  )
  return first ? [first, ...others] : null
}

const mappingOf = (variant: CatalogVariant, alone: boolean, reason: AnyText): Mapping => ({
  product_id: variant.product_id,
  product_title: variant.product_title,
  variant_id: alone ? variant.variant_id : null,
  sku: variant.sku,
  method: 'sku',
  score: 1,
  reason,
})
