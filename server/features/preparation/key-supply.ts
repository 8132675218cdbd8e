// Assigns keys of a list to a delivery: free ones that the merchant added, or new ones that the
// list generates. A key is taken by a locked update or inserted under its hash, so that two
// deliveries never get the same one.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Secrets } from '../../core/secrets.ts'
import { generateKey, type KeyPattern } from '../../../plugins/_page/key-pattern.ts'
import { createKeyHash, sealKey, type LicenceList } from './licence-lists.ts'

/** Whose keys they become. */
export interface KeyOwner {
  /** Bare UUIDs. */
  delivery: string
  file: string
  /** The order's line whose units take the keys; null: they belong to the file. */
  line: string | null
  /** The ordinal of the owner's last key. */
  last: number
}

/** Assigns up to `count` keys; returns their bare UUIDs, fewer if the list has no more. */
export async function supplyKeys(
  tx: ShopScope,
  secrets: Secrets,
  list: Pick<LicenceList, 'id' | 'generate' | 'expiry_days'>,
  owner: KeyOwner,
  count: number,
): Promise<string[]> {
  const about = { ...owner, list: list.id, days: list.expiry_days }
  if (!list.generate) return takeKeys(tx, about, count)
  const made: string[] = []
  let { last } = owner
  while (made.length < count) {
    const missing = count - made.length
    made.push(...(await addGenerated(tx, secrets, list.generate, { ...about, last }, missing)))
    last += missing
  }
  return made
}

type About = KeyOwner & { list: string; days: number | null }

/** SQL: null without `:days`. */
const EXPIRES_AT = 'now() + make_interval(days => :days::int)'

async function takeKeys(tx: ShopScope, about: About, count: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `with free as (
       select id from licence_keys where shop_id = :shop and list_id = :list and delivery_id is null
       order by id limit :count for update skip locked
     ), numbered as (select id, row_number() over (order by id) as n from free)
     update licence_keys k set delivery_id = :delivery, file_id = :file, line_id = :line,
       ordinal = :last + n, assigned_at = now(), expires_at = ${EXPIRES_AT}
     from numbered where k.shop_id = :shop and k.id = numbered.id returning k.id`,
    { ...about, count },
  )
  return rows.map(({ id }) => id)
}

/** A key that the shop already has is left out: the caller generates another one. */
async function addGenerated(
  tx: ShopScope,
  secrets: Secrets,
  pattern: KeyPattern,
  about: About,
  count: number,
): Promise<string[]> {
  const keys = Array.from({ length: count }, () => generateKey(pattern))
  const rows = await tx.query<{ id: string }>(
    `insert into licence_keys (shop_id, list_id, hash, sealed, delivery_id, file_id, line_id, ordinal,
       assigned_at, expires_at)
     select :shop, :list, hash, sealed, :delivery, :file, :line, :last + n, now(), ${EXPIRES_AT}
     from unnest(:hashes::bytea[], :sealed::bytea[]) with ordinality as k (hash, sealed, n)
       order by n
     on conflict (shop_id, hash) do nothing returning id`,
    {
      ...about,
      hashes: keys.map(createKeyHash(secrets)),
      sealed: keys.map((key) => sealKey(secrets, tx.shop, key)),
    },
  )
  return rows.map(({ id }) => id)
}
