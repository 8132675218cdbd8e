// Lists of licence keys. The merchant adds the keys of a list, or the list generates each key when it
// is assigned. Keys are sealed. A key that the shop already has is not added again, so that no key
// is given to two buyers.
import { createHmac } from 'node:crypto'
import { nameKey, say } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { countInTurn } from '../../core/db/shop-maximum.ts'
import { AppError } from '../../core/errors.ts'
import type { Secrets } from '../../core/secrets.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import type { KeyPattern } from '../../../plugins/_page/key-pattern.ts'

/** What a list says about its keys. */
export interface LicenceTerms {
  /** Null: the merchant adds the keys. */
  generate: KeyPattern | null
  /** Days from the assignment; null: never. */
  expiry_days: number | null
  /** The most activations of a key at one time; null: unlimited. */
  activation_limit: number | null
  /** Keys of units that are refunded or cancelled are revoked. */
  revoke_on_refund: boolean
}

export interface LicenceList extends LicenceTerms {
  /** A bare UUID. */
  id: string
  name: string
  /** The number of unassigned keys; null: the list generates its keys. */
  left: number | null
  /** The number of keys that are assigned to buyers. */
  given: number
  created_at: Date
}

export interface AddedKeyCounts {
  added: number
  /** Keys that are already in this list or in another list of the shop. */
  duplicates: number
}

/** At this number the shop is warned; web/features/preparation/labels.ts has the same number. */
const FEW_KEYS = 10
const MAX_LISTS = 500
const MAX_KEYS = 1_000_000
/** The most keys of a list for the units of one order line. */
export const MAX_LINE_KEYS = 100

/** SQL: no other key has replaced the key `k`. */
export const IS_CURRENT_KEY = `k.revoked_by is distinct from 'rotation'`

const COLUMNS = `l.id, l.name, l.created_at, l.generate, l.expiry_days, l.activation_limit,
  l.revoke_on_refund,
  case when l.generate is null then (select count(*) from licence_keys k
     where k.shop_id = l.shop_id and k.list_id = l.id and k.delivery_id is null) end as left,
  (select count(*) from licence_keys k where k.shop_id = l.shop_id and k.list_id = l.id
     and k.delivery_id is not null and ${IS_CURRENT_KEY}) as given`

/** What licence keys are sealed for. */
export const licencePlace = (shop: number): string => `${shop}/licence_keys.sealed`
export const sealKey = (secrets: Secrets, shop: number, key: string): Buffer =>
  secrets.seal(key, licencePlace(shop))
export const openKey = (secrets: Secrets, shop: number, sealed: Buffer): string =>
  secrets.open(sealed, licencePlace(shop))

/** By name; `after`: the previous page's last name. */
export const listLicenceLists = (
  scope: ShopScope,
  page: { after: string; limit: number },
): Promise<LicenceList[]> =>
  scope.query<LicenceList>(
    `select ${COLUMNS} from licence_lists l
     where l.shop_id = :shop and l.deleted_at is null and l.name_key > :after
     order by l.name_key limit :limit`,
    { ...page },
  )

/** The list with this UUID, or null. */
export const readLicenceList = (scope: ShopScope, id: string): Promise<LicenceList | null> =>
  scope.first<LicenceList>(
    `select ${COLUMNS} from licence_lists l
     where l.shop_id = :shop and l.id = :id and l.deleted_at is null`,
    { id },
  )

const OWN_KEYS: LicenceTerms = {
  generate: null,
  expiry_days: null,
  activation_limit: null,
  revoke_on_refund: false,
}

/** Returns its bare UUID. Throws `conflict` if the name is taken, or there are too many lists. */
export async function createLicenceList(
  tx: ShopScope,
  name: string,
  terms: Partial<LicenceTerms> = {},
): Promise<string> {
  const lists = 'licence_lists where shop_id = :shop and deleted_at is null'
  if ((await countInTurn(tx, lists)) >= MAX_LISTS)
    throw new AppError('conflict', {
      message: say('A shop has at most {most} lists of keys', { most: MAX_LISTS }),
    })
  const [made] = await tx.query<{ id: string }>(
    `insert into licence_lists (shop_id, name, name_key, generate, expiry_days, activation_limit,
       revoke_on_refund)
     values (:shop, :name, :key, :generate::jsonb, :expiry_days, :activation_limit,
       :revoke_on_refund)
     on conflict (shop_id, name_key) where deleted_at is null do nothing returning id`,
    { name, key: nameKey(name), ...bound({ ...OWN_KEYS, ...terms }) },
  )
  if (!made) throw new AppError('conflict', { message: NAME_TAKEN })
  return made.id
}

const NAME_TAKEN = say('Another list has this name')
const bound = ({ generate, ...terms }: LicenceTerms) => ({
  ...terms,
  generate: generate && JSON.stringify(generate),
})

/**
 * A new pattern and expiry are for keys that are assigned from now on, the limit of activations for
 * all keys. Throws `not_found`, and `conflict` if the name is taken or the merchant adds the keys
 * and a pattern is given.
 */
export async function changeLicenceList(
  scope: ShopScope,
  id: string,
  { name, ...terms }: Partial<LicenceTerms> & { name?: string },
): Promise<void> {
  await scope.transaction(async (tx) => {
    await tx.query(
      'select 1 from licence_lists where shop_id = :shop and id = :id for no key update',
      { id },
    )
    const list = await readLicenceList(tx, id)
    if (!list) throw new AppError('not_found')
    if (terms.generate && !list.generate)
      throw new AppError('conflict', {
        message: say('The keys of this list are added: create another list to generate keys'),
      })
    const taken = await tx.query(
      `select 1 from licence_lists where shop_id = :shop and name_key = :key and id <> :id
         and deleted_at is null`,
      { id, key: nameKey(name ?? list.name) },
    )
    if (taken.length > 0) throw new AppError('conflict', { message: NAME_TAKEN })
    await tx.query(
      `update licence_lists set name = :name, name_key = :key, generate = :generate::jsonb,
         expiry_days = :expiry_days, activation_limit = :activation_limit,
         revoke_on_refund = :revoke_on_refund
       where shop_id = :shop and id = :id`,
      {
        ...bound({ ...list, ...terms }),
        id,
        name: name ?? list.name,
        key: nameKey(name ?? list.name),
      },
    )
  })
}

/** The key by which a licence key is found, in all shops. */
export const createKeyHash = (secrets: Pick<Secrets, 'lookupKey'>): ((key: string) => Buffer) => {
  const secret = secrets.lookupKey('licence-keys')
  return (key) => createHmac('sha256', secret).update(key).digest()
}

/**
 * Throws `not_found`, and `conflict` if the list generates its keys or would have more than it may.
 */
export async function addLicenceKeys(
  tx: ShopScope,
  secrets: Secrets,
  list: string,
  keys: readonly string[],
): Promise<AddedKeyCounts> {
  const [held] = await tx.query<{ generates: boolean }>(
    `select generate is not null as generates from licence_lists
     where shop_id = :shop and id = :list and deleted_at is null for no key update`,
    { list },
  )
  if (!held) throw new AppError('not_found')
  if (held.generates)
    throw new AppError('conflict', {
      message: say('This list generates its keys: none can be added'),
    })
  const rows = await tx.query(
    `insert into licence_keys (shop_id, list_id, hash, sealed)
     select :shop, :list, hash, sealed
     from unnest(:hashes::bytea[], :sealed::bytea[]) with ordinality as k (hash, sealed, n)
       order by n
     on conflict (shop_id, hash) do nothing returning id`,
    {
      list,
      hashes: keys.map(createKeyHash(secrets)),
      sealed: keys.map((key) => sealKey(secrets, tx.shop, key)),
    },
  )
  await tx.query('update licence_lists set warned_at = null where shop_id = :shop and id = :list', {
    list,
  })
  const count = await tx.one<{ keys: number }>(
    'select count(*) as keys from licence_keys where shop_id = :shop and list_id = :list',
    { list },
  )
  if (count.keys > MAX_KEYS)
    throw new AppError('conflict', {
      message: say('A list has at most {most} keys: start another one', { most: MAX_KEYS }),
    })
  return { added: rows.length, duplicates: keys.length - rows.length }
}

/** Raises a notice when few keys are left: once, until keys are added. */
export async function warnOfFewKeys(
  tx: ShopScope,
  list: Pick<LicenceList, 'id' | 'name'>,
): Promise<void> {
  const free = await tx.query(
    `select 1 from licence_keys where shop_id = :shop and list_id = :id and delivery_id is null
     limit ${FEW_KEYS + 1}`,
    { id: list.id },
  )
  if (free.length > FEW_KEYS) return
  const warned = await tx.query(
    `update licence_lists set warned_at = now()
     where shop_id = :shop and id = :id and warned_at is null and deleted_at is null returning id`,
    { id: list.id },
  )
  if (warned.length === 0) return
  await raiseNotice(tx, {
    level: 'warning',
    title: say('A list is running out of licence keys'),
    body: say(
      '“{name}” has {left} licence keys left. Add keys in the settings, under Licence keys: orders that find no key are held until you do.',
      { name: list.name, left: free.length },
    ),
    operation_id: null,
  })
}

/** Assigned keys are kept for their buyers; the others are deleted. Throws `not_found`. */
export async function deleteLicenceList(tx: ShopScope, id: string): Promise<void> {
  const rows = await tx.query(
    `update licence_lists set deleted_at = now()
     where shop_id = :shop and id = :id and deleted_at is null returning id`,
    { id },
  )
  if (rows.length === 0) throw new AppError('not_found')
  await tx.query(
    'delete from licence_keys where shop_id = :shop and list_id = :id and delivery_id is null',
    { id },
  )
}
