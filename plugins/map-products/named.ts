// Products that the source of a file names: by SKUs, handles or ids. Each is found by itself, so that
// one that is unknown is a warning, and the others are attached.
import {
  failed,
  type CatalogVariant,
  type Item,
  type Mapping,
  type NamedProduct,
  type Outcome,
  partsOfNames,
  type ProductNames,
  type ReadContext,
  say,
  type Warning,
  wholeProductId,
} from '../contract/index.ts'
import { ambiguousSku, mappingsOfSku, matchesSeveral, targetOf, type SkuHits } from './chosen.ts'

/** An item whose source names or named products. */
export interface NamedItem {
  item: Item
  names: ProductNames
  /** Of existing files: `replace` removes the products that are not named. */
  mode: 'add' | 'replace'
}

/** One product that was looked for. `sku`: absent, it was named by its handle or id. */
interface Finding {
  text: string
  sku?: true
  hits: SkuHits | null
}

/**
 * Maps files to the products that their sources name. A named product always counts, and an unknown
 * one is never replaced by a guess.
 * @param open whether an existing file without any known product is returned, instead of an outcome
 * @returns those files
 */
export async function* mapNamed(
  named: readonly NamedItem[],
  context: ReadContext<'catalog'>,
  open: (item: Item) => boolean,
): AsyncGenerator<Outcome, readonly Item[]> {
  if (named.length === 0) return []
  let find: (names: ProductNames, item: Item) => Finding[]
  try {
    find = await finderOf(
      named.map(({ names }) => names),
      context,
    )
  } catch (error) {
    context.signal.throwIfAborted()
    for (const { item } of named) yield failed(item, error)
    return []
  }
  const unknown: Item[] = []
  for (const one of named) {
    context.signal.throwIfAborted()
    const { item, names } = one
    const found = find(names, item)
    if (open(item) && found.every(({ hits }) => hits === null)) unknown.push(item)
    else yield outcomeOf(one, found)
  }
  return unknown
}

/** Looks all names of a batch up together. */
async function finderOf(
  all: readonly ProductNames[],
  { catalog, signal }: ReadContext<'catalog'>,
): Promise<(names: ProductNames, item: Item) => Finding[]> {
  const listed = (of: (names: ProductNames) => readonly string[] | undefined) => [
    ...new Set(all.flatMap((names) => of(names) ?? [])),
  ]
  const whole = listed(({ skus }) => skus)
  const skus = await skuFinder(catalog, whole, signal)
  const parts = whole.filter((sku) => skus(sku) === null).flatMap(severalParts)
  const partly = await skuFinder(catalog, [...new Set(parts)], signal)
  const ids = await catalog.findProducts('id', listed(({ ids }) => ids).map(wholeProductId), signal)
  const handles = await catalog.findProducts(
    'handle',
    listed((names) => names.handles),
    signal,
  )
  const bySku = (text: string): Finding[] => {
    const hits = skus(text)
    const several = hits === null ? severalParts(text) : []
    return several.length === 0
      ? [{ text: text.trim(), sku: true, hits }]
      : several.map((part) => ({ text: part, sku: true, hits: partly(part) }))
  }
  return (names, item) => [
    ...(names.skus ?? []).flatMap(bySku),
    ...(names.handles ?? []).map((text) => ({ text, hits: hitsOf(handles.get(text), text) })),
    ...(names.ids ?? []).map((text) => {
      const id = wholeProductId(text)
      // The file keeps a product that the catalog has no more.
      const kept = item.file.mappings.find(({ product_id }) => product_id === id)
      return { text, hits: hitsOf(ids.get(id) ?? kept, text) }
    }),
  ]
}

/** The SKUs of a text with several; none: it has one. */
const severalParts = (text: string): string[] => {
  const parts = partsOfNames(text)
  return parts.length > 1 || parts[0] !== text.trim() ? parts : []
}

/** Finds SKUs as they are written, or in another spelling that only one product has. */
async function skuFinder(
  catalog: ReadContext<'catalog'>['catalog'],
  skus: readonly string[],
  signal: AbortSignal,
): Promise<(sku: string) => SkuHits | null> {
  const none: ReadonlyMap<string, readonly CatalogVariant[]> = new Map()
  const found = skus.length > 0 ? await catalog.findBySku(skus, signal) : none
  const missing = skus.filter((sku) => !found.has(sku))
  const spelled = missing.length > 0 ? await catalog.findBySpelling(missing, signal) : none
  return (sku) =>
    mappingsOfSku(
      found.get(sku) ?? [],
      say('The import names the SKU {sku}', { sku: sku.trim() }),
    ) ??
    mappingsOfSku(
      spelled.get(sku) ?? [],
      say('The import names the SKU in another spelling, as {sku}', { sku: sku.trim() }),
    )
}

const hitsOf = (product: NamedProduct | undefined, text: string): SkuHits | null =>
  product
    ? [
        {
          product_id: product.product_id,
          product_title: product.product_title,
          variant_id: null,
          sku: null,
          method: 'manual',
          score: 1,
          reason: say('The import names the product {name}', { name: text }),
        },
      ]
    : null

function outcomeOf({ item, mode }: NamedItem, found: readonly Finding[]): Outcome {
  const several = found.length > 1
  const warnings = found.flatMap((one) => warningOf(one, several) ?? [])
  const add = found.flatMap(({ hits }) => (hits?.length === 1 ? [hits[0]] : []))
  const candidates = found.flatMap(({ hits }) => (hits && hits.length > 1 ? hits : []))
  // A name that is unknown may be that of a product which the file has.
  const removes = mode === 'replace' && item.entry === null && warnings.length === 0
  const gone = removes
    ? item.file.mappings.filter((had) => !add.some((one) => covers(one, had)))
    : []
  const fresh = onlyOnce(add.filter((one) => !item.file.mappings.some((had) => covers(one, had))))
  const remove = gone.map(targetOf)
  const changes = fresh.length + remove.length > 0
  const asked =
    !changes && candidates.length > 0 && item.entry === null ? matchesSeveral(candidates) : null
  return {
    item: item.id,
    status: 'ok',
    ...(changes
      ? { change: { mappings: { ...(remove.length > 0 ? { remove } : {}), add: fresh } } }
      : {}),
    ...(candidates.length > 0 ? { candidates } : {}),
    ...(asked ? { unchanged: asked } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

const onlyOnce = (mappings: readonly Mapping[]): Mapping[] => [
  ...new Map(mappings.map((one) => [`${one.product_id} ${one.variant_id ?? ''}`, one])).values(),
]

/** Is the file mapped to what was named? An id or handle names the product with all its variants. */
const covers = (named: Mapping, had: Mapping): boolean =>
  named.product_id === had.product_id &&
  (named.method === 'manual' ||
    had.variant_id === null ||
    named.variant_id === null ||
    named.variant_id === had.variant_id)

function warningOf({ text, sku, hits }: Finding, several: boolean): Warning | null {
  if (hits === null && sku)
    return {
      code: 'sku_not_found',
      message: several ? say('Product SKU not found: {sku}', { sku: text }) : SKU_NOT_FOUND,
    }
  if (hits === null)
    return {
      code: 'product_not_found',
      message: say('The catalog has no product {name}', { name: text }),
    }
  return hits.length === 1 ? null : ambiguousSku(hits.length, text)
}

const SKU_NOT_FOUND = 'Product SKU not found'
