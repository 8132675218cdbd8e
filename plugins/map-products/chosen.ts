// Products that a person chose: one for all files, or one for each, such as the candidates of the
// review list.
import { z } from 'zod'
import {
  type CatalogProduct,
  failed,
  type Item,
  type Mapping,
  type Outcome,
  type ReadContext,
  sayPlain,
  type Text,
  type CatalogVariant,
  say,
  type AnyText,
  type Warning,
} from '../contract/index.ts'

const reasonText: z.ZodType<Text> = z.strictObject({
  message: z.string().max(1000),
  values: z.record(
    z.string(),
    z.union([z.string().max(1000), z.number(), z.lazy(() => reasonText)]),
  ),
})

export const choice = z.strictObject({
  file_id: z.string().regex(/^file_[0-9a-f]{32}$/, sayPlain('This is not the id of a file')),
  product_id: z.string().max(255),
  variant_id: z.string().max(255).nullable().default(null),
  score: z.number().min(0).max(1).default(1),
  reason: z.union([z.string().max(1000), reasonText]).default(sayPlain('Chosen manually')),
  /** Whether existing products are replaced; absent: as the option `replace` says. */
  replace: z.boolean().optional(),
})

type Choice = z.output<typeof choice>

export interface MappingChoice {
  product_id?: string | undefined
  variant_id?: string | undefined
  choices?: Choice[] | undefined
  replace: boolean
}

export const chosenFor = ({ product_id, choices }: MappingChoice): boolean =>
  product_id !== undefined || choices !== undefined

export async function* mapChosen(
  items: readonly Item[],
  chosen: MappingChoice,
  context: ReadContext<'catalog'>,
): AsyncGenerator<Outcome> {
  const known = new Map<string, CatalogProduct | null>()
  const find = async ({ product_id, variant_id }: Choice) => {
    const key = `${product_id} ${variant_id}`
    const earlier = known.get(key)
    if (earlier !== undefined) return earlier
    const product = await context.catalog.findProduct(product_id, variant_id, context.signal)
    known.set(key, product)
    return product
  }
  const choiceOf = choicesOf(chosen)
  for (const item of items) {
    context.signal.throwIfAborted()
    const choice = choiceOf(item)
    if (!choice) {
      yield { item: item.id, status: 'skipped', reason: sayPlain('No product was chosen for it') }
      continue
    }
    try {
      yield outcomeOf(item, choice, await find(choice), choice.replace ?? chosen.replace)
    } catch (error) {
      yield failed(item, error)
    }
  }
}

const publicId = (id: string | null) => `file_${(id ?? '').replaceAll('-', '')}`

/** The choice for an item; if there are several for a file, the first. */
function choicesOf({
  product_id,
  variant_id,
  choices = [],
}: MappingChoice): (item: Item) => Choice | undefined {
  if (product_id !== undefined) {
    const choice = { file_id: '', score: 1, reason: sayPlain('Chosen manually') }
    return () => ({ ...choice, product_id, variant_id: variant_id ?? null })
  }
  const byFile = new Map(choices.toReversed().map((choice) => [choice.file_id, choice]))
  return ({ file }) => byFile.get(publicId(file.id))
}

function outcomeOf(
  item: Item,
  choice: Choice,
  product: CatalogProduct | null,
  replace: boolean,
): Outcome {
  if (!product) {
    const message = sayPlain('The catalog no longer has this product')
    return { item: item.id, status: 'failed', code: 'product_not_found', message, retryable: false }
  }
  const mapping: Mapping = {
    product_id: product.product_id,
    product_title: product.product_title,
    variant_id: choice.variant_id,
    sku: product.variant?.sku ?? null,
    method: 'manual',
    score: choice.score,
    reason: choice.reason,
  }
  const others = item.file.mappings.filter((one) => !isSame(one, mapping))
  const remove = replace && others.length > 0 ? { remove: others.map(targetOf) } : {}
  return { item: item.id, status: 'ok', change: { mappings: { ...remove, add: [mapping] } } }
}

export const targetOf = ({ product_id, variant_id }: Mapping) => ({ product_id, variant_id })
const isSame = (a: Mapping, b: Mapping) =>
  a.product_id === b.product_id && a.variant_id === b.variant_id

// Files whose names begin with a SKU: `{product_sku}_{filename}`. A SKU may contain `_`, so each
// beginning is looked up, and the longest that a product has counts.

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

// The products that variants with one SKU belong to.

/** The products that a SKU means, at least one. */
export type SkuHits = readonly [Mapping, ...Mapping[]]

/** The warning that a SKU is that of several products. */
export const ambiguousSku = (count: number, sku: string): Warning => ({
  code: 'sku_ambiguous',
  message: say('{count} products have the SKU {sku}: choose one', { count, sku }),
})

export const matchesSeveral = ({ length }: readonly Mapping[]): Text =>
  say('It matches {count} products: choose one in Reviews', { count: length })

/**
 * One hit for each product: the variant with that SKU, or the whole product where several of its
 * variants share it. Null: no variant has the SKU.
 */
export function mappingsOfSku(
  variants: readonly CatalogVariant[],
  reason: AnyText,
  method: 'sku' | 'rule' = 'sku',
): SkuHits | null {
  const products = [...Map.groupBy(variants, ({ product_id }) => product_id).values()]
  const [first, ...others] = products.flatMap(([variant, ...more]): Mapping[] =>
    variant
      ? [
          {
            product_id: variant.product_id,
            product_title: variant.product_title,
            variant_id: more.length === 0 ? variant.variant_id : null,
            sku: variant.sku,
            method,
            score: 1,
            reason,
          },
        ]
      : [],
  )
  return first ? [first, ...others] : null
}
