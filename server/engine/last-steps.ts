// The steps that work on the whole operation, after its items have ended.
import { storedMessage } from '../core/texts.ts'
import {
  PortError,
  type OperationContext,
  type OperationReport,
  say,
  textOf,
  type AnyText,
  type Text,
} from '../../plugins/contract/index.ts'
import { withFields } from '../core/lazy.ts'
import { errorFields } from '../core/log.ts'
import type { EngineRunner } from './runner.ts'
import { writeContext } from './context.ts'
import { endStatus, Interruption, viewOf, type Finalization } from './finish-lease.ts'
import { endStep, openResults, type LastStep } from './results.ts'
import type { OperationRow } from './types.ts'

/** Runs the steps that have not ended, in their order. Throws `Interruption`. */
export async function runOperationSteps(
  runner: EngineRunner,
  ending: Finalization,
  steps: readonly LastStep[],
): Promise<void> {
  const { scope, operation, signal } = ending
  const context = await writeContext(runner.parts, scope, operation, signal)
  for (const [index, step] of steps.entries()) {
    if (step.pluginImpl.kind === 'notify') countWithoutLedger(operation)
    const status = endStatus(operation)
    const runs = step.pluginImpl.always || status === 'success' || status === 'partial'
    if (index < operation.finished_steps) continue
    const results = openResults(step)
    const crashLoop = ending.crashLoop && index === operation.finished_steps
    const report = !runs
      ? {}
      : crashLoop
        ? failedStep(operation, step, crashOf(step))
        : await runStep(runner, ending, step, withFields(context, results.ports(runner, ending)))
    await endStep(runner, ending, { index, step, results, report })
  }
  countWithoutLedger(operation)
}

/**
 * Sets the counters of an operation without a ledger: all files done, except those that its step
 * left out, or none.
 */
function countWithoutLedger(operation: OperationRow): void {
  const { ledger, status, stopped, total, skipped } = operation
  if (ledger || status === 'cancelled') return
  Object.assign(
    operation,
    stopped
      ? { done: 0, failed: total, skipped: 0 }
      : { done: total - skipped, failed: 0, skipped },
  )
}

/** Runs one step. Null: it failed, and so does the operation, unless the step only notifies. */
async function runStep(
  runner: EngineRunner,
  { scope, operation, signal }: Finalization,
  step: LastStep,
  context: OperationContext,
): Promise<OperationReport | null> {
  const { pluginImpl: plugin } = step
  try {
    return await plugin.run(
      await viewOf(scope, operation, runner.parts.messageWords),
      step.parsedOptions,
      context,
    )
  } catch (error) {
    if (signal.aborted) throw new Interruption()
    if (error instanceof PortError) return failedStep(operation, step, error)
    runner.parts.log.error('the last step of an operation failed', {
      plugin: step.plugin,
      ...errorFields(error),
    })
    return failedStep(operation, step, {
      code: 'plugin_failed',
      message: notCarriedOut(plugin.title),
    })
  }
}

const notCarriedOut = (title: string): Text =>
  say('{title} could not be carried out', { title: textOf(title) })

const crashOf = ({ pluginImpl: { title } }: LastStep) => ({
  code: 'worker_crashed',
  ...storedMessage(say('{title} stopped the worker three times', { title: textOf(title) })),
})

/**
 * Records the failure of a step. It ends the operation, unless the step only notifies: the files
 * are imported, and a message that could not be written must not turn that into a failure.
 */
function failedStep(
  operation: OperationRow,
  { id, pluginImpl: { kind, title } }: LastStep,
  failure: { code: string; message: AnyText },
): OperationReport | null {
  if (kind === 'notify')
    return { warnings: [{ code: 'step_failed', message: notCarriedOut(title) }] }
  operation.stopped = { step: id, code: failure.code, ...storedMessage(failure.message) }
  return null
}
