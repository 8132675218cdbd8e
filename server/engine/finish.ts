// The finalization of an operation: the steps on the whole operation, then its status. A preview
// then waits to be confirmed.
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { expireReplaced } from '../files/versions.ts'
import { FINISH_CHAIN, queueFinish, type FinishJob } from '../core/queue/queue.ts'
import { traceOperation } from '../core/tracing.ts'
import { WORKER_LEASE } from '../core/queue/lease.ts'
import { runExclusively, withCancellation, type EngineRunner } from './runner.ts'
import { resolveLastSteps } from './context.ts'
import { endPreview, forgetNames } from './preview.ts'
import {
  endStatus,
  holdStatus,
  releaseChains,
  Interruption,
  takeEnd,
  type Finalization,
  type EndStatus,
} from './finish-lease.ts'
import { spreadBatches } from './item-batches.ts'
import { runOperationSteps } from './last-steps.ts'
import { holdLease } from './chain.ts'
import { forgetAddresses } from './sealed.ts'
import type { OperationRow } from './types.ts'
import { UNDO_WINDOW } from './undo.ts'
import { strategyOf, canUndo, withEarlier } from './steps.ts'
import { whyCancelled } from './read.ts'
import { runEnds } from './run-ends.ts'

export function finishOperation(runner: EngineRunner, job: FinishJob): Promise<void> {
  return runExclusively(runner, { ...job, chain: FINISH_CHAIN }, () => finish(runner, job))
}

async function finish(runner: EngineRunner, job: FinishJob): Promise<void> {
  const scope = forShop(runner.parts.database, job.shop)
  const taken = await scope.transaction((tx) => takeEnd(tx, job.operation, runner.worker))
  if (!taken) return
  const ending: Finalization = { scope, ...taken, signal: runner.signal }
  try {
    await (taken.operation.status === 'previewing'
      ? finishPreview(runner, ending)
      : finishWork(runner, ending))
  } catch (error) {
    if (error instanceof Interruption) return releaseInterrupted(ending)
    throw error
  }
  await runner.progress.announceEnd(job.shop, job.operation)
  traceEnd(job, ending.operation)
}

function traceEnd({ shop }: FinishJob, operation: OperationRow): void {
  if (operation.status === 'previewing') return
  const { id, kind, action, created_at: begun, total, failed } = operation
  const status = endStatus(operation)
  traceOperation({
    id,
    begun,
    name: `operation ${kind}`,
    failed: status === 'failed',
    fields: {
      'stevedore.shop': shop,
      'stevedore.operation': id,
      'stevedore.action': action,
      'stevedore.status': status,
      'stevedore.items': total,
      'stevedore.items.failed': failed,
    },
  })
}

async function finishWork(runner: EngineRunner, ending: Finalization): Promise<void> {
  const { scope, operation } = ending
  if (operation.ledger && (operation.status === 'cancelled' || operation.stopped))
    await cancelRest(scope, operation)
  const steps = resolveLastSteps(runner.parts, scope, operation.workflow)
  // After a cancellation, the remaining steps cannot be interrupted.
  const interruptible = operation.status === 'running' && !operation.stopped
  const run = (signal: AbortSignal) => runOperationSteps(runner, { ...ending, signal }, steps)
  await (interruptible ? withCancellation(runner, operation.id, run) : run(runner.signal))
  if (operation.kind === 'import') await forgetAddresses(scope, operation.id)
  await endOperation(runner, ending, endStatus(operation))
}

/** Ends a preview. One that can never run has failed. */
async function finishPreview(runner: EngineRunner, ending: Finalization): Promise<void> {
  const { scope, operation } = ending
  const stop = await endPreview(runner, ending)
  if (!stop) return
  operation.stopped = stop
  if (operation.ledger) await cancelRest(scope, operation)
  await endOperation(runner, ending, 'failed')
}

/**
 * Releases the finalization for another worker. Locks its chain before it reads the operation; a
 * resume or a cancellation does the reverse, so one of the two always queues it.
 */
function releaseInterrupted({ scope, operation: { id }, lease }: Finalization): Promise<void> {
  return scope.transaction(async (tx) => {
    await holdLease(tx, id, FINISH_CHAIN, lease)
    const row = await tx.one<{ continues: boolean }>(
      `update chains set ${WORKER_LEASE.giveBack} where shop_id = :shop and operation_id = :operation
         and chain = :finish
       returning (select status <> 'paused' from operations where shop_id = :shop
         and id = :operation) as continues`,
      { operation: id, finish: FINISH_CHAIN },
    )
    if (row.continues) await queueFinish(tx, id)
  })
}

/**
 * Marks the items as cancelled that will not be processed. Their operation already counts them so.
 */
async function cancelRest(scope: ShopScope, operation: OperationRow): Promise<void> {
  const { id } = operation
  const why = JSON.stringify(whyCancelled(operation))
  await spreadBatches(scope, id, why)
  await scope.query(
    `update items set status = 'cancelled', error = coalesce(error, :why::jsonb), lease = null,
       run_after = null, finished_at = now()
     where shop_id = :shop and operation_id = :id and status in ('pending', 'running')`,
    { id, why },
  )
  await scope.query('delete from file_claims where shop_id = :shop and operation_id = :id', { id })
}

/**
 * SQL: whether there is something that an undo would restore. A sync, for example, may only have
 * sent files.
 */
const HAS_EFFECTS = `(
  exists (select from items where shop_id = :shop and operation_id = :id and status = 'done'
    and after is not null)
  or exists (select from created_files where shop_id = :shop and operation_id = :id))`

/** SQL: how many of its files failed by each code. Lists and the home page do not read its items. */
const CAUSES = `(
  select jsonb_object_agg(code, files) from (
    select error ->> 'code' as code, count(*) as files from items
    where shop_id = :shop and operation_id = :id and status = 'failed' group by 1) c)`

/** SQL: a count of the operation after its end. What a preview that can never run found was not done. */
const countAtEnd = (name: string) =>
  `${name} = case when status = 'previewing' then 0 when ledger then ${name} else :${name} end`

function endOperation(
  { parts: { plugins, ends } }: EngineRunner,
  { scope, operation, lease }: Finalization,
  status: EndStatus,
): Promise<void> {
  const { id, done, failed, skipped, stopped, workflow } = operation
  const worked = operation.status !== 'previewing' && done > 0
  const undoable = operation.undoes === null && worked && canUndo(withEarlier(workflow), plugins)
  return scope.transaction(async (tx) => {
    await holdLease(tx, id, FINISH_CHAIN, lease)
    await holdStatus(tx, operation)
    await tx.query(
      `update operations set status = :status, started_at = coalesce(started_at, now()),
         finished_at = now(),
         ${['done', 'failed', 'skipped'].map(countAtEnd).join(', ')},
         cancelled = case when status = 'previewing' then total else cancelled end,
         stopped = :stopped::jsonb,
         failure_causes = case when status <> 'previewing'
           and ((ledger and failed > 0) or :failed > 0) then ${CAUSES} end,
         undo_until = case when :undoable and ${HAS_EFFECTS} then now() + :window::interval end
       where shop_id = :shop and id = :id`,
      {
        id,
        status,
        undoable,
        window: UNDO_WINDOW,
        done,
        failed,
        skipped,
        stopped: stopped && JSON.stringify(stopped),
      },
    )
    // Only executed batches replace files' bytes.
    if (worked && strategyOf(operation, plugins).kind === 'executed')
      await expireReplaced(tx, id, UNDO_WINDOW)
    // A preview that can never run has undone nothing.
    if (operation.undoes && operation.status !== 'previewing') await markUndone(tx, operation)
    if (operation.status === 'previewing') await forgetNames(tx, id)
    await runEnds(tx, operation, { plugins, ends, worked, status })
    await releaseChains(tx, id)
  })
}

/**
 * Marks the operation that was undone. If the undo restored no file, it can be undone again.
 * Otherwise it stays undone, and a retry of the undo continues with the files that failed.
 */
async function markUndone(tx: ShopScope, { undoes, done }: OperationRow): Promise<void> {
  await tx.query(
    `update operations set status = case when :undone then 'undone' else status end,
       undone_by = case when :undone then undone_by end
     where shop_id = :shop and id = :undoes`,
    { undoes, undone: done > 0 },
  )
}
