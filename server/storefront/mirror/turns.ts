// Whose turn it is to refresh a shop's mirror: one process at a time, by a lease that must be beaten for. It works across
// shops, since it has to find out whose time has come.
import { randomUUID } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import type { ShopScope } from '../../db/for-shop.ts'

/** A refresh that has not beaten for this long, by the database's clock, is dead. */
const SILENCE = '1 minute'
/** Apart from each other, so that shops which came together are not refreshed together for ever. */
const NEXT = `now() + interval '4 hours' + random() * interval '20 minutes'`
const AFTER_FAILURE = `now() + interval '10 minutes'`
const DUE_AT_ONCE = 20

export interface Turn {
  lease: string
  /** What a refresh before this one left underway. */
  bulk_operation: string | null
}

export interface Refreshed {
  /** Products and SKUs that are new, or that files may be matched by in another way than before: what they are called or tagged. */
  learned: number
  changed: boolean
}

export interface MirrorState {
  generation: number
  refreshing: boolean
  objects: number
  products: number
  variants: number
  started_at: Date | null
  finished_at: Date | null
  failed_at: Date | null
  error: string | null
  due_at: Date
}

/** Someone else has taken the mirror over: what this one would write is refused. */
export class TurnLost extends Error {}

/** Shops that the app has access to and whose mirror is due. */
export async function dueShops(database: Pick<Database, 'pool'>): Promise<number[]> {
  const { pool } = database
  await pool.query(
    `insert into catalog_mirrors (shop_id)
     select t.shop_id from shop_tokens t join shops s on s.id = t.shop_id
     where s.uninstalled_at is null and not exists (select from catalog_mirrors m where m.shop_id = t.shop_id)
     on conflict do nothing`,
  )
  const { rows } = await pool.query<{ shop_id: number }>(
    `select m.shop_id from catalog_mirrors m
     join shops s on s.id = m.shop_id and s.uninstalled_at is null
     join shop_tokens t on t.shop_id = m.shop_id
     where m.due_at <= now() and (m.lease is null or m.beat_at < now() - interval '${SILENCE}')
     order by m.due_at limit $1`,
    [DUE_AT_ONCE],
  )
  return rows.map(({ shop_id }) => shop_id)
}

/** Null: someone refreshes it already, or has just done so. */
export async function takeTurn(scope: ShopScope): Promise<Turn | null> {
  const lease = randomUUID()
  const [row] = await scope.query<Turn>(
    `update catalog_mirrors set lease = :lease, beat_at = now(), started_at = now(), objects = 0
     where shop_id = :shop and due_at <= now() and (lease is null or beat_at < now() - interval '${SILENCE}')
     returning lease, bulk_operation`,
    { lease },
  )
  return row ?? null
}

/** Throws `TurnLost`. */
export async function beat(
  scope: ShopScope,
  { lease }: Turn,
  progress: { bulk_operation?: string | null; objects?: number },
): Promise<void> {
  const { bulk_operation, objects = null } = progress
  const [row] = await scope.query<{ shop_id: number }>(
    `update catalog_mirrors set beat_at = now(), objects = coalesce(:objects, objects)
       ${bulk_operation === undefined ? '' : ', bulk_operation = :operation'}
     where shop_id = :shop and lease = :lease returning shop_id`,
    { lease, objects, ...(bulk_operation === undefined ? {} : { operation: bulk_operation }) },
  )
  if (!row) throw new TurnLost()
}

/** Holds the mirror for the rest of the transaction. Throws `TurnLost`. */
export async function holdTurn(tx: ShopScope, { lease }: Turn): Promise<void> {
  const [row] = await tx.query<{ shop_id: number }>(
    'select shop_id from catalog_mirrors where shop_id = :shop and lease = :lease for update',
    { lease },
  )
  if (!row) throw new TurnLost()
}

/** In the transaction that swapped the mirror's rows. */
export async function endTurn(tx: ShopScope, { changed }: Refreshed): Promise<void> {
  await tx.query(
    `update catalog_mirrors set lease = null, beat_at = null, bulk_operation = null, finished_at = now(), failed_at = null,
       error = null, due_at = ${NEXT}, generation = generation + :step,
       products = (select count(*) from products where shop_id = :shop),
       variants = (select count(*) from variants where shop_id = :shop)
     where shop_id = :shop`,
    { step: changed ? 1 : 0 },
  )
}

/** It is tried again in a while, from the beginning. */
export async function failTurn(scope: ShopScope, { lease }: Turn, error: string): Promise<void> {
  await scope.query(
    `update catalog_mirrors set lease = null, beat_at = null, failed_at = now(), error = :error,
       bulk_operation = null, due_at = ${AFTER_FAILURE}
     where shop_id = :shop and lease = :lease`,
    { lease, error },
  )
}

/** The server stops: the next one may go on at once. */
export async function leaveTurn(scope: ShopScope, { lease }: Turn): Promise<void> {
  await scope.query(
    'update catalog_mirrors set lease = null, beat_at = null where shop_id = :shop and lease = :lease',
    { lease },
  )
}

/** A worker takes it up within seconds. */
export async function askForRefresh(scope: ShopScope): Promise<void> {
  await scope.query(
    `insert into catalog_mirrors (shop_id) values (:shop)
     on conflict (shop_id) do update set due_at = least(catalog_mirrors.due_at, now())`,
  )
}

export async function readMirror(scope: ShopScope): Promise<MirrorState | null> {
  const [row] = await scope.query<MirrorState>(
    `select generation, lease is not null and beat_at > now() - interval '${SILENCE}' as refreshing, objects, products,
       variants, started_at, finished_at, failed_at, error, due_at
     from catalog_mirrors where shop_id = :shop`,
  )
  return row ?? null
}
