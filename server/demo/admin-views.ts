// Products and variants of the demo platform as they appear in answers, and their sort orders.
import { ownValue } from '../../plugins/contract/index.ts'
import { toGid } from './catalog-ids.ts'
import type { DemoCatalog } from './catalog.ts'
import { connect, everyRow, type Order, type PageArguments } from './connection.ts'
import type { SearchWarning } from './search.ts'
import { elementAt } from '../core/lazy.ts'

export interface ProductView {
  __typename: 'Product'
  [field: string]: unknown
}

export function createViews(catalog: DemoCatalog) {
  const { products, variants } = catalog
  const at = catalog.changedAt.toISOString()
  const variant = (row: number) => {
    const owner = elementAt(variants.product, row)
    return {
      __typename: 'ProductVariant',
      id: toGid('ProductVariant', elementAt(variants.id, row)),
      legacyResourceId: String(variants.id[row]),
      sku: variants.sku[row] === '' ? null : variants.sku[row],
      title: variants.title[row],
      displayName: `${products.title[owner]} - ${variants.title[row]}`,
      barcode: variants.barcode[row] === '' ? null : variants.barcode[row],
      price: variants.price[row],
      position: () => elementAt(products.variants, owner).indexOf(row) + 1,
      createdAt: at,
      updatedAt: at,
      product: () => product(owner),
    }
  }
  const product = (row: number): ProductView => ({
    __typename: 'Product',
    id: toGid('Product', elementAt(products.id, row)),
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
      const [first, second] = elementAt(products.variants, row)
      return (
        first !== undefined && second === undefined && variants.title[first] === 'Default Title'
      )
    },
    featuredMedia: () => media(elementAt(products.id, row), elementAt(products.image, row)),
    variantsCount: { count: elementAt(products.variants, row).length, precision: 'EXACT' },
    variants: (list: PageArguments & { sortKey?: string | null }, { bulk }: Notes) =>
      bulk
        ? everyRow(elementAt(products.variants, row), variant)
        : connect(
            elementAt(products.variants, row),
            variantOrder(catalog, list.sortKey ?? 'POSITION'),
            list,
            variant,
          ),
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

export function productOrder({ products }: DemoCatalog, sortKey: string | null | undefined): Order {
  const keys: Record<string, (row: number) => string> = {
    TITLE: (row) => elementAt(products.title, row).toLowerCase(),
    VENDOR: (row) => elementAt(products.vendor, row).toLowerCase(),
    PRODUCT_TYPE: (row) => elementAt(products.type, row).toLowerCase(),
  }
  return {
    id: (row) => elementAt(products.id, row),
    key: ownValue(keys, sortKey ?? '') ?? (() => 0),
  }
}

export function variantOrder(
  { products, variants }: DemoCatalog,
  sortKey: string | null | undefined,
): Order {
  const fullTitle = (row: number) =>
    `${elementAt(products.title, elementAt(variants.product, row))} ${variants.title[row]}`.toLowerCase()
  const keys: Record<string, (row: number) => string | number> = {
    SKU: (row) => elementAt(variants.sku, row).toLowerCase(),
    TITLE: (row) => elementAt(variants.title, row).toLowerCase(),
    POSITION: (row) => elementAt(products.variants, elementAt(variants.product, row)).indexOf(row),
    FULL_TITLE: fullTitle,
    NAME: fullTitle,
  }
  return {
    id: (row) => elementAt(variants.id, row),
    key: ownValue(keys, sortKey ?? '') ?? (() => 0),
  }
}

/** Notes of an execution, in addition to its data. */
export interface Notes {
  search: { path: string[]; query: string; warnings: SearchWarning[] }[]
  /**
   * A bulk query reads its list in pieces, and lists inside it as a whole. `rows`: set to the total
   * number.
   */
  bulk?: { from: number; to: number; rows: number }
}
