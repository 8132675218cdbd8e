// A batch whose steps ask the outside and then only plan: it is taken, planned while no transaction is open, and changed and written
// in one. Whoever comes to one of its files meanwhile writes the file's row, and our change of that file is refused.
import type { ItemPlugin, ReadContext } from '../../../plugins/contract.ts'
import { untilThrough } from '../../db/again.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import { loadItems, restChain, type HeldChain } from './claim.ts'
import { handOn } from './commit.ts'
import { dropLeased, hasBatches, leaseBatch } from './item-batches.ts'
import { holdLease } from '../worker/lease.ts'
import { settleItems } from './together.ts'
import type { EndedItem, EngineParts, ResolvedStep, WorkItem } from '../types.ts'
import { writeEnded } from './write.ts'

/** Works on the next batch, or lets the chain rest while others have the last ones; false: there are none any more. */
export async function workAsking(
  parts: EngineParts,
  scope: ShopScope,
  held: HeldChain,
  steps: readonly ResolvedStep<ItemPlugin>[],
  read: ReadContext,
): Promise<boolean> {
  const items = await scope.transaction((tx) => take(tx, held))
  if (items === null) return false
  if (items.length === 0) return true
  const ended = await settleItems(parts, held, items, steps, read)
  await untilThrough(scope, (tx) => write(parts, tx, held, ended))
  return true
}

async function take(tx: ShopScope, { operation, chain, lease }: HeldChain): Promise<WorkItem[] | null> {
  await holdLease(tx, operation.id, chain, lease)
  const items = await leaseBatch(tx, operation.id, lease)
  if (items) {
    await loadItems(tx, operation, items)
    return items
  }
  if (!(await hasBatches(tx, operation.id))) return null
  await restChain(tx, { shop: tx.shop, operation: operation.id, chain })
  return []
}

async function write(
  { limits, secrets }: EngineParts,
  tx: ShopScope,
  held: HeldChain,
  ended: readonly EndedItem[],
): Promise<void> {
  const { operation, chain, lease } = held
  await holdLease(tx, operation.id, chain, lease)
  const ours = await dropLeased(tx, operation.id, lease)
  await handOn(tx, held)
  // A chain whose worker died makes items of all batches, to go on one by one: these are among them.
  if (!ours) return
  const fresh = new Set(ended.map(({ item }) => item.position))
  await writeEnded(tx, held, ended, { limits, secrets, fresh, alike: 0 })
}
