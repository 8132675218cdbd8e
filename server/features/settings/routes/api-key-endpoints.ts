// API keys: created, listed and revoked. A key is shown only in the answer that creates it.
import { z } from 'zod'
import { say, sayFixed, sayPlain } from '../../../../plugins/contract/index.ts'
import {
  findAgencyKey,
  grantAccess,
  listApiKeys,
  listReachable,
  readApiKey,
  revokeApiKey,
  type ListedKey,
} from '../../../core/db/callers.ts'
import type { Database } from '../../../core/db/database.ts'
import { AppError } from '../../../core/errors.ts'
import { requirePublicId, toPublicId } from '../../../core/ids.ts'
import { present } from '../../../core/lazy.ts'
import { createApiKey } from '../../../http/auth.ts'
import { cutPage, fromCursor, uuid, listPage } from '../../../http/cursors.ts'
import { endpointsOf, SCOPES, type Endpoint, requireScopes } from '../../../http/endpoint.ts'
import {
  errorSchema,
  givenName,
  listOf,
  pageOfWhole,
  shortPage,
  timestamp,
} from '../../../http/schemas.ts'

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
    agency_code: z
      .string()
      .nullable()
      .describe(
        'Owners of other shops let the key act there by this code; null: in its shop alone',
      ),
    granted_shop: z
      .string()
      .nullable()
      .describe('The key of this other shop acts here; null: it is a key of this shop'),
  })
  .meta({ id: 'ApiKey' })

const access = {
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
}

const keyBody = z
  .strictObject({
    name: givenName.describe('Its name in history'),
    ...access,
    agency: z
      .boolean()
      .optional()
      .describe('It can act in other shops too, once their owners grant it access'),
  })
  .meta({ id: 'ApiKeyRequest' })

const agencyCode = z.string().trim().max(100).describe('The code of the key')

const grantBody = z.strictObject({ code: agencyCode, ...access }).meta({ id: 'KeyGrantRequest' })

const agencySchema = z
  .object({
    name: z.string().describe('Of the key'),
    shop: z.object({ domain: z.string(), name: z.string() }).describe('Whose key it is'),
  })
  .meta({ id: 'AgencyKey' })

const reachableSchema = z
  .object({
    domain: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'ReachableShop' })

// A key of an agency must not give itself access that outlasts its own.
const endpoint = endpointsOf({ tag: 'API keys', scope: 'settings:write', refusesAgencies: true })

interface KeyParts {
  database: Pick<Database, 'pool'>
  clock: () => Date
}

export const apiKeyRoutes = (parts: KeyParts): Endpoint[] => [
  list(),
  create(parts.clock),
  revoke(),
  readAgency(parts),
  grant(parts),
  listShops(parts),
]

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
        agency: body.agency ?? false,
        ...(days === null ? {} : { expiresAt: new Date(clock().getTime() + days * DAY_MS) }),
      })
      const record = recordOf(present(await readApiKey(caller.scope, id), 'The key'))
      return { status: 201, body: { ...record, key }, kept: { ...record, key: null } }
    },
  })

const readAgency = ({ database }: KeyParts) =>
  endpoint('GET /api/agency-key', {
    summary: 'Read whose key a code names',
    description: 'Compare it with who gave you the code, before you grant the key access.',
    query: z.strictObject({ code: agencyCode }),
    replies: { 200: { description: 'The key and its shop', schema: agencySchema } },
    handler: async ({ caller, query }) => {
      const found = await findAgencyKey(database, query.code)
      if (!found || found.shop_id === caller.scope.shop) throw new AppError('not_found')
      const { name, domain, shop_name } = found
      return { body: { name, shop: { domain, name: shop_name } } }
    },
  })

const grant = ({ database, clock }: KeyParts) =>
  endpoint('POST /api/api-keys/grants', {
    logs: { kind: 'api_key' },
    summary: 'Let the key of an agency act in this shop',
    description:
      'The agency tells the code of its key, and sends its requests with the header `Stevedore-Shop`. Revoke the access like a key.',
    atomic: true,
    body: grantBody,
    replies: {
      201: { description: 'The access', schema: keySchema },
      403: { description: 'The caller lacks a requested scope', schema: errorSchema },
      409: { description: 'The key has access already: revoke it first', schema: errorSchema },
      422: { description: 'Every problem', schema: errorSchema },
    },
    handler: async ({ caller, body }) => {
      requireScopes(caller, body.scopes)
      const found = await findAgencyKey(database, body.code)
      if (!found || found.shop_id === caller.scope.shop) throw unknownCode()
      const days = body.expires_in_days ?? null
      const id = await grantAccess(caller.scope, {
        key: found,
        scopes: body.scopes,
        expiresAt: days === null ? null : new Date(clock().getTime() + days * DAY_MS),
      })
      if (id === null)
        throw new AppError('conflict', {
          message: say('This key has access already: revoke it first to change what it may do'),
        })
      const made = present(await readApiKey(caller.scope, id), 'The access')
      return { status: 201, body: recordOf(made) }
    },
  })

function unknownCode(): AppError {
  const message = say('No key of another shop has this code, or it was revoked')
  return new AppError('validation_failed', {
    details: [{ param: 'code', code: 'not_found', message }],
  })
}

const listShops = ({ database }: KeyParts) =>
  endpointsOf({ tag: 'API keys', scope: null })('GET /api/shops', {
    summary: 'List the shops that a key can act in',
    description:
      'Its own shop, and for the key of an agency those that granted it access. Requests name one of them in the header `Stevedore-Shop`.',
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'Its own shop first', schema: listOf(reachableSchema) } },
    handler: async ({ caller, query }) => {
      const { domain, name } = caller.shop
      const own = caller.agency?.isGranted
        ? []
        : [{ domain, name, scopes: [...caller.scopes], expires_at: null, last_used_at: null }]
      const granted = caller.agency ? await listReachable(database, caller.agency.key) : []
      const data = [
        ...own,
        ...granted.map((shop) => ({
          ...shop,
          expires_at: shop.expires_at?.toISOString() ?? null,
          last_used_at: shop.last_used_at?.toISOString() ?? null,
        })),
      ]
      return { body: cutPage(data, query, (shop) => shop.domain) }
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
  agency_code: key.agency_code,
  granted_shop: key.granted_shop,
})
