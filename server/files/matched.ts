// Why a search found a file: which of its name, tags, products, SKUs, barcodes and pack have a word of it. The
// same rules as in filter.ts.
import { hasWord } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { likeLiteral } from '../core/db/like-pattern.ts'
import { skuKey } from '../core/sku-key.ts'
import { searchedWords, type FileFilter } from './filter.ts'
import type { FileRow } from './list.ts'

export const MATCHED_FIELDS = ['name', 'tag', 'product', 'sku', 'barcode', 'pack'] as const

export interface FileMatch {
  field: (typeof MATCHED_FIELDS)[number]
  /** The whole text that has the word: the name, the tag, the title, the SKU, the barcode. */
  value: string
}

/** The matches of each file, for a filter that searches; null: it does not. */
export async function matchesOf(
  scope: ShopScope,
  filter: FileFilter,
  rows: readonly FileRow[],
): Promise<Map<string, FileMatch[]> | null> {
  const { words, part } = searchedWords(filter)
  if (words.length === 0 && part === undefined) return null
  const products = await productTextsOf(scope, words, rows)
  return new Map(
    rows.map((row) => {
      const ofProducts = products.filter(({ file_id }) => file_id === row.id)
      const matches = words.flatMap((word) => matchesOfWord(word, row, ofProducts))
      if (part !== undefined) matches.push({ field: 'name', value: row.filename })
      return [row.id, inOrder(matches)]
    }),
  )
}

function matchesOfWord(word: string, row: FileRow, products: readonly FileMatch[]): FileMatch[] {
  const within = (text: string) => hasWord(text, word)
  const tests: Record<FileMatch['field'], (text: string) => boolean> = {
    name: within,
    tag: within,
    product: within,
    sku: (sku) => skuKey(sku).startsWith(skuKey(word)),
    barcode: (barcode) => skuKey(barcode).startsWith(skuKey(word)),
    pack: within,
  }
  const texts: FileMatch[] = [
    { field: 'name', value: row.filename },
    ...row.tags.map((value) => ({ field: 'tag' as const, value })),
    ...products.map(({ field, value }) => ({ field, value })),
    ...row.packs.map(({ name: value }) => ({ field: 'pack' as const, value })),
  ]
  return texts.filter(({ field, value }) => tests[field](value))
}

interface ProductText extends FileMatch {
  file_id: string
}

/**
 * Titles of the files' products, and SKUs and barcodes that begin with one of the words. A file of
 * a whole product has those of all its variants, which its row does not hold.
 */
async function productTextsOf(
  scope: ShopScope,
  words: readonly string[],
  rows: readonly FileRow[],
): Promise<ProductText[]> {
  const mapped = rows.filter(({ mappings }) => mappings.length > 0)
  if (words.length === 0 || mapped.length === 0) return []
  return scope.query<ProductText>(
    `select m.file_id, 'product' as field, p.title as value
       from mappings m join products p on p.shop_id = :shop and p.id = m.product_id
       where m.shop_id = :shop and m.file_id = any(:ids::uuid[])
     union
     select m.file_id, c.field, c.value
       from mappings m join variants v on v.shop_id = :shop and v.product_id = m.product_id
         and (m.variant_id = '' or m.variant_id = v.id)
       cross join lateral (values ('sku', v.sku, v.sku_key),
         ('barcode', v.barcode, v.barcode_key)) c(field, value, key)
       where m.shop_id = :shop and m.file_id = any(:ids::uuid[]) and c.key like any(:starts)
     order by 1, 2, 3`,
    {
      ids: mapped.map(({ id }) => id),
      starts: words.map((word) => `${likeLiteral(skuKey(word))}%`),
    },
  )
}

/** Each once, by field. */
function inOrder(matches: readonly FileMatch[]): FileMatch[] {
  const once = new Map(matches.map((match) => [`${match.field} ${match.value}`, match]))
  return MATCHED_FIELDS.flatMap((name) => [...once.values()].filter(({ field }) => field === name))
}
