// Resolves the workflow of a schedule, and finds every problem of a schedule before it is saved.
import { say, type Text, type Workflow } from '../../../plugins/contract/index.ts'
import { keptProblems, type WorkflowProblem } from '../workflows/problems.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { misplaced, filePlaceOf } from '../../engine/steps.ts'
import { AppError } from '../../core/errors.ts'
import { nameProblem, type Parts } from '../workflows/check.ts'
import { actionWorkflow, requireWorkflow } from '../workflows/find.ts'
import {
  referenceProblems,
  referencesIn,
  referencesInFilter,
  type Reference,
} from '../workflows/references.ts'
import { oneTooMany } from '../workflows/triggers.ts'
import { cronProblem } from './times.ts'
import type { FileFilter } from '../../files/filter.ts'
import type { Given } from '../../http/endpoint.ts'

/**
 * Reads the schedule's workflow, with the options of its action. Throws `not_found`,
 * `workflow_broken`.
 */
export async function workflowOf(
  scope: ShopScope,
  { action, workflow, options }: Pick<ScheduleBody, 'action' | 'workflow' | 'options'>,
  parts: Parts,
): Promise<Workflow> {
  if (workflow !== null) return requireWorkflow(scope, workflow, parts)
  const found = action === null ? null : actionWorkflow(action, options, parts)
  if (!found)
    throw new AppError('not_found', {
      message: say('There is no action {id}', { id: action ?? '' }),
    })
  return found
}

/**
 * Finds the problems of a schedule; empty: it can be saved. `before`: the schedule as it is now. A
 * deleted pack or product does not prevent a person from switching it off.
 * @param body malformed fields are undefined, and what depends on them is not judged
 */
export async function scheduleProblems(
  scope: ShopScope,
  body: Given<ScheduleBody>,
  parts: Parts,
  before: ScheduleBody | null = null,
): Promise<WorkflowProblem[]> {
  const cron = body.cron === undefined ? null : cronProblem(body.cron)
  const name = body.name === undefined ? null : nameProblem(body.name)
  const named = referencesOf(body, parts)
  const kept = new Set(
    before && body.enabled === false ? referencesOf(before, parts).map(keyOf) : [],
  )
  const what = whatProblems(body, parts)
  const joins = body.workflow && body.workflow !== before?.workflow ? body.workflow : null
  return [
    ...(name === null ? [] : [{ param: 'name', message: name }]),
    ...(cron === null ? [] : [{ param: 'cron', message: cron }]),
    ...what,
    ...(joins === null ? [] : await oneTooMany(scope, joins)),
    ...(await referenceProblems(
      scope,
      named.filter((one) => !kept.has(keyOf(one))),
    )),
    ...(what.some(({ param }) => param === 'action') ? [] : await runProblems(scope, body, parts)),
  ]
}

/** The problems of its action and its options. */
function whatProblems(
  { action, workflow, options }: Given<ScheduleBody>,
  parts: Parts,
): WorkflowProblem[] {
  if (action === undefined || workflow === undefined) return []
  const wrong = (param: string, message: Text) => [{ param, message }]
  if ((action === null) === (workflow === null))
    return wrong('action', say('Choose an action, or a workflow'))
  const plugin = parts.plugins.find(({ id }) => id === action)
  if (action !== null && !(plugin && actionWorkflow(action, {}, parts)))
    return wrong('action', say('There is no action {id}', { id: action }))
  if (options === undefined) return []
  if (plugin) return keptProblems(plugin, options, 'options')
  return Object.keys(options).length > 0
    ? wrong('options', say('A workflow’s options are in its steps'))
    : []
}

const keyOf = ({ kind, id }: Reference) => `${kind} ${id}`

const referencesOf = (
  { action, options = {}, filter = {} }: Given<ScheduleBody>,
  { plugins }: Parts,
): Reference[] => [
  ...referencesIn(
    plugins.find(({ id }) => id === action),
    options,
    'options',
  ),
  ...referencesInFilter(filter, 'filter'),
]

/** The problems of its workflow or action, and of its filter. */
async function runProblems(
  scope: ShopScope,
  { action, workflow: id, options = {}, filter }: Given<ScheduleBody>,
  parts: Parts,
): Promise<WorkflowProblem[]> {
  if (action === undefined || id === undefined) return []
  try {
    const workflow = await workflowOf(scope, { action, workflow: id, options }, parts)
    if (workflow.kind === 'delivery')
      return [{ param: 'workflow', message: say('This workflow is for deliveries, not for files') }]
    if (workflow.kind === 'import')
      return [{ param: 'workflow', message: say('This workflow is for imports, not for files') }]
    if (filePlaceOf(workflow, parts.plugins) === 'rows')
      return [
        { param: 'workflow', message: say('This workflow only works on the rows of a CSV file') },
      ]
    const message = filter && misplaced(filter as FileFilter, workflow, parts.plugins)
    return message ? [{ param: 'filter.deleted', message }] : []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const message = error.code === 'not_found' ? say('There is no such workflow') : error.text
    return [{ param: 'workflow', message }]
  }
}

export interface ScheduleBody {
  name: string
  enabled: boolean
  /** The cron line, with five fields. */
  cron: string
  /** A bulk action, with its options; null: `workflow` is set instead. */
  action: string | null
  workflow: string | null
  options: Record<string, unknown>
  filter: FileFilter
  notify: 'always' | 'errors' | 'never'
  /** The maximum number of files that one run may delete. */
  cap: number
}
