// The stand-in's catalog: a product export of the platform, kept as columns so that 50,000 variants stay small.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import Papa from 'papaparse'
import { findColumns, type Columns } from './catalog-columns.ts'
import { createIds } from './catalog-ids.ts'
import { fold } from './search.ts'

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

export interface DemoCatalog {
  products: Products
  variants: Variants
  /** Rows of variants by their folded SKU. */
  bySku(folded: string): readonly number[]
  changedAt: Date
}

/** A catalog that can't be read. Its message names the file, and the line and column where there is one. */
export class CatalogError extends Error {
  constructor(file: string, problem: string, cause?: unknown) {
    super(`${file}: ${problem}`, { cause })
    this.name = 'CatalogError'
  }
}

const STATUSES = ['ACTIVE', 'ARCHIVED', 'DRAFT', 'UNLISTED']
const NO_OPTION = 'Default Title'

/** Reads a product CSV. Throws `CatalogError`. */
export async function readCatalog(file: string): Promise<DemoCatalog> {
  const { products, variants } = await readColumns(file)
  return asCatalog(products, variants, (await stat(file)).mtime)
}

// Apart from the reading: a function made there would keep all that the reading needed.
function asCatalog(products: Products, variants: Variants, changedAt: Date): DemoCatalog {
  const index = indexSkus(variants)
  return { products, variants, bySku: (folded) => ([] as number[]).concat(index.get(folded) ?? []), changedAt }
}

async function readColumns(file: string): Promise<{ products: Products; variants: Variants }> {
  const products: Products = {
    id: [],
    handle: [],
    title: [],
    vendor: [],
    type: [],
    tags: [],
    status: [],
    image: [],
    variants: [],
  }
  const variants: Variants = { id: [], product: [], title: [], sku: [], barcode: [], price: [] }
  let addRow: ((cells: readonly string[]) => void) | null = null
  await eachRow(file, (cells) => {
    if (addRow) addRow(cells)
    else addRow = rowReader(findColumns(cells), cells.length, products, variants)
  })
  if (!addRow) throw new CatalogError(file, 'it is empty')
  if (products.id.length === 0) throw new CatalogError(file, 'it has no products')
  // A list that grew has room for more.
  products.variants = products.variants.map((rows) => rows.slice())
  return { products, variants }
}

/** Calls `take` for each row that is not blank; what it throws gets the file and the line. */
async function eachRow(file: string, take: (cells: readonly string[]) => void): Promise<void> {
  const stream = createReadStream(file, 'utf8')
  let line = 1
  let failure: CatalogError | null = null
  const step = ({ data: cells, errors }: Papa.ParseStepResult<string[]>, parser: Papa.Parser) => {
    try {
      const quotes = errors.find((error) => error.type === 'Quotes')
      if (quotes) throw new Error('a quoted cell is not closed, or something follows its closing quote')
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
    if (!failure) throw new CatalogError(file, `it can’t be read (${(error as NodeJS.ErrnoException).code})`, error)
  }
  if (failure) throw failure
}

const breaksIn = (cell: string) => (cell.includes('\n') ? cell.split('\n').length - 1 : 0)

/** Takes the rows after the header: of a product its first, then one for each further variant or image. */
function rowReader(columns: Columns, width: number, products: Products, variants: Variants) {
  const productIds = createIds('Product')
  const variantIds = createIds('ProductVariant')
  const rows = new Map<string, number>()
  const keep = createKeeper((text) => text)
  const keepTags = createKeeper((text) => text.split(',').map((tag) => own(tag.trim())).filter(Boolean)) // prettier-ignore

  return (cells: readonly string[]) => {
    const cell = (at: number | null) => (at === null ? '' : (cells[at] ?? '').trim())
    const problem = (at: number | null, text: string) => new Error(`column ${(at ?? 0) + 1}: ${text}`)
    if (cells.length > width) throw new Error(`it has ${cells.length} cells under ${width} headings`)
    const handle = cell(columns.handle)
    if (handle === '') throw problem(columns.handle, 'the handle is missing')
    if (handle.includes('\uFFFD') || cell(columns.title).includes('\uFFFD'))
      throw problem(columns.handle, 'the text is not UTF-8: save the file as UTF-8')

    let product = rows.get(handle)
    const options = columns.options.map(({ value }) => cell(value)).filter((value) => value !== '')
    const title = options.join(' / ') || NO_OPTION
    const sku = cell(columns.sku)
    const price = cell(columns.price)
    if (price !== '' && !/^\d+(\.\d+)?$/.test(price)) throw problem(columns.price, `${price} is not a price`)
    const isFirst = product === undefined
    if (product === undefined) {
      const status = cell(columns.status).toUpperCase() || 'ACTIVE'
      if (!STATUSES.includes(status)) throw problem(columns.status, `${status} is not a status`)
      if (cell(columns.title) === '') throw problem(columns.title, `the product ${handle} has no title`)
      product = products.id.length
      rows.set(own(handle), product)
      products.id.push(productIds(handle))
      products.handle.push(own(handle))
      products.title.push(own(cell(columns.title)))
      products.vendor.push(keep(cell(columns.vendor)))
      products.type.push(keep(cell(columns.type)))
      products.tags.push(keepTags(cell(columns.tags)))
      products.status.push(keep(status))
      products.image.push(own(cell(columns.image)) || null)
      products.variants.push([])
    }
    // A further row with neither is one more image.
    if (!isFirst && options.length === 0 && sku === '' && price === '') return
    products.variants[product]!.push(variants.id.length)
    variants.id.push(variantIds(`${handle}\n${title}`))
    variants.product.push(product)
    variants.title.push(keep(title))
    variants.sku.push(own(sku))
    variants.barcode.push(own(cell(columns.barcode).replace(/^'/, '')))
    variants.price.push(keep(price === '' ? '0.00' : price))
  }
}

/** A copy apart from the file: a piece of a string holds the whole of it in memory. */
const own = (text: string) => Buffer.from(text).toString()

/** Makes each value once, for columns that repeat themselves. */
function createKeeper<T>(make: (text: string) => T): (text: string) => T {
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

function indexSkus(variants: Variants): ReadonlyMap<string, number | number[]> {
  const index = new Map<string, number | number[]>()
  variants.sku.forEach((sku, row) => {
    if (sku === '') return
    const folded = fold(sku)
    const there = index.get(folded)
    index.set(folded, there === undefined ? row : ([] as number[]).concat(there, row))
  })
  return index
}
