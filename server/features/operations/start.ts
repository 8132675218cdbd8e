// Starts bulk actions and workflows on existing files, for a person in the page or a program with a
// key.
import { say, type Text, type Workflow } from '../../../plugins/contract.ts'
import { schemaProblems, type WorkflowProblem } from '../workflows/problems.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import {
  misplaced,
  permissionsOf,
  placedFilter,
  filePlaceOf,
  withOptions,
  type Engine,
  type OperationSource,
} from '../../engine/engine.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { firstOf, present } from '../../core/present.ts'
import { requireDownloads } from '../../files/plan-limits.ts'
import { requireWorkflow } from '../workflows/find.ts'
import { requireSelected } from './link-terms.ts'

export interface BulkRequest {
  /** A plugin's id, with its options; or a workflow's id. */
  actionWithOptions?: string
  workflow?: string
  options: Record<string, unknown>
  source: OperationSource
  dryRun: boolean
  requestedBy: string
  channel: string
  idempotencyKey: string | undefined
  /** Throws if the caller lacks one of these scopes. */
  permit(scopes: readonly string[]): void
}

/**
 * Starts the operation and returns its UUID. Throws `validation_failed` with every problem,
 * `missing_scope`, `not_found`.
 */
export async function startBulk(
  engine: Engine,
  scope: ShopScope,
  request: BulkRequest,
): Promise<string> {
  const workflow =
    request.actionWithOptions === undefined
      ? await ownWorkflow(engine, scope, request)
      : workflowOfAction(engine, request.actionWithOptions, request.options)
  const { per_file } = request.options
  if (request.actionWithOptions === 'create-links' && per_file)
    await requireSelected(scope, request.source, per_file as { file_id: string }[])
  return startWorkflow(engine, scope, workflow, request)
}

/** Starts a workflow that the caller has loaded already, as `startBulk` does. */
export async function startWorkflow(
  engine: Engine,
  scope: ShopScope,
  workflow: Workflow,
  request: Omit<BulkRequest, 'action' | 'workflow' | 'options'>,
): Promise<string> {
  if (workflow.steps.some(({ plugin }) => plugin === 'create-links')) await requireDownloads(scope)
  const permissions = permissionsOf(workflow, engine.plugins)
  request.permit(permissions)
  const { source, dryRun, requestedBy, channel, idempotencyKey } = request
  // Undo restores files from the trash, but not purged files.
  if (!dryRun && selectsEverything(source) && permissions.includes('files:purge'))
    throw invalidValue(
      'select.filter',
      say(
        'This would permanently delete the whole trash: preview it first (dry_run), or send {filter}',
        { filter: '{"deleted": true}' },
      ),
    )
  return engine.start(scope, {
    workflow,
    channel,
    source: placedSource(engine, workflow, source),
    request: {},
    requestedBy,
    dryRun,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
}

/** Reads the shop's own workflow, if it works on existing files. Throws `validation_failed`. */
async function ownWorkflow(
  engine: Engine,
  scope: ShopScope,
  { workflow: id, options }: BulkRequest,
): Promise<Workflow> {
  const workflow = await requireWorkflow(scope, present(id, 'workflow'), engine).catch(
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found')
        throw invalidValue('workflow', say('There is no workflow {id}', { id: id ?? '' }))
      throw error
    },
  )
  if (workflow.kind === 'import')
    throw invalidValue('workflow', say('This workflow imports files: it needs a channel'))
  if (workflow.kind === 'delivery')
    throw invalidValue(
      'workflow',
      say('This workflow runs when an order is delivered: choose it in the settings'),
    )
  if (filePlaceOf(workflow, engine.plugins) === 'rows')
    throw invalidValue('workflow', say('This workflow only works on the rows of a CSV file'))
  if (Object.keys(options).length > 0)
    throw invalidValue('options', say('A workflow has its options in its steps'))
  return workflow
}

/** The problems of the options of an action; none if there is no such action. */
export const optionProblems = (
  { plugins }: Engine,
  action: string,
  options: Record<string, unknown>,
): WorkflowProblem[] => {
  const plugin = plugins.find(({ id }) => id === action)
  return plugin ? schemaProblems(plugin.options, options, 'options') : []
}

/** Returns the built-in workflow of an action, with these options. Throws `validation_failed`. */
export function workflowOfAction(
  engine: Engine,
  id: string,
  options: Record<string, unknown>,
): Workflow {
  const workflow = engine.workflow(id)
  const plugin = engine.plugins.find((one) => one.id === id)
  if (!workflow || !plugin || workflow.kind !== 'bulk')
    throw invalidValue('action', say('There is no action {id}', { id }))
  const problems = optionProblems(engine, id, options)
  if (problems.length === 0) return withOptions(workflow, id, options)
  throw invalid(problems.map((problem) => ({ ...problem, code: 'invalid_value' })))
}

/**
 * Selects in the trash if the workflow works there. Throws `validation_failed` if it cannot work
 * where the filter looks.
 */
export function placedSource(
  { plugins }: Engine,
  workflow: Workflow,
  source: OperationSource,
): OperationSource {
  if (source.type !== 'filter') return source
  const message = misplaced(source.filter, workflow, plugins)
  if (message) throw invalidValue('select.filter.deleted', message)
  return { type: 'filter', filter: placedFilter(source.filter, workflow, plugins) }
}

/** Is it a filter without conditions? The caller may have forgotten them. */
const selectsEverything = (source: OperationSource): boolean =>
  source.type === 'filter' &&
  Object.entries(source.filter).every(
    ([name, value]) => value === undefined || (name === 'deleted' && value === false),
  )

const invalidValue = (param: string, message: Text) =>
  invalid([{ param, code: 'invalid_value', message }])

const invalid = (details: ErrorDetail[]) =>
  new AppError('validation_failed', { details, param: firstOf(details).param })
