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
  method: 'sku' | 'rule' = 'sku',
): SkuHits | null {
  const products = [...Map.groupBy(variants, ({ product_id }) => product_id).values()]
  const [first, ...others] = products.flatMap(([variant, ...more]): Mapping[] =>
    variant
      ? [
          {
            product_id: variant.product_id,
            product_title: variant.product_title,
            variant_id: more.length === 0 ? variant.variant_id : null,
            sku: variant.sku,
            method,
            score: 1,
            reason,
          },
        ]
      : [],
  )
  return first ? [first, ...others] : null
}
