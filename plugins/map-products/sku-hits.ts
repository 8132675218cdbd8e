// The products that variants with one SKU belong to.
import type { CatalogVariant, Mapping } from '../contract.ts'

/**
 * One hit for each product: the variant with that SKU, or the whole product where several of its
 * variants share it.
 */
export const mappingsOfSku = (variants: readonly CatalogVariant[], reason: string): Mapping[] =>
  [...Map.groupBy(variants, ({ product_id }) => product_id).values()].map((same) => ({
    product_id: same[0]!.product_id,
    product_title: same[0]!.product_title,
    variant_id: same.length === 1 ? same[0]!.variant_id : null,
    sku: same[0]!.sku,
    method: 'sku',
    score: 1,
    reason,
  }))
