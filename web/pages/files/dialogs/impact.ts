// What a deletion would touch beside the files themselves: products that they are mapped to, links that work today.
import { useQueries } from '@tanstack/react-query'
import { fileQuery, useFiles } from '../../../client/queries.ts'
import { type Chosen } from '../selection.ts'

/** null: not known. */
export interface Impact {
  /** How many of the files are mapped to a product. */
  mapped: number | null
  /** To how many products together. */
  products: number | null
  /** Links to them that work. */
  links: number | null
}

/** Above this the links of each are not asked for. */
const MOST_ASKED = 20

export function useImpact({ select, files, known }: Chosen): Impact {
  const filter = 'filter' in select && !known ? select.filter : null
  const counted = useFiles({ ...filter, mapped: true, limit: 1 }, false, filter !== null && filter.mapped === undefined)
  const links = useLiveLinks(known && files.length <= MOST_ASKED ? files.map(({ id }) => id) : [])
  if (filter) {
    const mapped = filter.mapped === false ? 0 : filter.mapped ? null : (counted.data?.total ?? null)
    return { mapped, products: null, links: null }
  }
  const products = new Set(files.flatMap(({ mappings }) => mappings.map(({ product_id }) => product_id)))
  return { mapped: files.filter(({ mappings }) => mappings.length > 0).length, products: products.size, links }
}

/** null while it is not known of each. */
function useLiveLinks(ids: readonly string[]): number | null {
  const details = useQueries({ queries: ids.map(fileQuery) })
  const counts = details.map(({ data }) => data?.links_active)
  if (counts.length === 0 || counts.includes(undefined)) return null
  return counts.reduce<number>((sum, count) => sum + count!, 0)
}
