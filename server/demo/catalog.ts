// The demo's catalog: a product export of the platform, stored as columns so that 50,000 variants
// need little memory.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import Papa from 'papaparse'
import { findColumns } from './catalog-columns.ts'
import { createIds } from './catalog-ids.ts'
import { emptyTables, NO_OPTION, rowReader, type Products, type Variants } from './catalog-rows.ts'
import { fold } from './search.ts'
import { elementAt } from '../core/lazy.ts'

export interface DemoCatalog {
  products: Products
  variants: Variants
  /** Rows of variants by their folded SKU. */
  bySku(folded: string): readonly number[]
  /** Adds a product with one variant, and returns its row. It is lost with the process. */
  add(product: AddedProduct): number
  /** Gives a variant (its row) another SKU. */
  changeSku(row: number, sku: string): void
  changedAt: Date
}

export interface AddedProduct {
  handle: string
  title: string
  status: string
  tags: readonly string[]
  price: string
  sku: string
}

/**
 * A catalog that cannot be read. The message names the file, and the line and column if they are
 * known.
 */
export class CatalogError extends Error {
  constructor(file: string, problem: string, cause?: unknown) {
    super(`${file}: ${problem}`, { cause })
    this.name = 'CatalogError'
  }
}

/** Reads a product CSV. Throws `CatalogError`. */
export async function readCatalog(file: string): Promise<DemoCatalog> {
  const { products, variants } = await readColumns(file)
  return asCatalog(products, variants, (await stat(file)).mtime)
}

// A separate function: a closure inside the reading function would keep the reader's memory.
function asCatalog(products: Products, variants: Variants, changedAt: Date): DemoCatalog {
  const index = indexSkus(variants)
  return {
    products,
    variants,
    bySku: (folded) => ([] as number[]).concat(index.get(folded) ?? []),
    add: (product) => addProduct(products, variants, index, product),
    changeSku: (row, sku) => {
      const before = fold(elementAt(variants.sku, row))
      const others = ([] as number[]).concat(index.get(before) ?? []).filter((one) => one !== row)
      if (others.length > 0) index.set(before, others)
      else index.delete(before)
      variants.sku[row] = sku
      index.set(fold(sku), ([] as number[]).concat(index.get(fold(sku)) ?? [], row))
    },
    changedAt,
  }
}

function addProduct(
  products: Products,
  variants: Variants,
  index: Map<string, number | number[]>,
  { handle, title, status, tags, price, sku }: AddedProduct,
): number {
  const row = variants.id.length
  products.id.push(createIds('Product')(handle))
  products.handle.push(handle)
  products.title.push(title)
  products.vendor.push('')
  products.type.push('')
  products.tags.push(tags)
  products.status.push(status)
  products.image.push(null)
  const product = products.variants.push([row]) - 1
  variants.id.push(createIds('ProductVariant')(`${handle}\n${NO_OPTION}`))
  variants.product.push(product)
  variants.title.push(NO_OPTION)
  variants.sku.push(sku)
  variants.barcode.push('')
  variants.price.push(price)
  if (sku !== '') index.set(fold(sku), ([] as number[]).concat(index.get(fold(sku)) ?? [], row))
  return product
}

async function readColumns(file: string): Promise<{ products: Products; variants: Variants }> {
  const { products, variants } = emptyTables()
  let addRow: ((cells: readonly string[]) => void) | null = null
  await eachRow(file, (cells) => {
    if (addRow) addRow(cells)
    else addRow = rowReader(findColumns(cells), cells.length, products, variants)
  })
  if (!addRow) throw new CatalogError(file, 'it is empty')
  if (products.id.length === 0) throw new CatalogError(file, 'it has no products')
  // A growing array has spare capacity: copy it.
  products.variants = products.variants.map((rows) => rows.slice())
  return { products, variants }
}

/** Calls `take` for each row that is not blank; adds the file and the line to its errors. */
async function eachRow(file: string, take: (cells: readonly string[]) => void): Promise<void> {
  const stream = createReadStream(file, 'utf8')
  let line = 1
  let failure: CatalogError | null = null
  const step = ({ data: cells, errors }: Papa.ParseStepResult<string[]>, parser: Papa.Parser) => {
    try {
      const quotes = errors.find((error) => error.type === 'Quotes')
      if (quotes)
        throw new Error('a quoted cell is not closed, or something follows its closing quote')
      if (cells.some((cell) => cell !== '')) take(cells)
      line += 1 + cells.reduce((sum, cell) => sum + breaksIn(cell), 0)
    } catch (error) {
      failure = new CatalogError(file, `line ${line}: ${(error as Error).message}`)
      parser.abort()
      stream.destroy()
    }
  }
  const parsed = new Promise<void>((resolve, reject) => {
    Papa.parse<string[]>(stream, { step, complete: () => resolve(), error: reject })
  })
  try {
    await Promise.all([parsed, finished(stream)])
  } catch (error) {
    if (!failure)
      throw new CatalogError(
        file,
        `it can’t be read (${(error as NodeJS.ErrnoException).code})`,
        error,
      )
  }
  if (failure) throw failure
}

const breaksIn = (cell: string) => (cell.includes('\n') ? cell.split('\n').length - 1 : 0)

function indexSkus(variants: Variants): Map<string, number | number[]> {
  const index = new Map<string, number | number[]>()
  variants.sku.forEach((sku, row) => {
    if (sku === '') return
    const folded = fold(sku)
    const there = index.get(folded)
    index.set(folded, there === undefined ? row : ([] as number[]).concat(there, row))
  })
  return index
}
