// The end of an operation: its status, then the steps that work on the whole of it. Each such step's messages are
// written in the transaction that marks the step as ended, so that a second run sends nothing twice.
import { Readable } from 'node:stream'
import {
  PortError,
  type FinishedItem,
  type Notifier,
  type OperationContext,
  type OperationPlugin,
  type OperationReport,
  type OperationView,
  type ReadContext,
  type StagedBlob,
  type WriteContext,
} from '../../plugins/contract.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { holdBlobs } from '../files/admit.ts'
import { draftOf } from '../files/drafts.ts'
import { readShop } from '../files/shop-settings.ts'
import { toPublicId } from '../ids.ts'
import { errorFields } from '../log.ts'
import { queueCallback } from '../notify/callbacks.ts'
import { takeChain } from './claim.ts'
import { resolveSteps, writeContext } from './context.ts'
import { exclusively, watched, type BatchRunner } from './batch.ts'
import { admitCreated } from './created.ts'
import { spreadBatches } from './item-batches.ts'
import { finishedItems } from './items.ts'
import { holdLease } from './lease.ts'
import { queueFinish, queueMessage, type FinishJob } from './queue.ts'
import { FINISH_CHAIN } from './start.ts'
import type { OperationRow, ResolvedStep } from './types.ts'
import { UNDO_WINDOW } from './undo.ts'
import { canUndo } from './workflows.ts'

type Email = Parameters<Notifier['email']>[0]
type Notice = Parameters<Notifier['notice']>[0]
type EndStatus = OperationView['status']

export function finishOperation(runner: BatchRunner, job: FinishJob): Promise<void> {
  return exclusively(runner, { ...job, chain: FINISH_CHAIN }, () => finish(runner, job))
}

async function finish(runner: BatchRunner, job: FinishJob): Promise<void> {
  const scope = forShop(runner.parts.database, job.shop)
  const taken = await scope.transaction((tx) => takeEnd(tx, job.operation, runner.worker))
  if (!taken) return
  const { operation, lease } = taken
  if (operation.status === 'previewing') return foresee(runner, scope, operation, lease)
  if (operation.ledger && (operation.status === 'cancelled' || operation.stopped)) await cancelRest(scope, operation.id)
  const steps = resolveSteps<OperationPlugin>(runner.parts, scope, operation.workflow, 'operation')
  // Once it is cancelled nothing interrupts what is left to be done.
  const interruptible = operation.status === 'running' && !operation.stopped
  const run = (signal: AbortSignal) => runSteps(runner, { scope, operation, lease, signal }, steps)
  try {
    await (interruptible ? watched(runner, operation, run) : run(runner.signal))
    await endOperation(runner, scope, operation, lease, endStatus(operation))
  } catch (error) {
    if (error instanceof PutDown) return putDown(scope, operation.id, lease)
    throw error
  }
  await runner.progress.announceEnd(job.shop, job.operation)
}

/** An operation at its end, in the hands of this worker. Its row's counters move as its last steps do. */
interface Ending {
  scope: ShopScope
  operation: OperationRow
  lease: number
  signal: AbortSignal
}

/** It was paused or cancelled meanwhile: what it was doing takes no effect. */
class PutDown extends Error {}

/**
 * The end is free for whoever goes on with it. It is locked before the operation is looked at, and a resume or a cancellation does
 * that the other way round: so one of both queues it.
 */
function putDown(scope: ShopScope, operation: string, lease: number): Promise<void> {
  return scope.transaction(async (tx) => {
    await holdLease(tx, operation, FINISH_CHAIN, lease)
    const [row] = await tx.query<{ goes: boolean }>(
      `update chains set worker_id = null where shop_id = :shop and operation_id = :operation and chain = :finish
       returning (select status <> 'paused' from operations where shop_id = :shop and id = :operation) as goes`,
      { operation, finish: FINISH_CHAIN },
    )
    if (row!.goes) await queueFinish(tx, operation)
  })
}

async function runSteps(runner: BatchRunner, ending: Ending, steps: readonly ResolvedStep<OperationPlugin>[]) {
  const { scope, operation, signal } = ending
  const context = await writeContext(runner.parts, scope, operation, signal)
  for (const [index, step] of steps.entries()) {
    if (step.pluginImpl.kind === 'notify') settle(operation)
    const status = endStatus(operation)
    const runs = step.pluginImpl.always || status === 'success' || status === 'partial'
    if (index < operation.finished_steps) continue
    const results = openResults()
    const report = runs ? await runStep(runner, ending, step, { ...context, ...results.ports(runner, ending) }) : {}
    await endStep(runner, ending, index, results, report)
  }
  settle(operation)
}

/** Without a ledger its files are what the operation is: all done, or none. */
function settle(operation: OperationRow): void {
  const { ledger, status, stopped, total } = operation
  if (ledger || status === 'cancelled') return
  Object.assign(operation, stopped ? { done: 0, failed: total } : { done: total, failed: 0 })
}

/** What a step produces: it takes effect with the step's end. */
function openResults() {
  const kept = { emails: [] as Email[], notices: [] as Notice[], artifact: null as Artifact | null }
  const notify: Notifier = {
    email: (email) => kept.emails.push(email),
    notice: (notice) => kept.notices.push(notice),
  }
  return {
    kept,
    ports: (runner: BatchRunner, { scope, operation, signal }: Ending): Omit<OperationContext, keyof WriteContext> => ({
      notify,
      artifacts: {
        write: async (filename, contentType, bytes) => {
          const { stage } = await runner.parts.ports(scope)
          kept.artifact = { filename, ...(await stage.write(Readable.from(bytes), contentType, signal)) }
        },
      },
      listings: runner.parts.listings(scope, operation.id, (done) => countSeen(runner, scope, operation, done)),
    }),
  }
}

type Artifact = StagedBlob & { filename: string }

/** Shows how far a step without a ledger has come. */
function countSeen(runner: BatchRunner, scope: ShopScope, { id, ledger }: OperationRow, done: number): void {
  if (ledger) return
  scope
    .query(
      `update operations set done = least(total, :done) where shop_id = :shop and id = :id and status = 'running'`,
      { id, done },
    )
    .then(() => runner.progress.announce(scope.shop, id))
    // Only a picture of it: the step's end says how it is.
    .catch(() => {})
}

async function foresee(runner: BatchRunner, scope: ShopScope, operation: OperationRow, lease: number): Promise<void> {
  const steps = resolveSteps<OperationPlugin>(runner.parts, scope, operation.workflow, 'operation')
  const context = await writeContext(runner.parts, scope, operation, runner.signal)
  const view = viewOf(scope, operation, endStatus(operation))
  await endPreview(scope, operation, lease, await intentionsOf(steps, view, context))
  await runner.progress.announceEnd(scope.shop, operation.id)
}

/** The operation under a fresh lease on its end, or null: it is not at its end, or someone else is at it. */
async function takeEnd(tx: ShopScope, id: string, worker: string) {
  const held = await takeChain(tx, id, FINISH_CHAIN, worker)
  const [operation] = await tx.query<OperationRow>(
    `select * from operations where shop_id = :shop and id = :id and (
       status in ('running', 'previewing') and done + failed + skipped + cancelled = total
       or status = 'queued' and done + failed + skipped + cancelled = total
       or status in ('queued', 'running', 'previewing') and not ledger
       or status = 'cancelled' and finished_at is null)`,
    { id },
  )
  if (!held || !operation) return null
  if (operation.status === 'queued') {
    await tx.query(
      `update operations set status = 'running', started_at = coalesce(started_at, now()) where shop_id = :shop and id = :id`,
      { id },
    )
    Object.assign(operation, { status: 'running', started_at: operation.started_at ?? new Date() })
  }
  // How far an earlier try had come is no matter: it is done from the beginning.
  if (!operation.ledger) Object.assign(operation, { done: 0, failed: 0 })
  return { lease: held.lease, operation }
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
    await tx.query('delete from foreseen_names where shop_id = :shop and operation_id = :operation', {
      operation: operation.id,
    })
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
  items: () => (operation.ledger ? finishedItems(scope, operation.id) : alikeItems(scope, operation, status)),
})

/** Without a ledger each of them is what the operation is. */
async function* alikeItems(
  scope: ShopScope,
  { id, stopped }: OperationRow,
  end: EndStatus,
): AsyncGenerator<FinishedItem[]> {
  const status = end === 'success' || end === 'partial' ? 'done' : end
  for await (const items of finishedItems(scope, id)) yield items.map((item) => ({ ...item, status, error: stopped }))
}

/** Null: it failed, and the operation with it. */
async function runStep(
  runner: BatchRunner,
  { scope, operation, signal }: Ending,
  step: ResolvedStep<OperationPlugin>,
  context: OperationContext,
): Promise<OperationReport | null> {
  const { pluginImpl: plugin } = step
  try {
    return await plugin.run(viewOf(scope, operation, endStatus(operation)), step.parsedOptions, context)
  } catch (error) {
    if (runner.signal.aborted) throw error
    if (signal.aborted) throw new PutDown()
    const known = error instanceof PortError
    if (!known)
      runner.parts.log.error('the last step of an operation failed', { plugin: step.plugin, ...errorFields(error) })
    // The files are in: a message that could not be written must not turn that into a failure.
    if (plugin.kind === 'notify')
      return { warnings: [{ code: 'step_failed', message: `${plugin.title} could not be carried out` }] }
    operation.stopped = {
      step: step.id,
      code: known ? error.code : 'plugin_failed',
      message: known ? error.message : `${plugin.title} could not be carried out`,
    }
    return null
  }
}

function endStep(
  { parts: { limits } }: BatchRunner,
  { scope, operation, lease }: Ending,
  index: number,
  { kept }: ReturnType<typeof openResults>,
  report: OperationReport | null,
): Promise<void> {
  const { warnings = [], created = [] } = report ?? {}
  return scope.transaction(async (tx) => {
    await holdLease(tx, operation.id, FINISH_CHAIN, lease)
    await holdStatus(tx, operation, ['running', 'paused'])
    await queueEmails(tx, operation, index, kept.emails)
    if (kept.notices.length > 0)
      await tx.insert(
        'notices',
        kept.notices.map((notice) => ({ ...notice, operation_id: operation.id })),
      )
    if (kept.artifact && report) await keepArtifact(tx, operation.id, kept.artifact)
    if (created.length > 0) {
      const { settings } = await readShop(tx)
      const model = draftOf({ filename: operation.workflow.title }, settings)
      const made = await admitCreated(tx, operation, -1 - index, created, model, limits)
      if ('code' in made) operation.stopped = { step: operation.workflow.steps[index]!.id, ...made }
    }
    await tx.query(
      `update operations set finished_steps = :ended, warnings = warnings || :warnings::jsonb, stopped = :stopped::jsonb
       where shop_id = :shop and id = :operation`,
      {
        operation: operation.id,
        ended: index + 1,
        warnings: JSON.stringify(warnings),
        stopped: operation.stopped && JSON.stringify(operation.stopped),
      },
    )
  })
}

/** Nothing takes effect once it was cancelled; a step that has ended while it was paused has. Throws `PutDown`. */
async function holdStatus(tx: ShopScope, { id, status }: OperationRow, also: readonly OperationRow['status'][] = []) {
  const [row] = await tx.query<Pick<OperationRow, 'status'>>(
    'select status from operations where shop_id = :shop and id = :id for no key update',
    { id },
  )
  if (!row || (row.status !== status && !also.includes(row.status))) throw new PutDown()
}

async function queueEmails(tx: ShopScope, operation: OperationRow, index: number, emails: readonly Email[]) {
  for (const [at, email] of emails.entries()) {
    const key = `${operation.id}/${operation.round}/${index}/${at}`
    const payload = JSON.stringify(email)
    const [row] = (await tx
      .insert('outbox', { key, kind: 'email', payload, operation_id: operation.id })
      .onConflict()
      .ignore()
      .returning('id')) as { id: string }[]
    if (row) await queueMessage(tx, row.id)
  }
}

async function keepArtifact(tx: ShopScope, operation: string, artifact: Artifact): Promise<void> {
  await holdBlobs(tx, [artifact])
  await tx.query(
    `insert into artifacts (shop_id, operation_id, hash, location, filename, content_type, size_bytes)
     select :shop, :operation, decode(:hash, 'hex'), :location, :filename, :content_type, :size_bytes
     on conflict (shop_id, operation_id) do update set hash = excluded.hash, location = excluded.location,
       filename = excluded.filename, content_type = excluded.content_type, size_bytes = excluded.size_bytes`,
    { operation, ...artifact },
  )
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
    await holdStatus(tx, operation)
    await tx.query(
      `update operations set status = :status, started_at = coalesce(started_at, now()), finished_at = now(),
         done = case when ledger then done else :done end, failed = case when ledger then failed else :failed end,
         undo_until = case when :undoable then now() + :window::interval end
       where shop_id = :shop and id = :operation`,
      {
        operation: operation.id,
        status,
        undoable,
        window: UNDO_WINDOW,
        done: operation.done,
        failed: operation.failed,
      },
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
