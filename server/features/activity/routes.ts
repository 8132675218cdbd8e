// What an open page polls, in one small answer: the counts of its frame, and whether its lists may
// have changed. An idle page polls nothing else.
import { z } from 'zod'
import type { Engine } from '../../engine/engine.ts'
import { countUnread } from '../../core/outbox/notices.ts'
import { endpoint, type Endpoint } from '../../http/endpoint.ts'
import { AppError } from '../../core/errors.ts'
import { requirePublicId } from '../../core/ids.ts'
import { countOpen } from '../mapping/model/reviews.ts'
import { operationId } from '../operations/record.ts'
import { listOpenings } from '../downloads/gates/openings.ts'
import { listRefused } from '../orders/deliveries.ts'
import { openingRecord, openingSchema, refusalRecord, refusalSchema } from '../orders/record.ts'

/** The page asks every few seconds. */
const MAX_REVIEWS = 1000

const activitySchema = z
  .object({
    unread: z.number().int().describe('Unread notices'),
    reviews: z.number().int().describe(`Open reviews, counted up to ${MAX_REVIEWS}`),
    running: z.boolean().describe('Whether an operation is running'),
    latest_operation: z.string().nullable().describe('The newest operation; null: none yet'),
  })
  .meta({ id: 'Activity' })

export const activityRoutes = (engine: Engine): Endpoint[] => [
  endpoint('GET /api/activity', {
    summary: 'Read what is new: counts, and whether an operation is running',
    tag: 'Session',
    scope: 'operations:read',
    replies: { 200: { description: 'What is new', schema: activitySchema } },
    handler: async ({ caller: { scope } }) => {
      const [unread, reviews, running, newest] = await Promise.all([
        countUnread(scope),
        countOpen(scope, MAX_REVIEWS),
        engine.list(scope, { status: 'running', limit: 1 }),
        engine.list(scope, { limit: 1 }),
      ])
      const [latest] = newest
      return {
        body: {
          unread,
          reviews,
          running: running.length > 0,
          latest_operation: latest ? operationId(latest) : null,
        },
      }
    },
  }),
  linkOpenings(),
]

// Who answered what a link asks before a download, and what it refused.

const linkOpenings = (): Endpoint =>
  endpoint('GET /api/links/{id}/openings', {
    summary: 'List who opened a link that asks before a download',
    description:
      'With the downloads that were refused, wrong answers among them, newest first. For a pack’s link also those of its files.',
    tag: 'Links',
    scope: ['files:read', 'links:write'],
    replies: {
      200: {
        description: 'The openings and refusals that are kept',
        schema: z
          .object({ openings: z.array(openingSchema), refusals: z.array(refusalSchema) })
          .meta({ id: 'LinkOpenings' }),
      },
    },
    handler: async ({ caller, params }) => {
      const id = requirePublicId('link', params.id)
      const [known] = await caller.scope.from<{ id: string }>('links').where('id', id).select('id')
      if (!known) throw new AppError('not_found')
      const [openings, refusals] = await Promise.all([
        listOpenings(caller.scope, id),
        listRefused(caller.scope, id),
      ])
      return {
        body: { openings: openings.map(openingRecord), refusals: refusals.map(refusalRecord) },
      }
    },
  })
