// The row of a shop's mirror: when its next refresh is due, the progress of the current one, and
// the result of the last one. A refresh is a background task; every write checks its lease, so that
// a refresh that was taken over changes nothing.
import type { AnyText, Text } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { reasonColumns } from '../../core/texts.ts'
import { queueTask, runsNow, type TaskKind, type TaskLease } from '../../core/queue/background.ts'

export const REFRESH_MIRROR: TaskKind = { name: 'refresh-mirror' }

/** The random part keeps shops that were installed together from being refreshed together. */
const NEXT = `now() + interval '4 hours' + random() * interval '20 minutes'`
const AFTER_FAILURE = `now() + interval '10 minutes'`
const DUE_BATCH = 100

/** SQL: the shops to which the app has access and whose mirrors are due. */
export const DUE_MIRRORS = `
  select t.shop_id, t.shop_id::text as key, now() as due_at from shop_tokens t
  join shops s on s.id = t.shop_id and s.uninstalled_at is null
  left join catalog_mirrors m on m.shop_id = t.shop_id
  where m.due_at is null or m.due_at <= now() order by m.due_at nulls first limit ${DUE_BATCH}`

/** A refresh that this process runs. */
export interface Refresh {
  lease: TaskLease
  /** The platform's operation that an interrupted refresh left running. */
  bulk_operation: string | null
}

export interface RefreshResult {
  /**
   * New products and SKUs, and those whose title, tags or SKU changed: files may match them now.
   */
  matchable: number
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
  error_text: Text | null
  due_at: Date
}

/** Begins a refresh; null: the mirror is not due. Throws `LeaseLost`. */
export function beginRefresh(scope: ShopScope, lease: TaskLease): Promise<Refresh | null> {
  return scope.transaction(async (tx) => {
    await lease.hold(tx)
    await tx.query('insert into catalog_mirrors (shop_id) values (:shop) on conflict do nothing')
    const [row] = await tx.query<{ bulk_operation: string | null }>(
      `update catalog_mirrors set started_at = now(), objects = 0 where shop_id = :shop
         and due_at <= now()
       returning bulk_operation`,
    )
    return row ? { lease, ...row } : null
  })
}

/** Records how far the refresh is. Throws `LeaseLost`. */
export function recordRefreshProgress(
  scope: ShopScope,
  { lease }: Refresh,
  { bulk_operation, objects }: { bulk_operation?: string; objects?: number },
): Promise<void> {
  return scope.transaction(async (tx) => {
    await lease.hold(tx)
    await tx.query(
      `update catalog_mirrors set objects = coalesce(:objects, objects)
         ${bulk_operation === undefined ? '' : ', bulk_operation = :operation'}
       where shop_id = :shop`,
      {
        objects: objects ?? null,
        ...(bulk_operation === undefined ? {} : { operation: bulk_operation }),
      },
    )
  })
}

/**
 * Records the end of a refresh. Must be called in the transaction that swapped the mirror's rows.
 */
export async function endRefresh(tx: ShopScope, { changed }: RefreshResult): Promise<void> {
  await tx.query(
    `update catalog_mirrors set bulk_operation = null, finished_at = now(), failed_at = null,
       error = null, error_text = null, due_at = ${NEXT}, generation = generation + :step,
       products = (select count(*) from products where shop_id = :shop),
       variants = (select count(*) from variants where shop_id = :shop)
     where shop_id = :shop`,
    { step: changed ? 1 : 0 },
  )
}

/** Records that rows changed outside a refresh: indexes built from the mirror are out of date. */
export async function recordMirrorChange(tx: ShopScope): Promise<void> {
  await tx.query(
    `update catalog_mirrors set generation = generation + 1,
       products = (select count(*) from products where shop_id = :shop),
       variants = (select count(*) from variants where shop_id = :shop)
     where shop_id = :shop`,
  )
}

/**
 * Records a failure: the next refresh starts from the beginning, after a pause. Throws `LeaseLost`.
 */
export function failRefresh(scope: ShopScope, { lease }: Refresh, error: AnyText): Promise<void> {
  return scope.transaction(async (tx) => {
    await lease.hold(tx)
    await tx.query(
      `update catalog_mirrors set failed_at = now(), error = :reason, error_text = :reasonText,
         bulk_operation = null, due_at = ${AFTER_FAILURE}
       where shop_id = :shop`,
      reasonColumns(error),
    )
  })
}

/** Requests a refresh, which starts as soon as a worker has a free place for it. */
export function requestRefresh(scope: ShopScope): Promise<void> {
  return scope.transaction(async (tx) => {
    await tx.query(
      `insert into catalog_mirrors (shop_id) values (:shop)
       on conflict (shop_id) do update set due_at = least(catalog_mirrors.due_at, now())`,
    )
    await queueTask(tx, REFRESH_MIRROR, String(tx.shop))
  })
}

export const readMirror = (scope: ShopScope): Promise<MirrorState | null> =>
  scope.first<MirrorState>(
    `select generation, ${runsNow(REFRESH_MIRROR, 'shop_id::text')} as refreshing, objects,
       products, variants,
       started_at, finished_at, failed_at, error, error_text, due_at
     from catalog_mirrors where shop_id = :shop`,
  )
