// Files whose names a rule of the shop maps. Rules are tried in the shop's order, and one whose
// product or SKU the catalog does not have is passed over.
import {
  failed,
  matchesRule,
  reasonOfRule,
  skuOfRule,
  type CatalogVariant,
  type Item,
  type NameRule,
  type Outcome,
  type ReadContext,
} from '../contract/index.ts'
import { mappingsOfSku, type SkuHits } from './chosen.ts'

type OutcomeOfHits = (item: Item, sku: string, hits: SkuHits) => Outcome

/** The products of a rule for a file, and the SKU that they have. */
interface RuleHits {
  sku: string
  hits: SkuHits
}

/** @returns the items that no rule maps */
export async function* mapByRules(
  items: readonly Item[],
  context: ReadContext<'catalog'>,
  outcomeOf: OutcomeOfHits,
): AsyncGenerator<Outcome, readonly Item[]> {
  const others: Item[] = []
  let finder: RuleFinder | null = null
  for (const item of items) {
    context.signal.throwIfAborted()
    try {
      finder ??= new RuleFinder(await context.catalog.rules(context.signal), items, context)
      const found = await finder.find(item.file.filename)
      if (found) yield outcomeOf(item, found.sku, found.hits)
      else others.push(item)
    } catch (error) {
      context.signal.throwIfAborted()
      yield failed(item, error)
    }
  }
  return others
}

/** Finds the products of rules; the SKUs that a batch needs are looked up together. */
class RuleFinder {
  readonly #rules: readonly NameRule[]
  readonly #items: readonly Item[]
  readonly #context: ReadContext<'catalog'>
  readonly #products = new Map<NameRule, SkuHits | null>()
  #variants: Promise<ReadonlyMap<string, readonly CatalogVariant[]>> | null = null

  constructor(rules: readonly NameRule[], items: readonly Item[], context: ReadContext<'catalog'>) {
    this.#rules = rules
    this.#items = items
    this.#context = context
  }

  /** The first rule that matches and has a product; null: none. Throws `PortError`. */
  async find(filename: string): Promise<RuleHits | null> {
    for (const rule of this.#rules) {
      if (!matchesRule(rule, filename)) continue
      const found = await this.#hitsOf(rule, filename)
      if (found) return withChoice(found, rule)
    }
    return null
  }

  async #hitsOf(rule: NameRule, filename: string): Promise<RuleHits | null> {
    if (rule.sku_template === null) {
      const hits = await this.#productOf(rule)
      return hits && { sku: hits[0].sku ?? '', hits }
    }
    const sku = skuOfRule(rule, rule.sku_template, filename)
    if (sku === '') return null
    this.#variants ??= this.#lookUp()
    const hits = mappingsOfSku((await this.#variants).get(sku) ?? [], reasonOfRule(rule), 'rule')
    return hits && { sku, hits }
  }

  async #productOf(rule: NameRule): Promise<SkuHits | null> {
    const { product_id, variant_id } = rule
    const earlier = this.#products.get(rule)
    if (earlier !== undefined || product_id === null) return earlier ?? null
    const { catalog, signal } = this.#context
    const product = await catalog.findProduct(product_id, variant_id, signal)
    const hits: SkuHits | null = product && [
      {
        product_id: product.product_id,
        product_title: product.product_title,
        variant_id,
        sku: product.variant?.sku ?? null,
        method: 'rule',
        score: 1,
        reason: reasonOfRule(rule),
      },
    ]
    this.#products.set(rule, hits)
    return hits
  }

  #lookUp(): Promise<ReadonlyMap<string, readonly CatalogVariant[]>> {
    const skus = this.#items.flatMap(({ file }) =>
      this.#rules.flatMap((rule) =>
        rule.sku_template === null ? [] : skuOfRule(rule, rule.sku_template, file.filename),
      ),
    )
    const { catalog, signal } = this.#context
    return catalog.findBySku([...new Set(skus.filter((sku) => sku !== ''))], signal)
  }
}

/** The choice of the rule about past buyers, in its mappings. */
function withChoice({ sku, hits }: RuleHits, { new_files }: NameRule): RuleHits {
  if (new_files === null) return { sku, hits }
  const [first, ...others] = hits
  return {
    sku,
    hits: [{ ...first, new_files }, ...others.map((hit) => ({ ...hit, new_files }))],
  }
}
