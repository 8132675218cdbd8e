// API keys: created, listed and revoked. A key is shown only in the answer that creates it.
import { z } from 'zod'
import { sayFixed, sayPlain } from '../../../../plugins/contract/index.ts'
import { listApiKeys, readApiKey, revokeApiKey, type ListedKey } from '../../../core/db/callers.ts'
import { AppError } from '../../../core/errors.ts'
import { requirePublicId, toPublicId } from '../../../core/ids.ts'
import { present } from '../../../core/lazy.ts'
import { createApiKey } from '../../../http/auth.ts'
import { fromCursor, uuid, listPage } from '../../../http/cursors.ts'
import { endpointsOf, SCOPES, type Endpoint, requireScopes } from '../../../http/endpoint.ts'
import { errorSchema, givenName, listOf, shortPage, timestamp } from '../../../http/schemas.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_DAYS = 3650

const keySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    hint: z.string().describe('The first characters of the key'),
    scopes: z.array(z.string()),
    created_at: timestamp,
    expires_at: timestamp.nullable().describe('null: never'),
    last_used_at: timestamp.nullable().describe('To the minute'),
    revoked_at: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' })

const keyBody = z
  .strictObject({
    name: givenName.describe('Its name in history'),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1, sayPlain('At least one scope'))
      .max(SCOPES.length)
      .transform((scopes) => [...new Set(scopes)])
      .describe('Only scopes that the caller has'),
    expires_in_days: z
      .number()
      .int()
      .min(1, sayPlain('At least 1 day; absent means never'))
      .max(MAX_DAYS, sayFixed('At most {count} days; absent means never', { count: MAX_DAYS }))
      .nullable()
      .optional(),
  })
  .meta({ id: 'ApiKeyRequest' })

const endpoint = endpointsOf({ tag: 'API keys', scope: 'settings:write' })

export const apiKeyRoutes = (clock: () => Date): Endpoint[] => [list(), create(clock), revoke()]

const list = () =>
  endpoint('GET /api/api-keys', {
    summary: 'List API keys, newest first',
    query: z.strictObject(shortPage),
    replies: {
      200: { description: 'A page of keys, including revoked ones', schema: listOf(keySchema) },
    },
    handler: async ({ caller, query: { limit, cursor } }) => {
      const before = fromCursor(cursor, [uuid])?.[0] ?? null
      const rows = await listApiKeys(caller.scope, { before, limit: limit + 1 })
      return { body: listPage(rows, limit, (last) => [last.id], recordOf) }
    },
  })

const create = (clock: () => Date) =>
  endpoint('POST /api/api-keys', {
    logs: { kind: 'api_key' },
    summary: 'Create an API key',
    description:
      'Only this answer contains the key: keep it. Keys of demo shops begin with `sdk_test_`, others with `sdk_live_`.',
    atomic: true,
    body: keyBody,
    replies: {
      201: {
        description:
          'The key; in the answer to a repeated request with the same `Idempotency-Key`, `key` is null',
        schema: keySchema.extend({ key: z.string().nullable() }),
      },
      403: {
        description: 'The caller lacks a requested scope',
        schema: errorSchema,
      },
      422: { description: 'Every problem', schema: errorSchema },
    },
    handler: async ({ caller, body }) => {
      requireScopes(caller, body.scopes)
      const days = body.expires_in_days ?? null
      const { id, key } = await createApiKey(caller.scope, {
        name: body.name,
        scopes: body.scopes,
        demo: caller.shop.demo,
        ...(days === null ? {} : { expiresAt: new Date(clock().getTime() + days * DAY_MS) }),
      })
      const record = recordOf(present(await readApiKey(caller.scope, id), 'The key'))
      return { status: 201, body: { ...record, key }, kept: { ...record, key: null } }
    },
  })

const revoke = () =>
  endpoint('DELETE /api/api-keys/{id}', {
    logs: { kind: 'api_key' },
    summary: 'Revoke an API key',
    description: 'The key stops working immediately. It stays in the list.',
    replies: { 204: { description: 'It is revoked', schema: null } },
    handler: async ({ caller, params }) => {
      if (!(await revokeApiKey(caller.scope, requirePublicId('key', params.id))))
        throw new AppError('not_found')
      return { status: 204, body: null }
    },
  })

const recordOf = (key: ListedKey): z.output<typeof keySchema> => ({
  id: toPublicId('key', key.id),
  name: key.name,
  hint: key.hint,
  scopes: key.scopes,
  created_at: key.created_at.toISOString(),
  expires_at: key.expires_at?.toISOString() ?? null,
  last_used_at: key.last_used_at?.toISOString() ?? null,
  revoked_at: key.revoked_at?.toISOString() ?? null,
})
