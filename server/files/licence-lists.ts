// Lists of licence keys: created from a text or CSV file, and counted. Keys are sealed. A key that
// the shop already has is not added again, so that no key is given to two buyers.
import { createHmac } from 'node:crypto'
import { nameKey } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { AppError } from '../errors.ts'
import type { Secrets } from '../secrets.ts'
import { raiseNotice } from './notices.ts'

export interface LicenceList {
  /** A bare UUID. */
  id: string
  name: string
  /** The number of unassigned keys, and of keys that are assigned to buyers. */
  left: number
  given: number
  created_at: Date
}

export interface Added {
  added: number
  /** Keys that are already in this list or in another list of the shop. */
  duplicates: number
}

/** At this number the shop is warned; web/labels/licence-list.ts has the same number. */
const FEW_KEYS = 10
const MAX_LISTS = 500
const MAX_KEYS = 1_000_000

const COUNTS = `
  (select count(*) from licence_keys k where k.shop_id = l.shop_id and k.list_id = l.id
     and k.delivery_id is null) as left,
  (select count(*) from licence_keys k where k.shop_id = l.shop_id and k.list_id = l.id
     and k.delivery_id is not null) as given`

const aboutOf = (shop: number) => `${shop}/licence_keys.sealed`
export const openKey = (secrets: Secrets, shop: number, sealed: Buffer): string =>
  secrets.open(sealed, aboutOf(shop))

/** By name; `after`: the previous page's last name. */
export const listLicenceLists = (
  scope: ShopScope,
  page: { after: string; limit: number },
): Promise<LicenceList[]> =>
  scope.query<LicenceList>(
    `select l.id, l.name, l.created_at, ${COUNTS} from licence_lists l
     where l.shop_id = :shop and l.deleted_at is null and l.name_key > :after
     order by l.name_key limit :limit`,
    { ...page },
  )

/** The list with this UUID, or null. */
export async function readLicenceList(scope: ShopScope, id: string): Promise<LicenceList | null> {
  const [row] = await scope.query<LicenceList>(
    `select l.id, l.name, l.created_at, ${COUNTS} from licence_lists l
     where l.shop_id = :shop and l.id = :id and l.deleted_at is null`,
    { id },
  )
  return row ?? null
}

/** Throws `conflict` if the name is taken, and `too_many`. */
export async function createLicenceList(tx: ShopScope, name: string): Promise<string> {
  await tx.query('select 1 from shops where id = :shop for no key update')
  const [row] = await tx.query<{ lists: number }>(
    'select count(*) as lists from licence_lists where shop_id = :shop and deleted_at is null',
  )
  if (row!.lists >= MAX_LISTS)
    throw new AppError('conflict', { message: `A shop has at most ${MAX_LISTS} lists of keys` })
  const [made] = await tx.query<{ id: string }>(
    `insert into licence_lists (shop_id, name, name_key) values (:shop, :name, :key)
     on conflict (shop_id, name_key) where deleted_at is null do nothing returning id`,
    { name, key: nameKey(name) },
  )
  if (!made) throw new AppError('conflict', { message: 'Another list has this name' })
  return made.id
}

/** Throws `not_found`, and `conflict` if the list would have more keys than it may. */
export async function addLicenceKeys(
  tx: ShopScope,
  secrets: Secrets,
  list: string,
  keys: readonly string[],
): Promise<Added> {
  const held = await tx.query(
    `select 1 from licence_lists where shop_id = :shop and id = :list and deleted_at is null
     for no key update`,
    { list },
  )
  if (held.length === 0) throw new AppError('not_found')
  const secret = secrets.derive('licence-keys')
  const rows = await tx.query(
    `insert into licence_keys (shop_id, list_id, hash, sealed)
     select :shop, :list, hash, sealed
     from unnest(:hashes::bytea[], :sealed::bytea[]) with ordinality as k (hash, sealed, n)
       order by n
     on conflict (shop_id, hash) do nothing returning id`,
    {
      list,
      hashes: keys.map((key) => createHmac('sha256', secret).update(key).digest()),
      sealed: keys.map((key) => secrets.seal(key, aboutOf(tx.shop))),
    },
  )
  await tx.query('update licence_lists set warned_at = null where shop_id = :shop and id = :list', {
    list,
  })
  const [count] = await tx.query<{ keys: number }>(
    'select count(*) as keys from licence_keys where shop_id = :shop and list_id = :list',
    { list },
  )
  if (count!.keys > MAX_KEYS)
    throw new AppError('conflict', {
      message: `A list has at most ${MAX_KEYS.toLocaleString('en')} keys: start another one`,
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
    title: 'A list is running out of licence keys',
    body:
      `“${list.name}” has ${free.length} licence keys left. Add keys in the settings, under ` +
      'Licence keys: orders that find no key are held until you do.',
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

/** The keys of a delivery (a bare UUID), by file, in the order in which they were assigned. */
export async function keysOfDelivery(
  scope: ShopScope,
  secrets: Secrets,
  delivery: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await scope.query<{ file_id: string; sealed: Buffer }>(
    `select file_id, sealed from licence_keys where shop_id = :shop and delivery_id = :delivery
     order by file_id, list_id, ordinal`,
    { delivery },
  )
  const keys = new Map<string, string[]>()
  for (const { file_id, sealed } of rows)
    keys.set(file_id, [...(keys.get(file_id) ?? []), openKey(secrets, scope.shop, sealed)])
  return keys
}
