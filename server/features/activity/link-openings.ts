// Who answered what a link asks before a download, and what it refused.
import { z } from 'zod'
import { AppError } from '../../core/errors.ts'
import { requirePublicId } from '../../core/ids.ts'
import { endpoint, type Endpoint } from '../../http/endpoint.ts'
import { listOpenings } from '../downloads/gates/openings.ts'
import { listRefused } from '../orders/deliveries.ts'
import { openingRecord, openingSchema, refusalRecord, refusalSchema } from '../orders/record.ts'

export const linkOpenings = (): Endpoint =>
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
