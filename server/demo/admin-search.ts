// The fields that products and variants can be searched by.
import type { DemoCatalog } from './catalog.ts'
import {
  anyOf,
  fold,
  indexed,
  keyword,
  ordered,
  words,
  type SearchField,
  type Fields,
} from './search.ts'
import { elementAt } from '../core/lazy.ts'

export interface SearchFields {
  all: Fields
  /** How a term without a field is searched: in several fields. */
  anywhere: SearchField
}

export function variantFields({ products, variants, bySku, changedAt }: DemoCatalog): SearchFields {
  const owner = (row: number) => elementAt(variants.product, row)
  const title = words((row) => `${products.title[owner(row)]} ${variants.title[row]}`)
  const sku = indexed((row) => elementAt(variants.sku, row), bySku)
  const barcode = keyword((row) => elementAt(variants.barcode, row))
  const vendor = keyword((row) => elementAt(products.vendor, owner(row)))
  const productType = keyword((row) => elementAt(products.type, owner(row)))
  const status = keyword((row) => elementAt(products.status, owner(row)))
  const tag = keyword((row) => elementAt(products.tags, owner(row)))
  const all: Fields = {
    id: ordered((row) => elementAt(variants.id, row), readId),
    product_id: ordered((row) => elementAt(products.id, owner(row)), readId),
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

export function productFields({ products, variants, bySku, changedAt }: DemoCatalog): SearchFields {
  const ofVariants = (column: readonly string[]) => (row: number) =>
    elementAt(products.variants, row)
      .map((variant) => elementAt(column, variant))
      .filter(Boolean)
  const title = words((row) => elementAt(products.title, row))
  const bySkuOf = keyword(ofVariants(variants.sku))
  const sku: SearchField = (term) => {
    const matcher = bySkuOf(term)
    if (!matcher || term.prefix) return matcher
    const find = () => bySku(fold(term.value)).map((row) => elementAt(variants.product, row))
    return { test: matcher.test, find }
  }
  const barcode = keyword(ofVariants(variants.barcode))
  const vendor = keyword((row) => elementAt(products.vendor, row))
  const productType = keyword((row) => elementAt(products.type, row))
  const tag = keyword((row) => elementAt(products.tags, row))
  const at = ordered(() => +changedAt, readMoment)
  const all: Fields = {
    id: ordered((row) => elementAt(products.id, row), readId),
    handle: keyword((row) => elementAt(products.handle, row)),
    status: keyword((row) => elementAt(products.status, row)),
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
  (...fields: SearchField[]): SearchField =>
  (term) =>
    anyOf(fields.map((field) => field(term)).filter((matcher) => matcher !== null))

const readId = (text: string) => (/^\d+$/.test(text) ? Number(text) : NaN)
const readMoment = (text: string) => (text.toLowerCase() === 'now' ? Date.now() : Date.parse(text))
