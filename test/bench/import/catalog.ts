// A catalog of 50,000 variants in the platform's export format, for the row with mapping.
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'

export const PRODUCTS = 25_000

export const skuOf = (product: number, variant: 0 | 1): string =>
  `SKU-${product}-${variant === 0 ? 'PDF' : 'EPUB'}`

/** Writes the CSV. Every product has two variants with different SKUs. */
export async function writeCatalog(path: string): Promise<void> {
  const out = createWriteStream(path)
  out.write(
    'Handle,Title,Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Price,Status\n',
  )
  for (let product = 0; product < PRODUCTS; product++) {
    out.write(
      `book-${product},Book number ${product},Bench,E-book,,TRUE,Format,PDF,${skuOf(product, 0)},9.00,active\n`,
    )
    out.write(`book-${product},,,,,,,EPUB,${skuOf(product, 1)},9.00,\n`)
  }
  out.end()
  await finished(out)
}
