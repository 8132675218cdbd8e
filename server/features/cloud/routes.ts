// Cloud connections: accounts and buckets that are synced.
import { z } from 'zod'
import { ownValue, textOf } from '../../../plugins/contract/index.ts'
import { parsePublicId, requirePublicId } from '../../core/ids.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { cutPage } from '../../http/cursors.ts'
import { listOf, pageOfWhole, errorSchema } from '../../http/schemas.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { firstOf } from '../../core/lazy.ts'
import {
  changeConnection,
  changeProblems,
  createConnection,
  proveChange,
  proveNewConnection,
  deleteConnection,
  holdConnection,
  listCloudConnections,
  newConnectionProblems,
  openingOf,
  requireConnection,
} from './connections.ts'
import { cancelSync } from './sync.ts'
import { newestSyncs } from './sync-rows.ts'
import { NOTHING, totalsOf } from './totals.ts'
import {
  changeBody,
  connectionRecord,
  connectionSchema,
  createBody,
  connectionInputOf,
  givenValues,
} from './routes/record.ts'
import { cloudOfferRoutes } from './routes/offer-endpoints.ts'
import { connectionSyncRoutes } from './routes/sync-endpoints.ts'
import {
  cloudReading,
  cloudWriting,
  connectionReply,
  providerRefused,
  readConnection,
  type ConnectionParts,
} from './routes/parts.ts'
import { beginAuthorization, completeAuthorization } from './authorize.ts'
import type { Cloud } from './cloud.ts'
import { folderRule } from './providers/provider.ts'
import { CloudError } from './rclone/errors.ts'

export const connectionRoutes = (parts: ConnectionParts): Endpoint[] => [
  ...cloudOfferRoutes(parts),
  ...readRoutes(),
  ...changeRoutes(parts),
  ...connectionSyncRoutes(parts),
  ...connectionSignInRoutes(parts),
]

function readRoutes(): Endpoint[] {
  return [
    cloudReading('GET /api/connections', {
      summary: 'List cloud connections, by name',
      query: z.strictObject(pageOfWhole),
      replies: { 200: { description: 'All of them', schema: listOf(connectionSchema) } },
      handler: async ({ caller: { scope }, query }) => {
        const [rows, syncs, totals] = await Promise.all([
          listCloudConnections(scope),
          newestSyncs(scope),
          totalsOf(scope),
        ])
        const data = rows.map((row) =>
          connectionRecord(row, syncs.get(row.id) ?? null, totals.get(row.id) ?? NOTHING),
        )
        return { body: cutPage(data, query, ({ id }) => id) }
      },
    }),
    cloudReading('GET /api/connections/{id}', {
      summary: 'Read a cloud connection',
      replies: { 200: connectionReply },
      handler: async ({ caller, params }) => ({
        body: await readConnection(caller.scope, requirePublicId('connection', params.id)),
      }),
    }),
  ]
}

const changeRoutes = (parts: ConnectionParts): Endpoint[] => [
  create(parts),
  change(parts),
  remove(parts),
  folders(parts),
]

const create = ({ cloud }: ConnectionParts): Endpoint =>
  cloudWriting('POST /api/connections', {
    logs: { kind: 'connection' },
    summary: 'Connect an account or a bucket',
    description:
      'Keys are verified with a listing before they are stored. GET /api/cloud lists the fields of each provider.',
    feature: 'connections',
    body: createBody,
    problems: ({ body: { provider, ...given } }) =>
      Promise.resolve(
        provider === undefined ? [] : newConnectionProblems(cloud, provider, givenValues(given)),
      ),
    replies: { 201: connectionReply, ...providerRefused },
    asks: ({ caller: { scope }, body: { provider, ...rest } }) =>
      proveNewConnection(cloud, scope, provider, connectionInputOf(rest)),
    handler: async ({ caller: { scope }, body }) => {
      const { provider, ...rest } = body
      const id = await createConnection(cloud, scope, provider, connectionInputOf(rest))
      return { status: 201, body: await readConnection(scope, id) }
    },
  })

const change = ({ cloud, engine }: ConnectionParts): Endpoint =>
  cloudWriting('PATCH /api/connections/{id}', {
    logs: { kind: 'connection' },
    summary: 'Change a cloud connection',
    description:
      'New keys or another folder are verified with a listing. A change of the folder cancels a running sync, and the next sync counts as the first.',
    feature: 'connections',
    switchesOff: (body) => Object.keys(body).length === 1 && body.frequency_hours === null,
    body: changeBody,
    problems: async ({ caller: { scope }, params, body }) => {
      const id = parsePublicId('connection', params.id)
      return id === null ? [] : changeProblems(cloud, scope, id, givenValues(body))
    },
    edits:
      ({ settings }) =>
      (field) =>
        ownValue(settings as Record<string, string | null>, field),
    replies: { 200: connectionReply, ...providerRefused },
    asks: ({ caller: { scope }, params, body }) =>
      proveChange(cloud, scope, requirePublicId('connection', params.id), connectionInputOf(body)),
    handler: async ({ caller: { scope }, params, body }) => {
      const id = requirePublicId('connection', params.id)
      await changeConnection(cloud, scope, id, connectionInputOf(body), (tx) =>
        cancelSync(tx, engine, id),
      )
      return { body: await readConnection(scope, id) }
    },
  })

const remove = ({ engine }: ConnectionParts): Endpoint =>
  cloudWriting('DELETE /api/connections/{id}', {
    logs: { kind: 'connection' },
    summary: 'Delete a cloud connection',
    description: 'Files stay, here and at the provider. A running sync is cancelled.',
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
  })

const folders = ({ cloud }: ConnectionParts): Endpoint =>
  cloudWriting('GET /api/connections/{id}/folders', {
    summary: 'List the folders of a cloud connection',
    description: 'Directly in `path`, by name, at most 1,000; read from the provider.',
    query: z.strictObject({ ...pageOfWhole, path: z.string().max(1024).default('') }),
    replies: {
      200: {
        description: 'Folders',
        schema: listOf(z.object({ name: z.string(), path: z.string() })).extend({
          path: z.string(),
        }),
      },
      ...providerRefused,
    },
    handler: async ({ caller: { scope }, params, query, signal }) => {
      const id = requirePublicId('connection', params.id)
      const path = query.path.replace(/^\/+|\/+$/g, '')
      const data = await foldersOf(cloud, scope, { id, path, signal })
      return { body: { path, ...cutPage(data, query, (folder) => folder.path) } }
    },
  })

// Signing in to a cloud connection at its provider.

function connectionSignInRoutes({ cloud }: ConnectionParts): Endpoint[] {
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

// The folders of a connection's account, to choose one from.

const MOST = 1000

/**
 * The folders directly in `path`, a path from the root of the account or bucket. Throws `AppError`.
 */
async function foldersOf(
  cloud: Cloud,
  scope: ShopScope,
  { id, path, signal }: { id: string; path: string; signal: AbortSignal },
): Promise<{ name: string; path: string }[]> {
  const connection = await requireConnection(scope, id)
  const valid = folderRule.safeParse(path)
  if (!valid.success)
    throw new AppError('validation_failed', {
      param: 'path',
      details: [
        {
          param: 'path',
          code: 'invalid_value',
          message: textOf(firstOf(valid.error.issues).message),
        },
      ],
    })
  const opening = openingOf(cloud, scope, connection)
  const settings = { ...opening.settings, folder: '', prefix: '' }
  try {
    const open = await cloud.open(scope, { ...opening, settings })
    try {
      const names = await open.files.folders(path, { signal, most: MOST })
      return names.map((name) => ({ name, path: path === '' ? name : `${path}/${name}` }))
    } finally {
      open.close()
    }
  } catch (error) {
    if (!(error instanceof CloudError)) throw error
    throw new AppError(error.code, {
      message: error.text,
      ...(error.retryAfter === null ? {} : { retryAfter: error.retryAfter }),
    })
  }
}
