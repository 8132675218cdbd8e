// Finds exact SKUs by the platform's search, which ignores case and may match more: it gives
// candidates, page by page, which are compared here: exactly, then ignoring case if they belong to
// one product.
import { nameKey, PortError, say, type CatalogVariant } from '../../plugins/contract.ts'
import type { AdminRequest, PlatformPage } from './admin-api.ts'
import { FIND_VARIANTS_BY_SKU } from './operations.ts'
import { present } from '../core/present.ts'
import { skuKey } from '../core/sku-key.ts'

export type VariantsBySku = ReadonlyMap<string, readonly CatalogVariant[]>

interface Page {
  productVariants: PlatformPage<{
    id: string
    sku: string | null
    title: string
    product: { id: string; title: string }
  }>
}

/** The platform takes no more than this many rows a page. */
export const MAX_SKU_ROWS = 250
// Later pages contain only duplicates and near misses, usually few.
const LATER_ROWS = 100
const MAX_PAGES = 12

/** A connection costs 2 points, and a variant with its product 2. */
const pointsFor = (first: number) => 2 + 2 * first

/** A search value that matches exactly this text: quoted, with special characters escaped. */
export const quoteSearchValue = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** The platform's search tells the forms of a text apart that `skuKey` does not. */
const formsOf = (sku: string): string[] => {
  const text = sku.trim()
  const plain = skuKey(text) === nameKey(text) ? [] : [skuKey(text)]
  return [...new Set([text, text.normalize('NFC'), text.normalize('NFD'), ...plain])]
}

/**
 * The variants that have these SKUs, in the platform's order. If no variant matches exactly: those
 * that differ in case or in spaces around the SKU, if they belong to one product. Throws
 * `PortError`.
 * @param skus at most `MAX_ROWS`, each once.
 */
export async function searchSkus(
  request: AdminRequest,
  skus: readonly string[],
  signal: AbortSignal,
): Promise<VariantsBySku> {
  const found = new Map<string, CatalogVariant[]>(skus.map((sku) => [sku, []]))
  const loose = new Map<string, CatalogVariant[]>(skus.map((sku) => [skuKey(sku), []]))
  const terms = skus.flatMap(formsOf).map((text) => `sku:${quoteSearchValue(text)}`)
  const query = terms.join(' OR ')
  let after: string | null = null
  for (let page = 1; ; page++) {
    const first = page === 1 ? Math.min(Math.ceil(skus.length * 1.02), MAX_SKU_ROWS) : LATER_ROWS
    const variables = { query, first, after }
    const data: Page = await request<Page>(
      FIND_VARIANTS_BY_SKU,
      variables,
      pointsFor(first),
      signal,
    )
    for (const { id, sku, title, product } of data.productVariants.nodes) {
      if (sku === null) continue
      const variant = {
        product_id: product.id,
        product_title: product.title,
        variant_id: id,
        variant_title: title,
        sku,
      }
      found.get(sku)?.push(variant)
      loose.get(skuKey(sku))?.push(variant)
    }
    const { hasNextPage, endCursor } = data.productVariants.pageInfo
    if (!hasNextPage || endCursor === null) return withLoose(found, loose)
    if (page === MAX_PAGES) return tooLoose(request, skus, found, signal)
    after = endCursor
  }
}

function withLoose(found: VariantsBySku, loose: VariantsBySku): VariantsBySku {
  const isOne = (variants: readonly CatalogVariant[]) =>
    new Set(variants.map(({ product_id }) => product_id)).size === 1
  return new Map(
    [...found].map(([sku, exact]) => {
      const near = present(loose.get(skuKey(sku)), sku)
      return [sku, exact.length === 0 && isOne(near) ? near : exact]
    }),
  )
}

/**
 * Handles a SKU that matches very many others in the search: it must not make the other SKUs of the
 * query fail.
 */
async function tooLoose(
  request: AdminRequest,
  skus: readonly string[],
  found: VariantsBySku,
  signal: AbortSignal,
): Promise<VariantsBySku> {
  const [sku, ...others] = skus
  if (sku !== undefined && others.length === 0) {
    // These matches are exact, but there may be more.
    if (present(found.get(sku), sku).length > 0) return found
    throw new PortError(
      'storefront_unavailable',
      say('The storefront’s search finds too much for the SKU {sku}', { sku }),
      false,
    )
  }
  const half = Math.ceil(skus.length / 2)
  const halves = [skus.slice(0, half), skus.slice(half)]
  const parts: VariantsBySku[] = []
  for (const part of halves) parts.push(await searchSkus(request, part, signal))
  return new Map(parts.flatMap((part) => [...part]))
}
