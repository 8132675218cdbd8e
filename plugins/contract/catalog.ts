// The port to the shop's products, and how files are matched with them.
import type { FileView, Mapping, Candidate } from './item.ts'
import type { NameRule } from './name-rule.ts'

export interface CatalogVariant {
  product_id: string
  product_title: string
  variant_id: string
  variant_title: string
  sku: string
}

export const MATCH_METHODS = ['sku', 'filename', 'title', 'tags'] as const
export type MatchMethod = (typeof MATCH_METHODS)[number]

/**
 * How a file is matched by guessing: these methods in this order, and the least score, from 0 to 1.
 */
export interface MatchRules {
  by: readonly MatchMethod[]
  threshold: number
  /** Whether only a SKU at the start of the name counts, and none that may be a word or a year. */
  start_only?: boolean
}

/**
 * The result for one file: its mapping, or several candidates to choose from, or suggestions with
 * too low a score, or nothing.
 */
export interface Match {
  mapping: Mapping | null
  candidates: readonly Candidate[]
  suggestions: readonly Candidate[]
}

export interface NamedProduct {
  product_id: string
  product_title: string
}

export interface CatalogProduct {
  product_id: string
  product_title: string
  /** The requested variant, or null: the whole product. */
  variant: { id: string; title: string; sku: string | null } | null
}

/** The shop's catalog. Throws `PortError` if it cannot be reached. */
export interface Catalog {
  /**
   * The variants of each SKU in the live catalog; a SKU may have several. Without an exact match:
   * those of the one product whose SKU differs only in case or in spaces around it. Unknown SKUs
   * are absent.
   */
  findBySku(
    skus: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly CatalogVariant[]>>
  /**
   * The same for SKUs that the live catalog does not have: the variants of the only SKU that each may
   * be in another spelling (letters of another script that look alike, `ae` for `ä`). Others are absent.
   */
  findBySpelling(
    skus: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly CatalogVariant[]>>
  /** Guesses products by names and tags. Returns one match for each file, in their order. */
  match(
    files: readonly Pick<FileView, 'filename' | 'tags'>[],
    rules: MatchRules,
    signal: AbortSignal,
  ): Promise<readonly Match[]>
  /** The shop's rules about names, in its order. */
  rules(signal: AbortSignal): Promise<readonly NameRule[]>
  /** The products with these ids or handles; unknown ones are absent. */
  findProducts(
    by: 'id' | 'handle',
    values: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, NamedProduct>>
  /** Finds a product, or a variant of it. Null: the catalog has no such product or variant. */
  findProduct(
    productId: string,
    variantId: string | null,
    signal: AbortSignal,
  ): Promise<CatalogProduct | null>
}
