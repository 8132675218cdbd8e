// A key as a program of its buyer sees it, which names neither the shop nor its secret: verified,
// activated at an instance (a device, a site), and deactivated there.
import { say } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { KEY_STATUS } from './key-records.ts'

/**
 * `not_activated`: the key is active, but not at the instance that was asked about. `limit_reached`:
 * it is active, but at as many other instances as it may be.
 */
export const LICENCE_STATUSES = [
  'active',
  'expired',
  'revoked',
  'not_activated',
  'limit_reached',
  'unknown',
] as const

export interface LicenceState {
  /** The program may run. */
  valid: boolean
  status: (typeof LICENCE_STATUSES)[number]
  activations: number
  activation_limit: number | null
  expires_at: Date | null
  /** The name of the file. */
  file: string | null
  /** The order's name, `#1001`. */
  order: string | null
}

/** A malformed key is answered like one that does not exist. */
export const UNKNOWN_KEY: LicenceState = {
  valid: false,
  status: 'unknown',
  activations: 0,
  activation_limit: null,
  expires_at: null,
  file: null,
  order: null,
}

/** The most activations of a key without a limit. */
const MAX_ACTIVATIONS = 1000

interface FoundKey {
  scope: ShopScope
  /** A bare UUID. */
  id: string
}

/**
 * Finds the assigned key. Null: there is none. Throws `validation_failed` if several shops have it
 * and none is named.
 * @param shop the domain of the shop; null: not named.
 */
export async function findAssignedKey(
  database: Database,
  hash: Buffer,
  shop: string | null,
): Promise<FoundKey | null> {
  const { rows } = await database.pool.query<{ shop_id: number; id: string }>(
    `select k.shop_id, k.id from licence_keys k
     join shops s on s.id = k.shop_id and s.uninstalled_at is null
     where k.hash = $1 and k.delivery_id is not null and ($2::text is null or s.domain = $2)
     limit 2`,
    [hash, shop],
  )
  const [first, second] = rows
  if (!first) return null
  if (second) {
    const message = say('Several shops have this key: name the shop by its domain')
    throw new AppError('validation_failed', {
      param: 'shop',
      details: [{ param: 'shop', code: 'required', message }],
    })
  }
  return { scope: forShop(database, first.shop_id), id: first.id }
}

/** Verifies the key, and that it is activated at the instance, if one is given. */
export async function verifyKey(
  { scope, id }: FoundKey,
  instance: string | null,
): Promise<LicenceState> {
  if (instance !== null)
    await scope.query(
      `update licence_activations set seen_at = now() where shop_id = :shop and key_id = :id
         and instance = :instance and seen_at < now() - interval '1 day'`,
      { id, instance },
    )
  return readState(scope, id, instance)
}

/** Idempotent: an instance counts once. An expired or revoked key is not activated. */
export const activateKey = (
  { scope, id }: FoundKey,
  { instance, address }: { instance: string; address: string },
): Promise<LicenceState> =>
  scope.transaction(async (tx) => {
    // Activations of one key take turns: each counts those before it.
    await tx.query(
      'select 1 from licence_keys where shop_id = :shop and id = :id for no key update',
      { id },
    )
    await tx.query(
      `insert into licence_activations (shop_id, key_id, instance, address)
       select :shop, k.id, :instance, :address from licence_keys k
       join licence_lists l on l.shop_id = k.shop_id and l.id = k.list_id
       where k.shop_id = :shop and k.id = :id and ${KEY_STATUS} = 'active' and (
         exists (select from licence_activations a
           where a.shop_id = k.shop_id and a.key_id = k.id and a.instance = :instance)
         or (select count(*) from licence_activations a
           where a.shop_id = k.shop_id and a.key_id = k.id)
           < coalesce(l.activation_limit, ${MAX_ACTIVATIONS}))
       on conflict (shop_id, key_id, instance) do update set seen_at = now()`,
      { id, instance, address },
    )
    const state = await readState(tx, id, instance)
    return state.status === 'not_activated' ? { ...state, status: 'limit_reached' } : state
  })

/** Idempotent: an instance that is not activated is no error. */
export async function deactivateKey(
  { scope, id }: FoundKey,
  instance: string,
): Promise<LicenceState> {
  await scope.query(
    'delete from licence_activations where shop_id = :shop and key_id = :id and instance = :instance',
    { id, instance },
  )
  return readState(scope, id, null)
}

async function readState(
  scope: ShopScope,
  id: string,
  instance: string | null,
): Promise<LicenceState> {
  const [row] = await scope.query<
    Omit<LicenceState, 'status'> & { status: LicenceState['status'] | 'replaced'; here: boolean }
  >(
    `select ${KEY_STATUS} as status, k.expires_at, l.activation_limit, f.filename as file,
       o.name as "order",
       (select count(*) from licence_activations a
        where a.shop_id = k.shop_id and a.key_id = k.id) as activations,
       :instance::text is null or exists (select from licence_activations a
         where a.shop_id = k.shop_id and a.key_id = k.id and a.instance = :instance) as here
     from licence_keys k
     join licence_lists l on l.shop_id = k.shop_id and l.id = k.list_id
     left join deliveries d on d.shop_id = k.shop_id and d.id = k.delivery_id
     left join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     left join files f on f.shop_id = k.shop_id and f.id = k.file_id
     where k.shop_id = :shop and k.id = :id and k.delivery_id is not null`,
    { id, instance },
  )
  // Its unit was refunded in the meantime, before anybody saw it.
  if (!row) return UNKNOWN_KEY
  const { here, ...state } = row
  const of = state.status === 'replaced' ? 'revoked' : state.status
  const status = of === 'active' && !here ? 'not_activated' : of
  return { ...state, status, valid: status === 'active' }
}
