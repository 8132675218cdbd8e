// The keys that deliveries have: shown to their buyers, and taken back when no unit of the order
// needs them any more.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Secrets } from '../../core/secrets.ts'
import { IS_CURRENT_KEY, MAX_LINE_KEYS, openKey } from './licence-lists.ts'

export interface ShownKey {
  key: string
  /** It was revoked, by the merchant or with a refund: its buyer is told so instead of the key. */
  revoked: boolean
}

export interface AssignedKey extends ShownKey {
  delivery_id: string
  /** The file with which it is shown. */
  file_id: string
  filename: string
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
    `select k.delivery_id, f.id as file_id, f.filename, k.sealed,
       k.revoked_at is not null as revoked
     from licence_keys k
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
       and k.shown_at is not null and ${IS_CURRENT_KEY}
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
): Promise<ReadonlyMap<string, readonly ShownKey[]>> {
  const assigned = await keysOfDeliveries(scope, secrets, [delivery], reader)
  return Map.groupBy(assigned, ({ file_id }) => file_id)
}

interface JudgedKey {
  id: string
  /** `release`: unseen, so it is free again. The others were shown and are revoked with refunds. */
  due: 'release' | 'revoke' | 'restore'
}

/**
 * Takes back keys that no unit of their order lines needs: the order was refunded or cancelled, or
 * the delivery revoked. Keys that nobody has seen return to their lists, or are deleted if they
 * were generated; shown ones are revoked if their list says so, until a unit needs them again.
 * Returns how many returned to lists.
 * @param deliveries bare UUIDs.
 */
export async function returnLicenceKeys(
  tx: ShopScope,
  deliveries: readonly string[],
): Promise<number> {
  // A key that the merchant revoked is of no use to its buyer, so it is the first to be taken back.
  const judged = await tx.query<JudgedKey>(
    `with needed as (
       select k.id, k.shown_at is null as unseen, k.revoked_by,
         l.revoke_on_refund and k.restored_at is null as revocable,
         row_number() over (partition by k.delivery_id, k.list_id, k.line_id
           order by k.shown_at is null, coalesce(k.revoked_by = 'merchant', false), k.ordinal)
           as place,
         case when d.revoked_at is not null then 0
           -- A file that the shop added to the order has its own line.
           when k.line_id = k.file_id::text then exists (select from delivery_files df
             where df.shop_id = d.shop_id and df.delivery_id = d.id and df.line_id = ''
               and df.file_id = k.file_id and not df.withdrawn)::int
           when k.line_id is not null then coalesce((select l.quantity from order_lines l
             where l.shop_id = d.shop_id and l.order_id = d.order_id and l.id = k.line_id
               and l.entitled), 0)
           when exists (select from delivery_files df
             left join order_lines l on l.shop_id = d.shop_id and l.order_id = d.order_id
               and l.id = df.line_id
             where df.shop_id = d.shop_id and df.delivery_id = d.id and df.file_id = k.file_id
               and not df.taken_back and (l.entitled or df.line_id = '' and not df.withdrawn))
             then null
           else 0 end as units
       from licence_keys k join deliveries d on d.shop_id = k.shop_id and d.id = k.delivery_id
       join licence_lists l on l.shop_id = k.shop_id and l.id = k.list_id
       where k.shop_id = :shop and k.delivery_id = any(:deliveries::uuid[]) and ${IS_CURRENT_KEY}
     ), judged as (
       select id, case
         when place > units and unseen and revoked_by is distinct from 'merchant' then 'release'
         when place > units and revocable and revoked_by is null then 'revoke'
         when (place > units) is not true and revoked_by = 'refund' then 'restore' end as due
       from needed
     )
     select id, due from judged where due is not null`,
    { deliveries },
  )
  const keysFor = (due: JudgedKey['due']) =>
    judged.flatMap((key) => (key.due === due ? key.id : []))
  await tx.query(
    `update licence_keys set revoked_at = now(), revoked_by = 'refund'
     where shop_id = :shop and id = any(:keys::uuid[]) and revoked_by is null`,
    { keys: keysFor('revoke') },
  )
  await tx.query(
    `update licence_keys set revoked_at = null, revoked_by = null
     where shop_id = :shop and id = any(:keys::uuid[]) and revoked_by = 'refund'`,
    { keys: keysFor('restore') },
  )
  return releaseKeys(tx, keysFor('release'))
}

async function releaseKeys(tx: ShopScope, keys: readonly string[]): Promise<number> {
  if (keys.length === 0) return 0
  // The merchant may add keys of a deleted list to another one again.
  await tx.query(
    `delete from licence_keys k using licence_lists l
     where k.shop_id = :shop and k.id = any(:keys::uuid[]) and k.shown_at is null
       and l.shop_id = k.shop_id and l.id = k.list_id
       and (l.deleted_at is not null or l.generate is not null)`,
    { keys },
  )
  const returned = await tx.query<{ id: string }>(
    `update licence_keys set delivery_id = null, file_id = null, line_id = null, ordinal = null,
       assigned_at = null, expires_at = null, revoked_at = null, revoked_by = null,
       restored_at = null
     where shop_id = :shop and id = any(:keys::uuid[]) and shown_at is null returning id`,
    { keys },
  )
  await tx.query(
    'delete from licence_activations where shop_id = :shop and key_id = any(:keys::uuid[])',
    { keys: returned.map(({ id }) => id) },
  )
  return returned.length
}

/**
 * By delivery: ready files of lines that have fewer keys than units, because units were added, to
 * the line or by another line that has the same file.
 */
export async function filesLackingKeys(
  tx: ShopScope,
  deliveries: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await tx.query<{ delivery_id: string; file_id: string }>(
    `with given as (
       select k.delivery_id, k.list_id, k.line_id, count(*) as keys from licence_keys k
       where k.shop_id = :shop and k.delivery_id = any(:deliveries::uuid[])
         and k.line_id is not null and ${IS_CURRENT_KEY}
       group by k.delivery_id, k.list_id, k.line_id
     ), ready as (
       select df.delivery_id, df.line_id, df.file_id from delivery_files df
       join prepared_files p on p.shop_id = df.shop_id and p.delivery_id = df.delivery_id
         and p.file_id = df.file_id and p.status = 'ready'
       where df.shop_id = :shop and df.delivery_id = any(:deliveries::uuid[])
         and not df.taken_back
     ), due as (
       select distinct g.delivery_id, g.list_id, other.line_id from given g
       join ready own on own.delivery_id = g.delivery_id and own.line_id = g.line_id
       join ready other on other.delivery_id = own.delivery_id and other.file_id = own.file_id
     )
     select distinct r.delivery_id, r.file_id from due
     join deliveries d on d.shop_id = :shop and d.id = due.delivery_id and d.revoked_at is null
     left join given g on g.delivery_id = due.delivery_id and g.list_id = due.list_id
       and g.line_id = due.line_id
     join order_lines l on l.shop_id = d.shop_id and l.order_id = d.order_id and l.id = due.line_id
       and l.entitled and least(l.quantity, ${MAX_LINE_KEYS}) > coalesce(g.keys, 0)
     join ready r on r.delivery_id = due.delivery_id and r.line_id = due.line_id
     order by r.delivery_id, r.file_id`,
    { deliveries },
  )
  const files = Map.groupBy(rows, ({ delivery_id }) => delivery_id)
  return new Map([...files].map(([id, all]) => [id, all.map(({ file_id }) => file_id)]))
}
