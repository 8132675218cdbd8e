// SKUs that a filename may begin with: `{product_sku}_{filename}.pdf`. A SKU may contain the delimiters itself, so every
// beginning that ends at one is a question to the catalog, and the longest that it knows wins.
import { nameKey } from '../../plugins/contract.ts'

const DELIMITERS = /[_\-. ]/
/** The platform has no SKU longer than this. */
const LONGEST_SKU = 255
/** A shorter one may be there by chance, unless the whole name or a `_` says that it is meant. */
const TELLING = 3

/** Keys of SKUs, longest first; the name's own end counts as a delimiter. */
export function skuPrefixes(filename: string): string[] {
  const name = nameKey(filename)
  const found: string[] = []
  for (let end = Math.min(name.length, LONGEST_SKU); end > 0; end--) {
    const delimiter = name[end] ?? ''
    if (delimiter !== '' && !DELIMITERS.test(delimiter)) continue
    const prefix = name.slice(0, end)
    if (prefix.length < TELLING && delimiter !== '_' && !isWhole(name, end)) continue
    if (prefix.trim() !== '') found.push(prefix)
  }
  return found
}

/** Nothing but an extension follows. */
export const isWhole = (name: string, end: number): boolean => /^(\.[a-z0-9]{1,5}){0,2}$/.test(name.slice(end))
