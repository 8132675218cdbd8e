// Lists of licence keys: the step Assign licence keys gives them to buyers.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { nameKey, say, sayFixed, sayPlain, textIssue } from '../../../plugins/contract/index.ts'
import { keyBits, MIN_KEY_BITS } from '../../../plugins/_page/key-pattern.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { requirePublicId, toPublicId } from '../../core/ids.ts'
import type { Secrets } from '../../core/secrets.ts'
import { receivedFile } from '../../http/form-csv.ts'
import { fromCursor, text, listPage } from '../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import {
  errorSchema,
  givenName,
  listOf,
  shortPage,
  timestamp,
  expiryDays,
} from '../../http/schemas.ts'
import { prepareForKeys } from './runs.ts'
import {
  addLicenceKeys,
  changeLicenceList,
  createLicenceList,
  deleteLicenceList,
  listLicenceLists,
  readLicenceList,
  type AddedKeyCounts,
  type LicenceList,
} from './licence-lists.ts'
import { readLicenceKeys } from './licence-text.ts'

// The fields of a list of licence keys in requests: its pattern, expiry, activations, revocation.

/** They need no escaping in files, addresses and mails. */
const LITERALS = /^[A-Za-z0-9._:/+#-]*$/
const LITERALS_ONLY = sayPlain('Only letters and digits of ASCII and . _ : / + # - are possible')
/** A key without a limit has at most as many (model/activations.ts). */
const MAX_LIMIT = 1000

const generateSchema = z
  .strictObject({
    pattern: z
      .string()
      .min(1, sayPlain('Enter a pattern'))
      .max(100, sayPlain('A pattern has at most 100 characters'))
      .regex(LITERALS, LITERALS_ONLY)
      .superRefine((pattern, context) => {
        const bits = keyBits(pattern)
        if (bits >= MIN_KEY_BITS) return
        const wrong = say(
          'Keys of this pattern have {bits} random bits, and {needed} are needed so that nobody can guess one: add more X, 9 or A',
          { bits: Math.floor(bits), needed: MIN_KEY_BITS },
        )
        context.addIssue(textIssue(wrong))
      })
      .meta({
        description:
          '`X`: a letter or digit, `9`: a digit, `A`: a letter, without those that are easily confused; all other characters stand for themselves',
        example: 'XXXXX-XXXXX-XXXXX',
      }),
    prefix: z
      .string()
      .max(20, sayPlain('A prefix has at most 20 characters'))
      .regex(LITERALS, LITERALS_ONLY)
      .default('')
      .meta({ description: 'Before the pattern, as it is', example: 'PRO-' }),
    checksum: z
      .boolean()
      .default(false)
      .describe('A check character follows, with which programs find typing errors'),
  })
  .meta({ id: 'LicencePattern' })

const licenceTermFields = {
  expiry_days: expiryDays.optional(),
  activation_limit: z
    .number()
    .int()
    .min(1, sayPlain('At least 1'))
    .max(MAX_LIMIT, sayFixed('At most {limit}', { limit: MAX_LIMIT }))
    .nullable()
    .optional()
    .describe('Instances at one time; null: unlimited'),
  revoke_on_refund: z.boolean().optional(),
}

const MAX_BYTES = 20 * 1024 * 1024
/** Keys that are sealed between two turns of the event loop: sealing takes milliseconds. */
const KEY_BATCH = 250

const listSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    left: z
      .number()
      .int()
      .nullable()
      .describe('Keys that can still be given; null: the list generates its keys'),
    given: z.number().int().describe('Keys that buyers have'),
    generate: generateSchema.nullable().describe('null: you add the keys'),
    expiry_days: z.number().int().nullable().describe('Days from the assignment; null: never'),
    activation_limit: z
      .number()
      .int()
      .nullable()
      .describe('Instances at which a key can be activated at one time; null: unlimited'),
    revoke_on_refund: z.boolean().describe('Keys of refunded and cancelled units are revoked'),
    created_at: timestamp,
  })
  .meta({ id: 'LicenceList' })
const addedSchema = listSchema
  .extend({
    added: z.number().int(),
    duplicates: z.number().int().describe('Keys that the shop had already'),
  })
  .meta({ id: 'LicenceKeysAdded' })

const endpoint = endpointsOf({ tag: 'Licence keys', scope: 'links:write' })
const refused = { description: 'Every problem', schema: errorSchema }

export const licenceListRoutes = ({ secrets }: { secrets: Secrets }): Endpoint[] => [
  list(),
  create(),
  read(),
  change(),
  add(secrets),
  remove(),
]

const list = () =>
  endpoint('GET /api/licence-lists', {
    summary: 'List the lists of licence keys, by name, with their numbers of keys',
    query: z.strictObject(shortPage),
    replies: { 200: { description: 'A page of lists', schema: listOf(listSchema) } },
    handler: async ({ caller, query: { limit, cursor } }) => {
      const after = fromCursor(cursor, [text])?.[0] ?? ''
      const rows = await listLicenceLists(caller.scope, { after, limit: limit + 1 })
      return { body: listPage(rows, limit, (last) => [nameKey(last.name)], recordOf) }
    },
  })

const create = () =>
  endpoint('POST /api/licence-lists', {
    logs: { kind: 'licence_list' },
    summary: 'Create a list of licence keys',
    description:
      'It is empty: send its keys to `/api/licence-lists/{id}/keys`. With `generate`, it makes each key when an order needs one.',
    atomic: true,
    body: z
      .strictObject({ name: givenName, generate: generateSchema.optional(), ...licenceTermFields })
      .meta({ id: 'LicenceListRequest' }),
    replies: {
      201: { description: 'The list', schema: listSchema },
      409: { description: 'Another list has this name', schema: errorSchema },
      422: refused,
    },
    handler: async ({ caller, body }) => {
      const { name, ...terms } = body
      const id = await caller.scope.transaction((tx) => createLicenceList(tx, name, given(terms)))
      return { status: 201, body: recordOf(await requireList(caller.scope, id)) }
    },
  })

const read = () =>
  endpoint('GET /api/licence-lists/{id}', {
    summary: 'Read a list of licence keys: how many are left and assigned',
    description: 'Keys themselves are shown only to their buyers.',
    replies: { 200: { description: 'The list', schema: listSchema } },
    handler: async ({ caller, params }) => ({
      body: recordOf(await requireList(caller.scope, requirePublicId('licences', params.id))),
    }),
  })

const change = () =>
  endpoint('PATCH /api/licence-lists/{id}', {
    logs: { kind: 'licence_list' },
    summary: 'Change the name and the terms of a list of licence keys',
    description:
      '`generate` and `expiry_days` are for keys that are assigned from now on, `activation_limit` and `revoke_on_refund` for all keys.',
    body: z
      .strictObject({
        name: givenName.optional(),
        generate: generateSchema.optional(),
        ...licenceTermFields,
      })
      .meta({ id: 'LicenceListChange' }),
    replies: {
      200: { description: 'The list', schema: listSchema },
      409: {
        description: 'Another list has this name, or the keys of this list are added',
        schema: errorSchema,
      },
      422: refused,
    },
    handler: async ({ caller, params, body }) => {
      const id = requirePublicId('licences', params.id)
      await changeLicenceList(caller.scope, id, given(body))
      return { body: recordOf(await requireList(caller.scope, id)) }
    },
  })

/** Without the fields that the request leaves out. */
const given = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]: Exclude<Fields[Name], undefined>
  }

const add = (secrets: Secrets) =>
  endpoint('POST /api/licence-lists/{id}/keys', {
    summary: 'Add keys to a list, from a text or CSV file',
    description:
      'One key per line, or in the first column; a header is skipped. Keys that the shop has already ' +
      'are left out, so sending a file twice adds nothing. Deliveries that wait for keys continue.',
    readsBody: true,
    replies: {
      200: { description: 'What was added, and the list', schema: addedSchema },
      409: { description: 'The list generates its keys, or is full', schema: errorSchema },
      413: { description: 'More than 20 MB', schema: errorSchema },
      422: refused,
    },
    handler: async ({ caller, params, ctx }) => {
      const id = requirePublicId('licences', params.id)
      await requireList(caller.scope, id)
      const { bytes } = await receivedFile(ctx, undefined, { maxBytes: MAX_BYTES, isKept: true })
      const keys = await readLicenceKeys(bytes, MAX_BYTES)
      const added = await addKeys(caller.scope, secrets, id, keys)
      return { body: { ...recordOf(await requireList(caller.scope, id)), ...added } }
    },
  })

/** Adds all keys or none, and prepares the deliveries that wait for keys. */
const addKeys = (
  scope: ShopScope,
  secrets: Secrets,
  list: string,
  keys: readonly string[],
): Promise<AddedKeyCounts> =>
  scope.transaction(async (tx) => {
    const sum: AddedKeyCounts = { added: 0, duplicates: 0 }
    for (let at = 0; at < keys.length; at += KEY_BATCH) {
      const some = await addLicenceKeys(tx, secrets, list, keys.slice(at, at + KEY_BATCH))
      sum.added += some.added
      sum.duplicates += some.duplicates
      await nextTurn()
    }
    await prepareForKeys(tx)
    return sum
  })

const remove = () =>
  endpoint('DELETE /api/licence-lists/{id}', {
    logs: { kind: 'licence_list' },
    summary: 'Delete a list; buyers keep their keys',
    replies: { 204: { description: 'Deleted', schema: null } },
    handler: async ({ caller, params }) => {
      const id = requirePublicId('licences', params.id)
      await caller.scope.transaction((tx) => deleteLicenceList(tx, id))
      return { status: 204, body: null }
    },
  })

async function requireList(scope: ShopScope, id: string): Promise<LicenceList> {
  const list = await readLicenceList(scope, id)
  if (!list) throw new AppError('not_found')
  return list
}

const recordOf = ({ id, created_at, ...list }: LicenceList) => ({
  ...list,
  id: toPublicId('licences', id),
  created_at: created_at.toISOString(),
})
