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

// With graphql 16: the published schema does not pass the stricter validation of graphql 17.
export const adminSchema: GraphQLSchema = buildSchema(
  readFileSync(new URL('./schema.graphql', import.meta.url), 'utf8'),
)

type ListArguments = PageArguments & { query?: string | null; sortKey?: string | null }
const MAX_INPUTS = 250
const MAX_COUNTED = 10_000

/** The root value: functions named like the fields of QueryRoot and Mutation. */
export function createRoot(catalog: DemoCatalog, shop: DemoShop, orders: OrderStore) {
  const views = createViews(catalog)
  const catalogNode = nodeReader(catalog, views)
  const orderFields = createOrderFields(orders, catalogNode)
  const node = (id: string) => {
    if (id.startsWith('gid://shopify/Order/')) return orderFields.find(id)
    return id.startsWith('gid://shopify/Customer/') ? orderFields.findCustomer(id) : catalogNode(id)
  }
  const nodeOf = (type: string, id: string) => {
    const there = catalogNode(id)
    return there?.__typename === type ? there : null
  }
  return {
    shop: () => shopView(shop),
    ...orderFields,
    ...createListFields(catalog, views),
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
  }
}

type Views = ReturnType<typeof createViews>

const shopView = ({ name, email, domain }: DemoShop) => ({
  __typename: 'Shop',
  id: toGid('Shop', 1),
  name,
  email,
  myshopifyDomain: domain,
  ianaTimezone: 'Europe/London',
  currencyCode: 'GBP',
  primaryDomain: { localization: { defaultLocale: 'en' } },
})

/** Reads a product or a variant by its global id; null: there is none. */
function nodeReader({ products, variants }: DemoCatalog, views: Views) {
  const productRow = rowsById(products.id)
  const variantRow = rowsById(variants.id)
  return (id: string) => {
    if (!/^gid:\/\/shopify\/\w+\/\d+$/.test(id)) throw new GraphQLError(`Invalid global id '${id}'`)
    const product = productRow(readGid('Product', id))
    if (product !== undefined) return views.product(product)
    const variant = variantRow(readGid('ProductVariant', id))
    return variant === undefined ? null : views.variant(variant)
  }
}

/** The lists of products and variants, and their counts. */
function createListFields(catalog: DemoCatalog, views: Views) {
  const { products, variants } = catalog
  const lists = {
    products: { ids: products.id, ...productFields(catalog) },
    productVariants: { ids: variants.id, ...variantFields(catalog) },
  }
  const find = (
    name: keyof typeof lists,
    query: string | null | undefined,
    notes: Notes,
  ): number[] => {
    const { ids, all, anywhere } = lists[name]
    const rows = ids.length
    const { found, warnings } = search(parseSearch(query ?? ''), all, anywhere, rows)
    if (warnings.length > 0) notes.search.push({ path: [name], query: query ?? '', warnings })
    return found ?? Array.from({ length: rows }, (_, row) => row)
  }
  return {
    products: (page: ListArguments, notes: Notes) =>
      listOf(
        find('products', page.query, notes),
        productOrder(catalog, page.sortKey),
        page,
        views.product,
        notes,
      ),
    productVariants: (page: ListArguments, notes: Notes) =>
      listOf(
        find('productVariants', page.query, notes),
        variantOrder(catalog, page.sortKey),
        page,
        views.variant,
        notes,
      ),
    productsCount: ({ query, limit }: { query?: string; limit?: number | null }, notes: Notes) =>
      countOf(find('products', query, notes).length, limit),
    // The platform's search does not apply to counts.
    productVariantsCount: ({ limit }: { limit?: number | null }) =>
      countOf(variants.id.length, limit),
  }
}

/** A page of the rows; for a bulk query, a piece of them. */
function listOf<View>(
  rows: number[],
  order: Order,
  page: PageArguments,
  view: (row: number) => View,
  { bulk }: Notes,
) {
  if (!bulk) return connect(rows, order, page, view)
  bulk.rows = rows.length
  return everyRow(rows.slice(bulk.from, bulk.to), view)
}

function countOf(rows: number, limit: number | null | undefined) {
  const max = limit === undefined ? MAX_COUNTED : (limit ?? Infinity)
  return { count: Math.min(rows, max), precision: rows > max ? 'AT_LEAST' : 'EXACT' }
}

/** Built on first use: most runs never look up a row by its id. */
function rowsById(ids: readonly number[]): (id: number | null) => number | undefined {
  let rows = new Map<number, number>()
  return (id) => {
    // Products are added, and none is removed.
    if (rows.size < ids.length) rows = new Map(ids.map((one, row) => [one, row]))
    return id === null ? undefined : rows.get(id)
  }
}
