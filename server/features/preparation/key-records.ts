// The assigned keys of a list, as the merchant sees them: whose they are, until when, and where
// they are activated.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Secrets } from '../../core/secrets.ts'
import { createKeyHash, openKey } from './licence-lists.ts'

export const KEY_STATUSES = ['active', 'expired', 'revoked', 'replaced'] as const
export type KeyStatus = (typeof KEY_STATUSES)[number]

/** A place where a key is activated. */
export interface ActivatedInstance {
  instance: string
  /** From where it was activated. */
  address: string
  activated_at: Date
  seen_at: Date
}

export interface LicenceKey {
  /** Bare UUIDs. */
  id: string
  list_id: string
  /** Null until the buyer or the shop could see it: it may still return to its list. */
  key: string | null
  status: KeyStatus
  delivery_id: string
  /** Null: the order's data was deleted. */
  order_name: string | null
  email: string | null
  file_id: string
  filename: string | null
  assigned_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  revoked_by: 'merchant' | 'refund' | 'rotation' | null
  activations: number
  activation_limit: number | null
  /** The latest ones. */
  instances: readonly ActivatedInstance[]
}

/** Instances that a record names. */
export const SHOWN_INSTANCES = 20

/** SQL: the status of the key `k`. */
export const KEY_STATUS = `case when k.revoked_by = 'rotation' then 'replaced'
  when k.revoked_at is not null then 'revoked'
  when k.expires_at <= now() then 'expired' else 'active' end`

const RECORDS = `select k.id, k.list_id, k.sealed, k.shown_at, ${KEY_STATUS} as status, k.delivery_id,
    o.name as order_name, coalesce(d.email, o.email) as email, k.file_id, f.filename, k.assigned_at,
    k.expires_at, k.revoked_at, k.revoked_by, l.activation_limit,
    (select count(*) from licence_activations a
     where a.shop_id = k.shop_id and a.key_id = k.id) as activations,
    k.assigned_at::text as position
  from licence_keys k
  join licence_lists l on l.shop_id = k.shop_id and l.id = k.list_id
  left join deliveries d on d.shop_id = k.shop_id and d.id = k.delivery_id
  left join orders o on o.shop_id = d.shop_id and o.id = d.order_id
  left join files f on f.shop_id = k.shop_id and f.id = k.file_id
  where k.shop_id = :shop and k.delivery_id is not null`

type Row = Omit<LicenceKey, 'key' | 'instances'> & {
  sealed: Buffer
  shown_at: Date | null
  /** `assigned_at` with all its digits, for cursors. */
  position: string
}

export interface KeyPage {
  /** A bare UUID. */
  list: string
  /** Exactly a key, the name of an order, or the address of a buyer; empty: all. */
  search: string
  status: KeyStatus | null
  /** The previous page's last position and id. */
  after: readonly [position: string, id: string] | null
  limit: number
}

/** Latest first. */
export async function listLicenceKeys(
  scope: ShopScope,
  secrets: Secrets,
  { list, search, status, after, limit }: KeyPage,
): Promise<(LicenceKey & { position: string })[]> {
  const [at, id] = after ?? [null, null]
  const rows = await scope.query<Row>(
    `${RECORDS} and k.list_id = :list
       and (:search = '' or k.hash = :hash or k.delivery_id in (
         select d.id from deliveries d join orders o on o.shop_id = d.shop_id and o.id = d.order_id
         where d.shop_id = :shop and (o.name in (:search, '#' || :search)
           or lower(coalesce(d.email, o.email)) = lower(:search))))
       and (:status::text is null or ${KEY_STATUS} = :status)
       and (:at::timestamptz is null or (k.assigned_at, k.id) < (:at::timestamptz, :id::uuid))
     order by k.assigned_at desc, k.id desc limit :limit`,
    { list, search, hash: createKeyHash(secrets)(search), status, at, id, limit },
  )
  return withInstances(scope, secrets, rows)
}

/** Null: there is no such key that is assigned. */
export async function readLicenceKey(
  scope: ShopScope,
  secrets: Secrets,
  id: string,
): Promise<LicenceKey | null> {
  const rows = await scope.query<Row>(`${RECORDS} and k.id = :id`, { id })
  const [key] = await withInstances(scope, secrets, rows)
  return key ?? null
}

async function withInstances(scope: ShopScope, secrets: Secrets, rows: readonly Row[]) {
  const all = await scope.query<ActivatedInstance & { key_id: string }>(
    `select a.key_id, a.instance, a.address, a.activated_at, a.seen_at
     from unnest(:keys::uuid[]) as k (id) cross join lateral (
       select * from licence_activations
       where shop_id = :shop and key_id = k.id
       order by activated_at desc, instance limit ${SHOWN_INSTANCES}) a`,
    { keys: rows.filter(({ activations }) => activations > 0).map(({ id }) => id) },
  )
  const instances = Map.groupBy(all, ({ key_id }) => key_id)
  return rows.map(({ sealed, shown_at, ...row }) => ({
    ...row,
    key: shown_at === null ? null : openKey(secrets, scope.shop, sealed),
    instances: (instances.get(row.id) ?? []).map(({ key_id: _, ...instance }) => instance),
  }))
}
