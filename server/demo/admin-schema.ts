// The demo platform's Admin API over a catalog: resolvers of the fields of schema.graphql.
import { readFileSync } from 'node:fs'
import { buildSchema, GraphQLError, type GraphQLSchema } from 'graphql'
import type { DemoShop } from './app.ts'
import { readGid, toGid } from './catalog-ids.ts'
import type { DemoCatalog } from './catalog.ts'
import { productFields, variantFields } from './admin-search.ts'
import { createViews, productOrder, variantOrder, type Notes } from './admin-views.ts'
import { badRequest, connect, everyRow, type Order, type PageArguments } from './connection.ts'
import { createOrderFields } from './orders/admin-orders.ts'
import type { OrderStore } from './orders/store.ts'
import { search } from './search.ts'
import { parseSearch } from './search-query.ts'

export const adminSchema: GraphQLSchema = buildSchema(
  readFileSync(new URL('./schema.graphql', import.meta.url), 'utf8'),
)

type ListArguments = PageArguments & { query?: string | null; sortKey?: string | null }
const MAX_INPUTS = 250
const MAX_COUNTED = 10_000

/** The root value: functions named like the fields of QueryRoot. */
export function createRoot(catalog: DemoCatalog, shop: DemoShop, orders: OrderStore) {
  const { products, variants } = catalog
  const views = createViews(catalog)
  const rowOf = { Product: rowsById(products.id), ProductVariant: rowsById(variants.id) }
  const fields = { products: productFields(catalog), productVariants: variantFields(catalog) }

  const catalogNode = (id: string) => {
    if (!/^gid:\/\/shopify\/\w+\/\d+$/.test(id)) throw new GraphQLError(`Invalid global id '${id}'`)
    const [product, variant] = [
      rowOf.Product(readGid('Product', id)),
      rowOf.ProductVariant(readGid('ProductVariant', id)),
    ]
    if (product !== undefined) return views.product(product)
    return variant === undefined ? null : views.variant(variant)
  }
  const orderFields = createOrderFields(orders, catalogNode)
  const node = (id: string) =>
    id.startsWith('gid://shopify/Order/') ? orderFields.find(id) : catalogNode(id)
  const nodeOf = (type: string, id: string) => {
    const there = catalogNode(id)
    return there?.__typename === type ? there : null
  }
  const find = (
    name: keyof typeof fields,
    query: string | null | undefined,
    notes: Notes,
  ): number[] => {
    const { length } = { products, productVariants: variants }[name].id
    const { all, anywhere } = fields[name]
    const { found, warnings } = search(parseSearch(query ?? ''), all, anywhere, length)
    if (warnings.length > 0) notes.search.push({ path: [name], query: query!, warnings })
    return found ?? Array.from({ length }, (_, row) => row)
  }
  const list = <View>(
    rows: number[],
    order: Order,
    page: PageArguments,
    view: (row: number) => View,
    { bulk }: Notes,
  ) => {
    if (!bulk) return connect(rows, order, page, view)
    bulk.rows = rows.length
    return everyRow(rows.slice(bulk.from, bulk.to), view)
  }
  const count = (rows: number, limit: number | null | undefined) => {
    const max = limit === undefined ? MAX_COUNTED : (limit ?? Infinity)
    return { count: Math.min(rows, max), precision: rows > max ? 'AT_LEAST' : 'EXACT' }
  }

  return {
    shop: () => ({
      __typename: 'Shop',
      id: toGid('Shop', 1),
      name: shop.name,
      email: shop.email,
      myshopifyDomain: shop.domain,
      ianaTimezone: 'Europe/London',
      currencyCode: 'GBP',
    }),
    ...orderFields,
    node: ({ id }: { id: string }) => node(id),
    nodes: ({ ids }: { ids: string[] }) => {
      if (ids.length > MAX_INPUTS)
        throw badRequest(
          `The input array size of ${ids.length} is greater than the maximum allowed of ${MAX_INPUTS}.`,
        )
      return ids.map(node)
    },
    product: ({ id }: { id: string }) => nodeOf('Product', id),
    productVariant: ({ id }: { id: string }) => nodeOf('ProductVariant', id),
    products: (page: ListArguments, notes: Notes) =>
      list(
        find('products', page.query, notes),
        productOrder(catalog, page.sortKey),
        page,
        views.product,
        notes,
      ),
    productVariants: (page: ListArguments, notes: Notes) =>
      list(
        find('productVariants', page.query, notes),
        variantOrder(catalog, page.sortKey),
        page,
        views.variant,
        notes,
      ),
    productsCount: ({ query, limit }: { query?: string; limit?: number | null }, notes: Notes) =>
      count(find('products', query, notes).length, limit),
    // The platform's search does not apply to counts.
    productVariantsCount: ({ limit }: { limit?: number | null }) =>
      count(variants.id.length, limit),
  }
}

/** Built on first use: most runs never look up a row by its id. */
function rowsById(ids: readonly number[]): (id: number | null) => number | undefined {
  let rows: Map<number, number> | null = null
  return (id) => {
    rows ??= new Map(ids.map((one, row) => [one, row]))
    return id === null ? undefined : rows.get(id)
  }
}
