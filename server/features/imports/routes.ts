// Channels: how operations start, with the names that pages show.
import { z } from 'zod'
import type { Channel } from '../workflows/channel.ts'
import { cutPage } from '../../http/cursors.ts'
import { endpoint, type Endpoint } from '../../http/endpoint.ts'
import { listOf, pageOfWhole } from '../../http/schemas.ts'

const channelSchema = z
  .object({
    id: z.string(),
    title: z.string().describe('How an operation was started: `CSV`'),
    imports: z
      .object({
        title: z.string().describe('One import: `CSV import`'),
        plural: z
          .string()
          .describe('The imports that an attached workflow applies to: `CSV imports`'),
      })
      .nullable()
      .describe('Null: its operations work on existing files'),
  })
  .meta({ id: 'Channel' })

export function channelRoutes(channels: readonly Channel[]): Endpoint[] {
  return [
    endpoint('GET /api/channels', {
      summary: 'List the channels by which operations start',
      tag: 'Workflows',
      scope: 'operations:read',
      query: z.strictObject(pageOfWhole),
      replies: { 200: { description: 'All of them', schema: listOf(channelSchema) } },
      handler: ({ query }) => Promise.resolve({ body: cutPage(channels, query, ({ id }) => id) }),
    }),
  ]
}
