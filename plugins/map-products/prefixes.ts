// Files whose names begin with a SKU: `{product_sku}_{filename}`. A SKU may contain `_`, so each
// beginning is looked up, and the longest that a product has counts.
import {
  failed,
  type CatalogVariant,
  type Item,
  type Mapping,
  type Outcome,
  type ReadContext,
} from '../contract.ts'
import { mappingsOfSku } from './sku-hits.ts'

type OutcomeOf = (
  item: Item,
  sku: string,
  hits: readonly Mapping[],
  options: { replace: boolean },
) => Outcome

/** A file whose name begins with no known SKU stays without a product until a person maps it. */
export async function* mapByPrefix(
  items: readonly Item[],
  { catalog, signal }: ReadContext<'catalog'>,
  outcomeOf: OutcomeOf,
): AsyncGenerator<Outcome> {
  if (items.length === 0) return
  const wanted = items.map(({ entry }) => entry!.sku_prefixes!)
  let found: ReadonlyMap<string, readonly CatalogVariant[]>
  try {
    const all = [...new Set(wanted.flat())]
    found = all.length > 0 ? await catalog.findBySku(all, signal) : new Map()
  } catch (error) {
    for (const item of items) yield failed(item, error)
    return
  }
  for (const [at, item] of items.entries()) {
    signal.throwIfAborted()
    const sku = wanted[at]!.find((prefix) => (found.get(prefix)?.length ?? 0) > 0)
    if (sku === undefined) yield { item: item.id, status: 'ok' }
    else {
      const hits = mappingsOfSku(found.get(sku)!, `The filename begins with the SKU ${sku}`)
      yield outcomeOf(item, sku, hits, { replace: false })
    }
  }
}
