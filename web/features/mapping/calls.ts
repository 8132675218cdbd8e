// Reviews: files that several products fit, and the products to choose from.
import { useQueryClient } from '@tanstack/react-query'
import { ifFailed, useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { type Query } from '../../shell/client/endpoints.ts'
import { findByWidget, pluginsQuery } from '../../shell/client/plugins.ts'
import { CALM_MS, LIVE_MS, SLOW_MS } from '../../shell/client/polling.ts'
import { keyOf, useRead } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'
import { showAnswer } from '../../shell/client/show-answer.ts'

export type Review = Schemas['Review']
/** Best first. */
export type Candidate = Review['candidates'][number]

export type Product = Schemas['Product']

/** An answer to a review changes the files. */
const KEYS = [['reviews'], ['files']]

export const useReviews = (query: Query, enabled: boolean) =>
  useRead('GET /api/reviews', { query, enabled, keep: true, poll: CALM_MS })

/** The reviews that have one best candidate above this score. null: no score yet. */
export const useCountAbove = (above: number | null) =>
  useRead('GET /api/reviews/accept', { query: { above }, enabled: above !== null, keep: true })

/** Does one product score higher than every other? */
export function isClear({ candidates }: Pick<Review, 'candidates'>): boolean {
  const [best] = candidates
  return (
    best !== undefined &&
    candidates.every(
      ({ product_id, score }) => product_id === best.product_id || score < best.score,
    )
  )
}

export interface Choice {
  product_id: string
  variant_id: string | null
}

/** Accepts one of the candidates. */
export const useAccept = () =>
  useChangeOf(KEYS, ({ review, choice }: { review: Review; choice: Choice }) => {
    const { product_id, variant_id } = choice
    const body = { product_id, variant_id }
    return call('POST /api/reviews/{id}/accept', { path: { id: review.id }, body })
  })

/** Maps to any product: a file with a product has no open review. */
export function useMapTo() {
  const client = useQueryClient()
  return useChangeOf(
    KEYS,
    async ({ files, choice }: { files: () => Promise<string[]>; choice: Choice }) => {
      const { data } = await client.fetchQuery(pluginsQuery)
      const found = findByWidget(data, 'product')
      if (!found) throw new Error(t('This installation has no plugin that maps files to a product'))
      const { product_id, variant_id } = choice
      const options = { [found.option]: product_id, ...(variant_id === null ? {} : { variant_id }) }
      const body = { action: found.plugin.id, select: { file_ids: await files() }, options }
      return call('POST /api/operations', { body })
    },
  )
}

export const useReject = () =>
  useChangeOf(KEYS, (id: string) => call('POST /api/reviews/{id}/reject', { path: { id } }))

export type ReviewGroup = Schemas['ReviewGroup']

/** Open reviews with the same best candidate by the same rule, the largest groups first. */
export const useReviewGroups = (query: Query, enabled: boolean) =>
  useRead('GET /api/reviews/groups', { query, enabled, keep: true, poll: CALM_MS })

/** Accepts the candidate for all open reviews like this one. */
export const useAcceptAlike = () =>
  useChangeOf(KEYS, ({ review, choice }: { review: Review; choice: Choice }) => {
    const { product_id, variant_id } = choice
    const body = { product_id, variant_id }
    return call('POST /api/reviews/{id}/accept-alike', { path: { id: review.id }, body })
  })

export const useRejectAlike = () =>
  useChangeOf(KEYS, (id: string) => call('POST /api/reviews/{id}/reject-alike', { path: { id } }))

/** Undoes rejections. */
export const useReopen = () =>
  useChangeOf(KEYS, (ids: string[]) => call('POST /api/reviews/reopen', { body: { ids } }))

/** The files of all reviews like this one. */
export async function filesAlike(review: Review): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await call('GET /api/reviews', { query: { like: review.id, limit: 250, cursor } })
    ids.push(...page.data.map(({ file }) => file.id))
    cursor = page.next_cursor
  }
  return ids
}

export type MappingRule = Schemas['MappingRule']
export type RuleRequest = Schemas['MappingRuleRequest']
export type RuleTarget = Pick<RuleRequest, 'product_id' | 'variant_id' | 'sku_template'>

const RULES = [['mapping-rules']]

export const useRules = () => useRead('GET /api/mapping-rules')

/** How many files have such a name now; '': not asked. */
export const useRuleCount = (pattern: string) =>
  useRead('GET /api/mapping-rules/count', {
    query: { pattern },
    enabled: pattern !== '',
    keep: true,
  })

export const useSaveRule = () =>
  useChangeOf(RULES, ({ id, rule }: { id: string | null; rule: RuleRequest }) =>
    id === null
      ? call('POST /api/mapping-rules', { body: rule })
      : call('PATCH /api/mapping-rules/{id}', { path: { id }, body: rule }),
  )

export const useMoveRule = () =>
  useChangeOf(RULES, ({ id, position }: { id: string; position: number }) =>
    call('PATCH /api/mapping-rules/{id}', { path: { id }, body: { position } }),
  )

export const useDeleteRule = () =>
  useChangeOf(RULES, (id: string) => call('DELETE /api/mapping-rules/{id}', { path: { id } }))

/** Maps the files that the rule matches and that never had a product. */
export const useApplyRule = () =>
  useChangeOf([...KEYS, ...RULES], (id: string) =>
    call('POST /api/mapping-rules/{id}/apply', { path: { id } }),
  )

/** Accepts all of them, in several operations if necessary; returns their number and operations. */
export const useAcceptAbove = () =>
  useChangeOf(KEYS, async ({ above, count }: { above: number; count: number }) => {
    let done = 0
    const operations: string[] = []
    while (done < count) {
      const { accepted, job_id } = await call('POST /api/reviews/accept', { body: { above } })
      if (accepted === 0 || job_id === null) break
      done += accepted
      operations.push(job_id)
    }
    return { accepted: done, operations }
  })

/**
 * Products whose title or SKU contains these words; without words, the first ones. `refreshed`:
 * when the mirror was refreshed.
 */
export const useProducts = (search: string, refreshed: string | null) =>
  useRead('GET /api/products', {
    query: { search, limit: 25 },
    keep: true,
    dependsOn: [refreshed],
  })

/** The mirror of the shop's catalog, from which the page lists products. */
export type Mirror = Pick<
  Schemas['CatalogMirror'],
  'status' | 'products' | 'progress' | 'refreshed_at' | 'error' | 'error_text'
>

export const useMirror = () =>
  useRead('GET /api/products/mirror', {
    poll: (mirror) => (mirror?.status === 'refreshing' ? LIVE_MS : SLOW_MS),
  })

const MIRROR = keyOf('GET /api/products/mirror')

export const useRefreshProducts = () =>
  useChangeOf(ifFailed(MIRROR), (_: void) => call('POST /api/products/refresh'), {
    show: (client, mirror) => showAnswer(client, MIRROR, mirror),
  })
