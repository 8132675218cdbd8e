// Files of one operation may take each other's names. If this batch wants a name of a file that is
// still to be renamed, that file joins the batch: dependent files are written in one transaction,
// so that no name is refused that is about to become free.
import type { ShopScope } from '../core/db/for-shop.ts'
import { findNameOwners } from '../files/name-allocation.ts'
import { nameRequestOf } from '../files/names.ts'
import { PLAN_BATCH } from './steps.ts'
import type { EndedItem, OperationRow, WorkItem } from './types.ts'
import { holdLease } from './chain.ts'
import { leaseBatchesOf, claimPlannedOf, type PlannedBatch } from './item-batches.ts'

/**
 * The most files that may depend on each other. Beyond it, a name that another file has counts as
 * taken.
 */
const MAX_DEPENDENT_FILES = 100_000

/** A batch with all items that depend on its items' names. */
export interface WholeBatch {
  ended: EndedItem[]
  /** The items without rows; `rows` are those that have some. */
  fresh: WorkItem[]
  rows: WorkItem[]
}

/**
 * Adds the items whose files have the names that the batch wants, planned by `plan`, and repeats
 * this for the names that those items want.
 */
export async function withRenameConflicts(
  scope: ShopScope,
  batch: PlannedBatch,
  { ended, fresh, rows }: WholeBatch,
  plan: (items: readonly WorkItem[]) => Promise<EndedItem[]>,
): Promise<WholeBatch> {
  const all: WholeBatch = { ended: [...ended], fresh: [...fresh], rows: [...rows] }
  for (let last: readonly EndedItem[] = ended; all.ended.length < MAX_DEPENDENT_FILES;) {
    const files = await nameOwnersElsewhere(scope, batch.operation, last, all.ended)
    if (files.length === 0) break
    const more = await takeItems(scope, batch, files, all)
    if (more.fresh.length + more.rows.length === 0) break
    all.fresh.push(...more.fresh)
    all.rows.push(...more.rows)
    last = await plan([...more.fresh, ...more.rows])
    all.ended.push(...last)
  }
  return all
}

/** Takes the waiting items about these files, with their batches. */
function takeItems(
  scope: ShopScope,
  batch: PlannedBatch,
  files: readonly string[],
  { ended }: WholeBatch,
) {
  const { operation, chain, lease } = batch
  const except = new Set(ended.map(({ item }) => item.position))
  return scope.transaction(async (tx) => {
    await holdLease(tx, operation.id, chain, lease)
    return {
      fresh: await leaseBatchesOf(tx, operation.id, lease, files),
      rows: await claimPlannedOf(tx, batch, { files, block: PLAN_BATCH, except }),
    }
  })
}

/** The files outside the batch that have names which the items `last` want. */
async function nameOwnersElsewhere(
  scope: ShopScope,
  { id, status }: OperationRow,
  last: readonly EndedItem[],
  ended: readonly EndedItem[],
): Promise<string[]> {
  const requests = last.flatMap(({ item: { record, draft }, ending }) => {
    const request =
      ending.status === 'done' && record && draft ? nameRequestOf({ record, draft }) : null
    return request ?? []
  })
  if (requests.length === 0) return []
  const preview = status === 'previewing' ? id : null
  const owners = await findNameOwners(
    scope,
    [...new Set(requests.map(({ wantedKey }) => wantedKey))],
    preview,
  )
  const inBatch = new Set(ended.map(({ item }) => item.file_id))
  return [...new Set(owners.values())].filter((file) => !inBatch.has(file))
}
