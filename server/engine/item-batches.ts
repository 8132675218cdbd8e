// The files that a planned operation has not processed yet, as arrays of ids: their items are
// written once, with their outcomes. A chain puts its lease on an array while it plans it. An array
// is free again when no chain has that lease.
import type { ShopScope } from '../core/db/for-shop.ts'
import type { WorkItem } from './types.ts'
import { freshItem } from './work-item.ts'

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
