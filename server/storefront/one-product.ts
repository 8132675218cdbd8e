// Reads one product of a shop with its variants for the mirror, when the platform reports that it
// changed.
import type { AdminRequest, PlatformPage } from './admin-api.ts'
import { PRODUCT_BY_ID } from './operations.ts'
import { rowOf, type CatalogRow, type Line } from './whole-catalog.ts'

interface ProductNode extends Line {
  variants: PlatformPage<Line>
}

const VARIANTS_PER_PAGE = 250
const POINTS = VARIANTS_PER_PAGE + 6

/**
 * The row of a product and those of its variants; null: the platform has no such product. Throws
 * `PortError`.
 */
export async function readProduct(
  request: AdminRequest,
  id: string,
  signal: AbortSignal,
): Promise<readonly CatalogRow[] | null> {
  const rows: CatalogRow[] = []
  let page = { hasNextPage: true, endCursor: null as string | null }
  while (page.hasNextPage) {
    const { product } = await request<{ product: ProductNode | null }>(
      PRODUCT_BY_ID,
      { id, first: VARIANTS_PER_PAGE, after: page.endCursor },
      POINTS,
      signal,
    )
    if (!product) return null
    if (rows.length === 0) rows.push(rowOf(product))
    rows.push(...product.variants.nodes.map((node) => rowOf({ ...node, __parentId: id })))
    page = product.variants.pageInfo
  }
  return rows
}
