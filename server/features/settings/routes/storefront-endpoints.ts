// The app's access to the platform: the scopes that it was granted, and what a missing one
// disables.
import { z } from 'zod'
import { missingScopes, readScopes } from '../../../storefront/access.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'

const storefrontSchema = z
  .object({
    scopes: z.array(z.string()),
    missing: z.array(z.object({ scope: z.string(), disables: z.string() })),
  })
  .meta({ id: 'StorefrontAccess' })

export const storefrontRoutes = (): Endpoint[] => [
  endpoint('GET /api/storefront', {
    summary: 'Read which scopes the storefront has granted',
    description: 'A write scope includes its read scope.',
    tag: 'Settings',
    scope: 'operations:read',
    replies: { 200: { description: 'Granted and missing scopes', schema: storefrontSchema } },
    handler: async ({ caller }) => {
      const scopes = await readScopes(caller.scope)
      return { body: { scopes, missing: missingScopes(scopes) } }
    },
  }),
]
