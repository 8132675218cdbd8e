// What a deletion would affect, shown before it is confirmed.
import { z } from 'zod'
import type { Limits } from '../../../core/configuration/limits.ts'
import { impactOf } from '../impact.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { errorSchema } from '../../../http/schemas.ts'
import { selectionSchema } from '../../operations/selection.ts'

const count = (description: string) => z.number().int().meta({ description })

export const impactSchema = z
  .object({
    files: count('Files of the selection, without unknown ids'),
    mapped: count('Of these, mapped to a product'),
    products: count('Products that they are mapped to, each once'),
    live_links: count('Links to them that work now'),
    paid_deliveries: count('Paid deliveries that contain one of them: their buyers lose it'),
  })
  .meta({ id: 'FilesImpact' })

export const impactRoutes = ({
  limits,
  clock,
}: {
  limits: Limits
  clock: () => Date
}): Endpoint[] => [
  endpoint('POST /api/files/impact', {
    summary: 'Show what a deletion would affect',
    description: 'Products and buyers’ links of any selection. Writes nothing.',
    tag: 'Files',
    scope: 'files:read',
    body: z.strictObject({ select: selectionSchema(limits) }).meta({ id: 'FilesImpactRequest' }),
    replies: {
      200: { description: 'The current numbers', schema: impactSchema },
      422: { description: 'Every problem', schema: errorSchema },
    },
    handler: async ({ caller, body: { select } }) => ({
      body: await impactOf(
        caller.scope,
        'filter' in select ? select : { ids: select.file_ids },
        clock(),
      ),
    }),
  }),
]
