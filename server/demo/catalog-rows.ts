// Turns the rows of a product export into products and variants, stored as columns so that 50,000
// variants need little memory.
import type { Columns } from './catalog-columns.ts'
import { createIds } from './catalog-ids.ts'
import { elementAt } from '../core/lazy.ts'

export interface Products {
  id: number[]
  handle: string[]
  title: string[]
  vendor: string[]
  type: string[]
  tags: (readonly string[])[]
  status: string[]
  image: (string | null)[]
  /** The rows of its variants. */
  variants: number[][]
}

export interface Variants {
  id: number[]
  product: number[]
  title: string[]
  /** '' for none. */
  sku: string[]
  barcode: string[]
  price: string[]
}

const STATUSES = ['ACTIVE', 'ARCHIVED', 'DRAFT', 'UNLISTED']
export const NO_OPTION = 'Default Title'

export function emptyTables(): { products: Products; variants: Variants } {
  return {
    products: {
      id: [],
      handle: [],
      title: [],
      vendor: [],
      type: [],
      tags: [],
      status: [],
      image: [],
      variants: [],
    },
    variants: { id: [], product: [], title: [], sku: [], barcode: [], price: [] },
  }
}

/** Cells by column. Errors about a cell contain its place. */
interface Row {
  cell(at: number | null): string
  problem(at: number | null, text: string): Error
}

/**
 * Reads the rows after the header: a product's first row, then one row for each further variant or
 * image.
 * @param width the number of the header's columns.
 */
export function rowReader(columns: Columns, width: number, products: Products, variants: Variants) {
  const rows = new Map<string, number>()
  const addProduct = productAdder(columns, products)
  const addVariant = variantAdder(columns, products, variants)

  return (cells: readonly string[]) => {
    if (cells.length > width)
      throw new Error(`it has ${cells.length} cells under ${width} headings`)
    const row: Row = {
      cell: (at) => (at === null ? '' : (cells[at] ?? '').trim()),
      problem: (at, text) => new Error(`column ${(at ?? 0) + 1}: ${text}`),
    }
    const handle = row.cell(columns.handle)
    if (handle === '') throw row.problem(columns.handle, 'the handle is missing')
    if (`${handle}${row.cell(columns.title)}`.includes('\uFFFD'))
      throw row.problem(columns.handle, 'the text is not UTF-8: save the file as UTF-8')
    const there = rows.get(handle)
    // A further row without values of a variant is an image.
    const variantText = [columns.sku, columns.price, ...columns.options.map(({ value }) => value)]
      .map(row.cell)
      .join('')
    if (there !== undefined && variantText === '') return
    const product = there ?? addProduct(row)
    if (there === undefined) rows.set(elementAt(products.handle, product), product)
    addVariant(row, product)
  }
}

function productAdder(columns: Columns, products: Products): (row: Row) => number {
  const ids = createIds('Product')
  const intern = createInterner((text) => text)
  // oxfmt-ignore
  const internTags = createInterner((text) => text.split(',').map((tag) => own(tag.trim())).filter(Boolean))
  return ({ cell, problem }) => {
    const handle = own(cell(columns.handle))
    const title = own(cell(columns.title))
    const status = cell(columns.status).toUpperCase() || 'ACTIVE'
    if (title === '') throw problem(columns.title, `the product ${handle} has no title`)
    if (!STATUSES.includes(status)) throw problem(columns.status, `${status} is not a status`)
    products.id.push(ids(handle))
    products.handle.push(handle)
    products.title.push(title)
    products.vendor.push(intern(cell(columns.vendor)))
    products.type.push(intern(cell(columns.type)))
    products.tags.push(internTags(cell(columns.tags)))
    products.status.push(intern(status))
    products.image.push(own(cell(columns.image)) || null)
    return products.variants.push([]) - 1
  }
}

function variantAdder(
  columns: Columns,
  products: Products,
  variants: Variants,
): (row: Row, product: number) => void {
  const ids = createIds('ProductVariant')
  const intern = createInterner((text) => text)
  return ({ cell, problem }, product) => {
    const price = cell(columns.price) || '0.00'
    if (!/^\d+(\.\d+)?$/.test(price)) throw problem(columns.price, `${price} is not a price`)
    const options = columns.options.map(({ value }) => cell(value)).filter((value) => value !== '')
    const title = options.join(' / ') || NO_OPTION
    elementAt(products.variants, product).push(variants.id.length)
    variants.id.push(ids(`${products.handle[product]}\n${title}`))
    variants.product.push(product)
    variants.title.push(intern(title))
    variants.sku.push(own(cell(columns.sku)))
    // A leading quote prevents spreadsheets from rounding a barcode.
    variants.barcode.push(own(cell(columns.barcode).replace(/^'/, '')))
    variants.price.push(intern(price))
  }
}

/** A copy: a substring would keep the whole file's text in memory. */
const own = (text: string) => Buffer.from(text).toString()

/** Creates each value once, for columns with repeated texts. */
function createInterner<T>(make: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>()
  return (text) => {
    let there = kept.get(text)
    if (there === undefined) {
      const key = own(text)
      there = make(key)
      kept.set(key, there)
    }
    return there
  }
}
