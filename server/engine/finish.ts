// The end of an operation: its status, then the steps that work on the whole of it. Each such step's messages are
// written in the transaction that marks the step as ended, so that a second run sends nothing twice.
import type { Notifier, OperationPlugin, OperationView, Warning } from '../../plugins/contract.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { toPublicId } from '../ids.ts'
import { errorFields } from '../log.ts'
import { queueCallback } from '../notify/callbacks.ts'
import { takeChain } from './claim.ts'
import { LeaseLost } from './commit.ts'
import { resolveSteps, writeContext } from './context.ts'
import { finishedItems } from './items.ts'
import { exclusively, type BatchRunner } from './batch.ts'
import { queueMessage, type FinishJob } from './queue.ts'
import { FINISH_CHAIN } from './start.ts'
import type { OperationRow, ResolvedStep } from './types.ts'

type Email = Parameters<Notifier['email']>[0]
type Notice = Parameters<Notifier['notice']>[0]
type EndStatus = OperationView['status']

export function finishOperation(runner: BatchRunner, job: FinishJob): Promise<void> {
  return exclusively(runner, { ...job, chain: FINISH_CHAIN }, () => finish(runner, job))
}

async function finish(runner: BatchRunner, job: FinishJob): Promise<void> {
  const scope = forShop(runner.parts.database, job.shop)
  const taken = await scope.transaction(async (tx) => {
    const held = await takeChain(tx, job.operation, FINISH_CHAIN, runner.worker)
    const [operation] = await tx.query<OperationRow>(
      `select * from operations where shop_id = :shop and id = :operation and status = 'running'
         and done + failed + skipped + cancelled = total
       union all select * from operations where shop_id = :shop and id = :operation and status = 'queued' and total = 0`,
      { operation: job.operation },
    )
    return held && operation ? { lease: held.lease, operation } : null
  })
  if (!taken) return
  const { operation, lease } = taken
  const status = endStatus(operation)
  const steps = resolveSteps<OperationPlugin>(runner.parts.plugins, operation.workflow, 'operation')
  const context = await writeContext(runner.parts, scope, operation, runner.signal)
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
  await endOperation(scope, operation, lease, status)
  await runner.progress.announceEnd(job.shop, job.operation)
}

function endStatus({ total, failed, cancelled }: OperationRow): EndStatus {
  if (cancelled > 0) return 'cancelled'
  if (failed === 0) return 'success'
  return failed === total ? 'failed' : 'partial'
}

const viewOf = (scope: ShopScope, operation: OperationRow, status: EndStatus): OperationView => ({
  ...operation,
  id: toPublicId(operation.kind === 'import' ? 'import' : 'op', operation.id),
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
    await holdFinish(tx, operation.id, lease)
    for (const [at, email] of messages.emails.entries()) {
      const key = `${operation.id}/${index}/${at}`
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

function endOperation(scope: ShopScope, operation: OperationRow, lease: number, status: EndStatus): Promise<void> {
  return scope.transaction(async (tx) => {
    await holdFinish(tx, operation.id, lease)
    await tx.query(
      `update operations set status = :status, started_at = coalesce(started_at, now()), finished_at = now()
       where shop_id = :shop and id = :operation`,
      { operation: operation.id, status },
    )
    await queueCallback(tx, operation)
    await tx.query(
      `update chains set ended = true, worker_id = null where shop_id = :shop and operation_id = :operation`,
      { operation: operation.id },
    )
  })
}

async function holdFinish(tx: ShopScope, operation: string, lease: number): Promise<void> {
  const rows = await tx.query(
    `select 1 from chains where shop_id = :shop and operation_id = :operation and chain = :chain and lease = :lease
     for update`,
    { operation, chain: FINISH_CHAIN, lease },
  )
  if (rows.length === 0) throw new LeaseLost()
}
