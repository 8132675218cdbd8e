// Accepting candidates of the review list: an operation maps the files, so that history has it and
// it can be undone.
import { say, sentences, type Candidate } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { withOptions } from '../../engine/steps.ts'
import type { Engine } from '../../engine/engine.ts'
import { decideReviews, recordAcceptance, type ReviewRow } from './model/reviews.ts'
import { toPublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'

/** The action of the operations that map accepted reviews. */
export const ACCEPTING = 'map-products'
/** The maximum number of reviews in one operation. */
export const MAX_ACCEPTED = 1000

export interface AcceptedReview {
  review: ReviewRow
  candidate: Candidate
}

/**
 * Accepts reviews. Returns the operation's UUID and the number of its files; null if no review was
 * open any more.
 */
export function acceptReviews(
  engine: Engine,
  scope: ShopScope,
  accepted: readonly AcceptedReview[],
  by: { name: string; channel: string },
): Promise<{ operation: string; count: number } | null> {
  return scope.transaction(async (tx) => {
    const ids = accepted.map(({ review }) => review.id)
    const open = await decideReviews(tx, ids, 'accepted', by.name)
    const taken = accepted.filter(({ review }) => open.has(review.id))
    if (taken.length === 0) return null
    const operation = await engine.start(tx, {
      workflow: withOptions(present(engine.workflow(ACCEPTING), ACCEPTING), ACCEPTING, {
        choices: taken.map(choiceOf),
      }),
      channel: by.channel,
      source: { type: 'files', ids: taken.map(({ review }) => review.file_id) },
      request: {},
      requestedBy: by.name,
    })
    await recordAcceptance(tx, [...open], operation)
    return { operation, count: taken.length }
  })
}

const choiceOf = ({ review, candidate }: AcceptedReview) => ({
  file_id: toPublicId('file', review.file_id),
  product_id: candidate.product_id,
  variant_id: candidate.variant_id,
  score: candidate.score,
  reason: sentences(say('Accepted from the review list.'), candidate.reason),
  replace: review.replaces,
})
