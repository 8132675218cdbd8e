// Finds the SKU in the name of a file, among the SKUs of the shop.
import type { Stevedore } from './types.ts'

export interface FoundSku {
  sku: string
  /** The title of its product. */
  title: string
}

export class SkuIndex {
  readonly #skus = new Map<string, FoundSku>()

  constructor(skus: Iterable<FoundSku>) {
    for (const found of skus) this.#skus.set(found.sku.toLowerCase(), found)
  }

  /**
   * The longest SKU that is the name without its extension, or its beginning: `EB-001` in
   * `EB-001_v2.pdf`, and not in `EB-0012.pdf`. A hyphen before a digit belongs to another SKU.
   */
  find(filename: string): FoundSku | null {
    const stem = filename.replace(/\.[^.]*$/, '').toLowerCase()
    for (let length = stem.length; length > 0; length--) {
      const rest = stem.slice(length)
      const isEnd = rest === '' || /^(?:[^\p{L}\p{N}-]|-(?!\p{N}))/u.test(rest)
      const found = isEnd ? this.#skus.get(stem.slice(0, length).trim()) : undefined
      if (found) return found
    }
    return null
  }
}

/** Reads all SKUs of the shop. Throws `StevedoreError`. */
export async function readSkus(client: Stevedore): Promise<SkuIndex> {
  const skus: FoundSku[] = []
  for await (const { title, variants } of client.all('/api/products'))
    for (const { sku } of variants) if (sku) skus.push({ sku, title })
  return new SkuIndex(skus)
}
