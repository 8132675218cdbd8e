// Files whose names a rule of the shop maps. Rules are tried in the shop's order, and one whose
// product is no longer in the catalog is passed over.
import {
  failed,
  matchesRule,
  reasonOfRule,
  type CatalogProduct,
  type Item,
  type NameRule,
  type Mapping,
  type Outcome,
  type ReadContext,
} from '../contract.ts'

/** @returns the items that no rule maps */
export async function* mapByRules(
  items: readonly Item[],
  { catalog, signal }: ReadContext<'catalog'>,
  outcomeOf: (item: Item, mapping: Mapping) => Outcome,
): AsyncGenerator<Outcome, readonly Item[]> {
  if (items.length === 0) return []
  const products = new Map<NameRule, CatalogProduct | null>()
  const find = async (rule: NameRule) => {
    const earlier = products.get(rule)
    if (earlier !== undefined) return earlier
    const product = await catalog.findProduct(rule.product_id, rule.variant_id, signal)
    products.set(rule, product)
    return product
  }
  const others: Item[] = []
  let rules: readonly NameRule[] | null = null
  for (const item of items) {
    signal.throwIfAborted()
    try {
      rules ??= await catalog.rules(signal)
      const mapping = await firstMapping(rules, item.file.filename, find)
      if (mapping) yield outcomeOf(item, mapping)
      else others.push(item)
    } catch (error) {
      signal.throwIfAborted()
      yield failed(item, error)
    }
  }
  return others
}

async function firstMapping(
  rules: readonly NameRule[],
  filename: string,
  find: (rule: NameRule) => Promise<CatalogProduct | null>,
): Promise<Mapping | null> {
  for (const rule of rules) {
    if (!matchesRule(rule, filename)) continue
    const product = await find(rule)
    if (product) return mappingOf(rule, product)
  }
  return null
}

const mappingOf = (rule: NameRule, product: CatalogProduct): Mapping => ({
  product_id: product.product_id,
  product_title: product.product_title,
  variant_id: rule.variant_id,
  sku: product.variant?.sku ?? null,
  method: 'rule',
  score: 1,
  reason: reasonOfRule(rule),
})
