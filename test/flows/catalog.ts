// SKUs of the demo catalog that belong to exactly one product.
import { readFileSync } from 'node:fs'
import Papa from 'papaparse'

const CSV = new URL('../../server/demo/products.csv', import.meta.url)

/** In the catalog's order. */
export function uniqueSkus(): string[] {
  const { data } = Papa.parse<Record<string, string>>(readFileSync(CSV, 'utf8'), {
    header: true,
    skipEmptyLines: true,
  })
  const skus = data.map((row) => row['Variant SKU'] ?? row.SKU ?? '').filter((sku) => sku !== '')
  return skus.filter((sku) => skus.indexOf(sku) === skus.lastIndexOf(sku))
}
