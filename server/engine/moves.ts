// What each move of an operation writes: its status, its items and its jobs. Its workers are
// notified, and everything that they write afterwards is checked against the status.
import { say, type OnConflict, type Plugin, type Text } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import { OVERWRITING } from '../files/admission.ts'
import { FINISH_CHAIN, queueChain, queueFinish } from '../core/queue/queue.ts'
import { WORKER_LEASE } from '../core/queue/lease.ts'
import type { OperationRow } from './types.ts'
import { announceControl } from './runner.ts'
import { relinkRetried } from './freeze.ts'
import { AFTER_FETCH } from './unpacked.ts'
import { strategyOf, permissionsOf, withEarlier } from './steps.ts'

export type OperationMove = 'pause' | 'resume' | 'cancel' | 'retry' | 'confirm'

/**
 * Makes one move in the transaction that `moveOperation` opens, in which the operation's row is
 * locked.
 */
type Move = (tx: ShopScope, operation: OperationRow, plugins: readonly Plugin[]) => Promise<void>

/** SQL: a discarded preview has changed no file, so its counts are reset. It waits for no answer. */
export const DISCARD = `status = 'cancelled', done = 0, failed = 0, skipped = 0, cancelled = total,
  continue_at = null`

/** Changes columns of the operation; `columns` is SQL. */
async function updateOperation(tx: ShopScope, id: string, columns: string): Promise<void> {
  await tx.query(`update operations set ${columns} where shop_id = :shop and id = :id`, { id })
}

const pause: Move = async (tx, { id }) => {
  await updateOperation(tx, id, `status = 'paused', paused_at = now()`)
  await announceControl(tx, id)
}

const resume: Move = async (tx, operation, plugins) => {
  await updateOperation(
    tx,
    operation.id,
    `status = case when started_at is null then 'queued' else 'running' end, paused_at = null,
     paused_ms = paused_ms + extract(epoch from now() - paused_at) * 1000`,
  )
  await queueWork(tx, operation, plugins)
}

/**
 * Cancels the operation. Its unfinished items are counted as cancelled here, and marked as
 * cancelled by the finalization.
 */
const cancel: Move = async (tx, operation) => {
  const { id, status } = operation
  if (status === 'previewed' || status === 'previewing') return discard(tx, operation)
  await updateOperation(
    tx,
    id,
    `status = 'cancelled', open = false, paused_at = null,
     paused_ms = paused_ms + coalesce(extract(epoch from now() - paused_at) * 1000, 0),
     -- Without a ledger its counters were only progress: nothing of it is done.
     done = case when ledger then done else 0 end,
     cancelled = case when ledger then total - done - failed - skipped else total end`,
  )
  await queueFinish(tx, id)
  await announceControl(tx, id)
}

/**
 * Discards a preview. Its items keep what was found, and readers hide it: writing 100,000 rows
 * would take seconds.
 */
async function discard(tx: ShopScope, { id }: OperationRow): Promise<void> {
  await updateOperation(tx, id, `${DISCARD}, finished_at = now()`)
  await tx.query('delete from preview_names where shop_id = :shop and operation_id = :id', { id })
  await readNotices(tx, id)
  await announceControl(tx, id)
}

/** Marks its notices as read: the question in them has been answered. */
const readNotices = (tx: ShopScope, id: string) =>
  tx.query(
    `update notices set read_at = now() where shop_id = :shop and read_at is null
      and operation_id = :id`,
    { id },
  )

/** Makes failed items pending again, and items that a cancellation or a stop left out. */
const retry: Move = async (tx, operation, plugins) => {
  const { id, ledger } = operation
  if (!ledger) {
    await updateOperation(
      tx,
      id,
      'done = 0, failed = 0, skipped = 0, cancelled = 0, stopped = null',
    )
    return beginRound(tx, operation, plugins)
  }
  await tx.query(
    `with again as (
       update items set status = 'pending', attempt = 0, crashed = false,
         step = case when entry -> 'unpacked_from' is null then 0 else ${AFTER_FETCH} end,
         staged = entry #> '{unpacked_from,bytes}', lease = null, run_after = null,
         error = null, warnings = null, candidates = null, finished_at = null
       where shop_id = :shop and operation_id = :id and status in ('failed', 'cancelled')
         returning old.status
     ), counted as (
       select count(*) filter (where status = 'failed') as failed,
         count(*) filter (where status = 'cancelled') as cancelled
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
 * Turns what a preview found into a promise of its items. Skipped and failed items stay so, unless
 * they need a review.
 */
const confirm: Move = async (tx, operation, plugins) => {
  const { id, undoes } = operation
  if (undoes !== null) {
    await lockUndoable(tx, undoes)
    await takeUndo(tx, undoes, id)
  }
  await readNotices(tx, id)
  await tx.query(
    `with promised as (
       update items set status = 'pending', plan = jsonb_build_array(before, after), before = null,
         after = null, step = 0,
         attempt = 0, crashed = false, error = null, warnings = null, candidates = null,
         finished_at = null
       where shop_id = :shop and operation_id = :id
         and (status = 'done' or status = 'skipped' and candidates is not null)
       returning old.status
     )
     update operations set done = 0, step_ms = '{}', write_ms = 0, skipped = skipped - (select count(*) from promised
       where status = 'skipped')
     where shop_id = :shop and id = :id`,
    { id },
  )
  await beginRound(tx, operation, plugins)
}

/**
 * Opens a confirmed preview again, without items as when it was started: its channel decides again
 * what it does.
 */
export async function reopen(tx: ShopScope, id: string): Promise<void> {
  await readNotices(tx, id)
  await tx.query('delete from items where shop_id = :shop and operation_id = :id', { id })
  await updateOperation(
    tx,
    id,
    `open = true, total = 0, done = 0, failed = 0, skipped = 0, cancelled = 0, intentions = '[]',
     warnings = '[]', preview_counts = null, step_ms = '{}', write_ms = 0`,
  )
  await resetRound(tx, id, 0)
}

const beginRound: Move = async (tx, operation, plugins) => {
  await resetRound(tx, operation.id, operation.workflow.parallel)
  await queueWork(tx, operation, plugins)
}

/**
 * SQL: drops the warnings of the final steps, which run again and give theirs again. Those of the
 * channel stay.
 */
const FINAL_WARNINGS_DROPPED = `warnings = (
  select coalesce(jsonb_agg(w), '[]') from jsonb_array_elements(warnings) w
    where w -> 'step' is null)`

/**
 * Begins the operation's next round.
 * @param chains how many work at most; 0: only when items are added
 */
async function resetRound(tx: ShopScope, id: string, chains: number): Promise<void> {
  await updateOperation(
    tx,
    id,
    `status = 'queued', round = round + 1, finished_steps = 0, ${FINAL_WARNINGS_DROPPED}, detail = 'kept',
     started_at = clock_timestamp(), previewed_at = null, finished_at = null, paused_ms = 0, undo_until = null,
     again_at = null, ended_before = done + failed + skipped + cancelled`,
  )
  await tx.query(
    `update chains set ended = chain >= :chains and chain <> :finish, hint = 0,
       ${WORKER_LEASE.revoke}, claimed = '{}', crashed = false, deaths = 0
     where shop_id = :shop and operation_id = :id`,
    { id, chains, finish: FINISH_CHAIN },
  )
}

/**
 * Queues a job for every chain that has not ended, or for the finalization if no items are left.
 */
const queueWork: Move = async (tx, operation, plugins) => {
  const { id } = operation
  const left = await tx.one<{ complete: boolean }>(
    `select not open and (not ledger or done + failed + skipped + cancelled = total) as complete
       from operations
     where shop_id = :shop and id = :id`,
    { id },
  )
  if (left.complete) return queueFinish(tx, id)
  // The chains are locked, so that a batch that ends now either sees the operation continue or
  // leaves its chain to us.
  const chains = await tx.query<{ chain: number }>(
    `select chain from chains
     where shop_id = :shop and operation_id = :id and chain <> :finish and not ended
     order by chain for update`,
    { id, finish: FINISH_CHAIN },
  )
  const { load } = strategyOf(operation, plugins)
  for (const { chain } of chains) await queueChain(tx, id, chain, { load })
}

export const RUN_MOVE: Record<OperationMove, Move> = { pause, resume, cancel, retry, confirm }

// An operation is undone once: by the undo that was started first, or whose preview was confirmed first.

/** Whether the operation can be undone now. */
export const mayUndo = ({ undo_until, undone_by, finished_at }: OperationRow, now: Date): boolean =>
  finished_at !== null && undo_until !== null && undo_until > now && undone_by === null

/**
 * Locks an operation that can be undone now.
 * @throws `operation_state` if it cannot, `not_found` if there is no such operation
 */
export async function lockUndoable(tx: ShopScope, id: string): Promise<OperationRow> {
  const [operation] = await tx.query<OperationRow & { now: Date }>(
    'select *, now() as now from operations where shop_id = :shop and id = :id for no key update',
    { id },
  )
  if (!operation) throw new AppError('not_found')
  if (!mayUndo(operation, operation.now))
    throw new AppError('operation_state', { message: undoRefusal(operation) })
  return operation
}

/** Names the undo of a locked operation: from then on there can be no other. */
export async function takeUndo(tx: ShopScope, id: string, undo: string): Promise<void> {
  await tx.query(
    'update operations set undone_by = :undo, again_at = null where shop_id = :shop and id = :id',
    { id, undo },
  )
  await discardNext(tx, id)
}

/** Discards the previews of what continues an operation: its files are not as they were previewed. */
async function discardNext(tx: ShopScope, id: string): Promise<void> {
  const next = await tx.query<OperationRow>(
    `select * from operations where shop_id = :shop and continues = :id
       and status in ('previewing', 'previewed') for no key update`,
    { id },
  )
  for (const operation of next) await discard(tx, operation)
}

function undoRefusal({ status, undone_by, finished_at, undo_until }: OperationRow): Text {
  if (undone_by !== null) return say('This operation has been undone, or is being undone')
  if (status === 'cancelled' && finished_at === null)
    return say('This operation is still being cancelled: wait a moment')
  if (status === 'previewing' || status === 'previewed') return say('This operation is a preview')
  if (finished_at === null) return say('This operation is still running: cancel it first')
  return undo_until === null
    ? say('There is nothing about this operation that can be undone')
    : say('An operation can be undone within 7 days')
}

// The API scopes needed to confirm, retry or undo an operation: the same as for what it does to
// files.

export type PermittedMove = OperationMove | 'undo'
type OperationRef = Pick<OperationRow, 'id' | 'kind' | 'workflow' | 'undoes'>

/** The scopes for a move, or for an undo. A pause, a resume and a cancellation need none. */
export async function permissionsTo(
  doing: PermittedMove,
  scope: ShopScope,
  operation: OperationRef,
  plugins: readonly Plugin[],
): Promise<string[]> {
  if (doing === 'undo') return toUndo(scope, operation, plugins)
  if (doing !== 'confirm' && doing !== 'retry') return []
  if (operation.undoes === null)
    return [
      ...new Set([
        ...permissionsOf(operation.workflow, plugins),
        ...(await toOverwrite(scope, operation)),
      ]),
    ]
  const [undone] = await scope.query<OperationRef>(
    'select id, kind, workflow, undoes from operations where shop_id = :shop and id = :undoes',
    { undoes: operation.undoes },
  )
  return undone ? toUndo(scope, undone, plugins) : []
}

/** The scopes that an entry's `on_conflict` needs in addition to those of its workflow. */
export const scopesOfConflict = (onConflict: OnConflict): 'files:write'[] =>
  OVERWRITING.includes(onConflict) ? ['files:write'] : []

/** The scopes to overwrite files, for the entries of a retried import that are not imported yet. */
async function toOverwrite(scope: ShopScope, { id, kind }: OperationRef): Promise<string[]> {
  if (kind !== 'import') return []
  const found = await scope.query(
    `select 1 from items where shop_id = :shop and operation_id = :id and status <> 'done'
       and entry ->> 'on_conflict' = any(:overwriting) limit 1`,
    { id, overwriting: OVERWRITING },
  )
  return found.length > 0 ? ['files:write'] : []
}

/**
 * The scopes to undo the operation: those to run it, and to delete if files that it created go to
 * the trash.
 */
async function toUndo(
  scope: ShopScope,
  { id, kind, workflow }: OperationRef,
  plugins: readonly Plugin[],
): Promise<string[]> {
  const made = await scope.query(
    'select 1 from created_files where shop_id = :shop and operation_id = :id limit 1',
    {
      id,
    },
  )
  const trashes = kind === 'import' || made.length > 0
  const ran = permissionsOf(withEarlier(workflow), plugins)
  return [...new Set([...ran, ...(trashes ? ['files:delete'] : [])])]
}
