// What an operation of one transaction a batch has yet to come to: files by batches, whose items are written once, with their
// outcomes.
import type { ShopScope } from '../../db/for-shop.ts'
import { workItem } from './claim.ts'
import type { WorkItem } from '../types.ts'

/** Takes the next `:batches` of `:operation`, where others have not, and gives their rows. */
export const TAKE_BATCHES = `
  delete from item_batches where shop_id = :shop and operation_id = :operation and position = any(array(
    select position from item_batches where shop_id = :shop and operation_id = :operation
    order by position limit :batches for update skip locked))
  returning position, file_ids`

/** The next batch, for as long as the transaction holds; null: there is none left, or others have them. */
export async function takeBatch(tx: ShopScope, operation: string): Promise<WorkItem[] | null> {
  const [batch] = await tx.query<Batch>(
    `with taken as (${TAKE_BATCHES}) select position, to_json(file_ids) as file_ids from taken`,
    { operation, batches: 1 },
  )
  return batch ? itemsOf(batch) : null
}

/** The next batch that no chain plans, from now on planned under this lease; null: there is none. */
export async function leaseBatch(tx: ShopScope, operation: string, lease: number): Promise<WorkItem[] | null> {
  const [batch] = await tx.query<Batch>(
    `update item_batches set lease = :lease where shop_id = :shop and operation_id = :operation and position = (
       select position from item_batches b where shop_id = :shop and operation_id = :operation
         and (lease is null or not exists (
           select from chains where shop_id = :shop and operation_id = :operation and chains.lease = b.lease))
       order by position limit 1 for update skip locked)
     returning position, to_json(file_ids) as file_ids`,
    { operation, lease },
  )
  return batch ? itemsOf(batch) : null
}

/** Takes the batch that was planned under this lease; false: it is no longer there. */
export async function dropLeased(tx: ShopScope, operation: string, lease: number): Promise<boolean> {
  const rows = await tx.query(
    'delete from item_batches where shop_id = :shop and operation_id = :operation and lease = :lease returning position',
    { operation, lease },
  )
  return rows.length > 0
}

export async function hasBatches(tx: ShopScope, operation: string): Promise<boolean> {
  const rows = await tx.query('select from item_batches where shop_id = :shop and operation_id = :operation limit 1', {
    operation,
  })
  return rows.length > 0
}

/** The batches that these files are in, taken in the same way. */
export async function takeBatchesOf(tx: ShopScope, operation: string, files: readonly string[]): Promise<WorkItem[]> {
  const batches = await tx.query<Batch>(
    `delete from item_batches where shop_id = :shop and operation_id = :operation and position in (
       select position from item_batches where shop_id = :shop and operation_id = :operation
         and exists (select from unnest(file_ids) f where f = any(:files::uuid[]))
       order by position for update skip locked)
     returning position, to_json(file_ids) as file_ids`,
    { operation, files },
  )
  return batches.flatMap(itemsOf)
}

interface Batch {
  position: number
  file_ids: string[]
}

const itemsOf = ({ position, file_ids }: Batch): WorkItem[] =>
  file_ids.map((file_id, at) => freshItem({ position: position + at, file_id }))

/** One that has no row yet. */
export const freshItem = (of: Pick<WorkItem, 'position' | 'file_id'>): WorkItem =>
  workItem({
    ...of,
    ...{
      attempt: 1,
      crashed: false,
      step: 0,
      entry: null,
      draft: null,
      staged: null,
      plan: null,
      wanted: null,
      waits_for: null,
    },
  })

/** Makes items of all that is left: to be marked one by one, or cancelled with this error, as JSON. */
export async function spreadBatches(tx: ShopScope, operation: string, cancelled: string | null = null): Promise<void> {
  await tx.query(
    `with gone as (
       delete from item_batches where shop_id = :shop and operation_id = :operation returning position, file_ids
     )
     insert into items (shop_id, operation_id, position, file_id, status, error, finished_at)
     select :shop, :operation, gone.position + n - 1, id,
       case when :cancelled::jsonb is null then 'pending' else 'cancelled' end, :cancelled::jsonb,
       case when :cancelled::jsonb is not null then now() end
     from gone, unnest(gone.file_ids) with ordinality as t(id, n)`,
    { operation, cancelled },
  )
}
