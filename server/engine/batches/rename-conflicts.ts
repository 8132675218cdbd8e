// Files of one operation may take each other's names. Whoever has a name that this batch is to give to another file, and is itself
// still to come, comes with the batch: what depends on each other is one transaction, so that nobody has a name for the time being.
import type { ShopScope } from '../../db/for-shop.ts'
import { holdersOf } from '../../files/name-grants.ts'
import { wishOf } from '../../files/names.ts'
import { ITEM_COLUMNS, workItem } from './claim.ts'
import { takeBatchesOf } from './item-batches.ts'
import { WISE_BATCH } from '../operations/start.ts'
import type { EndedItem, OperationRow, WorkItem } from '../types.ts'

/** Files that may depend on one another; a name that one still further away has counts as taken. */
const MOST_TOGETHER = 100_000

/** Adds to `ended` the items that its own want the names of, as `settle` plans them, and what those want. Gives the new ones without rows. */
export async function addHolders(
  tx: ShopScope,
  operation: OperationRow,
  ended: EndedItem[],
  settle: (items: readonly WorkItem[]) => Promise<EndedItem[]>,
): Promise<WorkItem[]> {
  const fresh: WorkItem[] = []
  const inHand = new Set(ended.map(({ item }) => item.position))
  for (let last: readonly EndedItem[] = ended; inHand.size < MOST_TOGETHER;) {
    const files = await holdersElsewhere(tx, operation, last, ended)
    if (files.length === 0) break
    const unwritten = await takeBatchesOf(tx, operation.id, files)
    const waiting = await waitingWith(tx, operation.id, files)
    const more = [...unwritten, ...waiting.filter(({ position }) => !inHand.has(position))]
    if (more.length === 0) break
    fresh.push(...unwritten)
    for (const { position } of more) inHand.add(position)
    last = await settle(more)
    ended.push(...last)
  }
  return fresh
}

/** Who has the names that these are to get, and is not in hand. */
async function holdersElsewhere(
  tx: ShopScope,
  { id, status }: OperationRow,
  last: readonly EndedItem[],
  ended: readonly EndedItem[],
): Promise<string[]> {
  const wishes = last.flatMap(({ item: { record, draft }, ending }) => {
    const wish = ending.status === 'done' && record && draft ? wishOf({ record, draft }) : null
    return wish ?? []
  })
  if (wishes.length === 0) return []
  const preview = status === 'previewing' ? id : null
  const holders = await holdersOf(tx, [...new Set(wishes.map(({ wants }) => wants))], preview)
  const inHand = new Set(ended.map(({ item }) => item.file_id))
  return [...new Set(holders.values())].filter((file) => !inHand.has(file))
}

/** Items that wait and are about these files, each with those around it: the next ones are likely to be wanted too. */
async function waitingWith(tx: ShopScope, operation: string, files: readonly string[]): Promise<WorkItem[]> {
  const rows = await tx.query<Parameters<typeof workItem>[0]>(
    `with blocks as (
       select distinct position / ${WISE_BATCH} * ${WISE_BATCH} as first from items
       where shop_id = :shop and operation_id = :operation and file_id = any(:files::uuid[]) and status = 'pending'
     )
     select ${ITEM_COLUMNS} from items join blocks on position >= first and position < first + ${WISE_BATCH}
     where shop_id = :shop and operation_id = :operation and status = 'pending'
       and (run_after is null or run_after <= now())
     order by position for update of items skip locked`,
    { operation, files },
  )
  return rows.map((row) => workItem({ ...row, attempt: row.attempt + 1 }))
}
