// Other steps for an operation that is retried: whether its items can be processed with them, and
// what replaces the workflow that it keeps.
import { isDeepStrictEqual } from 'node:util'
import { say, type Plugin, type Text, type Workflow } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import type { EngineParts } from './parts.ts'
import { filePlaceOf, withoutParallel } from './steps.ts'
import type { OperationRow, StoredWorkflow } from './types.ts'
import { openOptions } from './sealed.ts'
import { storedWorkflow, needsLedger } from './start.ts'

/** Every reason why the operation's items cannot be processed with the steps of this workflow. */
export function misfits(
  operation: Pick<OperationRow, 'kind' | 'workflow' | 'ledger' | 'undoes'>,
  workflow: Workflow,
  plugins: readonly Plugin[],
): Text[] {
  const { kind, workflow: before, ledger, undoes } = operation
  if (undoes !== null) return [say('An undo restores what is recorded: it has no workflow')]
  if (workflow.kind !== kind)
    return [
      kind === 'import'
        ? say('The workflow does not import files any more')
        : say('The workflow does not work on existing files any more'),
    ]
  const first = workflow.steps[0]?.plugin
  const otherFirst = kind === 'import' && first !== before.steps[0]?.plugin
  const place = filePlaceOf(workflow, plugins)
  const otherPlace = kind === 'bulk' && place !== filePlaceOf(before, plugins)
  return [
    ...(otherFirst ? [say('It begins with another step, which does not import such files')] : []),
    ...(otherPlace
      ? [say('It works on other files: in the trash, or outside it, or on rows of a table')]
      : []),
    ...(needsLedger(workflow, plugins) === ledger
      ? []
      : [say('Its steps work on all files together, or on each: as they did not before')]),
  ]
}

/** Whether a retry with this workflow, as it was given, would run other steps or options. */
export async function differs(
  parts: Pick<EngineParts, 'plugins' | 'secrets'>,
  scope: ShopScope,
  { workflow }: Pick<OperationRow, 'workflow'>,
  given: Workflow,
): Promise<boolean> {
  const place = { shop: scope.shop, secrets: parts.secrets }
  const [now, before] = [await storedWorkflow(parts, scope, given), workflow].map(({ steps }) =>
    steps.map(({ given: _, when = null, onFailure = null, ...step }) => {
      const plugin = parts.plugins.find(({ id }) => id === step.plugin)
      const options = plugin ? openOptions(step, plugin, place) : (step.options ?? {})
      return { ...step, when, onFailure, options }
    }),
  )
  return !isDeepStrictEqual(now, before)
}

/**
 * Replaces the operation's workflow, in the transaction that retries it and has locked it. Throws
 * `workflow_unfit`.
 * @returns the operation with it
 */
export async function replaceWorkflowOf(
  tx: ShopScope,
  operation: OperationRow,
  given: StoredWorkflow,
  plugins: readonly Plugin[],
): Promise<OperationRow> {
  const wrong = misfits(operation, given, plugins)
  if (wrong.length > 0) throw unfit(wrong)
  const { id, workflow: before } = operation
  const ran = [...(before.earlier ?? []), ...before.steps]
  const earlier = ran.filter(({ plugin }) => !given.steps.some((step) => step.plugin === plugin))
  const ordered = withoutParallel(given, plugins)
  const workflow: StoredWorkflow = {
    ...given,
    // The operation has no more chains, and its channel may have asked for fewer.
    parallel: Math.min(ordered.parallel, before.parallel),
    ...(earlier.length > 0 ? { earlier } : {}),
  }
  await tx.query('update operations set workflow = :workflow where shop_id = :shop and id = :id', {
    id,
    workflow: JSON.stringify(workflow),
  })
  // What a preview promised is what the steps before would have done.
  await tx.query(
    `update items set plan = null where shop_id = :shop and operation_id = :id
       and plan is not null and status in ('failed', 'cancelled')`,
    { id },
  )
  return { ...operation, workflow }
}

const unfit = (reasons: readonly Text[]): AppError =>
  new AppError('workflow_unfit', {
    details: reasons.map((message) => ({
      param: 'workflow',
      code: 'invalid_value' as const,
      message,
    })),
  })
