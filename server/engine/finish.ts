// The end of an operation: its status, then the steps that work on the whole of it. Each such step's messages are
// written in the transaction that marks the step as ended, so that a second run sends nothing twice.
import type { Notifier, OperationPlugin, OperationView, ReadContext, Warning } from '../../plugins/contract.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { toPublicId } from '../ids.ts'
import { errorFields } from '../log.ts'
import { queueCallback } from '../notify/callbacks.ts'
import { takeChain } from './claim.ts'
import { resolveSteps, writeContext } from './context.ts'
import { exclusively, type BatchRunner } from './batch.ts'
import { spreadBatches } from './item-batches.ts'
import { finishedItems } from './items.ts'
import { holdLease } from './lease.ts'
import { queueMessage, type FinishJob } from './queue.ts'
import { FINISH_CHAIN } from './start.ts'
import type { OperationRow, ResolvedStep } from './types.ts'
import { canUndo } from './workflows.ts'

type Email = Parameters<Notifier['email']>[0]
type Notice = Parameters<Notifier['notice']>[0]
type EndStatus = OperationView['status']

/** So long an operation can be undone. */
const UNDO_WINDOW = '7 days'

export function finishOperation(runner: BatchRunner, job: FinishJob): Promise<void> {
  return exclusively(runner, { ...job, chain: FINISH_CHAIN }, () => finish(runner, job))
}

async function finish(runner: BatchRunner, job: FinishJob): Promise<void> {
  const scope = forShop(runner.parts.database, job.shop)
  const taken = await scope.transaction((tx) => takeEnd(tx, job.operation, runner.worker))
  if (!taken) return
  const { operation, lease } = taken
  const status = endStatus(operation)
  const steps = resolveSteps<OperationPlugin>(runner.parts.plugins, operation.workflow, 'operation')
  const context = await writeContext(runner.parts, scope, operation, runner.signal)
  if (operation.status === 'previewing') {
    await endPreview(scope, operation, lease, await intentionsOf(steps, viewOf(scope, operation, status), context))
    return runner.progress.announceEnd(job.shop, job.operation)
  }
  if (operation.status === 'cancelled') await cancelRest(scope, operation.id)
  if (operation.stopped) await cancelRest(scope, operation.id)
  for (const [index, step] of steps.entries()) {
    if (index < operation.finished_steps) continue
    const messages = { emails: [] as Email[], notices: [] as Notice[] }
    const notify: Notifier = {
      email: (email) => messages.emails.push(email),
      notice: (notice) => messages.notices.push(notice),
    }
    const runs = step.pluginImpl.always || status === 'success' || status === 'partial'
    const warnings = runs
      ? await runOperationStep(runner, step, viewOf(scope, operation, status), { ...context, notify })
      : []
    await endStep(scope, operation, lease, index, messages, warnings)
  }
  await endOperation(runner, scope, operation, lease, status)
  await runner.progress.announceEnd(job.shop, job.operation)
}

/** The operation under a fresh lease on its end, or null: it is not at its end, or someone else is at it. */
async function takeEnd(tx: ShopScope, id: string, worker: string) {
  const held = await takeChain(tx, id, FINISH_CHAIN, worker)
  const [operation] = await tx.query<OperationRow>(
    `select * from operations where shop_id = :shop and id = :id and (
       status in ('running', 'previewing') and done + failed + skipped + cancelled = total
       or status = 'queued' and done + failed + skipped + cancelled = total
       or status = 'cancelled' and finished_at is null)`,
    { id },
  )
  return held && operation ? { lease: held.lease, operation } : null
}

function endStatus({ status, total, done, failed, stopped }: OperationRow): EndStatus {
  if (status === 'cancelled') return 'cancelled'
  if (stopped) return done > 0 ? 'partial' : 'failed'
  if (failed === 0) return 'success'
  return failed === total ? 'failed' : 'partial'
}

/** Items that nobody will come to any more. Their operation counts them as cancelled already. */
async function cancelRest(scope: ShopScope, operation: string): Promise<void> {
  await spreadBatches(scope, operation, 'cancelled')
  await scope.query(
    `update items set status = 'cancelled', lease = null, run_after = null, finished_at = now()
     where shop_id = :shop and operation_id = :operation and status in ('pending', 'running')`,
    { operation },
  )
  await scope.query('delete from file_claims where shop_id = :shop and operation_id = :operation', { operation })
}

async function intentionsOf(
  steps: readonly ResolvedStep<OperationPlugin>[],
  view: OperationView,
  context: ReadContext,
): Promise<string[]> {
  const intentions: string[] = []
  for (const step of steps)
    for await (const intention of step.pluginImpl.plan(view, step.parsedOptions, context)) intentions.push(intention)
  return intentions
}

function endPreview(scope: ShopScope, operation: OperationRow, lease: number, intentions: string[]): Promise<void> {
  return scope.transaction(async (tx) => {
    await holdLease(tx, operation.id, FINISH_CHAIN, lease)
    await tx.query(
      `update operations set status = 'previewed', intentions = :intentions, started_at = coalesce(started_at, now())
       where shop_id = :shop and id = :operation and status = 'previewing'`,
      { operation: operation.id, intentions: JSON.stringify(intentions) },
    )
    await letGo(tx, operation.id)
  })
}

const letGo = (tx: ShopScope, operation: string) =>
  tx.query('update chains set ended = true, worker_id = null where shop_id = :shop and operation_id = :operation', {
    operation,
  })

const viewOf = (scope: ShopScope, operation: OperationRow, status: EndStatus): OperationView => ({
  ...operation,
  id: toPublicId(operation.kind === 'import' ? 'import' : 'op', operation.id),
  title: operation.workflow.title,
  started_at: operation.started_at ?? operation.created_at,
  status,
  items: () => finishedItems(scope, operation.id),
})

async function runOperationStep(
  runner: BatchRunner,
  step: ResolvedStep<OperationPlugin>,
  view: OperationView,
  context: Parameters<OperationPlugin['run']>[2],
): Promise<readonly Warning[]> {
  try {
    return (await step.pluginImpl.run(view, step.parsedOptions, context)).warnings ?? []
  } catch (error) {
    if (runner.signal.aborted) throw error
    // The files are in: a message that could not be written must not turn that into a failure.
    runner.parts.log.error('the last step of an operation failed', { plugin: step.plugin, ...errorFields(error) })
    return [{ code: 'step_failed', message: `${step.pluginImpl.title} could not be carried out` }]
  }
}

function endStep(
  scope: ShopScope,
  operation: OperationRow,
  lease: number,
  index: number,
  messages: { emails: readonly Email[]; notices: readonly Notice[] },
  warnings: readonly Warning[],
): Promise<void> {
  return scope.transaction(async (tx) => {
    await holdLease(tx, operation.id, FINISH_CHAIN, lease)
    for (const [at, email] of messages.emails.entries()) {
      const key = `${operation.id}/${operation.round}/${index}/${at}`
      const payload = JSON.stringify(email)
      const [row] = (await tx
        .insert('outbox', { key, kind: 'email', payload, operation_id: operation.id })
        .onConflict()
        .ignore()
        .returning('id')) as { id: string }[]
      if (row) await queueMessage(tx, row.id)
    }
    if (messages.notices.length > 0)
      await tx.insert(
        'notices',
        messages.notices.map((notice) => ({ ...notice, operation_id: operation.id })),
      )
    await tx.query(
      `update operations set finished_steps = :ended, warnings = warnings || :warnings::jsonb
       where shop_id = :shop and id = :operation`,
      { operation: operation.id, ended: index + 1, warnings: JSON.stringify(warnings) },
    )
  })
}

function endOperation(
  { parts }: BatchRunner,
  scope: ShopScope,
  operation: OperationRow,
  lease: number,
  status: EndStatus,
): Promise<void> {
  const undoable = operation.undoes === null && operation.done > 0 && canUndo(operation.workflow, parts.plugins)
  return scope.transaction(async (tx) => {
    await holdLease(tx, operation.id, FINISH_CHAIN, lease)
    await tx.query(
      `update operations set status = :status, started_at = coalesce(started_at, now()), finished_at = now(),
         undo_until = case when :undoable then now() + :window::interval end
       where shop_id = :shop and id = :operation`,
      { operation: operation.id, status, undoable, window: UNDO_WINDOW },
    )
    if (operation.undoes) await markUndone(tx, operation)
    await queueCallback(tx, operation)
    await letGo(tx, operation.id)
  })
}

/** What was taken back can't be taken back again; where nothing was, it still may be. */
async function markUndone(tx: ShopScope, { undoes, done }: OperationRow): Promise<void> {
  await tx.query(
    `update operations set status = case when :undone then 'undone' else status end,
       undone_by = case when :undone then undone_by end
     where shop_id = :shop and id = :undoes`,
    { undoes, undone: done > 0 },
  )
}
