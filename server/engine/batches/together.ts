// A batch that is claimed, planned, changed and written in one transaction: for operations whose steps only plan. No item is
// ever marked as running, since the rows' locks say it, and a crash leaves nothing to clean up.
import type { ItemPlugin, ReadContext } from '../../../plugins/contract.ts'
import { untilThrough } from '../../db/again.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import { alikeOf, workAlike } from './alike.ts'
import { ITEM_COLUMNS, loadItems, restChain, workItem, type HeldChain } from './claim.ts'
import { handOn } from './commit.ts'
import { takeBatch } from './item-batches.ts'
import { holdLease } from '../worker/lease.ts'
import { addHolders } from './rename-conflicts.ts'
import { planBatch } from './plan.ts'
import { prepare } from './prepare.ts'
import { WISE_BATCH } from '../operations/start.ts'
import type { EndedItem, EngineParts, ResolvedStep, WorkItem } from '../types.ts'
import { writeEnded } from './write.ts'

/**
 * Batches at once where the database does all there is to do: 10,000 files are one such for each of two chains. More would be faster
 * still, but a pause waits for the one under way.
 */
export const ALIKE_BATCHES = 3

/** Works on the chain's next items and hands the chain on, or lets it rest where there are none. False: what is left are items that go one by one. */
export async function workTogether(
  parts: EngineParts,
  scope: ShopScope,
  held: HeldChain & { row: { hint: number } },
  steps: readonly ResolvedStep<ItemPlugin>[],
  read: ReadContext,
): Promise<boolean> {
  return untilThrough(scope, (tx) => work(parts, tx, held, steps, read))
}

/** How items end whose files are loaded. */
export async function settleItems(
  { plugins, log }: EngineParts,
  { operation }: HeldChain,
  items: readonly WorkItem[],
  steps: readonly ResolvedStep<ItemPlugin>[],
  read: ReadContext,
): Promise<EndedItem[]> {
  // Whoever claims one from here on writes its row, and our change of it is refused.
  const inUse = new Set(items.filter(({ record }) => record?.claimed))
  const { ended, open } = prepare(operation, plugins, items, inUse)
  return [...ended, ...(await planBatch(steps, open, { read, log }))]
}

async function work(
  parts: EngineParts,
  tx: ShopScope,
  held: HeldChain & { row: { hint: number } },
  steps: readonly ResolvedStep<ItemPlugin>[],
  read: ReadContext,
): Promise<boolean> {
  const { plugins, limits, secrets } = parts
  const { operation, chain } = held
  await holdLease(tx, operation.id, chain, held.lease)
  const update = alikeOf(held, steps, plugins)
  const alike = update && (await workAlike(tx, operation.id, update, ALIKE_BATCHES))
  const fresh = update ? (alike?.left ?? null) : await takeBatch(tx, operation.id)
  const items = fresh ?? (await waitingItems(tx, operation.id, held.row.hint))
  if (!items) {
    if (await anyAlone(tx, operation.id)) return false
    await restChain(tx, { shop: tx.shop, operation: operation.id, chain })
    return true
  }
  const settle = async (some: readonly WorkItem[]): Promise<EndedItem[]> => {
    await loadItems(tx, operation, some)
    return settleItems(parts, held, some, steps, read)
  }
  const ended = await settle(items)
  const unwritten = [...(fresh ?? []), ...(await addHolders(tx, operation, ended, settle))]
  ended.sort((a, b) => a.item.position - b.item.position)
  if (!fresh) await moveHint(tx, operation.id, chain, items.at(-1)!.position + 1)
  await handOn(tx, held)
  const positions = new Set(unwritten.map(({ position }) => position))
  await writeEnded(tx, held, ended, { limits, secrets, fresh: positions, alike: alike?.done ?? 0 })
  return true
}

/** Items that have rows already: tried again, confirmed after a preview, or undone. */
const waitingItems = async (tx: ShopScope, operation: string, from: number) =>
  (await nextItems(tx, operation, from)) ?? (from > 0 ? await nextItems(tx, operation, 0) : null)

const moveHint = (tx: ShopScope, operation: string, chain: number, hint: number) =>
  tx.query('update chains set hint = :hint where shop_id = :shop and operation_id = :operation and chain = :chain', {
    operation,
    chain,
    hint,
  })

/** Are there items that a worker has died over? They run alone, whichever chain takes them. */
async function anyAlone(tx: ShopScope, operation: string): Promise<boolean> {
  const rows = await tx.query(
    `select from items where shop_id = :shop and operation_id = :operation and status = 'pending' and crashed limit 1`,
    { operation },
  )
  return rows.length > 0
}

async function nextItems(tx: ShopScope, operation: string, from: number): Promise<WorkItem[] | null> {
  const rows = await tx.query<Parameters<typeof workItem>[0]>(
    `select ${ITEM_COLUMNS} from items
     where shop_id = :shop and operation_id = :operation and position >= :from and status = 'pending'
       and not crashed and (run_after is null or run_after <= now())
     order by position limit :batch for update skip locked`,
    { operation, from, batch: WISE_BATCH },
  )
  return rows.length === 0 ? null : rows.map((row) => workItem({ ...row, attempt: row.attempt + 1 }))
}
