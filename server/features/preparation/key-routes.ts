// The assigned keys of a list, and what the merchant does with one of them.
import { z } from 'zod'
import { say } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { requirePublicId, toPublicId } from '../../core/ids.ts'
import type { Secrets } from '../../core/secrets.ts'
import { fromCursor, time, uuid, listPage } from '../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { errorSchema, listOf, page, timestamp } from '../../http/schemas.ts'
import { firstOf } from '../../core/lazy.ts'
import {
  KEY_STATUSES,
  listLicenceKeys,
  readLicenceKey,
  SHOWN_INSTANCES,
  type LicenceKey,
} from './key-records.ts'
import { readLicenceList, warnOfFewKeys } from './licence-lists.ts'
import { supplyKeys } from './key-supply.ts'

const keySchema = z
  .object({
    id: z.string(),
    list_id: z.string(),
    key: z
      .string()
      .nullable()
      .describe('null until the buyer or the shop could see it: it may still be taken back'),
    status: z.enum(KEY_STATUSES),
    delivery_id: z.string(),
    order_name: z.string().nullable(),
    email: z.string().nullable(),
    file_id: z.string(),
    filename: z.string().nullable(),
    assigned_at: timestamp,
    expires_at: timestamp.nullable(),
    revoked_at: timestamp.nullable(),
    revoked_by: z.enum(['merchant', 'refund', 'rotation']).nullable(),
    activations: z.number().int(),
    activation_limit: z.number().int().nullable(),
    instances: z
      .array(
        z.object({
          instance: z.string(),
          address: z.string().describe('From where it was activated'),
          activated_at: timestamp,
          seen_at: timestamp.describe('When it last activated or verified the key, to the day'),
        }),
      )
      .describe(`The latest ${SHOWN_INSTANCES}`),
  })
  .meta({ id: 'LicenceKey' })

const endpoint = endpointsOf({ tag: 'Licence keys', scope: 'links:write' })

export const licenceKeyRoutes = ({ secrets }: { secrets: Secrets }): Endpoint[] => [
  list(secrets),
  ...actions(secrets),
]

const list = (secrets: Secrets) =>
  endpoint('GET /api/licence-lists/{id}/keys', {
    summary: 'List the assigned keys of a list, latest first',
    query: z.strictObject({
      search: z
        .string()
        .trim()
        .max(500)
        .default('')
        .describe('Exactly a key, the name of an order, or the email address of a buyer'),
      status: z.enum(KEY_STATUSES).optional(),
      ...page,
    }),
    replies: { 200: { description: 'A page of keys', schema: listOf(keySchema) } },
    handler: async ({ caller, params, query: { search, status, cursor, limit } }) => {
      const id = requirePublicId('licences', params.id)
      if (!(await readLicenceList(caller.scope, id))) throw new AppError('not_found')
      const rows = await listLicenceKeys(caller.scope, secrets, {
        list: id,
        search,
        status: status ?? null,
        limit: limit + 1,
        after: fromCursor(cursor, [time, uuid]),
      })
      const show = ({ position: _, ...row }: (typeof rows)[number]) => recordOf(row)
      return { body: listPage(rows, limit, (last) => [last.position, last.id], show) }
    },
  })

type Change = (scope: ShopScope, id: string) => Promise<unknown>

const actions = (secrets: Secrets): Endpoint[] => [
  action(secrets, 'revoke', revokeLicenceKey, {
    summary: 'Revoke a licence key',
    description: 'Programs that verify it learn that it is revoked. Its buyer still sees it.',
  }),
  action(secrets, 'restore', restoreLicenceKey, {
    summary: 'Restore a licence key that was revoked',
    description: 'Refunds of its order do not revoke it any more.',
  }),
  action(secrets, 'rotate', (scope, id) => rotateLicenceKey(scope, secrets, id), {
    summary: 'Replace a licence key by another one of its list',
    description:
      'The buyer’s page shows the new key, and the old one is revoked. The answer is the new key.',
  }),
  action(secrets, 'reset', resetActivations, {
    summary: 'End all activations of a licence key',
    description: 'Its buyer can activate it again, up to the limit.',
  }),
]

/** @param change returns the key that the answer shows, if it is another one. */
const action = (
  secrets: Secrets,
  name: 'revoke' | 'restore' | 'rotate' | 'reset',
  change: Change,
  texts: Pick<Endpoint, 'summary'> & { description: string },
) =>
  endpoint(`POST /api/licence-keys/{id}/${name}`, {
    ...texts,
    atomic: true,
    replies: {
      200: { description: 'The key', schema: keySchema },
      409: { description: 'The key was replaced, or its list has no other', schema: errorSchema },
    },
    handler: async ({ caller, params }) => {
      const id = requirePublicId('licence', params.id)
      const other = await change(caller.scope, id)
      const shown = typeof other === 'string' ? other : id
      const key = await readLicenceKey(caller.scope, secrets, shown)
      if (!key) throw new AppError('not_found')
      return { body: recordOf(key) }
    },
  })

const recordOf = (key: LicenceKey) => ({
  id: toPublicId('licence', key.id),
  list_id: toPublicId('licences', key.list_id),
  key: key.key,
  status: key.status,
  delivery_id: toPublicId('delivery', key.delivery_id),
  order_name: key.order_name,
  email: key.email,
  file_id: toPublicId('file', key.file_id),
  filename: key.filename,
  assigned_at: key.assigned_at.toISOString(),
  expires_at: key.expires_at?.toISOString() ?? null,
  revoked_at: key.revoked_at?.toISOString() ?? null,
  revoked_by: key.revoked_by,
  activations: key.activations,
  activation_limit: key.activation_limit,
  instances: key.instances.map(({ activated_at, seen_at, ...instance }) => ({
    ...instance,
    activated_at: activated_at.toISOString(),
    seen_at: seen_at.toISOString(),
  })),
})

// What the merchant does with an assigned key: revoke and restore it, replace it by another one, and
// end its activations. All are idempotent but the replacement.

interface LockedKey {
  id: string
  list_id: string
  delivery_id: string
  file_id: string
  line_id: string | null
  ordinal: number
  revoked_by: string | null
}

/** Throws `not_found`, and `conflict` if another key has replaced it. */
async function lockKey(tx: ShopScope, id: string): Promise<LockedKey> {
  const [key] = await tx.query<LockedKey>(
    `select id, list_id, delivery_id, file_id, line_id, ordinal, revoked_by from licence_keys
     where shop_id = :shop and id = :id and delivery_id is not null for no key update`,
    { id },
  )
  if (!key) throw new AppError('not_found')
  if (key.revoked_by === 'rotation')
    throw new AppError('conflict', { message: say('This key was replaced by another one') })
  return key
}

/** Refunds and their reversal then leave it revoked. */
const revokeLicenceKey = (scope: ShopScope, id: string): Promise<void> =>
  scope.transaction(async (tx) => {
    await lockKey(tx, id)
    await tx.query(
      `update licence_keys set revoked_at = coalesce(revoked_at, now()), revoked_by = 'merchant',
         restored_at = null
       where shop_id = :shop and id = :id`,
      { id },
    )
  })

/** Refunds then leave it active. */
const restoreLicenceKey = (scope: ShopScope, id: string): Promise<void> =>
  scope.transaction(async (tx) => {
    await lockKey(tx, id)
    await tx.query(
      `update licence_keys set revoked_at = null, revoked_by = null, restored_at = now()
       where shop_id = :shop and id = :id and revoked_at is not null`,
      { id },
    )
  })

/** Its buyer's programs can be activated again, up to the limit. */
const resetActivations = (scope: ShopScope, id: string): Promise<void> =>
  scope.transaction(async (tx) => {
    await lockKey(tx, id)
    await tx.query('delete from licence_activations where shop_id = :shop and key_id = :id', { id })
  })

/**
 * Gives the buyer another key of the same list, which expires when the replaced one did. Copies of
 * the delivery that show keys are made again. Returns the new key's bare UUID. Throws `conflict`
 * if the list has none.
 */
async function rotateLicenceKey(scope: ShopScope, secrets: Secrets, id: string): Promise<string> {
  const { made, list } = await scope.transaction(async (tx) => {
    const old = await lockKey(tx, id)
    if (old.revoked_by === 'refund')
      throw new AppError('conflict', { message: say('This key was refunded: restore it first') })
    const list = await readLicenceList(tx, old.list_id)
    if (!list) throw new AppError('conflict', { message: say('The list of this key was deleted') })
    await tx.query(
      `update licence_keys set revoked_at = now(), revoked_by = 'rotation'
       where shop_id = :shop and id = :id`,
      { id },
    )
    const { delivery_id: delivery, file_id: file, line_id: line, ordinal } = old
    const supplied = await supplyKeys(
      tx,
      secrets,
      list,
      { delivery, file, line, last: ordinal - 1 },
      1,
    )
    if (supplied.length === 0)
      throw new AppError('conflict', {
        message: say('The list “{name}” has no keys left: add keys first', { name: list.name }),
      })
    const made = firstOf(supplied)
    await tx.query(
      `update licence_keys k set expires_at = old.expires_at, shown_at = old.shown_at
       from licence_keys old
       where k.shop_id = :shop and k.id = :made and old.shop_id = :shop and old.id = :id`,
      { made, id },
    )
    await tx.query(
      `update prepared_files set stale = true where shop_id = :shop and delivery_id = :delivery
         and status = 'ready' and hash is not null`,
      { delivery },
    )
    return { made, list }
  })
  if (!list.generate) await scope.transaction((tx) => warnOfFewKeys(tx, list))
  return made
}
