// The syncs of a cloud connection: started now, and listed.
import { z } from 'zod'
import { requireConnection } from '../../channels/cloud/connections.ts'
import { startSync } from '../../channels/cloud/sync.ts'
import { listSyncs } from '../../channels/cloud/sync-rows.ts'
import { requirePublicId } from '../../ids.ts'
import { syncRecord, syncSchema } from '../connection-record.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { operationPath, operationRecord, operationSchema } from '../operation-record.ts'
import { errorSchema, listOf } from '../schemas.ts'
import {
  type ConnectionParts,
  cloudReading,
  cloudWriting,
  byConnectionId,
} from './connection-parts.ts'

export function connectionSyncRoutes(parts: ConnectionParts): Endpoint[] {
  const { cloud, engine, clock } = parts
  return [
    endpoint({
      ...cloudWriting,
      method: 'post',
      path: '/api/connections/{id}/sync',
      summary: 'Sync a cloud connection now',
      description:
        'A first sync that would replace or delete files, and a sync that would delete more than 20 % or 100 files, is a preview that must be confirmed.',
      params: byConnectionId,
      body: z.strictObject({ dry_run: z.boolean().optional() }).default({}),
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
            requestedBy: caller.name,
            ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
          },
        )
        const operation = (await engine.get(caller.scope, started))!
        return {
          status: 202,
          headers: { Location: operationPath(operation) },
          body: operationRecord(engine, operation, clock()),
        }
      },
    }),
    endpoint({
      ...cloudReading,
      method: 'get',
      path: '/api/connections/{id}/syncs',
      summary: 'List the last syncs of a cloud connection, newest first',
      params: byConnectionId,
      query: z.strictObject({ limit: z.coerce.number().int().min(1).max(50).default(20) }),
      replies: { 200: { description: 'The last ones', schema: listOf(syncSchema) } },
      handler: async ({ caller: { scope }, params, query: { limit } }) => {
        const id = requirePublicId('connection', params.id)
        await requireConnection(scope, id)
        const data = (await listSyncs(scope, id, limit)).map(syncRecord)
        return { body: { data, next_cursor: null } }
      },
    }),
  ]
}
