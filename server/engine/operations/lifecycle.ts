// The moves of an operation: pause, resume, cancel, retry, confirm. Each is one transaction that
// changes its status. Its workers are notified, and everything they write afterwards is checked
// against the status.
import type { Plugin } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import { AppError } from '../../errors.ts'
import { announceControl } from '../worker/control.ts'
import { relinkRetried } from './name-order.ts'
import { FINISH_CHAIN, queueChain, queueFinish } from '../../queue/queue.ts'
import { strategyOf } from './strategy.ts'
import { ENDED, type OperationRow, type OperationStatus } from '../types.ts'

export type OperationMove = 'pause' | 'resume' | 'cancel' | 'retry' | 'confirm'
type Step = (tx: ShopScope, operation: OperationRow, plugins: readonly Plugin[]) => Promise<void>

const MOVES: Record<
  OperationMove,
  { from: readonly OperationStatus[]; also?(operation: OperationRow): boolean; step: Step }
> = {
  pause: { from: ['queued', 'running'], step: pause },
  resume: { from: ['paused'], step: resume },
  cancel: { from: ['previewing', 'previewed', 'queued', 'running', 'paused'], step: cancel },
  retry: {
    from: ['partial', 'failed', 'cancelled'],
    also: canRetry,
    step: retry,
  },
  confirm: { from: ['previewed'], step: confirm },
}

export const MOVE_NAMES = Object.keys(MOVES) as OperationMove[]

/** It was started as a preview and is not confirmed. */
const isUnconfirmed = ({ preview, round }: OperationRow): boolean => preview && round === 0

/** A discarded preview: it has changed nothing. */
export const isDiscarded = (operation: OperationRow): boolean =>
  operation.status === 'cancelled' && isUnconfirmed(operation)

/** The same as an SQL condition on an operation's row, `o`. */
export const IS_DISCARDED = `(o.status = 'cancelled' and o.preview and o.round = 0)`

/** What a preview found is no result: none of its files was changed. */
export const DISCARD = `status = 'cancelled', done = 0, failed = 0, skipped = 0, cancelled = total`

/** Not during an undo, and never what a discarded preview would not have done. */
function canRetry(operation: OperationRow): boolean {
  const { done, failed, cancelled, stopped, finished_at, undoes, undone_by, detail } = operation
  if (finished_at === null || undone_by !== null || isUnconfirmed(operation)) return false
  // The ledger of the undone operation must still exist; an undo that changed nothing is started
  // again instead.
  if (undoes !== null) return done > 0 && failed + cancelled > 0 && detail === 'kept'
  // A last step may have failed without a failed file.
  return (failed + cancelled > 0 || stopped !== null) && detail !== 'record'
}

/** Is this move possible now? */
export function allows(operation: OperationRow, move: OperationMove): boolean {
  const { from, also } = MOVES[move]
  return from.includes(operation.status) && (also?.(operation) ?? true)
}

/** Throws `operation_state` if it is not possible, `not_found` if there is no such operation. */
export function moveOperation(
  scope: ShopScope,
  id: string,
  move: OperationMove,
  plugins: readonly Plugin[],
): Promise<void> {
  return scope.transaction(async (tx) => {
    const [operation] = await tx.query<OperationRow>(
      'select * from operations where shop_id = :shop and id = :id for no key update',
      { id },
    )
    if (!operation) throw new AppError('not_found')
    if (!allows(operation, move))
      throw new AppError('operation_state', { message: refusal(operation, move) })
    await MOVES[move].step(tx, operation, plugins)
    await tx.query(`select pg_notify('operation_progress', :shop || '/' || :id)`, { id })
  })
}

function refusal(operation: OperationRow, move: OperationMove): string {
  const { status, failed, cancelled, stopped, detail } = operation
  if (isDiscarded(operation)) return 'This preview was discarded: start the operation again'
  const ended = ENDED.includes(status)
  const state = ended ? 'has ended' : status === 'previewed' ? 'is a preview' : `is ${status}`
  if (move === 'retry' && ended && failed + cancelled === 0 && stopped === null)
    return 'No file of this operation failed'
  if (move === 'retry' && detail === 'record')
    return 'Which files of this operation failed is not known any more'
  return `This operation ${state}: it cannot be ${PAST[move]}`
}
const PAST: Record<OperationMove, string> = {
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
  retry: 'tried again',
  confirm: 'confirmed',
}

async function pause(tx: ShopScope, { id }: OperationRow): Promise<void> {
  await tx.query(
    `update operations set status = 'paused', paused_at = now() where shop_id = :shop and id = :id`,
    {
      id,
    },
  )
  await announceControl(tx, id)
}

async function resume(
  tx: ShopScope,
  operation: OperationRow,
  plugins: readonly Plugin[],
): Promise<void> {
  const { id } = operation
  await tx.query(
    `update operations set status = case when started_at is null then 'queued' else 'running' end, paused_at = null,
       paused_ms = paused_ms + extract(epoch from now() - paused_at) * 1000
     where shop_id = :shop and id = :id`,
    { id },
  )
  await queueWork(tx, operation, plugins)
}

/** Unfinished items are counted as cancelled here, and marked as cancelled by the finalization. */
async function cancel(tx: ShopScope, operation: OperationRow): Promise<void> {
  const { id, status } = operation
  if (status === 'previewed' || status === 'previewing') return discard(tx, operation)
  await tx.query(
    `update operations set status = 'cancelled', open = false, paused_at = null,
       paused_ms = paused_ms + coalesce(extract(epoch from now() - paused_at) * 1000, 0),
       -- Without a ledger its counters were only progress: nothing of it is done.
       done = case when ledger then done else 0 end,
       cancelled = case when ledger then total - done - failed - skipped else total end
     where shop_id = :shop and id = :id`,
    { id },
  )
  await queueFinish(tx, id)
  await announceControl(tx, id)
}

/**
 * Ends all operations of a shop without running their last steps: the shop is being deleted, and
 * nothing may be sent about it any more.
 */
export async function stopOperations(tx: ShopScope): Promise<void> {
  await tx.query(
    `with stopped as (
       update operations set status = 'cancelled', open = false, finished_at = now()
       where shop_id = :shop and finished_at is null returning id
     )
     select pg_notify('operation_control', id::text) from stopped`,
  )
}

/** Its items keep what was found, and readers hide it: writing 100,000 rows would take seconds. */
async function discard(tx: ShopScope, { id }: OperationRow): Promise<void> {
  await tx.query(
    `update operations set ${DISCARD}, finished_at = now() where shop_id = :shop and id = :id`,
    { id },
  )
  await tx.query('delete from foreseen_names where shop_id = :shop and operation_id = :id', { id })
  await announceControl(tx, id)
}

/** Failed items become pending, and so do items that a cancellation or a stop left out. */
async function retry(
  tx: ShopScope,
  operation: OperationRow,
  plugins: readonly Plugin[],
): Promise<void> {
  const { id, ledger } = operation
  if (!ledger) {
    await tx.query(
      `update operations set done = 0, failed = 0, skipped = 0, cancelled = 0, stopped = null
       where shop_id = :shop and id = :id`,
      { id },
    )
    return beginRound(tx, operation, plugins)
  }
  await tx.query(
    `with again as (
       update items set status = 'pending', attempt = 0, crashed = false, step = 0, staged = null, lease = null, run_after = null,
         error = null, warnings = null, candidates = null, finished_at = null
       where shop_id = :shop and operation_id = :id and status in ('failed', 'cancelled') returning old.status
     ), counted as (
       select count(*) filter (where status = 'failed') as failed, count(*) filter (where status = 'cancelled') as cancelled
       from again
     )
     update operations set failed = operations.failed - counted.failed,
       cancelled = operations.cancelled - counted.cancelled, stopped = null
     from counted where shop_id = :shop and id = :id`,
    { id },
  )
  await relinkRetried(tx, id)
  await beginRound(tx, operation, plugins)
}

/**
 * What was found becomes a promise. Skipped and failed items stay so, unless they need a review.
 */
async function confirm(
  tx: ShopScope,
  operation: OperationRow,
  plugins: readonly Plugin[],
): Promise<void> {
  const { id } = operation
  await tx.query(
    `with promised as (
       update items set status = 'pending', plan = jsonb_build_array(before, after), before = null, after = null, step = 0,
         attempt = 0, crashed = false, error = null, warnings = null, candidates = null, finished_at = null
       where shop_id = :shop and operation_id = :id and (status = 'done' or status = 'skipped' and candidates is not null)
       returning old.status
     )
     update operations set done = 0, skipped = skipped - (select count(*) from promised where status = 'skipped')
     where shop_id = :shop and id = :id`,
    { id },
  )
  await beginRound(tx, operation, plugins)
}

async function beginRound(
  tx: ShopScope,
  operation: OperationRow,
  plugins: readonly Plugin[],
): Promise<void> {
  const { id } = operation
  await tx.query(
    `update operations set status = 'queued', round = round + 1, finished_steps = 0, warnings = '[]', detail = 'kept',
       started_at = now(), previewed_at = null, finished_at = null, paused_ms = 0, undo_until = null,
       ended_before = done + failed + skipped + cancelled
     where shop_id = :shop and id = :id`,
    { id },
  )
  await tx.query(
    `update chains set ended = false, hint = 0, worker_id = null, lease = null, claimed = '{}', crashed = false,
       deaths = 0
     where shop_id = :shop and operation_id = :id`,
    { id },
  )
  await queueWork(tx, operation, plugins)
}

/** Jobs for every chain that has not ended, or for the finalization if no items are left. */
async function queueWork(
  tx: ShopScope,
  operation: OperationRow,
  plugins: readonly Plugin[],
): Promise<void> {
  const { id } = operation
  const [left] = await tx.query<{ complete: boolean }>(
    `select not open and (not ledger or done + failed + skipped + cancelled = total) as complete from operations
     where shop_id = :shop and id = :id`,
    { id },
  )
  if (left!.complete) return queueFinish(tx, id)
  // Locked, so that a batch that ends now either sees the operation continue or leaves its chain to
  // us.
  const chains = await tx.query<{ chain: number }>(
    `select chain from chains where shop_id = :shop and operation_id = :id and chain <> :finish and not ended
     order by chain for update`,
    { id, finish: FINISH_CHAIN },
  )
  const { load } = strategyOf(operation, plugins)
  for (const { chain } of chains) await queueChain(tx, id, chain, { load })
}
