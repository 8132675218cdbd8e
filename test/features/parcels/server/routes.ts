import { z } from 'zod'
import { toPublicId } from '../../core/ids.ts'
import type { Engine } from '../../engine/engine.ts'
import { endpoint, type Endpoint } from '../../http/endpoint.ts'
import { filename } from '../../http/schemas.ts'
import { startImport } from '../imports/start.ts'
import { parcelChannel } from './channel.ts'

const startSchema = z.object({ job_id: z.string() }).meta({ id: 'ParcelStart' })

export const parcelRoutes = ({ engine }: { engine: Engine }): Endpoint[] => [
  endpoint('POST /api/parcels', {
    summary: 'Import a text as a file',
    tag: 'Import',
    scope: 'imports:write',
    body: z.strictObject({ filename, text: z.string().min(1).max(10_000) }),
    replies: { 202: { description: 'The import', schema: startSchema } },
    handler: async ({ caller, body }) => {
      const { id } = await caller.scope.one<{ id: string }>(
        `insert into parcels (shop_id, content) values (:shop, convert_to(:text, 'UTF8'))
         returning id`,
        { text: body.text },
      )
      const started = await startImport(engine, caller.scope, parcelChannel, {
        files: [{ filename: body.filename, source: { type: 'parcel', id }, on_conflict: 'error' }],
        requestedBy: caller.name,
      })
      return { status: 202, body: { job_id: toPublicId('import', started) } }
    },
  }),
]
