// The finalization of an operation, held by one worker: how it has ended so far, what its last
// steps see, and what may be written.
import {
  say,
  type FinishedItem,
  type OperationView,
  type ReportedItem,
} from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { toOperationId } from '../core/ids.ts'
import { MAX_ATTEMPTS } from './failure.ts'
import { lockChain, takeLocked, type ChainRow } from './chain.ts'
import { labelOf } from './start.ts'
import { countLostDeliveries, countPresent, finishedItems, reportedItems } from './items.ts'
import { WORKER_LEASE } from '../core/queue/lease.ts'
import { FINISH_CHAIN } from '../core/queue/queue.ts'
import type { EngineParts } from './parts.ts'
import type { OperationRow } from './types.ts'

export type EndStatus = OperationView['status']

/**
 * An operation at its end, held by this worker. The counters of its row change as its last steps
 * do.
 */
export interface Finalization {
  scope: ShopScope
  operation: OperationRow
  lease: number
  /** Whether the maximum number of workers died in it: the step that comes next is the cause. */
  crashLoop: boolean
  signal: AbortSignal
}

/**
 * Thrown if the operation was paused or cancelled in the meantime, or the worker is stopping: the
 * current step has no effect.
 */
export class Interruption extends Error {}

/**
 * Takes the operation under a new lease on its finalization. Null: it is not at its end, or another
 * worker holds it.
 */
export async function takeEnd(
  tx: ShopScope,
  id: string,
  worker: string,
): Promise<Pick<Finalization, 'operation' | 'lease' | 'crashLoop'> | null> {
  const free = await lockChain(tx, id, FINISH_CHAIN, worker)
  const held = free && (await takeLocked(tx, id, FINISH_CHAIN, { worker, row: free }))
  const [operation] = await tx.query<OperationRow>(
    `select * from operations where shop_id = :shop and id = :id and not open and (
       status in ('running', 'previewing') and done + failed + skipped + cancelled = total
       or status = 'queued' and done + failed + skipped + cancelled = total
       or status in ('queued', 'running', 'previewing') and not ledger
       or status = 'cancelled' and finished_at is null)`,
    { id },
  )
  if (held && !operation) await releaseEnd(tx, id)
  if (!held || !operation) return null
  if (operation.status === 'queued') {
    await tx.query(
      `update operations set status = 'running', started_at = coalesce(started_at, now())
         where shop_id = :shop and id = :id`,
      { id },
    )
    Object.assign(operation, { status: 'running', started_at: operation.started_at ?? new Date() })
  }
  // The progress of an earlier try is ignored: the step starts from the beginning.
  if (!operation.ledger) Object.assign(operation, { done: 0, failed: 0 })
  return {
    lease: held.lease,
    operation,
    crashLoop: (await deathsIn(tx, operation, held.chain)) >= MAX_ATTEMPTS,
  }
}

/**
 * How many workers died in the step that comes next. This chain's hint stores which step that was
 * at the last take: if that step has ended since, the deaths belong to another step.
 */
async function deathsIn(
  tx: ShopScope,
  { id, finished_steps }: OperationRow,
  chain: ChainRow,
): Promise<number> {
  if (chain.hint === finished_steps) return chain.deaths
  const deaths = chain.dead === null ? 0 : 1
  await tx.query(
    `update chains set hint = :finished_steps, deaths = :deaths
     where shop_id = :shop and operation_id = :id and chain = :finish`,
    { id, finished_steps, deaths, finish: FINISH_CHAIN },
  )
  return deaths
}

/**
 * The status with which the operation ends now. Unprocessed items are no success: an operation that
 * was cancelled once and retried since may have some.
 */
export function endStatus({ status, done, failed, cancelled, stopped }: OperationRow): EndStatus {
  if (status === 'cancelled') return 'cancelled'
  if (failed + cancelled === 0 && !stopped) return 'success'
  if (done > 0) return 'partial'
  return failed > 0 || stopped ? 'failed' : 'cancelled'
}

export const viewOf = async (
  scope: ShopScope,
  operation: OperationRow,
  messageWords: EngineParts['messageWords'],
): Promise<OperationView> => {
  const status = endStatus(operation)
  return {
    ...operation,
    id: toOperationId(operation.kind, operation.id),
    title: operation.workflow.title,
    started_at: operation.started_at ?? operation.created_at,
    status,
    about: {
      importWord: messageWords.get(operation.channel) ?? say('Import', {}, 'noun'),
      label: labelOf(operation),
      schedule: await scheduleName(scope, operation),
    },
    present: () => countPresent(scope, operation.id),
    lostDeliveries: () => countLostDeliveries(scope, operation.id),
    items: () =>
      operation.ledger
        ? finishedItems(scope, operation.id)
        : itemsWithoutLedger(scope, operation, status),
    reported: (products) => reportedItemsOf(scope, operation, status, products),
  }
}

async function scheduleName(
  scope: ShopScope,
  { schedule_id }: OperationRow,
): Promise<string | null> {
  if (schedule_id === null) return null
  const [schedule] = await scope.query<{ name: string }>(
    'select name from triggers where shop_id = :shop and id = :schedule_id',
    { schedule_id },
  )
  return schedule?.name ?? null
}

async function* reportedItemsOf(
  scope: ShopScope,
  { id, kind, ledger, stopped }: OperationRow,
  status: EndStatus,
  products: boolean,
): AsyncGenerator<ReportedItem[]> {
  if (ledger) yield* reportedItems(scope, id, { unmapped: products, brought: kind === 'import' })
  else if (status === 'failed')
    for await (const items of reportedItems(scope, id))
      yield items.map((item) => ({ ...item, status, error: stopped }))
}

/** The items of an operation without a ledger: all have the result of the operation. */
async function* itemsWithoutLedger(
  scope: ShopScope,
  { id, stopped }: OperationRow,
  end: EndStatus,
): AsyncGenerator<FinishedItem[]> {
  const status = end === 'success' || end === 'partial' ? 'done' : end
  for await (const items of finishedItems(scope, id))
    yield items.map((item) => ({ ...item, status, error: stopped }))
}

/**
 * Locks the operation's status until the transaction ends.
 * @param also other statuses that are allowed: a step that ended during a pause still has effect
 * @throws `Interruption` if the status has changed: after a cancellation nothing has effect
 */
export async function holdStatus(
  tx: ShopScope,
  { id, status }: OperationRow,
  also: readonly OperationRow['status'][] = [],
): Promise<void> {
  const [row] = await tx.query<Pick<OperationRow, 'status'>>(
    'select status from operations where shop_id = :shop and id = :id for no key update',
    { id },
  )
  if (!row || (row.status !== status && !also.includes(row.status))) throw new Interruption()
}

const releaseEnd = (tx: ShopScope, operation: string) =>
  tx.query(
    `update chains set ${WORKER_LEASE.giveBack} where shop_id = :shop and operation_id = :operation
      and chain = :finish`,
    { operation, finish: FINISH_CHAIN },
  )

/** Ends all chains of the operation: they are no longer needed. */
export const releaseChains = (tx: ShopScope, operation: string) =>
  tx.query(
    `update chains set ended = true, ${WORKER_LEASE.giveBack} where shop_id = :shop
      and operation_id = :operation`,
    {
      operation,
    },
  )
