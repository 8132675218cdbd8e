// The one scoring: every way of matching gives its hits with a score from 0 to 1 and the reason in words, and one rule decides
// on them. docs/merchants/mapping.md says the same in a person's words, with examples that are checked against this.
import { nameKey, type Mapping, type Match, type MatchMethod } from '../../plugins/contract.ts'
import type { MirroredVariant, TaggedProduct } from '../storefront/mirror/lookup.ts'
import { isWhole } from './sku-prefix.ts'

/** Hits on different products closer than this are for a person to decide between. */
export const MARGIN = 0.05
export const MOST_CANDIDATES = 10
/** A tag that more products have says nothing of any. */
export const MOST_TAGGED = 5

const WHOLE_NAME = 0.99
const IN_FILENAME = 0.95
const TAG_IS_SKU = 0.95
const TAG_IS_TAG = 0.85
const FURTHER_TAG = 0.05

/** The file is called as the SKU, or begins with it. `variants`: those with that SKU. */
export function hitsOfFilename(filename: string, prefix: string, variants: readonly MirroredVariant[]): Mapping[] {
  const score = isWhole(nameKey(filename), prefix.length) ? WHOLE_NAME : IN_FILENAME
  const how = score === WHOLE_NAME ? 'The file is called as the SKU' : 'The filename begins with the SKU'
  return hitsOfSku(variants, 'filename', score, how)
}

export function hitsOfTags(variants: readonly MirroredVariant[], tagged: readonly TaggedProduct[]): Mapping[] {
  const bySku = [...Map.groupBy(variants, ({ key }) => key).values()]
  const skus = bySku.flatMap((same) => hitsOfSku(same, 'tags', TAG_IS_SKU, 'One of its tags is the SKU'))
  const telling = [...Map.groupBy(tagged, ({ key }) => key).values()]
    .filter((same) => same.length <= MOST_TAGGED)
    .flat()
  const tags = [...Map.groupBy(telling, ({ product_id }) => product_id).values()].map((same) => ({
    ...target(same[0]!),
    sku: null,
    method: 'tags' as const,
    score: rounded(Math.min(TAG_IS_SKU, TAG_IS_TAG + FURTHER_TAG * (same.length - 1))),
    reason: `The product has the same ${same.length === 1 ? 'tag' : 'tags'} ${same.map(({ key }) => key).join(', ')}`,
  }))
  return [...skus, ...tags]
}

/** @param likeness 0 to 1, as `scoreTitle` has it. */
export const hitOfTitle = (productId: string, title: string, likeness: number): Mapping => ({
  product_id: productId,
  product_title: title,
  variant_id: null,
  sku: null,
  method: 'title',
  score: rounded(likeness),
  reason: likeness === 1 ? 'Its name is the title' : `Its name is ${Math.round(likeness * 100)} % like the title`,
})

/** One hit a product: the variant where only one has the SKU, the whole product where several have. */
function hitsOfSku(variants: readonly MirroredVariant[], method: MatchMethod, score: number, how: string): Mapping[] {
  return [...Map.groupBy(variants, ({ product_id }) => product_id).values()].map((same) => ({
    ...target(same[0]!),
    variant_id: same.length === 1 ? same[0]!.variant_id : null,
    sku: same[0]!.sku,
    method,
    score,
    reason: `${how} ${same[0]!.sku}`,
  }))
}

const target = ({ product_id, product_title }: { product_id: string; product_title: string }) => ({
  product_id,
  product_title,
  variant_id: null,
})

const rounded = (score: number) => Math.round(score * 1000) / 1000

/**
 * What the hits of one way of matching come to; null: nothing, and the next way is tried. The threshold is for what is alike: a SKU is
 * the SKU, however sure a guess must be.
 */
export function decide(hits: readonly Mapping[], threshold: number): Match | null {
  const good = hits.filter(({ sku, score }) => sku !== null || score >= threshold).toSorted((a, b) => b.score - a.score)
  const [best] = good
  if (!best) return null
  const close = good.filter(({ score }) => best.score - score < MARGIN)
  const rivals = close.some(({ product_id }) => product_id !== best.product_id)
  if (!rivals) return { mapping: best, candidates: [] }
  return { mapping: null, candidates: close.slice(0, MOST_CANDIDATES) }
}
