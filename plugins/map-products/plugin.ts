// Maps files to products: to a product that a person chose, to the products that the import named,
// to that of a rule of the shop, or to the product that the file's name or tags point to. If
// several fit, a person is asked.
import { z } from 'zod'
import {
  type AnyText,
  definePlugin,
  failed,
  type Item,
  type Mapping,
  type Match,
  MATCH_METHODS,
  type MatchRules,
  type Outcome,
  type ReadContext,
  say,
  sayPlain,
} from '../contract/index.ts'
import {
  ambiguousSku,
  chosenFor,
  choice,
  mapChosen,
  mapByPrefix,
  matchesSeveral,
  type PrefixedItem,
  type SkuHits,
} from './chosen.ts'
import { mapNamed, type NamedItem } from './named.ts'
import { mapByRules } from './rules.ts'

const options = z
  .strictObject({
    match_by: z
      .array(z.enum(MATCH_METHODS))
      .max(MATCH_METHODS.length)
      .optional()
      .meta({
        title: 'Match by',
        start: ['filename', 'title', 'tags'],
        missing: 'Choose at least one way to match',
        choices: {
          sku: 'SKU in the file’s import',
          filename: 'Product SKU in the filename',
          title: 'Product title (fuzzy)',
          tags: 'Tags',
        },
        help: 'Tried in this order.',
      }),
    threshold: z.number().min(0).max(1).optional().meta({
      title: 'Confidence threshold',
      percent: true,
      start: 0.8,
      help: 'It applies to titles and tags. A SKU is either in the filename or not.',
    }),
    product_id: z.string().max(255).optional().meta({ title: 'Product', widget: 'product' }),
    variant_id: z.string().max(255).optional().meta({ title: 'Variant', widget: 'variant' }),
    choices: z
      .array(choice)
      .min(1)
      .max(1000)
      .optional()
      .meta({ title: 'Accepted candidates', widget: 'none' }),
    replace: z.boolean().default(false).meta({
      title: 'Replace existing products',
      help: 'Otherwise files that have a product do not change.',
    }),
  })
  .refine(({ product_id, variant_id }) => product_id !== undefined || variant_id === undefined, {
    path: ['variant_id'],
    message: sayPlain('Name the variant’s product too'),
  })
export type Options = z.output<typeof options>

export const mapProducts = definePlugin({
  id: 'map-products',
  kind: 'map',
  title: 'Map to products',
  actions: [
    {
      group: 'products',
      promoted: true,
      labels: {
        action: 'Map files to products',
        menu: 'Map to products automatically',
        title: 'Map {count, plural, one {# file} other {# files}} to products',
        button: 'Map files',
        running: 'Mapping {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} mapped',
        result: 'mapped',
        preview: '{count, plural, one {# file is matched} other {# files are matched}}',
        skipped: '{count, plural, one {# file is not matched} other {# files are not matched}}',
        note: 'The preview says which files match which product, and how many match none. If several products match, you choose in Reviews.',
      },
      fields: ['match_by', 'threshold', 'replace'],
    },
    {
      id: 'map-to-one-product',
      group: 'products',
      labels: {
        action: 'Map files to products',
        menu: 'Map to one product',
        title: 'Map {count, plural, one {# file} other {# files}} to one product',
        button: '{product_id, select, none {Map files} other {Map to {product_id_text}}}',
        running: 'Mapping {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} mapped',
        result: 'mapped',
        preview: '{count, plural, one {# file is matched} other {# files are matched}}',
        skipped: '{count, plural, one {# file is not matched} other {# files are not matched}}',
      },
      fields: ['product_id', 'variant_id', 'replace'],
      required: ['product_id'],
    },
  ],
  form: {
    alternatives: [
      {
        title: 'How',
        choices: [
          { label: 'As in the import defaults', fields: [] },
          { label: 'Choose for these files', fields: ['match_by', 'threshold'] },
        ],
      },
    ],
  },
  report: { unmapped: true },
  options,
  undo: 'fields',
  announces: ['mapping.changed'],
  needs: ['catalog'],
  outside: true,
  summary: ({ product_id, choices, match_by }) => {
    if (product_id !== undefined) return say('Maps to one product')
    if (choices !== undefined) return say('Maps to the accepted candidates')
    return match_by === undefined
      ? say('Maps by the import defaults')
      : say('Maps by {ways}', { ways: match_by.join(', ') || 'SKU' })
  },
  async *plan(items, given, context) {
    context.signal.throwIfAborted()
    if (chosenFor(given)) return yield* mapChosen(items, given, context)
    if (context.request.private) {
      for (const item of items) yield { item: item.id, status: 'ok' }
      return
    }
    const { rows, named, prefixed, others, chosen } = sortedByHint(items, given)
    for (const item of rows) yield { item: item.id, status: 'ok' }
    for (const { item, products } of chosen)
      yield { item: item.id, status: 'ok', change: { mappings: { add: products } } }
    // A file whose import named unknown SKUs may be guessed, if that was requested.
    const unknown = yield* mapNamed(
      named,
      context,
      ({ entry, wanted }) => entry === null && wanted === null,
    )
    const unprefixed = yield* mapByPrefix(prefixed, context, outcomeOfHits)
    // Files named by SKU prefix: only a SKU at the start is matched, and no title.
    const unruled = yield* mapByRulesOf(unprefixed, given, context)
    yield* mapByMatching(
      unruled,
      { by: ['filename'], threshold: 1, start_only: true },
      given,
      context,
    )
    const open = yield* mapByRulesOf([...others, ...unknown], given, context)
    yield* mapByGuessing(open, given, context)
  },
})

/** Separates items by what their imports say about their products. */
function sortedByHint(items: readonly Item[], given: Options) {
  const rows: Item[] = []
  const named: NamedItem[] = []
  const prefixed: PrefixedItem[] = []
  const others: Item[] = []
  const chosen: { item: Item; products: readonly Mapping[] }[] = []
  for (const item of items) {
    const names = namesOf(item, given)
    const prefixes = item.entry?.sku_prefixes
    const products = item.entry?.products ?? []
    if (products.length > 0) chosen.push({ item, products })
    else if (names !== null) named.push({ item, ...names })
    // A row that names no products changes none.
    else if (item.wanted !== null) rows.push(item)
    else if (prefixes) prefixed.push({ item, prefixes })
    else others.push(item)
  }
  return { rows, named, prefixed, others, chosen }
}

/**
 * The products that its import names or named, or that its row names; of an existing file only if it
 * may get a product.
 */
function namesOf(item: Item, given: Options): Omit<NamedItem, 'item'> | null {
  const { entry, wanted, file } = item
  if (wanted?.products) return wanted.products
  if (entry !== null)
    return entry.product_names ? { names: entry.product_names, mode: 'add' } : null
  if (file.wanted_sku === null || !mayBeMapped(item, given)) return null
  return { names: { skus: [file.wanted_sku] }, mode: given.replace ? 'replace' : 'add' }
}

function outcomeOfHits(
  item: Item,
  sku: string,
  hits: SkuHits,
  { replace }: Pick<Options, 'replace'>,
): Outcome {
  const [hit] = hits
  if (hits.length > 1) {
    const warnings = [ambiguousSku(hits.length, sku)]
    return { ...outcomeOfCandidates(item, hits, matchesSeveral(hits)), warnings }
  }
  return outcomeOfHit(item, hit, { replace })
}

function outcomeOfHit(item: Item, hit: Mapping, { replace }: Pick<Options, 'replace'>): Outcome {
  const remove = replace && item.entry === null ? { remove: 'all' as const } : {}
  return { item: item.id, status: 'ok', change: { mappings: { ...remove, add: [hit] } } }
}

/**
 * An existing file that only gets a review counts as skipped; an import creates its file in any
 * case.
 */
const outcomeOfCandidates = (item: Item, candidates: readonly Mapping[], reason: AnyText) => ({
  item: item.id,
  status: 'ok' as const,
  candidates,
  ...(item.entry === null ? { unchanged: reason } : {}),
})

/**
 * Maps by the shop's rules, which are no guesses: in each import, and unless a bulk action names its
 * own ways.
 * @returns the items that no rule maps
 */
async function* mapByRulesOf(
  items: readonly Item[],
  given: Options,
  context: ReadContext<'catalog'>,
): AsyncGenerator<Outcome, readonly Item[]> {
  if (given.match_by !== undefined) return items
  const [open, mapped] = [[] as Item[], [] as Item[]]
  for (const item of items) (mayBeMapped(item, given) ? open : mapped).push(item)
  if (open.length === 0) return mapped
  const rest = yield* mapByRules(open, context, (item, sku, hits) =>
    outcomeOfHits(item, sku, hits, given),
  )
  return [...mapped, ...rest]
}

/**
 * Guesses products by names and tags: in a bulk action always, in an import only if its caller or
 * the shop wants guesses.
 */
async function* mapByGuessing(
  items: readonly Item[],
  given: Options,
  context: ReadContext<'catalog'>,
): AsyncGenerator<Outcome> {
  const { settings } = context.shop
  const rules: MatchRules = {
    by: given.match_by ?? settings.match_by,
    threshold: given.threshold ?? settings.match_threshold,
  }
  const wanted = context.request.auto_map ?? settings.auto_map
  const open = items.filter((item) => mayBeMapped(item, given) && (item.entry === null || wanted))
  yield* mapByMatching(open, rules, given, context)
  const matched = new Set(open)
  for (const item of items) if (!matched.has(item)) yield outcomeOfMapped(item)
}

/** Matches the items' names and tags with the catalog. */
async function* mapByMatching(
  items: readonly Item[],
  rules: MatchRules,
  given: Options,
  context: ReadContext<'catalog'>,
): AsyncGenerator<Outcome> {
  if (items.length === 0) return
  let matches: readonly Match[] = []
  let matchError: unknown = new Error('The catalog returned no match for a file')
  try {
    matches = await context.catalog.match(
      items.map(({ file, entry }) =>
        entry?.match_as === undefined ? file : { ...file, filename: entry.match_as },
      ),
      rules,
      context.signal,
    )
  } catch (error) {
    context.signal.throwIfAborted()
    matchError = error
  }
  for (const [at, item] of items.entries()) {
    context.signal.throwIfAborted()
    const match = matches[at]
    yield match ? outcomeOfMatch(item, match, given) : failed(item, matchError)
  }
}

const mayBeMapped = ({ file }: Item, { replace }: Options) => replace || file.mappings.length === 0

const outcomeOfMapped = (item: Item): Outcome =>
  item.entry === null
    ? { item: item.id, status: 'skipped', reason: sayPlain('It has a product already') }
    : { item: item.id, status: 'ok' }

function outcomeOfMatch(
  item: Item,
  { mapping, candidates, suggestions }: Match,
  { replace }: Options,
): Outcome {
  if (mapping) {
    const remove = replace ? { remove: 'all' as const } : {}
    return { item: item.id, status: 'ok', change: { mappings: { ...remove, add: [mapping] } } }
  }
  if (candidates.length > 0) {
    const message = say('{count} products match: choose one', { count: candidates.length })
    return {
      ...outcomeOfCandidates(item, candidates, matchesSeveral(candidates)),
      warnings: [{ code: 'several_products', message }],
    }
  }
  if (suggestions.length > 0)
    return outcomeOfCandidates(
      item,
      suggestions,
      sayPlain('No product matches it with certainty: see Reviews'),
    )
  // An import continues with a file that stays without a product.
  if (item.entry !== null) return { item: item.id, status: 'ok' }
  return { item: item.id, status: 'skipped', reason: sayPlain('No product matches it') }
}
