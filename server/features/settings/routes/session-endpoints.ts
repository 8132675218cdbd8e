// Who is signed in, for the page's frame.
import { z } from 'zod'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'

const sessionSchema = z
  .object({
    shop: z.object({ domain: z.string(), name: z.string(), demo: z.boolean() }),
    user: z.string(),
  })
  .meta({ id: 'Session' })

export const sessionRoutes = (): Endpoint[] => [
  endpoint('GET /api/session', {
    summary: 'Read who is signed in, and to which shop',
    tag: 'Session',
    scope: null,
    replies: { 200: { description: 'The caller', schema: sessionSchema } },
    handler: ({ caller }) => Promise.resolve({ body: { shop: caller.shop, user: caller.name } }),
  }),
]
