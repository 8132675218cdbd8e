// Signing in to a cloud connection at its provider.
import { z } from 'zod'
import { beginAuthorization, completeAuthorization } from '../authorize.ts'
import { requirePublicId } from '../../../core/ids.ts'
import type { Endpoint } from '../../../http/endpoint.ts'
import { errorSchema } from '../../../http/schemas.ts'
import {
  type ConnectionParts,
  cloudWriting,
  connectionReply,
  providerRefused,
  readConnection,
} from './parts.ts'

export function connectionSignInRoutes({ cloud }: ConnectionParts): Endpoint[] {
  return [
    cloudWriting('POST /api/connections/{id}/authorize', {
      summary: 'Begin the sign-in at the provider',
      description: 'Open the address in a separate window; it is valid for 10 minutes.',
      replies: {
        200: { description: 'The provider’s address', schema: z.object({ url: z.string() }) },
        409: { description: 'This provider has no sign-in', schema: errorSchema },
      },
      handler: async ({ caller: { scope, subject }, params }) => {
        const id = requirePublicId('connection', params.id)
        return { body: { url: await beginAuthorization(cloud, scope, { id, subject }) } }
      },
    }),
    cloudWriting('POST /api/connections/{id}/authorized', {
      summary: 'Complete a sign-in with the parameters that the provider gave to the window',
      description: 'Only the session that began it can complete it.',
      body: z.strictObject({ code: z.string().min(1).max(4096), state: z.string().max(500) }),
      replies: {
        200: connectionReply,
        409: { description: 'Another session began it', schema: errorSchema },
        ...providerRefused,
      },
      handler: async ({ caller: { scope, subject }, params, body }) => {
        const id = requirePublicId('connection', params.id)
        await completeAuthorization(cloud, scope, { id, subject, ...body })
        return { body: await readConnection(scope, id) }
      },
    }),
  ]
}
