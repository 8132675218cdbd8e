// The end of a preview: what its last steps would do, and how many files would change.
import { storedMessage } from '../core/texts.ts'
import { PortError, type AnyText, say, textOf, sayPlain } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { isDatabaseUnavailable } from '../core/db/error-classes.ts'
import { errorFields } from '../core/log.ts'
import type { EngineRunner } from './runner.ts'
import { resolveLastSteps, writeContext } from './context.ts'
import { releaseChains, viewOf, type Finalization } from './finish-lease.ts'
import { runEnds } from './run-ends.ts'
import { holdLease } from './chain.ts'
import type { Stop } from './outcomes.ts'
import { FINISH_CHAIN } from '../core/queue/queue.ts'
import type { PreviewCounts, OperationRow } from './types.ts'
import { isKnownLater } from './steps.ts'

/**
 * Ends a preview, which then waits for confirmation.
 * @returns why it can never run; null: it can
 */
export async function endPreview(runner: EngineRunner, ending: Finalization): Promise<Stop | null> {
  const { scope, operation, crashLoop } = ending
  if (operation.stopped?.code === 'workflow_broken') return operation.stopped
  if (crashLoop)
    return {
      step: lastOf(operation),
      code: 'worker_crashed',
      message: sayPlain('The preview stopped the worker three times'),
    }
  const intentions = await intentionsOf(runner, ending)
  if ('code' in intentions) return intentions
  const counts = await countPreviewResults(
    scope,
    operation,
    isKnownLater(operation.workflow, runner.parts.plugins),
  )
  await recordPreview(runner, ending, { intentions, counts })
  return null
}

const lastOf = ({ workflow: { steps } }: OperationRow) => steps.at(-1)?.id ?? ''

async function intentionsOf(
  runner: EngineRunner,
  { scope, operation, signal }: Finalization,
): Promise<AnyText[] | Stop> {
  const context = {
    ...(await writeContext(runner.parts, scope, operation, signal)),
    listings: runner.parts.listings(scope, operation.id, () => {}),
    documents: {
      connection: (id: string) => runner.parts.messages.connection(scope, id),
    },
  }
  const intentions: AnyText[] = []
  for (const step of resolveLastSteps(runner.parts, scope, operation.workflow)) {
    try {
      const view = await viewOf(scope, operation, runner.parts.messageWords)
      intentions.push(
        ...(await Array.fromAsync(step.pluginImpl.plan(view, step.parsedOptions, context))),
      )
    } catch (error) {
      if (signal.aborted || isDatabaseUnavailable(error)) throw error
      if (error instanceof PortError)
        return { step: step.id, code: error.code, ...storedMessage(error.texts.message) }
      runner.parts.log.error('a final step could not be planned', {
        plugin: step.plugin,
        ...errorFields(error),
      })
      return {
        step: step.id,
        code: 'plugin_failed',
        ...storedMessage(
          say('{title} could not be planned', { title: textOf(step.pluginImpl.title) }),
        ),
      }
    }
  }
  return intentions
}

/**
 * Counts what the preview found.
 * @param knownLater whether the files would really change is known only when the steps run
 */
async function countPreviewResults(
  scope: ShopScope,
  { id }: OperationRow,
  knownLater: boolean,
): Promise<PreviewCounts> {
  const counts = await scope.one<PreviewCounts>(
    `select count(*) filter (where changes) as changed,
       count(*) filter (where not changes and asks) as candidates,
       count(*) filter (where not changes and not asks) as unchanged
     from (
       select status = 'done' and (after is not null or :knownLater) as changes,
         candidates is not null as asks from items
       where shop_id = :shop and operation_id = :id
         and (status = 'done' or status = 'skipped' and candidates is not null)
     ) found`,
    { id, knownLater },
  )
  return counts
}

function recordPreview(
  { parts: { plugins, ends } }: EngineRunner,
  { scope, operation, lease }: Finalization,
  { intentions, counts }: { intentions: readonly AnyText[]; counts: PreviewCounts },
) {
  const { id } = operation
  return scope.transaction(async (tx) => {
    await holdLease(tx, id, FINISH_CHAIN, lease)
    const ready = await tx.query(
      `update operations set status = 'previewed', intentions = :intentions,
         preview_counts = :counts, started_at = coalesce(started_at, now()), previewed_at = now()
       where shop_id = :shop and id = :id and status = 'previewing' returning 1`,
      { id, intentions: JSON.stringify(intentions), counts: JSON.stringify(counts) },
    )
    await forgetNames(tx, id)
    // It may have been discarded meanwhile.
    if (ready.length > 0)
      await runEnds(tx, operation, { plugins, ends, worked: false, status: 'previewed' })
    await releaseChains(tx, id)
  })
}

/** Removes the names that a preview has planned: only its own batches need them. */
export const forgetNames = (tx: ShopScope, id: string) =>
  tx.query('delete from preview_names where shop_id = :shop and operation_id = :id', { id })
