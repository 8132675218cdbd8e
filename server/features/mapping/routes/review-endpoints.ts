// Reviews: which of several products a file belongs to.
import { say, numeric } from '../../../../plugins/contract/index.ts'
import { z } from 'zod'
import { acceptReviews, MAX_ACCEPTED, type AcceptedReview } from '../accept-reviews.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import type { Engine } from '../../../engine/engine.ts'
import { AppError } from '../../../core/errors.ts'
// oxfmt-ignore
import { listUnambiguous, countUnambiguous, countOpen, decideReviews, findReview, listReviewGroups, listReviews, reopenRejected, REVIEW_STATUSES, type ReviewRow } from '../model/reviews.ts'
import { parsePublicId, requirePublicId, toOperationId, toPublicId } from '../../../core/ids.ts'
import { publicId } from '../../../core/public-id.ts'
import { storedReason } from '../../../core/texts.ts'
import { firstOf, lastOf, present, zip } from '../../../core/lazy.ts'
import { imagesAndTitles } from '../../../storefront/mirror/lookup.ts'
import { fromCursor, integer, text, toCursor } from '../../../http/cursors.ts'
import { endpointsOf, type Caller, type Endpoint } from '../../../http/endpoint.ts'
import {
  errorSchema,
  listOf,
  mappingMethod,
  messageText,
  page,
  timestamp,
} from '../../../http/schemas.ts'
import { channelOf } from '../../operations/routes.ts'

const endpoint = endpointsOf({ tag: 'Products' })

const candidateSchema = z.object({
  product_id: z.string(),
  product_title: z.string(),
  variant_id: z.string().nullable(),
  image: z.string().nullable().describe('Of the product'),
  variant_title: z.string().nullable(),
  sku: z.string().nullable(),
  method: mappingMethod,
  score: z.number(),
  reason: z.string(),
  reason_text: messageText,
})

const reviewSchema = z
  .object({
    id: z.string(),
    file: z.object({ id: z.string(), filename: z.string() }),
    candidates: z.array(candidateSchema).describe('Best first'),
    score: z.number().describe('The best candidate’s score'),
    status: z.enum(REVIEW_STATUSES),
    replaces: z.boolean().describe('The file has a product, which the candidate replaces'),
    operation_id: z.string().nullable().describe('The operation that asked'),
    created_at: timestamp,
    decided_at: timestamp.nullable(),
    decided_by: z.string().nullable(),
  })
  .meta({ id: 'Review' })

const acceptedSchema = z.object({
  accepted: z.number().int(),
  job_id: z
    .string()
    .nullable()
    .describe('The operation that maps the files; null if there were none to map'),
  open: z.number().int().describe('How many reviews are still open'),
})

const choiceSchema = z
  .strictObject({
    product_id: z.string().max(255),
    variant_id: z.string().max(255).nullable().optional(),
  })
  .meta({ id: 'ReviewAcceptance' })

const decided = { description: 'It was decided already', schema: errorSchema }

export const reviewRoutes = ({ engine }: { engine: Engine }): Endpoint[] => [
  list(),
  // Before the routes with an id: `accept` is not an id.
  countAbove(),
  groups(),
  show(),
  accept(engine),
  acceptAlike(engine),
  reject(),
  rejectAlike(),
  acceptAbove(engine),
  reopen(),
]

const list = () =>
  endpoint('GET /api/reviews', {
    summary: 'List files that several products fit',
    scope: 'files:read',
    query: z.strictObject({
      ...page,
      status: z.enum(REVIEW_STATUSES).default('open'),
      like: publicId('review', 'a review')
        .optional()
        .describe('Only those with the best candidate and rule of this review'),
    }),
    replies: {
      200: {
        description: 'A page of reviews, newest first',
        schema: listOf(reviewSchema).extend({ open: z.number().int() }),
      },
    },
    handler: async ({ caller, query }) => {
      const before = fromCursor(query.cursor, [text])?.[0]
      const rows = await listReviews(caller.scope, {
        status: query.status,
        limit: query.limit + 1,
        ...(query.like === undefined
          ? {}
          : { like: (await requireReview(caller.scope, query.like)).id }),
        ...(before ? { before: requirePublicId('review', before) } : {}),
      })
      const shown = rows.slice(0, query.limit)
      const next =
        rows.length > query.limit ? toCursor([toPublicId('review', lastOf(shown).id)]) : null
      const data = await recordsOf(caller.scope, shown)
      return { body: { data, next_cursor: next, open: await countOpen(caller.scope) } }
    },
  })

const groupSchema = z
  .object({
    review: reviewSchema.describe('The newest of the group'),
    rule: z.string().describe('What suggested their best candidate'),
    rule_text: messageText,
    count: z.number().int(),
    others: z.array(z.string()).describe('Names of some of the other files'),
  })
  .meta({ id: 'ReviewGroup' })

const groups = () =>
  endpoint('GET /api/reviews/groups', {
    summary: 'List open reviews in groups with the same best candidate by the same rule',
    scope: 'files:read',
    query: z.strictObject(page),
    replies: {
      200: {
        description: 'A page of groups, the largest first',
        schema: listOf(groupSchema).extend({ open: z.number().int() }),
      },
    },
    handler: async ({ caller, query: { limit, cursor } }) => {
      const [count, newest] = fromCursor(cursor, [integer, text]) ?? []
      const { groups: rows, open } = await listReviewGroups(caller.scope, {
        limit: limit + 1,
        ...(count === undefined || newest === undefined
          ? {}
          : { before: { count, newest: requirePublicId('review', newest) } }),
      })
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? lastOf(shown) : null
      const reviews = await recordsOf(
        caller.scope,
        shown.map(({ review }) => review),
      )
      return {
        body: {
          data: zip(shown, reviews).map(([{ review: _, rule, ...group }, review]) => {
            const { reason, reason_text } = storedReason(rule)
            return {
              ...group,
              rule: reason,
              ...(reason_text && { rule_text: reason_text }),
              review,
            }
          }),
          next_cursor: last && toCursor([last.count, toPublicId('review', last.review.id)]),
          open,
        },
      }
    },
  })

const show = () =>
  endpoint('GET /api/reviews/{id}', {
    summary: 'Read a review',
    scope: 'files:read',
    replies: { 200: { description: 'The review', schema: reviewSchema } },
    handler: async ({ caller, params }) => {
      const [body] = await recordsOf(caller.scope, [await requireReview(caller.scope, params.id)])
      return { body }
    },
  })

const accept = (engine: Engine) =>
  endpoint('POST /api/reviews/{id}/accept', {
    summary: 'Map the file to one of the candidates',
    scope: 'files:write',
    body: choiceSchema,
    replies: {
      202: { description: 'An operation maps it', schema: acceptedSchema },
      409: decided,
      422: { description: 'It is not one of the candidates', schema: errorSchema },
    },
    handler: async ({ caller, params, body }) => {
      const review = await requireReview(caller.scope, params.id)
      const candidate = candidateOf(review, body)
      if (!candidate) throw notACandidate()
      return accepted(engine, caller, [{ review, candidate }])
    },
  })

const acceptAlike = (engine: Engine) =>
  endpoint('POST /api/reviews/{id}/accept-alike', {
    summary: 'Map the files of all open reviews like this one to one of the candidates',
    description: `The same best candidate by the same rule. At most ${MAX_ACCEPTED} a call, in one operation.`,
    scope: 'files:write',
    body: choiceSchema,
    replies: {
      202: { description: 'An operation maps them', schema: acceptedSchema },
      409: decided,
      422: { description: 'It is not one of the candidates', schema: errorSchema },
    },
    handler: async ({ caller, params, body }) => {
      const review = await requireReview(caller.scope, params.id)
      if (!candidateOf(review, body)) throw notACandidate()
      const alike = await listAlike(caller.scope, review)
      const all = alike.flatMap((one): AcceptedReview[] => {
        const candidate = candidateOf(one, body)
        return candidate ? [{ review: one, candidate }] : []
      })
      if (all.length === 0) throw alreadyDecided()
      return accepted(engine, caller, all)
    },
  })

const listAlike = (scope: ShopScope, { id }: ReviewRow) =>
  listReviews(scope, { status: 'open', like: id, limit: MAX_ACCEPTED })

const candidateOf = (
  { candidates }: ReviewRow,
  { product_id, variant_id }: z.output<typeof choiceSchema>,
) =>
  candidates.find(
    (one) =>
      one.product_id === product_id && (variant_id === undefined || one.variant_id === variant_id),
  )

const reject = () =>
  endpoint('POST /api/reviews/{id}/reject', {
    summary: 'Reject all candidates: this review is not opened again',
    scope: 'files:write',
    replies: { 200: { description: 'The review', schema: reviewSchema }, 409: decided },
    handler: async ({ caller, params }) => {
      const { id } = await requireReview(caller.scope, params.id)
      const now = await decideReviews(caller.scope, [id], 'rejected', caller.name)
      if (now.size === 0) throw alreadyDecided()
      const review = present(await findReview(caller.scope, id), 'The review')
      const [body] = await recordsOf(caller.scope, [review])
      return { body }
    },
  })

const rejectAlike = () =>
  endpoint('POST /api/reviews/{id}/reject-alike', {
    summary: 'Reject all candidates of all open reviews like this one',
    description: `At most ${MAX_ACCEPTED} a call. \`POST /api/reviews/reopen\` undoes it.`,
    scope: 'files:write',
    replies: {
      200: {
        description: 'The rejected reviews',
        schema: z.object({ ids: z.array(z.string()), open: z.number().int() }),
      },
      409: decided,
    },
    handler: async ({ caller, params }) => {
      const review = await requireReview(caller.scope, params.id)
      const ids = (await listAlike(caller.scope, review)).map(({ id }) => id)
      const now = await decideReviews(caller.scope, ids, 'rejected', caller.name)
      if (now.size === 0) throw alreadyDecided()
      const rejected = [...now].map((id) => toPublicId('review', id))
      return { body: { ids: rejected, open: await countOpen(caller.scope) } }
    },
  })

const reopen = () =>
  endpoint('POST /api/reviews/reopen', {
    summary: 'Open rejected reviews again',
    scope: 'files:write',
    atomic: true,
    body: z.strictObject({ ids: z.array(z.string()).min(1).max(MAX_ACCEPTED) }),
    replies: {
      200: {
        description: 'How many are open again: unknown and other reviews are ignored',
        schema: z.object({ reopened: z.number().int(), open: z.number().int() }),
      },
    },
    handler: async ({ caller: { scope }, body }) => {
      const ids = body.ids.flatMap((id) => parsePublicId('review', id) ?? [])
      const reopened = await reopenRejected(scope, ids)
      return { body: { reopened, open: await countOpen(scope) } }
    },
  })

const countAbove = () =>
  endpoint('GET /api/reviews/accept', {
    summary: 'Count the reviews that would be accepted above a score',
    scope: 'files:read',
    query: z.strictObject({ above: numeric(z.number().min(0).max(1)) }),
    replies: {
      200: {
        description:
          'Those that `POST /api/reviews/accept` with this score accepts, in one call or several',
        schema: z.object({
          above: z.number(),
          count: z.number().int(),
          scores: z
            .array(z.object({ above: z.number(), count: z.number().int() }))
            .describe('The same count for other scores'),
          least_certain: z
            .array(reviewSchema)
            .describe(`Up to ${LEAST_CERTAIN} of them, the lowest scores first`),
        }),
      },
    },
    handler: async ({ caller: { scope }, query: { above } }) => {
      const [counts, least] = await Promise.all([
        countUnambiguous(scope, [above, ...OTHER_SCORES]),
        listUnambiguous(scope, above, { first: 'lowest', limit: LEAST_CERTAIN }),
      ])
      const [count = 0, ...others] = counts
      const scores = OTHER_SCORES.map((score, at) => ({ above: score, count: others[at] ?? 0 }))
      return { body: { above, count, scores, least_certain: await recordsOf(scope, least) } }
    },
  })

const OTHER_SCORES = [0.95, 0.9, 0.8, 0.7, 0.6]
const LEAST_CERTAIN = 8

const acceptAbove = (engine: Engine) =>
  endpoint('POST /api/reviews/accept', {
    summary: 'Accept the best candidate of every review above a score',
    description: `Reviews whose best candidates score the same stay open. At most ${MAX_ACCEPTED} a call: \`open\` says what is left.`,
    scope: 'files:write',
    body: z.strictObject({ above: z.number().min(0).max(1) }).meta({ id: 'ReviewsAcceptance' }),
    replies: { 202: { description: 'An operation maps them', schema: acceptedSchema } },
    handler: async ({ caller, body }) => {
      const reviews = await listUnambiguous(caller.scope, body.above, {
        first: 'highest',
        limit: MAX_ACCEPTED,
      })
      const best = reviews.map((review) => ({ review, candidate: firstOf(review.candidates) }))
      if (best.length === 0)
        return {
          status: 202,
          body: { accepted: 0, job_id: null, open: await countOpen(caller.scope) },
        }
      return accepted(engine, caller, best)
    },
  })

async function accepted(engine: Engine, caller: Caller, all: readonly AcceptedReview[]) {
  const by = { name: caller.name, channel: channelOf(caller) }
  const started = await acceptReviews(engine, caller.scope, all, by)
  if (!started) throw alreadyDecided()
  const id = toOperationId('bulk', started.operation)
  return {
    status: 202,
    headers: { Location: `/api/operations/${id}` },
    body: { accepted: started.count, job_id: id, open: await countOpen(caller.scope) },
  }
}

async function requireReview(scope: ShopScope, id: string): Promise<ReviewRow> {
  const review = await findReview(scope, requirePublicId('review', id))
  if (!review) throw new AppError('not_found')
  return review
}

const alreadyDecided = () =>
  new AppError('conflict', { message: say('This review was decided already') })

function notACandidate(): AppError {
  const message = say('This is none of the candidates')
  const details = [{ param: 'product_id', code: 'invalid_value', message } as const]
  return new AppError('validation_failed', { param: 'product_id', details })
}

async function recordsOf(
  scope: ShopScope,
  reviews: readonly ReviewRow[],
): Promise<z.output<typeof reviewSchema>[]> {
  const all = reviews.flatMap(({ candidates }) => candidates)
  const products = [...new Set(all.map(({ product_id }) => product_id))]
  const variants = [...new Set(all.flatMap(({ variant_id }) => variant_id ?? []))]
  const { images, titles } = await imagesAndTitles(scope, products, variants)
  return reviews.map((review) => ({
    ...recordOf(review),
    candidates: review.candidates.map((candidate) => ({
      ...candidate,
      ...storedReason(candidate.reason),
      image: images.get(candidate.product_id) ?? null,
      variant_title: titles.get(candidate.variant_id ?? '') ?? null,
    })),
  }))
}

const recordOf = (review: ReviewRow): Omit<z.output<typeof reviewSchema>, 'candidates'> => ({
  id: toPublicId('review', review.id),
  file: { id: toPublicId('file', review.file_id), filename: review.filename },
  score: Math.round(review.score * 1000) / 1000,
  status: review.status,
  replaces: review.replaces,
  operation_id:
    review.operation_id && review.kind && toOperationId(review.kind, review.operation_id),
  created_at: review.created_at.toISOString(),
  decided_at: review.decided_at?.toISOString() ?? null,
  decided_by: review.decided_by,
})
