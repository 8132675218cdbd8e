// Products that sell as downloads and have no file.
import { z } from 'zod'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { cutPage } from '../../http/cursors.ts'
import { listOf, pageOfWhole, timestamp } from '../../http/schemas.ts'
import { dismissUnfiled, listUnfiled } from './entitlement.ts'

const unfiledSchema = z
  .object({
    product_id: z.string(),
    title: z.string(),
    last_sold_at: timestamp.describe('To the hour'),
  })
  .meta({ id: 'UnfiledProduct' })

const endpoint = endpointsOf({ tag: 'Deliveries' })

export const unfiledRoutes = (): Endpoint[] => [
  endpoint('GET /api/unfiled-products', {
    summary: 'List products that sell and have no file',
    description:
      'Products of paid lines that need no shipping, until a file is mapped to them or they are dismissed. The latest 100 of the last 90 days.',
    scope: 'files:read',
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'The latest sale first', schema: listOf(unfiledSchema) } },
    handler: async ({ caller: { scope }, query }) => {
      const found = await listUnfiled(scope)
      const data = found.map(({ last_sold_at, ...product }) => ({
        ...product,
        last_sold_at: last_sold_at.toISOString(),
      }))
      return { body: cutPage(data, query, ({ product_id }) => product_id) }
    },
  }),
  endpoint('POST /api/unfiled-products/dismiss', {
    summary: 'Say that a product is no download',
    description: 'It is not listed any more, until `dismissed: false` takes that back.',
    scope: 'files:write',
    body: z
      .strictObject({
        product_id: z.string().min(1).max(100),
        dismissed: z.boolean().default(true),
      })
      .meta({ id: 'UnfiledDismissal' }),
    replies: { 204: { description: 'Done', schema: null } },
    handler: async ({ caller: { scope }, body: { product_id, dismissed } }) => {
      await dismissUnfiled(scope, product_id, dismissed)
      return { status: 204, body: null }
    },
  }),
]
