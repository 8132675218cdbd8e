// What a deletion would affect in addition to the files: their products and working links.
import { useFilesImpact } from '../../../shell/client/queries.ts'
import { type ActionFiles } from '../selection.ts'

/** null: unknown. */
export interface Impact {
  /** How many of the files are mapped to a product. */
  mapped: number | null
  /** The number of products to which the files are mapped. */
  products: number | null
  /** Working links to them. */
  links: number | null
  /** Paid deliveries that contain one of them. */
  paid: number | null
  /** The answer is being loaded. */
  asking: boolean
}

/**
 * If all files are loaded in the page, their own data is shown until the answer arrives.
 */
export function useImpact({ select, files, known }: ActionFiles): Impact {
  const { data, isFetching } = useFilesImpact(select)
  if (data)
    return {
      mapped: data.mapped,
      products: data.products,
      links: data.live_links,
      paid: data.paid_deliveries,
      asking: false,
    }
  if (!known) return { mapped: null, products: null, links: null, paid: null, asking: isFetching }
  const products = new Set(
    files.flatMap(({ mappings }) => mappings.map(({ product_id }) => product_id)),
  )
  const mapped = files.filter(({ mappings }) => mappings.length > 0).length
  return { mapped, products: products.size, links: null, paid: null, asking: false }
}
