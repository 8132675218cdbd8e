// Claims the batch of an executed operation in one transaction: items that a dead worker left
// running become pending, and the next pending items are marked as running under the chain's lease.
// Why items have no index on their status: docs/decisions/0001.
import type { ShopScope } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import { lastOf } from '../core/lazy.ts'
import type { ChainJob } from '../core/queue/queue.ts'
import { followersOf } from './freeze.ts'
import type { OperationRow, WorkItem } from './types.ts'
import {
  type ChainRow,
  chainsFor,
  claimableBy,
  CRASHED_GROUP,
  holdChain,
  LAST_CHANCE,
  restChain,
  wakeChains,
  type HeldChain,
} from './chain.ts'
import { MAX_ATTEMPTS, mostAttempts } from './failure.ts'
import { spreadBatches } from './item-batches.ts'
import { loadItems } from './undo.ts'
import { countOutcomes } from './outcomes.ts'
import { ITEM_COLUMNS, workItem, type ClaimedRow } from './work-item.ts'

export interface Claim extends HeldChain {
  items: WorkItem[]
  /** Those of `items` whose files another operation has claimed. */
  inUse: ReadonlySet<WorkItem>
}

/**
 * Takes the next batch of a chain and marks its items as running. Null: the chain has nothing to do
 * now.
 */
export function claimBatch(
  scope: ShopScope,
  job: ChainJob,
  worker: string,
  batchOf: (operation: OperationRow) => number,
): Promise<Claim | null> {
  return scope.transaction(async (tx) => {
    const held = await holdChain(tx, job, worker)
    if (!held) return null
    const leftovers = await returnLeftovers(tx, held)
    // Items of a planned operation have no rows until they end. Rows are needed to mark them as
    // running.
    await spreadBatches(tx, job.operation)
    const hint = Math.min(held.row.hint, ...leftovers)
    const batch = batchOf(held.operation)
    const items =
      (await claimFrom(tx, held, hint, batch)) ??
      (hint > 0 ? await claimFrom(tx, held, 0, batch) : null)
    if (!items) {
      await restChain(tx, job)
      return null
    }
    await tx.query(
      `update chains set claimed = :claimed, hint = :hint
       where shop_id = :shop and operation_id = :operation and chain = :chain`,
      { ...job, claimed: items.map(({ position }) => position), hint: lastOf(items).position + 1 },
    )
    const inUse =
      held.operation.status === 'previewing'
        ? new Set<WorkItem>()
        : await claimFiles(tx, held, items)
    await loadItems(tx, held.operation, items)
    return { ...held, items, inUse }
  })
}

/**
 * SQL: the item has failed, because workers died in it. A step that states more tries than usual
 * states none for those: its item fails with the second death then.
 */
const LOST = `(:died and (attempt >= :most or crashed and attempt >= ${MAX_ATTEMPTS}))`

/**
 * Items that the chain's last holder left running become pending. If the holder died, they may be
 * the cause: they run in small groups, then alone, and fail after too many deaths. If it lives, the
 * database was unavailable, and the attempt does not count.
 */
async function returnLeftovers(
  tx: ShopScope,
  { operation: { id: operation, workflow }, row: chain }: HeldChain & { row: ChainRow },
): Promise<number[]> {
  if (chain.claimed.length === 0) return []
  const crash = {
    code: 'worker_crashed',
    message: new AppError('worker_crashed').message,
    retryable: true,
  }
  if (chain.lease !== null) await releaseFiles(tx, operation, chain.lease)
  const rows = await tx.query<{ position: number; status: string }>(
    `update items set lease = null, crashed = crashed or :died,
       attempt = attempt - (case when :died then 0 else 1 end),
       status = case when ${LOST} then 'failed' else 'pending' end,
       error = case when ${LOST} then :crash::jsonb end,
       finished_at = case when ${LOST} then now() end
     where shop_id = :shop and operation_id = :operation and position = any(:claimed)
       and status = 'running'
       and lease = :lease
     returning position, status`,
    {
      operation,
      claimed: chain.claimed,
      lease: chain.lease,
      died: chain.dead !== null,
      most: mostAttempts(workflow.steps),
      crash: JSON.stringify(crash),
    },
  )
  if (rows.length > 0) await wakeChains(tx, operation, chainsFor(rows.length, workflow.parallel))
  const failed = rows.filter(({ status }) => status === 'failed').length
  if (failed > 0) await countOutcomes(tx, operation, { failed })
  return rows.map(({ position }) => position)
}

/**
 * Claims the next item from the position `from` on, with the next ones of its kind: normal items, a
 * small group of those whose worker died once, or one last chance alone. Null: there is none. Locks
 * only the items that it claims: another chain would skip locked items, see nothing left to do, and
 * end.
 */
async function claimFrom(
  tx: ShopScope,
  { operation: { id: operation }, chain, lease }: HeldChain,
  from: number,
  batch: number,
) {
  const waiting = `select position, crashed, ${LAST_CHANCE} as last from items
    where shop_id = :shop and operation_id = :operation and status = 'pending'
      and (run_after is null or run_after <= now()) and ${claimableBy(chain)}`
  const found = await tx.query<{ position: number; crashed: boolean; last: boolean }>(
    `with first as (
       ${waiting} and position >= :from order by position limit 1 for update skip locked
     ), others as (
       ${waiting} and position > (select position from first)
         and crashed = (select crashed from first)
         and not ${LAST_CHANCE} and not (select last from first)
       order by position
       limit (select case when crashed then ${CRASHED_GROUP} else :batch::int end - 1 from first)
       for update skip locked
     )
     select * from first union all select * from others`,
    { operation, from, batch },
  )
  if (found.length === 0) return null
  const claimed = found.map(({ position }) => position)
  const [{ crashed, last }] = found as [(typeof found)[0]]
  if (!last) {
    const most = crashed ? CRASHED_GROUP : batch
    claimed.push(
      ...(await followersOf(tx, operation, claimed, { crashed, most, attempts: MAX_ATTEMPTS - 1 })),
    )
  }
  const rows = await tx.query<ClaimedRow>(
    `update items set status = 'running', attempt = attempt + 1, lease = :lease, run_after = null,
       error = null
     where shop_id = :shop and operation_id = :operation and position = any(:positions)
     returning ${ITEM_COLUMNS}`,
    { operation, lease, positions: claimed },
  )
  return rows.sort((a, b) => a.position - b.position).map(workItem)
}

// File claims: an executed batch keeps its files for longer than one transaction, so that no other
// operation changes them in the meantime.
// Short work checks row versions instead: docs/decisions/0012.

/**
 * Claims the files for longer than this transaction. Returns the items whose files are claimed by
 * others.
 */
async function claimFiles(
  tx: ShopScope,
  held: HeldChain,
  items: readonly WorkItem[],
): Promise<Set<WorkItem>> {
  const wanted = items.flatMap((item) =>
    item.entry === null && item.file_id !== null ? [{ item, file: item.file_id }] : [],
  )
  if (wanted.length === 0) return new Set()
  // The statement also writes the files' rows, so that a transaction that has read them but not
  // changed them yet is refused and reads again.
  const ids = wanted.map(({ file }) => file)
  await tx.query(
    `with ours as (
       insert into file_claims (shop_id, file_id, operation_id, lease)
       select :shop, id, :operation, :lease from files where shop_id = :shop
         and id = any(:ids::uuid[]) order by id
       on conflict do nothing returning file_id
     )
     update files set updated_at = updated_at from ours where files.shop_id = :shop
       and files.id = ours.file_id`,
    { operation: held.operation.id, lease: held.lease, ids },
  )
  const others = await tx.query<{ file_id: string }>(
    `select file_id from file_claims where shop_id = :shop and file_id = any(:ids::uuid[])
       and (operation_id <> :operation or lease <> :lease)`,
    { operation: held.operation.id, lease: held.lease, ids },
  )
  const taken = new Set(others.map(({ file_id }) => file_id))
  return new Set(wanted.flatMap(({ item, file }) => (taken.has(file) ? [item] : [])))
}

/** Releases files that a lease holds: those of `ids`, or all. */
export async function releaseFiles(
  tx: ShopScope,
  operation: string,
  lease: number,
  ids?: readonly string[],
) {
  await tx.query(
    `delete from file_claims where shop_id = :shop and operation_id = :operation and lease = :lease
       and (:ids::uuid[] is null or file_id = any(:ids::uuid[]))`,
    { operation, lease, ids: ids ?? null },
  )
}
