// Files whose names begin with a SKU: `{product_sku}_{filename}`. A SKU may contain `_`, so each
// beginning is looked up, and the longest that a product has counts.
import {
  failed,
  type CatalogVariant,
  type Item,
  type Outcome,
  type ReadContext,
  say,
} from '../contract.ts'
import { mappingsOfSku, type SkuHits } from './sku-hits.ts'

type OutcomeOf = (item: Item, sku: string, hits: SkuHits, options: { replace: boolean }) => Outcome

/** An item with the beginnings of its name that may be a SKU, the longest first. */
export interface PrefixedItem {
  item: Item
  prefixes: readonly string[]
}

/**
 * Maps files to the products of the SKUs with which their names begin.
 * @returns the items whose names begin with no known SKU
 */
export async function* mapByPrefix(
  items: readonly PrefixedItem[],
  { catalog, signal }: ReadContext<'catalog'>,
  outcomeOf: OutcomeOf,
): AsyncGenerator<Outcome, readonly Item[]> {
  if (items.length === 0) return []
  let found: ReadonlyMap<string, readonly CatalogVariant[]>
  try {
    const all = [...new Set(items.flatMap(({ prefixes }) => prefixes))]
    found = all.length > 0 ? await catalog.findBySku(all, signal) : new Map()
  } catch (error) {
    for (const { item } of items) yield failed(item, error)
    return []
  }
  const unknown: Item[] = []
  for (const { item, prefixes } of items) {
    signal.throwIfAborted()
    const known = firstKnown(prefixes, found)
    if (known) yield outcomeOf(item, known.sku, known.hits, { replace: false })
    else unknown.push(item)
  }
  return unknown
}

function firstKnown(
  prefixes: readonly string[],
  found: ReadonlyMap<string, readonly CatalogVariant[]>,
): { sku: string; hits: SkuHits } | null {
  for (const sku of prefixes) {
    const reason = say('The filename begins with the SKU {sku}', { sku })
    const hits = mappingsOfSku(found.get(sku) ?? [], reason)
    if (hits) return { sku, hits }
  }
  return null
}
