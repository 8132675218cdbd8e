// Attaches files to products by the SKU that the entry names, looked up in the shop's live catalog.
import { z } from 'zod'
import {
  definePlugin,
  failed,
  type CatalogVariant,
  type Item,
  type Mapping,
  type Outcome,
  type ReadContext,
} from '../contract.ts'

const options = z.strictObject({})

export const mapProducts = definePlugin({
  id: 'map-products',
  kind: 'map',
  title: 'Map to products',
  options,
  undo: 'fields',
  outside: true,
  plan: mapBySku,
})

async function* mapBySku(items: readonly Item[], _options: unknown, context: ReadContext): AsyncGenerator<Outcome> {
  context.signal.throwIfAborted()
  const wanted = items.flatMap(({ entry }) => (entry?.product_sku ? [entry.product_sku] : []))
  let found: ReadonlyMap<string, readonly CatalogVariant[]> = new Map()
  try {
    if (wanted.length > 0) found = await context.catalog.findBySku(wanted, context.signal)
  } catch (error) {
    // Files that name no product are not held up by a storefront that is away.
    for (const item of items) yield item.entry?.product_sku ? failed(item, error) : { item: item.id, status: 'ok' }
    return
  }
  for (const item of items) {
    context.signal.throwIfAborted()
    yield outcomeOf(item, found)
  }
}

function outcomeOf(item: Item, found: ReadonlyMap<string, readonly CatalogVariant[]>): Outcome {
  const sku = item.entry?.product_sku
  if (!sku) return { item: item.id, status: 'ok' }
  const variants = found.get(sku) ?? []
  const products = new Set(variants.map(({ product_id }) => product_id))
  if (products.size === 0) {
    const warning = { code: 'sku_not_found', message: 'Product SKU not found' }
    return { item: item.id, status: 'ok', warnings: [warning] }
  }
  if (products.size > 1) {
    const warning = { code: 'sku_ambiguous', message: `${products.size} products have the SKU ${sku}: choose one` }
    return { item: item.id, status: 'ok', warnings: [warning], candidates: variants.map((one) => mappingOf(one, sku)) }
  }
  const mapping = mappingOf(variants[0]!, sku)
  // Several variants of one product share the SKU: the file belongs to the product.
  const whole = variants.length > 1 ? { ...mapping, variant_id: null } : mapping
  return { item: item.id, status: 'ok', change: { mappings: { add: [whole] } } }
}

const mappingOf = (variant: CatalogVariant, sku: string): Mapping => ({
  product_id: variant.product_id,
  product_title: variant.product_title,
  variant_id: variant.variant_id,
  sku,
  method: 'sku',
  score: 1,
  reason: `The import names the SKU ${sku}`,
})
