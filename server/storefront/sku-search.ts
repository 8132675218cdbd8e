// SKUs from a search that is not exact: the platform's search folds case and may be looser still,
// so it gives us candidates, page by page, and we compare: exactly, then without case where one
// product has it.
import { nameKey, PortError, type CatalogVariant } from '../../plugins/contract.ts'
import type { AdminRequest } from './admin-api.ts'
import { FIND_VARIANTS_BY_SKU } from './operations.ts'

export type Found = ReadonlyMap<string, readonly CatalogVariant[]>

interface Page {
  productVariants: {
    nodes: {
      id: string
      sku: string | null
      title: string
      product: { id: string; title: string }
    }[]
    pageInfo: { hasNextPage: boolean; endCursor: string | null }
  }
}

/** The platform takes no more than this many rows a page. */
export const MOST_SKU_ROWS = 250
// What comes after the first page is only duplicates and near misses: rarely many.
const LATER_ROWS = 100
const MOST_PAGES = 12

/** A connection is charged 2 points, and a variant with its product 2. */
const pointsFor = (first: number) => 2 + 2 * first

/**
 * A search value that stands for exactly this text: quoted, with what a quoted value gives a
 * meaning escaped.
 */
export const quoteSearchValue = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** SKUs that are the same but for case and the spaces around them. */
const looseKey = (sku: string) => nameKey(sku.trim())

/**
 * The variants that have these SKUs, in the platform's order. Where none has one exactly: those
 * that differ in case or in spaces around it, if they are one product's. Throws `PortError`.
 * @param skus at most `MOST_ROWS`, each once.
 */
export async function searchSkus(
  request: AdminRequest,
  shop: number,
  skus: readonly string[],
  signal: AbortSignal,
): Promise<Found> {
  const found = new Map<string, CatalogVariant[]>(skus.map((sku) => [sku, []]))
  const loose = new Map<string, CatalogVariant[]>(skus.map((sku) => [looseKey(sku), []]))
  const query = skus.map((sku) => `sku:${quoteSearchValue(sku.trim())}`).join(' OR ')
  let after: string | null = null
  for (let page = 1; ; page++) {
    const first = page === 1 ? Math.min(Math.ceil(skus.length * 1.02), MOST_SKU_ROWS) : LATER_ROWS
    const variables = { query, first, after }
    const data: Page = await request<Page>(
      shop,
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
      loose.get(looseKey(sku))?.push(variant)
    }
    const { hasNextPage, endCursor } = data.productVariants.pageInfo
    if (!hasNextPage || endCursor === null) return withLoose(found, loose)
    if (page === MOST_PAGES) return tooLoose(request, shop, skus, found, signal)
    after = endCursor
  }
}

function withLoose(found: Found, loose: Found): Found {
  const isOne = (variants: readonly CatalogVariant[]) =>
    new Set(variants.map(({ product_id }) => product_id)).size === 1
  return new Map(
    [...found].map(([sku, exact]) => {
      const near = loose.get(looseKey(sku))!
      return [sku, exact.length === 0 && isOne(near) ? near : exact]
    }),
  )
}

/**
 * One SKU that the search takes for very many others must not cost those beside it their answer.
 */
async function tooLoose(
  request: AdminRequest,
  shop: number,
  skus: readonly string[],
  found: Found,
  signal: AbortSignal,
): Promise<Found> {
  if (skus.length === 1) {
    // What was found is exact; that it is all, nobody can say.
    if (found.get(skus[0]!)!.length > 0) return found
    throw new PortError(
      'storefront_unavailable',
      `The storefront’s search finds too much for the SKU ${skus[0]}`,
      false,
    )
  }
  const half = Math.ceil(skus.length / 2)
  const halves = [skus.slice(0, half), skus.slice(half)]
  const parts: Found[] = []
  for (const part of halves) parts.push(await searchSkus(request, shop, part, signal))
  return new Map(parts.flatMap((part) => [...part]))
}
