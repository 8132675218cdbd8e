// The problems of a workflow or of stored options, each with its place.
import type { z } from 'zod'
import {
  say,
  type Plugin,
  type Text,
  type Workflow,
  ownValue,
} from '../../../plugins/contract/index.ts'
import { issueText, parseBounded, type Issue, shortName } from '../../core/bounds.ts'
import type { ErrorDetail } from '../../core/errors.ts'
import { sensitiveOptions } from '../../core/sensitive.ts'

export interface WorkflowProblem {
  /** The place of the problem: `steps[2].options.tags`. */
  param: string
  /** Absent: `invalid_value`. */
  code?: ErrorDetail['code']
  /** The problem as a sentence. */
  message: Text
}

/** The problem as a detail of an error. */
export const asDetail = ({
  param,
  message,
  code = 'invalid_value',
}: WorkflowProblem): ErrorDetail => ({ param, message, code })

/**
 * Finds all problems of a workflow, built in or the shop's; empty if it can run. `action`: the
 * plugin whose options come with each call and are checked then.
 */
export function workflowProblems(
  workflow: Pick<Workflow, 'parallel' | 'steps'>,
  plugins: readonly Plugin[],
  action: string | null = null,
): WorkflowProblem[] {
  const problems: WorkflowProblem[] = []
  const add = (param: string, message: Text) => problems.push({ param, message })
  const ids = workflow.steps.map(({ id }) => id)
  ids.forEach(
    (id, at) =>
      ids.indexOf(id) < at && add(`steps[${at}].id`, say('The step {id} is listed twice', { id })),
  )
  if (workflow.steps.length === 0) add('steps', say('It has no steps'))
  if (!(Number.isInteger(workflow.parallel) && workflow.parallel > 0))
    add('parallel', say('Parallel is 1 or more'))
  let operationScope = false
  for (const [at, step] of workflow.steps.entries()) {
    const plugin = plugins.find(({ id }) => id === step.plugin)
    if (!plugin) {
      add(`steps[${at}].plugin`, say('There is no plugin {plugin}', { plugin: step.plugin }))
      continue
    }
    const waits = plugin.scope !== 'operation' && plugin.waits !== undefined
    // What follows a wait is a separate operation.
    if (waits) operationScope = false
    if (plugin.scope !== 'operation' && operationScope)
      add(
        `steps[${at}]`,
        say(`A step on files can’t follow a step on the whole operation: move it up`),
      )
    operationScope ||= plugin.scope === 'operation'
    if (plugin.id !== action)
      problems.push(...keptProblems(plugin, step.options ?? {}, `steps[${at}].options`))
  }
  return problems
}

/** The problems of options that will be stored, by a workflow or a schedule. */
export function keptProblems(
  plugin: Plugin,
  options: Record<string, unknown>,
  param: string,
): WorkflowProblem[] {
  const secrets = sensitiveOptions(plugin).filter((name) => ownValue(options, name) !== undefined)
  return [
    ...schemaProblems(plugin.options, options, param),
    ...secrets.map((name) => ({
      param: `${param}.${name}`,
      message: say('This is not stored: it can only be given when the action is started manually'),
    })),
  ]
}

/** The problems of the value at `param`, by its schema. */
export function schemaProblems(
  schema: z.ZodType,
  value: unknown,
  param: string,
): WorkflowProblem[] {
  if (!canBeKept(value))
    return [{ param, message: say('It contains a character that cannot be stored') }]
  return (parseBounded(schema, value).issues ?? []).flatMap((issue) => issueProblems(issue, param))
}

/** Can the value be stored? PostgreSQL stores neither NUL nor half a surrogate pair. */
function canBeKept(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(canBeKept)
  return Object.entries(value).every(([name, inner]) => canBeKept(name) && canBeKept(inner))
}

function issueProblems(issue: Issue, param: string): WorkflowProblem[] {
  const at =
    param +
    issue.path
      .map((part) => (typeof part === 'number' ? `[${part}]` : `.${shortName(String(part))}`))
      .join('')
  if (issue.code === 'unrecognized_keys')
    return issue.keys
      .map(shortName)
      .map((key) => ({ param: `${at}.${key}`, message: say('There is no {key} here', { key }) }))
  return [{ param: at, message: issueText(issue) }]
}
