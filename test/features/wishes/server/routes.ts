import { z } from 'zod'
import { queueTask } from '../../core/queue/background.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { filename, listOf, timestamp } from '../../http/schemas.ts'
import { GRANT } from './grant-task.ts'
import { addWish, listWishes, type WishRow } from './wishes.ts'

const endpoint = endpointsOf({ tag: 'Files' })

const wishSchema = z
  .object({ id: z.string(), filename: z.string(), granted_at: timestamp.nullable() })
  .meta({ id: 'Wish' })

const recordOf = ({ id, filename, granted_at }: WishRow): z.output<typeof wishSchema> => ({
  id,
  filename,
  granted_at: granted_at?.toISOString() ?? null,
})

export const wishRoutes = (): Endpoint[] => [
  endpoint('GET /api/wishes', {
    summary: 'List wishes, newest first',
    scope: 'files:read',
    replies: { 200: { description: 'The last 100', schema: listOf(wishSchema) } },
    handler: async ({ caller }) => ({
      body: { data: (await listWishes(caller.scope)).map(recordOf), next_cursor: null },
    }),
  }),
  endpoint('POST /api/wishes', {
    summary: 'Wish for a file',
    scope: 'files:write',
    body: z.strictObject({ filename }),
    replies: { 201: { description: 'The wish', schema: wishSchema } },
    handler: async ({ caller, body }) => ({
      status: 201,
      body: await caller.scope.transaction(async (tx) => {
        const wish = await addWish(tx, body.filename)
        await queueTask(tx, GRANT, String(tx.shop))
        return recordOf(wish)
      }),
    }),
  }),
]
