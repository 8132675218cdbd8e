// How the demo platform creates a product: the mutation `productSet`, and the query that finds a
// product by its handle or id.
import type { DemoCatalog } from './catalog.ts'
import { readGid } from './catalog-ids.ts'
import type { createViews } from './admin-views.ts'
import { elementAt } from '../core/lazy.ts'

interface Identifier {
  handle?: string | null
  id?: string | null
}

interface ProductInput {
  handle?: string | null
  title?: string | null
  status?: string | null
  tags?: readonly string[] | null
  variants?: readonly { price?: string | null; sku?: string | null }[] | null
}

/** As on the platform. */
const MAX_TITLE = 255

/** @param created is called with the id of each new product */
export function createProductFields(
  catalog: DemoCatalog,
  views: Pick<ReturnType<typeof createViews>, 'product'>,
  created: (id: number) => void,
) {
  const { products } = catalog
  const rowOf = ({ handle, id }: Identifier): number =>
    typeof id === 'string'
      ? products.id.indexOf(readGid('Product', id) ?? -1)
      : products.handle.indexOf(handle ?? '')
  const refused = (field: string, message: string) => ({
    product: null,
    userErrors: [{ field: ['input', field], message }],
  })
  return {
    productByIdentifier: ({ identifier }: { identifier: Identifier }) => {
      const row = rowOf(identifier)
      return row === -1 ? null : views.product(row)
    },
    productSet: ({ identifier, input }: { identifier?: Identifier; input: ProductInput }) => {
      const there = rowOf(identifier ?? {})
      const title = input.title?.trim() ?? ''
      if (there !== -1) {
        if (title !== '') products.title[there] = title
        return { product: views.product(there), userErrors: [] }
      }
      if (title === '') return refused('title', 'Title can’t be blank')
      if (title.length > MAX_TITLE)
        return refused('title', `Title is too long (maximum is ${MAX_TITLE} characters)`)
      const [variant] = input.variants ?? []
      const handle = input.handle ?? title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
      const row = catalog.add({
        handle,
        title,
        status: input.status ?? 'ACTIVE',
        tags: input.tags ?? [],
        price: variant?.price ?? '0.00',
        sku: variant?.sku ?? '',
      })
      const product = views.product(row)
      created(elementAt(products.id, row))
      return { product, userErrors: [] }
    },
  }
}
