// The stand-in's Admin API over a catalog: what each field of schema.graphql answers.
import { readFileSync } from 'node:fs'
import { buildSchema, GraphQLError, type GraphQLSchema } from 'graphql'
import type { DemoShop } from './app.ts'
import { readGid, toGid } from './catalog-ids.ts'
import type { DemoCatalog } from './catalog.ts'
import { badRequest, connect, type Order, type PageArguments } from './connection.ts'
import {
  anyOf,
  indexed,
  keyword,
  ordered,
  search,
  words,
  type Field,
  type Fields,
  type SearchWarning,
} from './search.ts'
import { parseSearch } from './search-query.ts'

export const adminSchema: GraphQLSchema = buildSchema(
  readFileSync(new URL('./schema.graphql', import.meta.url), 'utf8'),
)

/** What an execution gathers beside its data. */
export interface Notes {
  search: { path: string[]; query: string; warnings: SearchWarning[] }[]
}

type ListArguments = PageArguments & { query?: string | null; sortKey?: string | null }
const MOST_INPUTS = 250
const MOST_COUNTED = 10_000

/** The root value: functions named as the fields of QueryRoot. */
export function createRoot(catalog: DemoCatalog, shop: DemoShop) {
  const { products, variants } = catalog
  const views = createViews(catalog)
  const rowOf = { Product: rowsById(products.id), ProductVariant: rowsById(variants.id) }
  const fields = { products: productFields(catalog), productVariants: variantFields(catalog) }

  const node = (id: string) => {
    if (!/^gid:\/\/shopify\/\w+\/\d+$/.test(id)) throw new GraphQLError(`Invalid global id '${id}'`)
    const [product, variant] = [
      rowOf.Product(readGid('Product', id)),
      rowOf.ProductVariant(readGid('ProductVariant', id)),
    ]
    if (product !== undefined) return views.product(product)
    return variant === undefined ? null : views.variant(variant)
  }
  const nodeOf = (type: string, id: string) => {
    const there = node(id)
    return there?.__typename === type ? there : null
  }
  const find = (name: keyof typeof fields, query: string | null | undefined, notes: Notes): number[] => {
    const { length } = { products, productVariants: variants }[name].id
    const { all, anywhere } = fields[name]
    const { found, warnings } = search(parseSearch(query ?? ''), all, anywhere, length)
    if (warnings.length > 0) notes.search.push({ path: [name], query: query!, warnings })
    return found ?? Array.from({ length }, (_, row) => row)
  }
  const count = (rows: number, limit: number | null | undefined) => {
    const most = limit === undefined ? MOST_COUNTED : (limit ?? Infinity)
    return { count: Math.min(rows, most), precision: rows > most ? 'AT_LEAST' : 'EXACT' }
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
    node: ({ id }: { id: string }) => node(id),
    nodes: ({ ids }: { ids: string[] }) => {
      if (ids.length > MOST_INPUTS)
        throw badRequest(`The input array size of ${ids.length} is greater than the maximum allowed of ${MOST_INPUTS}.`)
      return ids.map(node)
    },
    product: ({ id }: { id: string }) => nodeOf('Product', id),
    productVariant: ({ id }: { id: string }) => nodeOf('ProductVariant', id),
    products: (list: ListArguments, notes: Notes) =>
      connect(find('products', list.query, notes), productOrder(catalog, list.sortKey), list, views.product),
    productVariants: (list: ListArguments, notes: Notes) =>
      connect(find('productVariants', list.query, notes), variantOrder(catalog, list.sortKey), list, views.variant),
    productsCount: ({ query, limit }: { query?: string; limit?: number | null }, notes: Notes) =>
      count(find('products', query, notes).length, limit),
    // The platform has no search fields here.
    productVariantsCount: ({ limit }: { limit?: number | null }) => count(variants.id.length, limit),
  }
}

interface ProductView {
  __typename: 'Product'
  [field: string]: unknown
}

function createViews(catalog: DemoCatalog) {
  const { products, variants } = catalog
  const at = catalog.changedAt.toISOString()
  const variant = (row: number) => {
    const owner = variants.product[row]!
    return {
      __typename: 'ProductVariant',
      id: toGid('ProductVariant', variants.id[row]!),
      legacyResourceId: String(variants.id[row]),
      sku: variants.sku[row] === '' ? null : variants.sku[row],
      title: variants.title[row],
      displayName: `${products.title[owner]} - ${variants.title[row]}`,
      barcode: variants.barcode[row] === '' ? null : variants.barcode[row],
      price: variants.price[row],
      position: () => products.variants[owner]!.indexOf(row) + 1,
      createdAt: at,
      updatedAt: at,
      product: () => product(owner),
    }
  }
  const product = (row: number): ProductView => ({
    __typename: 'Product',
    id: toGid('Product', products.id[row]!),
    legacyResourceId: String(products.id[row]),
    title: products.title[row],
    handle: products.handle[row],
    status: products.status[row],
    vendor: products.vendor[row],
    productType: products.type[row],
    tags: products.tags[row],
    createdAt: at,
    updatedAt: at,
    hasOnlyDefaultVariant: () => {
      const [first, second] = products.variants[row]!
      return second === undefined && variants.title[first!] === 'Default Title'
    },
    featuredMedia: () => media(products.id[row]!, products.image[row]!),
    variantsCount: { count: products.variants[row]!.length, precision: 'EXACT' },
    variants: (list: PageArguments & { sortKey?: string | null }) =>
      connect(products.variants[row]!, variantOrder(catalog, list.sortKey ?? 'POSITION'), list, variant),
  })
  return { product, variant }
}

const media = (product: number, url: string | null) =>
  url === null
    ? null
    : {
        __typename: 'MediaImage',
        id: toGid('MediaImage', product),
        alt: null,
        preview: { image: { url, altText: null } },
      }

function productOrder({ products }: DemoCatalog, sortKey: string | null | undefined): Order {
  const keys: Record<string, (row: number) => string> = {
    TITLE: (row) => products.title[row]!.toLowerCase(),
    VENDOR: (row) => products.vendor[row]!.toLowerCase(),
    PRODUCT_TYPE: (row) => products.type[row]!.toLowerCase(),
  }
  return { id: (row) => products.id[row]!, key: keys[sortKey ?? ''] ?? (() => 0) }
}

function variantOrder({ products, variants }: DemoCatalog, sortKey: string | null | undefined): Order {
  const fullTitle = (row: number) => `${products.title[variants.product[row]!]} ${variants.title[row]}`.toLowerCase()
  const keys: Record<string, (row: number) => string | number> = {
    SKU: (row) => variants.sku[row]!.toLowerCase(),
    TITLE: (row) => variants.title[row]!.toLowerCase(),
    POSITION: (row) => products.variants[variants.product[row]!]!.indexOf(row),
    FULL_TITLE: fullTitle,
    NAME: fullTitle,
  }
  return { id: (row) => variants.id[row]!, key: keys[sortKey ?? ''] ?? (() => 0) }
}

interface Searchable {
  all: Fields
  /** A term without a field looks in several. */
  anywhere: Field
}

function variantFields({ products, variants, bySku, changedAt }: DemoCatalog): Searchable {
  const owner = (row: number) => variants.product[row]!
  const title = words((row) => `${products.title[owner(row)]} ${variants.title[row]}`)
  const sku = indexed((row) => variants.sku[row]!, bySku)
  const barcode = keyword((row) => variants.barcode[row]!)
  const vendor = keyword((row) => products.vendor[owner(row)]!)
  const productType = keyword((row) => products.type[owner(row)]!)
  const status = keyword((row) => products.status[owner(row)]!)
  const tag = keyword((row) => products.tags[owner(row)]!)
  const all: Fields = {
    id: ordered((row) => variants.id[row]!, readId),
    product_id: ordered((row) => products.id[owner(row)]!, readId),
    product_ids: keyword((row) => String(products.id[owner(row)])),
    sku,
    barcode,
    title,
    vendor,
    tag,
    product_type: productType,
    product_status: status,
    status,
    updated_at: ordered(() => +changedAt, readMoment),
  }
  return { all, anywhere: inAny(title, sku, barcode, vendor, productType, tag) }
}

function productFields({ products, variants, bySku, changedAt }: DemoCatalog): Searchable {
  const ofVariants = (column: readonly string[]) => (row: number) =>
    products.variants[row]!.map((variant) => column[variant]!).filter(Boolean)
  const title = words((row) => products.title[row]!)
  const bySkuOf = keyword(ofVariants(variants.sku))
  const sku: Field = (term) => {
    const matcher = bySkuOf(term)
    if (!matcher || term.prefix) return matcher
    const folded = indexed(() => '', bySku)(term)!
    return { test: matcher.test, find: () => folded.find!().map((row) => variants.product[row]!) }
  }
  const barcode = keyword(ofVariants(variants.barcode))
  const vendor = keyword((row) => products.vendor[row]!)
  const productType = keyword((row) => products.type[row]!)
  const tag = keyword((row) => products.tags[row]!)
  const at = ordered(() => +changedAt, readMoment)
  const all: Fields = {
    id: ordered((row) => products.id[row]!, readId),
    handle: keyword((row) => products.handle[row]!),
    status: keyword((row) => products.status[row]!),
    variant_title: keyword(ofVariants(variants.title)),
    title,
    sku,
    barcode,
    vendor,
    product_type: productType,
    tag,
    created_at: at,
    updated_at: at,
  }
  return { all, anywhere: inAny(title, sku, barcode, vendor, productType, tag) }
}

const inAny =
  (...fields: Field[]): Field =>
  (term) =>
    anyOf(fields.map((field) => field(term)).filter((matcher) => matcher !== null))

const readId = (text: string) => (/^\d+$/.test(text) ? Number(text) : NaN)
const readMoment = (text: string) => (text.toLowerCase() === 'now' ? Date.now() : Date.parse(text))

/** Made when it is first asked for: most runs never look a row up by its id. */
function rowsById(ids: readonly number[]): (id: number | null) => number | undefined {
  let rows: Map<number, number> | null = null
  return (id) => {
    rows ??= new Map(ids.map((one, row) => [one, row]))
    return id === null ? undefined : rows.get(id)
  }
}
