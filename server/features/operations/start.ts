// Starts bulk actions and workflows on existing files, for a person in the page or a program with a
// key.
import { say, type Text, type Workflow } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import {
  misplaced,
  permissionsOf,
  placedFilter,
  filePlaceOf,
  withOptions,
} from '../../engine/steps.ts'
import type { Engine } from '../../engine/engine.ts'
import type { OperationSource } from '../../engine/freeze.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { firstOf } from '../../core/lazy.ts'
import { requireDownloads } from '../../files/quotas.ts'
import { compileFilter } from '../../files/filter.ts'
import { requirePublicId } from '../../core/ids.ts'
import { asDetail, schemaProblems, type WorkflowProblem } from '../workflows/problems.ts'
import { requireWorkflow } from '../workflows/find.ts'
import { referenceProblems, referencesIn, referencesInFilter } from '../workflows/references.ts'

/** What is to be done with which files. */
export interface BulkChoice {
  /** A plugin's id, with its options; or a workflow's id. */
  action?: string | undefined
  workflow?: string | undefined
  options: Record<string, unknown>
  /** Null: it is malformed. */
  source: OperationSource | null
  /** Undefined: not known. */
  dryRun: boolean | undefined
}

interface BulkRequest {
  source: OperationSource
  dryRun: boolean
  requestedBy: string
  channel: string
  idempotencyKey: string | undefined
  /** Throws if the caller lacks one of these scopes. */
  permit(scopes: readonly string[]): void
}

interface StartedChoice extends Omit<BulkRequest, 'source'>, BulkChoice {
  dryRun: boolean
  /** Problems of the request that were found before. */
  known: readonly ErrorDetail[]
}

/**
 * Starts the operation and returns its UUID. Throws `validation_failed` with every problem,
 * `missing_scope`, `not_found`.
 */
export async function startBulk(
  engine: Engine,
  scope: ShopScope,
  { known, source, ...request }: StartedChoice,
): Promise<string> {
  const { workflow, problems } = await judgeBulk(engine, scope, { ...request, source })
  const all = [...known, ...problems]
  if (workflow === null || source === null || all.length > 0) throw invalid(all)
  return startWorkflow(engine, scope, workflow, { ...request, source })
}

/** The workflow of a choice, and every problem of it; null: there is none. */
export async function judgeBulk(
  engine: Engine,
  scope: ShopScope,
  choice: BulkChoice,
): Promise<{ workflow: Workflow | null; problems: ErrorDetail[] }> {
  const { action, options, source, dryRun } = choice
  const { workflow, problems } =
    action === undefined
      ? await ownWorkflow(engine, scope, choice)
      : await referredProblems(engine, scope, { id: action, options })
  const { per_file } = options
  const terms =
    action === 'create-links' && source !== null && Array.isArray(per_file) && problems.length === 0
      ? await unselected(scope, source, per_file as { file_id: string }[])
      : []
  const ofSource =
    workflow && source
      ? [
          ...misplacedProblems(engine, workflow, source),
          ...(dryRun === false ? purgeProblems(engine, workflow, source) : []),
        ]
      : []
  const ofFilter =
    source?.type === 'filter'
      ? await referenceProblems(scope, referencesInFilter(source.filter, 'select.filter'))
      : []
  return { workflow, problems: [...problems, ...ofSource, ...ofFilter.map(asDetail), ...terms] }
}

/** Starts a workflow that the caller has loaded already, as `startBulk` does. */
export async function startWorkflow(
  engine: Engine,
  scope: ShopScope,
  workflow: Workflow,
  request: BulkRequest,
): Promise<string> {
  if (workflow.steps.some(({ plugin }) => plugin === 'create-links')) await requireDownloads(scope)
  const permissions = permissionsOf(workflow, engine.plugins)
  request.permit(permissions)
  const { source, dryRun, requestedBy, channel, idempotencyKey } = request
  const everything = dryRun ? [] : purgeProblems(engine, workflow, source)
  if (everything.length > 0) throw invalid(everything)
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

/** Undo restores files from the trash, but not purged files. */
const purgeProblems = (
  { plugins }: Engine,
  workflow: Workflow,
  source: OperationSource,
): ErrorDetail[] =>
  selectsEverything(source) && permissionsOf(workflow, plugins).includes('files:purge')
    ? [
        problem(
          'select.filter',
          say(
            'This would permanently delete the whole trash: preview it first (dry_run), or send {filter}',
            { filter: '{"deleted": true}' },
          ),
        ),
      ]
    : []

interface Chosen {
  /** Null: it cannot be run. */
  workflow: Workflow | null
  problems: ErrorDetail[]
}

/** Reads the shop's own workflow, if it works on existing files. */
async function ownWorkflow(
  engine: Engine,
  scope: ShopScope,
  { workflow: id, options }: BulkChoice,
): Promise<Chosen> {
  if (id === undefined) return { workflow: null, problems: [] }
  const surplus =
    Object.keys(options).length > 0
      ? [problem('options', say('A workflow has its options in its steps'))]
      : []
  const workflow = await requireWorkflow(scope, id, engine).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  })
  const wrong = workflow ? unsuitable(engine, workflow) : say('There is no workflow {id}', { id })
  return wrong
    ? { workflow: null, problems: [problem('workflow', wrong), ...surplus] }
    : { workflow, problems: surplus }
}

/** Why a workflow cannot work on existing files, or null. */
function unsuitable({ plugins }: Engine, workflow: Workflow): Text | null {
  if (workflow.kind === 'import') return say('This workflow imports files: it needs a channel')
  if (workflow.kind === 'delivery')
    return say('This workflow runs when an order is delivered: choose it in the settings')
  return filePlaceOf(workflow, plugins) === 'rows'
    ? say('This workflow only works on the rows of a CSV file')
    : null
}

/** The problems of the options of an action; none if there is no such action. */
const optionProblems = (
  { plugins }: Engine,
  action: string,
  options: Record<string, unknown>,
): WorkflowProblem[] => {
  const plugin = plugins.find(({ id }) => id === action)
  return plugin ? schemaProblems(plugin.options, options, 'options') : []
}

/** The built-in workflow of an action with these options, or without them if they have problems. */
function actionProblems(engine: Engine, id: string, options: Record<string, unknown>): Chosen {
  const workflow = engine.workflow(id)
  const plugin = engine.plugins.find((one) => one.id === id)
  if (!workflow || !plugin || workflow.kind !== 'bulk')
    return { workflow: null, problems: [problem('action', say('There is no action {id}', { id }))] }
  const problems = optionProblems(engine, id, options).map(asDetail)
  return {
    workflow: problems.length === 0 ? withOptions(workflow, id, options) : workflow,
    problems,
  }
}

/** As `actionProblems`, with those of ids that do not belong to the shop. */
async function referredProblems(
  engine: Engine,
  scope: ShopScope,
  { id, options }: { id: string; options: Record<string, unknown> },
): Promise<Chosen> {
  const { workflow, problems } = actionProblems(engine, id, options)
  const plugin = engine.plugins.find((one) => one.id === id)
  const named = await referenceProblems(scope, referencesIn(plugin, options, 'options'))
  return { workflow, problems: [...problems, ...named.map(asDetail)] }
}

/** Returns the built-in workflow of an action, with these options. Throws `validation_failed`. */
export function workflowOfAction(
  engine: Engine,
  id: string,
  options: Record<string, unknown>,
): Workflow {
  const { workflow, problems } = actionProblems(engine, id, options)
  if (workflow === null || problems.length > 0) throw invalid(problems)
  return workflow
}

const misplacedProblems = (
  { plugins }: Engine,
  workflow: Workflow,
  source: OperationSource,
): ErrorDetail[] => {
  const message = source.type === 'filter' ? misplaced(source.filter, workflow, plugins) : null
  return message ? [problem('select.filter.deleted', message)] : []
}

/**
 * Selects in the trash if the workflow works there. Throws `validation_failed` if it cannot work
 * where the filter looks.
 */
export function placedSource(
  engine: Engine,
  workflow: Workflow,
  source: OperationSource,
): OperationSource {
  if (source.type !== 'filter') return source
  const problems = misplacedProblems(engine, workflow, source)
  if (problems.length > 0) throw invalid(problems)
  return { type: 'filter', filter: placedFilter(source.filter, workflow, engine.plugins) }
}

/** Is it a filter without conditions? The caller may have forgotten them. */
const selectsEverything = (source: OperationSource): boolean =>
  source.type === 'filter' &&
  Object.entries(source.filter).every(
    ([name, value]) => value === undefined || (name === 'deleted' && value === false),
  )

const problem = (param: string, message: Text): ErrorDetail => asDetail({ param, message })

const invalid = (details: readonly ErrorDetail[]) =>
  new AppError('validation_failed', { details, param: firstOf(details).param })

// Checks the terms of single files in an operation that creates links: each must name a selected
// file, because terms of other files would be ignored silently.

/**
 * Finds the files with own terms that are not selected. `perFile`: the option of the action
 * `create-links`, with well-formed ids.
 */
async function unselected(
  scope: ShopScope,
  source: OperationSource,
  perFile: readonly { file_id: string }[],
): Promise<ErrorDetail[]> {
  const ids = perFile.map(({ file_id }) => requirePublicId('file', file_id))
  const selected = await selectedOf(scope, source, ids)
  return ids.flatMap((id, at): ErrorDetail[] => {
    const param = `options.per_file[${at}].file_id`
    return selected.has(id)
      ? []
      : [{ param, code: 'invalid_value', message: say('This file is not selected') }]
  })
}

async function selectedOf(
  scope: ShopScope,
  source: OperationSource,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (source.type === 'files') return new Set(source.ids)
  if (source.type !== 'filter' || ids.length === 0) return new Set(ids)
  const { sql, bindings } = await compileFilter(scope, source.filter)
  const rows = await scope.query<{ id: string }>(
    `select id from files where files.shop_id = :shop and files.id = any(:ids::uuid[]) and ${sql}`,
    { ...bindings, ids },
  )
  return new Set(rows.map(({ id }) => id))
}
