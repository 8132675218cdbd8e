// The answers to a review, or to all reviews like it, each with its undo.
import { lastError } from '../../../shell/client/change.ts'
import { t } from '../../../shell/messages/t.ts'
import {
  type Candidate,
  type Review,
  useAccept,
  useAcceptAlike,
  useReject,
  useRejectAlike,
} from '../calls.ts'
import { type Decision } from '../decision-bar.tsx'

export function useDecide(review: Review, count: number, onDecided: (decision: Decision) => void) {
  const [accept, acceptAlike] = [useAccept(), useAcceptAlike()]
  const [reject, rejectAlike] = [useReject(), useRejectAlike()]
  const { filename } = review.file
  // The card is gone when the answer is saved: callbacks of `mutate` would not be called.
  const after = async <Answer>(sent: Promise<Answer>, decided: (answer: Answer) => Decision) => {
    const answer = await sent.catch(() => null)
    if (answer !== null) onDecided(decided(answer))
  }
  return {
    accept: (choice: Candidate) => {
      const title = choice.product_title
      const work = count > 1 ? acceptAlike : accept
      void after(work.mutateAsync({ review, choice }), ({ accepted, job_id }) => ({
        text:
          count > 1
            ? t(
                '{accepted, plural, one {# file is attached to {title}} other {# files are attached to {title}}}',
                { accepted, title },
              )
            : t('{filename} is attached to {title}', { filename, title }),
        undo: { kind: 'operations', ids: [job_id ?? ''] },
      }))
    },
    reject: () => {
      if (count === 1)
        return void after(reject.mutateAsync(review.id), ({ id }) => ({
          text: t('{filename} stays without a product', { filename }),
          undo: { kind: 'reviews', ids: [id] },
        }))
      void after(rejectAlike.mutateAsync(review.id), ({ ids }) => ({
        text: t(
          '{count, plural, one {# file stays without a product} other {# files stay without a product}}',
          { count: ids.length },
        ),
        undo: { kind: 'reviews', ids },
      }))
    },
    accepting: accept.isPending || acceptAlike.isPending,
    rejecting: reject.isPending || rejectAlike.isPending,
    error: lastError(accept, acceptAlike, reject, rejectAlike),
  }
}
