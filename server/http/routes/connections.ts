// Cloud connections: accounts and buckets that are synced.
import { z } from 'zod'
import {
  beginAuthorization,
  CALLBACK_PATH,
  completeAuthorization,
} from '../../channels/cloud/authorize.ts'
import type { Cloud } from '../../channels/cloud/cloud.ts'
import {
  changeConnection,
  createConnection,
  deleteConnection,
  holdConnection,
  listCloudConnections,
  missingOf,
  requireConnection,
  setUpText,
} from '../../channels/cloud/connections.ts'
import { foldersOf } from '../../channels/cloud/folders.ts'
import { updateSyncBase } from '../../channels/cloud/sync-base.ts'
import { cancelSync, startSync } from '../../channels/cloud/sync.ts'
import { listSyncs, newestSyncs } from '../../channels/cloud/sync-rows.ts'
import { totalsOf } from '../../channels/cloud/totals.ts'
import type { Engine } from '../../engine/engine.ts'
import { requireFeature } from '../../files/plan-limits.ts'
import { requirePublicId } from '../../ids.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import {
  changeBody,
  connectionRecord,
  connectionSchema,
  createBody,
  syncRecord,
  syncSchema,
  wishesOf,
} from '../connection-record.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { operationPath, operationRecord, operationSchema } from '../operation-record.ts'
import { errorSchema, listOf } from '../schemas.ts'

interface Parts {
  cloud: Cloud
  engine: Engine
  clock: () => Date
}

const reading = { tag: 'Cloud connections', scope: ['cloud:read', 'cloud:write'] } as const
const writing = { tag: 'Cloud connections', scope: 'cloud:write' } as const
const byId = z.strictObject({ id: z.string() })
const one = { description: 'The connection', schema: connectionSchema }
const refused = {
  422: { description: 'Every problem, or the provider’s reason', schema: errorSchema },
  503: { description: 'The provider, or rclone, cannot be reached', schema: errorSchema },
}

export const connectionRoutes = (parts: Parts): Endpoint[] => [
  ...offerRoutes(parts),
  ...readRoutes(),
  ...changeRoutes(parts),
  ...syncRoutes(parts),
  ...authorizeRoutes(parts),
]

const offerSchema = z
  .object({
    rclone: z.object({
      available: z.boolean(),
      version: z.string().nullable(),
      message: z.string().nullable().meta({ description: 'What to do if it is missing' }),
    }),
    callback_url: z.string(),
    providers: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        sign_in: z.enum(['keys', 'oauth', 'none']),
        available: z.boolean(),
        missing: z.array(z.string()).meta({ description: 'Variables that the operator sets' }),
        message: z.string().nullable(),
        presets: z.array(
          z.object({ id: z.string(), title: z.string(), endpoint: z.string().nullable() }),
        ),
        fields: z.array(
          z.object({
            name: z.string(),
            title: z.string(),
            help: z.string(),
            required: z.boolean(),
            secret: z.boolean(),
            multiline: z.boolean(),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'CloudOffer' })

function offerRoutes({ cloud }: Parts): Endpoint[] {
  return [
    endpoint({
      ...reading,
      method: 'get',
      path: '/api/cloud',
      summary: 'List the cloud providers',
      replies: { 200: { description: 'rclone and the providers', schema: offerSchema } },
      handler: () => Promise.resolve({ body: offerOf(cloud) }),
    }),
  ]
}

function offerOf(cloud: Cloud): z.output<typeof offerSchema> {
  const { version, message } = cloud.rclone
  return {
    rclone: { available: message === null, version, message },
    callback_url: cloud.options.baseUrl + CALLBACK_PATH,
    providers: cloud.providers.map((provider) => {
      const missing = missingOf(cloud, provider)
      return {
        id: provider.id,
        title: provider.title,
        sign_in: provider.signIn,
        available: missing.length === 0,
        missing,
        message: missing.length === 0 ? null : setUpText(provider, missing),
        presets: [...(provider.presets ?? [])],
        fields: provider.fields.map(({ rule: _, ...field }) => field),
      }
    }),
  }
}

async function readOne(scope: ShopScope, id: string) {
  await updateSyncBase(scope, id)
  const [row, syncs, totals] = await Promise.all([
    requireConnection(scope, id),
    listSyncs(scope, id, 1),
    totalsOf(scope),
  ])
  return connectionRecord(row, syncs[0] ?? null, totals.get(id) ?? { files: 0, bytes: 0 })
}

function readRoutes(): Endpoint[] {
  return [
    endpoint({
      ...reading,
      method: 'get',
      path: '/api/connections',
      summary: 'List cloud connections, by name',
      replies: { 200: { description: 'All of them', schema: listOf(connectionSchema) } },
      handler: async ({ caller: { scope } }) => {
        const [rows, syncs, totals] = await Promise.all([
          listCloudConnections(scope),
          newestSyncs(scope),
          totalsOf(scope),
        ])
        const data = rows.map((row) =>
          connectionRecord(
            row,
            syncs.get(row.id) ?? null,
            totals.get(row.id) ?? { files: 0, bytes: 0 },
          ),
        )
        return { body: { data, next_cursor: null } }
      },
    }),
    endpoint({
      ...reading,
      method: 'get',
      path: '/api/connections/{id}',
      summary: 'Read a cloud connection',
      params: byId,
      replies: { 200: one },
      handler: async ({ caller, params }) => ({
        body: await readOne(caller.scope, requirePublicId('connection', params.id)),
      }),
    }),
  ]
}

function changeRoutes({ cloud, engine }: Parts): Endpoint[] {
  return [
    endpoint({
      ...writing,
      method: 'post',
      path: '/api/connections',
      summary: 'Connect an account or a bucket',
      description:
        'Keys are verified with a listing before they are stored. GET /api/cloud lists the fields of each provider.',
      body: createBody,
      replies: { 201: one, ...refused },
      handler: async ({ caller: { scope }, body }) => {
        await requireFeature(scope, 'connections')
        const { provider, ...rest } = body
        const id = await createConnection(cloud, scope, provider, wishesOf(rest))
        return { status: 201, body: await readOne(scope, id) }
      },
    }),
    endpoint({
      ...writing,
      method: 'patch',
      path: '/api/connections/{id}',
      summary: 'Change a cloud connection',
      description:
        'New keys or another folder are verified with a listing. After a change of the folder, the next sync counts as the first.',
      params: byId,
      body: changeBody,
      replies: { 200: one, ...refused },
      handler: async ({ caller: { scope }, params, body }) => {
        const id = requirePublicId('connection', params.id)
        await changeConnection(cloud, scope, id, wishesOf(body))
        return { body: await readOne(scope, id) }
      },
    }),
    endpoint({
      ...writing,
      method: 'delete',
      path: '/api/connections/{id}',
      summary: 'Delete a cloud connection',
      description: 'Files stay, here and at the provider. A running sync is cancelled.',
      params: byId,
      replies: { 204: { description: 'It is deleted', schema: null } },
      handler: async ({ caller: { scope }, params }) => {
        const id = requirePublicId('connection', params.id)
        await scope.transaction(async (tx) => {
          await holdConnection(tx, id)
          await cancelSync(tx, engine, id)
          await deleteConnection(tx, id)
        })
        return { status: 204, body: null }
      },
    }),
    endpoint({
      ...writing,
      method: 'get',
      path: '/api/connections/{id}/folders',
      summary: 'List the folders of a cloud connection',
      description: 'Directly in `path`, by name, at most 1,000; read from the provider.',
      params: byId,
      query: z.strictObject({ path: z.string().max(1024).default('') }),
      replies: {
        200: {
          description: 'Folders',
          schema: z.object({
            path: z.string(),
            data: z.array(z.object({ name: z.string(), path: z.string() })),
          }),
        },
        ...refused,
      },
      handler: async ({ caller: { scope }, params, query, signal }) => {
        const id = requirePublicId('connection', params.id)
        const path = query.path.replace(/^\/+|\/+$/g, '')
        const data = await foldersOf(cloud, scope, { id, path, signal })
        return { body: { path, data } }
      },
    }),
  ]
}

function syncRoutes(parts: Parts): Endpoint[] {
  const { cloud, engine, clock } = parts
  return [
    endpoint({
      ...writing,
      method: 'post',
      path: '/api/connections/{id}/sync',
      summary: 'Sync a cloud connection now',
      description:
        'A first sync that would replace or delete files, and a sync that would delete more than 20 % or 100 files, is a preview that must be confirmed.',
      params: byId,
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
      ...reading,
      method: 'get',
      path: '/api/connections/{id}/syncs',
      summary: 'List the last syncs of a cloud connection, newest first',
      params: byId,
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

function authorizeRoutes({ cloud }: Parts): Endpoint[] {
  return [
    endpoint({
      ...writing,
      method: 'post',
      path: '/api/connections/{id}/authorize',
      summary: 'Begin the sign-in at the provider',
      description: 'Open the address in a separate window; it is valid for 10 minutes.',
      params: byId,
      replies: {
        200: { description: 'The provider’s address', schema: z.object({ url: z.string() }) },
        409: { description: 'This provider has no sign-in', schema: errorSchema },
      },
      handler: async ({ caller: { scope, subject }, params }) => {
        const id = requirePublicId('connection', params.id)
        return { body: { url: await beginAuthorization(cloud, scope, { id, subject }) } }
      },
    }),
    endpoint({
      ...writing,
      method: 'post',
      path: '/api/connections/{id}/authorized',
      summary: 'Complete a sign-in with the parameters that the provider gave to the window',
      description: 'Only the session that began it can complete it.',
      params: byId,
      body: z.strictObject({ code: z.string().min(1).max(4096), state: z.string().max(500) }),
      replies: {
        200: one,
        409: { description: 'Another session began it', schema: errorSchema },
        ...refused,
      },
      handler: async ({ caller: { scope, subject }, params, body }) => {
        const id = requirePublicId('connection', params.id)
        await completeAuthorization(cloud, scope, { id, subject, ...body })
        return { body: await readOne(scope, id) }
      },
    }),
  ]
}
