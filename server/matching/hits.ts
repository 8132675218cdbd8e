// Scoring: every method of matching gives its hits with a score from 0 to 1 and the reason in
// words, and one rule decides on them. docs/merchants/mapping.md explains it to merchants, with
// examples that a test runs.
import {
  type Mapping,
  type Match,
  type MatchMethod,
  say,
  type Text,
} from '../../plugins/contract/index.ts'
import type { MirroredVariant, TaggedProduct } from '../storefront/mirror/lookup.ts'
import type { NameRun } from './sku-in-name.ts'
import { firstOf } from '../core/lazy.ts'

/** If hits on different products are closer than this, a person decides. */
const MARGIN = 0.05
const MAX_CANDIDATES = 10
/** Hits with a lower score are not even suggested. */
export const NEAR = 0.6
/** A tag of more products identifies none of them. */
export const MAX_TAGGED = 5

const WHOLE_NAME = 0.99
const AT_START = 0.95
const WITHIN_FILENAME = 0.9
/** Of a SKU that is the only one of the shop whose spelling this may be. */
const OTHER_SPELLING = 0.85
const WEAK_SKU = 0.7
const TAG_IS_SKU = 0.95
const TAG_IS_TAG = 0.85
const FURTHER_TAG = 0.05

/**
 * The method and score of a part of the name that is a SKU of the catalog. `weak`: the part may be
 * there by chance.
 */
function scoreOfRun({ first, whole, weak, isSpelled }: NameRun): [score: number, why: SkuReason] {
  if (isSpelled && !weak)
    return [
      OTHER_SPELLING,
      (sku) => say('The filename has the SKU {sku} in another spelling', { sku }),
    ]
  if (weak) return [WEAK_SKU, (sku) => say('The filename has a part like the SKU {sku}', { sku })]
  if (!first) return [WITHIN_FILENAME, (sku) => say('The filename contains the SKU {sku}', { sku })]
  return whole
    ? [WHOLE_NAME, (sku) => say('The file has the name of the SKU {sku}', { sku })]
    : [AT_START, (sku) => say('The filename begins with the SKU {sku}', { sku })]
}

type SkuReason = (sku: string) => Text

/** The SKUs in the name, with their variants: one hit for each product. */
export function hitsOfFilename(
  found: readonly { run: NameRun; variants: readonly MirroredVariant[] }[],
): Mapping[] {
  const hits = found.flatMap(({ run, variants }) =>
    hitsOfSku(variants, 'filename', ...scoreOfRun(run)),
  )
  return [...Map.groupBy(hits, ({ product_id }) => product_id).values()].map((same) => {
    const best = same.reduce((one, other) => (other.score > one.score ? other : one))
    const alone = same.every(({ variant_id }) => variant_id === best.variant_id)
    return alone ? best : { ...best, variant_id: null }
  })
}

/**
 * Adds titles of other products to the SKUs in a name. The SKUs are then no better than the best of
 * these titles, so that a person decides.
 */
export function withRivals(hits: readonly Mapping[], titles: readonly Mapping[]): Mapping[] {
  const products = new Set(hits.map(({ product_id }) => product_id))
  const rivals = titles.filter(({ product_id }) => !products.has(product_id))
  if (rivals.length === 0) return [...hits]
  const most = Math.max(...rivals.map(({ score }) => score))
  return [...hits.map((hit) => ({ ...hit, score: Math.min(hit.score, most) })), ...rivals]
}

export function hitsOfTags(
  variants: readonly MirroredVariant[],
  tagged: readonly TaggedProduct[],
): Mapping[] {
  const bySku = [...Map.groupBy(variants, ({ key }) => key).values()]
  const skus = bySku.flatMap((same) =>
    hitsOfSku(same, 'tags', TAG_IS_SKU, (sku) => say('One of its tags is the SKU {sku}', { sku })),
  )
  const identifying = [...Map.groupBy(tagged, ({ key }) => key).values()]
    .filter((same) => same.length <= MAX_TAGGED)
    .flat()
  const tags = [...Map.groupBy(identifying, ({ product_id }) => product_id).values()].map(
    (same) => ({
      ...target(firstOf(same)),
      sku: null,
      method: 'tags' as const,
      score: rounded(Math.min(TAG_IS_SKU, TAG_IS_TAG + FURTHER_TAG * (same.length - 1))),
      reason:
        same.length === 1
          ? say('The product has the same tag {tags}', { tags: firstOf(same).key })
          : say('The product has the same tags {tags}', {
              tags: same.map(({ key }) => key).join(', '),
            }),
    }),
  )
  return [...skus, ...tags]
}

const nearlyTheTitle = (count: number): Text =>
  say('Its name is {count} % like the title', { count })
export const NEARLY_THE_TITLE = nearlyTheTitle(0).message

/**
 * @param likeness 0 to 1, from `scoreWords`.
 * @param isSpelled is it the title in another spelling?
 */
export const hitOfTitle = (
  productId: string,
  title: string,
  likeness: number,
  isSpelled = false,
): Mapping => ({
  product_id: productId,
  product_title: title,
  variant_id: null,
  sku: null,
  method: 'title',
  score: rounded(likeness),
  reason: isSpelled
    ? say('Its name is the title in another spelling')
    : likeness === 1
      ? say('Its name is the title')
      : nearlyTheTitle(Math.round(likeness * 100)),
})

/**
 * One hit for each product: the variant if only one has the SKU, or the whole product if several
 * have it.
 */
function hitsOfSku(
  variants: readonly MirroredVariant[],
  method: MatchMethod,
  score: number,
  why: SkuReason,
): Mapping[] {
  return [...Map.groupBy(variants, ({ product_id }) => product_id).values()].map((same) => {
    const variant = firstOf(same)
    return {
      ...target(variant),
      variant_id: same.length === 1 ? variant.variant_id : null,
      sku: variant.sku,
      method,
      score,
      reason: why(variant.sku ?? ''),
    }
  })
}

const target = ({ product_id, product_title }: { product_id: string; product_title: string }) => ({
  product_id,
  product_title,
  variant_id: null,
})

const rounded = (score: number) => Math.round(score * 1000) / 1000

/** The decision about the hits of one method. */
export interface MatchDecision {
  /** The match; null: the next method is tried. */
  match: Match | null
  /** Hits below the threshold, shown to a person if no method is sure. */
  near: readonly Mapping[]
}

/**
 * The threshold applies to similar names only: a SKU is exact. A SKU that may be in the name by
 * chance is never more than a suggestion.
 */
export function decideMatch(hits: readonly Mapping[], threshold: number): MatchDecision {
  const sorted = hits.toSorted((a, b) => b.score - a.score)
  const good = sorted.filter((hit) => isGood(hit, threshold))
  const [best] = good
  if (!best) return { match: null, near: sorted.filter(({ score }) => score >= NEAR) }
  const close = good.filter(({ score }) => best.score - score < MARGIN)
  const rivals = close.some(({ product_id }) => product_id !== best.product_id)
  if (!rivals) return { match: { mapping: best, candidates: [], suggestions: [] }, near: [] }
  return {
    match: { mapping: null, candidates: close.slice(0, MAX_CANDIDATES), suggestions: [] },
    near: [],
  }
}

const isGood = ({ sku, score }: Mapping, threshold: number) =>
  sku === null ? score >= threshold : score > WEAK_SKU

/** The best of the near hits of all methods, one for each product, highest score first. */
export function suggestionsOf(near: readonly Mapping[]): Mapping[] {
  // oxfmt-ignore
  const best = Map.groupBy(near.toSorted((a, b) => b.score - a.score), ({ product_id }) => product_id)
  return [...best.values()].map(firstOf).slice(0, MAX_CANDIDATES)
}
