// The files that a planned operation has not processed yet, as arrays of ids: their items are
// written once, with their outcomes. A chain puts its lease on an array while it plans it. An array
// is free again when no chain has that lease.
import { type ShopScope, lockUntilCommit } from '../core/db/for-shop.ts'
import type { WorkItem } from './types.ts'
import { freshItem, ITEM_COLUMNS, workItem, type ClaimedRow } from './work-item.ts'
import type { Strategy } from './steps.ts'
import type { HeldChain } from './chain.ts'

/**
 * Leases the next `count` batches that no chain plans, and returns the positions of their items,
 * which is enough for a uniform change.
 */
export async function leaseBatches(
  tx: ShopScope,
  operation: string,
  lease: number,
  count: number,
): Promise<number[]> {
  const rows = await tx.query<{ position: number; files: number }>(
    `${leaseSql('true')} returning position, cardinality(file_ids) as files`,
    { operation, lease, count },
  )
  rows.sort((a, b) => a.position - b.position)
  return rows.flatMap(({ position, files }) =>
    Array.from({ length: files }, (_, at) => position + at),
  )
}

/** Leases the batches that these files are in, except those that another chain plans. */
export async function leaseBatchesOf(
  tx: ShopScope,
  operation: string,
  lease: number,
  files: readonly string[],
): Promise<WorkItem[]> {
  const where = 'exists (select from unnest(file_ids) f where f = any(:files::uuid[]))'
  const batches = await tx.query<Batch>(
    `${leaseSql(where)} returning position, to_json(file_ids) as file_ids`,
    {
      operation,
      lease,
      files,
      count: null,
    },
  )
  return itemsOf(batches)
}

/** The items of the batches under this lease. */
export async function readLeased(
  scope: ShopScope,
  operation: string,
  lease: number,
): Promise<WorkItem[]> {
  const batches = await scope.query<Batch>(
    `select position, to_json(file_ids) as file_ids from item_batches
     where shop_id = :shop and operation_id = :operation and lease = :lease`,
    { operation, lease },
  )
  return itemsOf(batches)
}

const leaseSql = (condition: string) => `
  update item_batches set lease = :lease where shop_id = :shop and operation_id = :operation
    and position = any(array(
    select position from item_batches b where shop_id = :shop and operation_id = :operation
      and ${condition}
      and (lease is null or not exists (
        select from chains where shop_id = :shop and operation_id = :operation
          and chains.lease = b.lease))
    order by position limit :count for update skip locked))`

/** SQL: removes the batches under `:lease` of `:operation`, whose items are about to be written. */
export const DROP_LEASED = `
  delete from item_batches where shop_id = :shop and operation_id = :operation and lease = :lease
  returning position, file_ids`

/** Removes the batches under this lease; returns the number of their files. */
export async function dropLeased(tx: ShopScope, operation: string, lease: number): Promise<number> {
  const row = await tx.one<{ files: number }>(
    `with dropped as (${DROP_LEASED}) select coalesce(sum(cardinality(file_ids)), 0)::int as files
       from dropped`,
    { operation, lease },
  )
  return row.files
}

interface Batch {
  position: number
  file_ids: string[]
}

const itemsOf = (batches: readonly Batch[]): WorkItem[] =>
  batches
    .toSorted((a, b) => a.position - b.position)
    .flatMap(({ position, file_ids }) =>
      file_ids.map((file_id, at) => freshItem({ position: position + at, file_id })),
    )

/** Turns all batches into items, to be marked one by one or cancelled with this error (JSON). */
export async function spreadBatches(
  tx: ShopScope,
  operation: string,
  cancelled: string | null = null,
): Promise<void> {
  await tx.query(
    `with gone as (
       delete from item_batches where shop_id = :shop and operation_id = :operation
         returning position, file_ids
     )
     insert into items (shop_id, operation_id, position, file_id, status, error, finished_at)
     select :shop, :operation, gone.position + n - 1, id,
       case when :cancelled::jsonb is null then 'pending' else 'cancelled' end, :cancelled::jsonb,
       case when :cancelled::jsonb is not null then now() end
     from gone, unnest(gone.file_ids) with ordinality as t(id, n)`,
    { operation, cancelled },
  )
}

// Items of a planned operation that already have rows: retried, confirmed after a preview, or
// undone. The rows are not marked while they are planned, which would write each row twice: the
// chain's row lists them instead.

/** The batch that a chain of a planned operation holds. */
export interface PlannedBatch extends HeldChain {
  strategy: Strategy
  /** The positions of items in leased batches, which have no rows. Empty if `rows` has items. */
  leased: number[]
  rows: WorkItem[]
}

/** SQL: items that may be planned: no worker died over them, and no retry has to wait. */
const PLANNABLE = `status = 'pending' and not crashed and (run_after is null or run_after <= now())
  and position not in (
    select unnest(claimed) from chains
    where shop_id = :shop and operation_id = :operation and chain <> :chain)`

/**
 * Takes the next items from the position `hint` on, else from the beginning, and records them in
 * the chain's row. Empty: there are none.
 */
export async function claimPlanned(
  tx: ShopScope,
  held: HeldChain,
  { hint, limit }: { hint: number; limit: number },
): Promise<WorkItem[]> {
  await claimAlone(tx, held)
  const from = async (position: number) => {
    const rows = await tx.query<ClaimedRow>(
      `select ${ITEM_COLUMNS} from items
       where shop_id = :shop and operation_id = :operation and position >= :position
         and ${PLANNABLE}
       order by position limit :limit for update skip locked`,
      { operation: held.operation.id, chain: held.chain, position, limit },
    )
    return rows.map(attempted)
  }
  const next = await from(hint)
  const items = next.length === 0 && hint > 0 ? await from(0) : next
  if (items.length > 0) await recordClaimed(tx, held, items)
  return items
}

/**
 * Takes the items about these files, with the other items of their blocks, which are likely to be
 * needed next.
 */
export async function claimPlannedOf(
  tx: ShopScope,
  held: HeldChain,
  {
    files,
    block,
    except,
  }: { files: readonly string[]; block: number; except: ReadonlySet<number> },
): Promise<WorkItem[]> {
  await claimAlone(tx, held)
  const rows = await tx.query<ClaimedRow>(
    `with blocks as (
       select distinct position / :block * :block as first from items
       where shop_id = :shop and operation_id = :operation and file_id = any(:files::uuid[])
         and status = 'pending'
     )
     select ${ITEM_COLUMNS} from items join blocks on position >= first
       and position < first + :block
     where shop_id = :shop and operation_id = :operation and ${PLANNABLE}
     order by position for update of items skip locked`,
    { operation: held.operation.id, chain: held.chain, files, block },
  )
  const items = rows.filter(({ position }) => !except.has(position)).map(attempted)
  if (items.length > 0) await recordClaimed(tx, held, items)
  return items
}

/**
 * Waits until no other chain of the operation claims, for the rest of the transaction. A claim
 * leaves the items as they are, so a statement that began before another chain's commit would not
 * see that they are taken, and two chains would plan the same items. An advisory lock: commits lock
 * the operation's row, and claims must not wait for them.
 */
const claimAlone = (tx: ShopScope, { operation }: HeldChain) => lockUntilCommit(tx, operation.id)

const attempted = (row: ClaimedRow): WorkItem => workItem({ ...row, attempt: row.attempt + 1 })

async function recordClaimed(
  tx: ShopScope,
  { operation, chain }: HeldChain,
  items: readonly WorkItem[],
): Promise<void> {
  await tx.query(
    `update chains set claimed = claimed || :positions::int[]
     where shop_id = :shop and operation_id = :operation and chain = :chain`,
    { operation: operation.id, chain, positions: items.map(({ position }) => position) },
  )
}

/**
 * Locks the rows of these items. False: another chain worked on one of them or marked it in the
 * meantime.
 */
export async function holdPlanned(
  tx: ShopScope,
  operation: string,
  items: readonly WorkItem[],
): Promise<boolean> {
  if (items.length === 0) return true
  const rows = await tx.query(
    `select from items
     where shop_id = :shop and operation_id = :operation and position = any(:positions::int[])
       and status = 'pending'
     order by position for update`,
    { operation, positions: items.map(({ position }) => position) },
  )
  return rows.length === items.length
}

/**
 * Whether there is an item whose worker died. Such items are executed, in small groups and then
 * alone.
 */
export const anyCrashed = (tx: ShopScope, operation: string): Promise<boolean> =>
  tx.has(
    `select from items where shop_id = :shop and operation_id = :operation and status = 'pending'
       and crashed limit 1`,
    { operation },
  )
