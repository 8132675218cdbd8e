// What an open page polls, in one small answer: the counts of its frame, and whether its lists may
// have changed. An idle page polls nothing else.
import { z } from 'zod'
import type { Engine } from '../../engine/engine.ts'
import { countOpen } from '../mapping/model/reviews.ts'
import { countUnread } from '../../core/outbox/notices.ts'
import { operationId } from '../operations/record.ts'
import { linkOpenings } from './link-openings.ts'
import { endpoint, type Endpoint } from '../../http/endpoint.ts'

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
