// Lists of licence keys: created from a text or CSV file, and counted. Keys are sealed. A key that
// the shop already has is not added again, so that no key is given to two buyers.
import { createHmac } from 'node:crypto'
import { nameKey, say } from '../../../../plugins/contract.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { AppError } from '../../../core/errors.ts'
import type { Secrets } from '../../../core/secrets.ts'
import { raiseNotice } from '../../../core/outbox/notices.ts'

export interface LicenceList {
  /** A bare UUID. */
  id: string
  name: string
  /** The number of unassigned keys, and of keys that are assigned to buyers. */
  left: number
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

const COUNTS = `
  (select count(*) from licence_keys k where k.shop_id = l.shop_id and k.list_id = l.id
     and k.delivery_id is null) as left,
  (select count(*) from licence_keys k where k.shop_id = l.shop_id and k.list_id = l.id
     and k.delivery_id is not null) as given`

/** What licence keys are sealed for. */
export const licencePlace = (shop: number): string => `${shop}/licence_keys.sealed`
export const openKey = (secrets: Secrets, shop: number, sealed: Buffer): string =>
  secrets.open(sealed, licencePlace(shop))

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
  const row = await tx.one<{ lists: number }>(
    'select count(*) as lists from licence_lists where shop_id = :shop and deleted_at is null',
  )
  if (row.lists >= MAX_LISTS)
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
): Promise<AddedKeyCounts> {
  const held = await tx.query(
    `select 1 from licence_lists where shop_id = :shop and id = :list and deleted_at is null
     for no key update`,
    { list },
  )
  if (held.length === 0) throw new AppError('not_found')
  const secret = secrets.lookupKey('licence-keys')
  const rows = await tx.query(
    `insert into licence_keys (shop_id, list_id, hash, sealed)
     select :shop, :list, hash, sealed
     from unnest(:hashes::bytea[], :sealed::bytea[]) with ordinality as k (hash, sealed, n)
       order by n
     on conflict (shop_id, hash) do nothing returning id`,
    {
      list,
      hashes: keys.map((key) => createHmac('sha256', secret).update(key).digest()),
      sealed: keys.map((key) => secrets.seal(key, licencePlace(tx.shop))),
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

export interface AssignedKey {
  delivery_id: string
  /** The file with which it is shown. */
  file_id: string
  filename: string
  key: string
}

/**
 * The keys of deliveries (bare UUIDs), in the order in which they were assigned. A key of a line is
 * shown with one of the line's files that are delivered.
 * @param show the reader sees all keys, which are then no longer returned to their lists; false:
 *   only keys that were shown before.
 */
export async function keysOfDeliveries(
  scope: ShopScope,
  secrets: Secrets,
  deliveries: readonly string[],
  { show }: { show: boolean },
): Promise<AssignedKey[]> {
  if (deliveries.length === 0) return []
  if (show)
    await scope.query(
      `update licence_keys set shown_at = now()
       where shop_id = :shop and delivery_id = any(:deliveries::uuid[]) and shown_at is null`,
      { deliveries },
    )
  const rows = await scope.query<Omit<AssignedKey, 'key'> & { sealed: Buffer }>(
    `select k.delivery_id, f.id as file_id, f.filename, k.sealed from licence_keys k
     left join lateral (
       select df.file_id from delivery_files df
       join files f on f.shop_id = df.shop_id and f.id = df.file_id and f.deleted_at is null
       left join prepared_files p on p.shop_id = df.shop_id and p.delivery_id = df.delivery_id
         and p.file_id = df.file_id
       where df.shop_id = k.shop_id and df.delivery_id = k.delivery_id and df.line_id = k.line_id
         and not df.withdrawn and p.status is distinct from 'left_out'
       order by df.file_id <> k.file_id, f.filename, df.file_id limit 1) delivered on true
     join files f on f.shop_id = k.shop_id and f.id = coalesce(delivered.file_id, k.file_id)
     where k.shop_id = :shop and k.delivery_id = any(:deliveries::uuid[])
       and k.shown_at is not null
     order by k.delivery_id, f.filename, k.list_id, k.line_id, k.ordinal`,
    { deliveries },
  )
  return rows.map(({ sealed, ...row }) => ({ ...row, key: openKey(secrets, scope.shop, sealed) }))
}

/** The keys of a delivery (a bare UUID), by file. See `keysOfDeliveries`. */
export async function keysByFile(
  scope: ShopScope,
  secrets: Secrets,
  delivery: string,
  reader: { show: boolean },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const assigned = await keysOfDeliveries(scope, secrets, [delivery], reader)
  const files = Map.groupBy(assigned, ({ file_id }) => file_id)
  return new Map([...files].map(([file, keys]) => [file, keys.map(({ key }) => key)]))
}

/**
 * Returns keys that nobody has seen to their lists, if no unit of their order lines needs them: the
 * order was refunded or cancelled, or the delivery revoked. Returns how many.
 * @param deliveries bare UUIDs.
 */
export async function returnLicenceKeys(
  tx: ShopScope,
  deliveries: readonly string[],
): Promise<number> {
  const rows = await tx.query<{ id: string }>(
    `with needed as (
       select k.id, k.shown_at,
         row_number() over (partition by k.delivery_id, k.list_id, k.line_id
           order by k.shown_at is null, k.ordinal) as place,
         case when d.revoked_at is not null then 0
           when k.line_id is not null then coalesce((select l.quantity from order_lines l
             where l.shop_id = d.shop_id and l.order_id = d.order_id and l.id = k.line_id
               and l.entitled), 0)
           when exists (select from delivery_files df
             join order_lines l on l.shop_id = d.shop_id and l.order_id = d.order_id
               and l.id = df.line_id and l.entitled
             where df.shop_id = d.shop_id and df.delivery_id = d.id and df.file_id = k.file_id
               and not df.taken_back)
             then null
           else 0 end as units
       from licence_keys k join deliveries d on d.shop_id = k.shop_id and d.id = k.delivery_id
       where k.shop_id = :shop and k.delivery_id = any(:deliveries::uuid[])
     )
     update licence_keys k set delivery_id = null, file_id = null, line_id = null, ordinal = null,
       assigned_at = null
     from needed n
     where k.shop_id = :shop and k.id = n.id and n.place > n.units and k.shown_at is null
     returning k.id`,
    { deliveries },
  )
  if (rows.length === 0) return 0
  // The merchant may add them to another list again.
  await tx.query(
    `delete from licence_keys k using licence_lists l
     where k.shop_id = :shop and k.id = any(:keys::uuid[]) and k.delivery_id is null
       and l.shop_id = k.shop_id and l.id = k.list_id and l.deleted_at is not null`,
    { keys: rows.map(({ id }) => id) },
  )
  return rows.length
}

/** By delivery: files of lines that have fewer keys than units, because units were added. */
export async function filesLackingKeys(
  tx: ShopScope,
  deliveries: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await tx.query<{ delivery_id: string; file_id: string }>(
    `select distinct df.delivery_id, df.file_id from (
       select delivery_id, line_id, count(*) as keys from licence_keys
       where shop_id = :shop and delivery_id = any(:deliveries::uuid[]) and line_id is not null
       group by delivery_id, list_id, line_id) k
     join deliveries d on d.shop_id = :shop and d.id = k.delivery_id and d.revoked_at is null
     join order_lines l on l.shop_id = d.shop_id and l.order_id = d.order_id and l.id = k.line_id
       and l.entitled and least(l.quantity, ${MAX_LINE_KEYS}) > k.keys
     join delivery_files df on df.shop_id = d.shop_id and df.delivery_id = d.id
       and df.line_id = l.id and not df.taken_back`,
    { deliveries },
  )
  const files = Map.groupBy(rows, ({ delivery_id }) => delivery_id)
  return new Map([...files].map(([id, all]) => [id, all.map(({ file_id }) => file_id)]))
}
