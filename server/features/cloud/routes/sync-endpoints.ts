// The syncs of a cloud connection: started now, and listed; and the files that they cannot import.
import { z } from 'zod'
import { requireConnection } from '../connections.ts'
import { updateSyncBase } from '../sync-base.ts'
import { startSync } from '../sync.ts'
import { listRejections } from '../rejections.ts'
import { listSyncs } from '../sync-rows.ts'
import { requirePublicId } from '../../../core/ids.ts'
import { storedMessage } from '../../../core/texts.ts'
import { rejectionSchema, syncRecord, syncSchema } from './record.ts'
import { fromCursor, listPage, text, uuid } from '../../../http/cursors.ts'
import type { Endpoint } from '../../../http/endpoint.ts'
import { acceptedOperation, operationSchema } from '../../operations/record.ts'
import { errorSchema, listOf, shortPage, page } from '../../../http/schemas.ts'
import { type ConnectionParts, cloudReading, cloudWriting } from './parts.ts'

const syncBody = z
  .strictObject({
    dry_run: z.boolean().optional(),
    retry_rejected: z
      .boolean()
      .optional()
      .describe('Files that could not be imported are tried again'),
  })
  .default({})

export const connectionSyncRoutes = (parts: ConnectionParts): Endpoint[] => [
  start(parts),
  list(),
  rejections(),
]

const start = ({ cloud, engine, clock }: ConnectionParts): Endpoint =>
  cloudWriting('POST /api/connections/{id}/sync', {
    summary: 'Sync a cloud connection now',
    description:
      'A first sync that would replace or delete files, and a sync that would delete more than 20 % or 100 files, is a preview that must be confirmed.',
    body: syncBody,
    replies: {
      202: { description: 'The operation', schema: operationSchema },
      409: { description: 'A sync runs, or nobody has signed in', schema: errorSchema },
      503: { description: 'rclone is not installed', schema: errorSchema },
    },
    handler: async ({ caller, params, body, idempotencyKey }) => {
      const started = await startSync(
        cloud,
        engine,
        caller.scope,
        requirePublicId('connection', params.id),
        {
          dryRun: body.dry_run ?? false,
          retryRejected: body.retry_rejected ?? false,
          requestedBy: caller.name,
          ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        },
      )
      return acceptedOperation({ engine, clock }, caller.scope, started)
    },
  })

const list = (): Endpoint =>
  cloudReading('GET /api/connections/{id}/syncs', {
    summary: 'List the syncs of a cloud connection, newest first',
    query: z.strictObject(page),
    replies: { 200: { description: 'A page', schema: listOf(syncSchema) } },
    handler: async ({ caller: { scope }, params, query: { limit, cursor } }) => {
      const id = requirePublicId('connection', params.id)
      await requireConnection(scope, id)
      const [before] = fromCursor(cursor, [uuid]) ?? []
      const rows = await listSyncs(scope, id, { limit: limit + 1, before })
      return { body: listPage(rows, limit, (last) => [last.id], syncRecord) }
    },
  })

const rejections = (): Endpoint =>
  cloudReading('GET /api/connections/{id}/rejections', {
    summary: 'List the files at the provider that cannot be imported, by path',
    description:
      'They are tried again when they change there, when the options of the connection change, and by a sync with `retry_rejected`.',
    query: z.strictObject(shortPage),
    replies: { 200: { description: 'A page', schema: listOf(rejectionSchema) } },
    handler: async ({ caller: { scope }, params, query: { limit, cursor } }) => {
      const id = requirePublicId('connection', params.id)
      await updateSyncBase(scope, id)
      const [after = ''] = fromCursor(cursor, [text]) ?? []
      const rows = await listRejections(scope, id, { after, limit: limit + 1 })
      return {
        body: listPage(
          rows,
          limit,
          (last) => [last.path],
          (row) => ({ ...row, ...storedMessage(row.message) }),
        ),
      }
    },
  })
