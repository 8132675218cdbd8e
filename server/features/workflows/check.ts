// Turns what a merchant built into a workflow's steps, and names every problem. The rules of all
// workflows are in problems.ts; these rules prevent merchants from building one that cannot work.
import { isDeepStrictEqual } from 'node:util'
import {
  say,
  conditionSchema,
  type Condition,
  type Plugin,
  type Step,
  type StepBranch,
  type Text,
  UNSAFE_CHARACTERS,
  type Workflow,
} from '../../../plugins/contract/index.ts'
import { parseBounded } from '../../core/bounds.ts'
import type { Given } from '../../http/endpoint.ts'
import { waitAt } from '../../engine/steps.ts'
import { builtInWorkflow } from './channel.ts'
import type { IfNot } from './if-not.ts'
import { channelsOf, type ImportChannelOf, type TriggerBody } from './triggers.ts'
import { schemaProblems, workflowProblems, type WorkflowProblem } from './problems.ts'

const MAX_STEPS = 50
const MAX_PARALLEL = 16
const MAX_NAME = 100
const STEP_ID = /^[a-z0-9][a-z0-9-]{0,59}$/

/** The plugins, workflows and channels of this installation. */
export interface Parts {
  plugins: readonly Plugin[]
  /** The built-in workflows. */
  workflows: readonly Workflow[]
  /** The events that triggers may name; absent: their names are not judged. */
  startingEvents?: readonly string[]
}

interface BranchBody {
  id: string
  /** Absent: that of the first step of the branch. */
  when?: Readonly<Record<string, unknown>> | Condition | undefined
  else?: boolean | undefined
}

export interface WorkflowBody {
  name: string
  kind: Workflow['kind']
  parallel: number
  steps: readonly {
    id?: string | undefined
    plugin: string
    options?: Record<string, unknown> | undefined
    when?: Record<string, unknown> | null | undefined
    branch?: BranchBody | null | undefined
    on_failure?: Step['onFailure']
    tries?: number | undefined
    pause?: number | undefined
  }[]
  /** A channel's id: the same as a trigger for its imports. */
  channel: string | null
  /** false: nothing starts it by itself. */
  enabled?: boolean
  when?: readonly TriggerBody[] | undefined
  /** What follows when runs fail; absent: as it is. */
  if_not?: IfNot | null | undefined
}

export interface CheckedWorkflow {
  /** The steps as they would be stored. */
  workflow: Workflow
  /** The problems of the workflow; empty: it can be stored. */
  problems: WorkflowProblem[]
}

export function checkWorkflow(given: WorkflowBody, parts: Parts): CheckedWorkflow {
  // Some rules compare steps with each other: surplus steps are not checked.
  const body = { ...given, steps: given.steps.slice(0, MAX_STEPS) }
  const steps = stepsOf(body.steps)
  const problems = [
    ...bodyProblems(given, body, steps, parts),
    ...KIND_PROBLEMS[body.kind](steps, parts.plugins),
    ...channelProblems(body, channelsOf(body), parts),
  ]
  const { name, kind, parallel } = body
  return {
    workflow: { id: '', title: name.trim(), action: actionOf(kind), kind, parallel, steps },
    problems,
  }
}

/** The id of no plugin. */
const MALFORMED = 'malformed'

/**
 * The steps and the problems of a workflow with malformed fields, which are undefined. What depends
 * on one of them is not judged. The caller leaves out the problems of the malformed places.
 */
export function checkGiven(given: Given<WorkflowBody>, parts: Parts) {
  const sent = (given.steps ?? []).map((step) => step ?? {})
  const steps = sent.map(({ plugin, branch, ...step }) => ({
    ...step,
    ...(branch?.id === undefined ? {} : { branch: { ...branch, id: branch.id } }),
    plugin: plugin ?? MALFORMED,
  }))
  const isWhole = given.steps !== undefined && sent.every(({ plugin }) => plugin !== undefined)
  const { name = '', kind, parallel = 1, channel = null, enabled = true } = given
  const whole: WorkflowBody = { name, parallel, channel, steps, enabled, kind: kind ?? 'bulk' }
  const body = { ...whole, steps: whole.steps.slice(0, MAX_STEPS) }
  const checked = stepsOf(body.steps)
  return {
    steps: checked,
    problems: [
      ...bodyProblems(whole, body, checked, parts),
      ...(kind && isWhole
        ? [
            ...KIND_PROBLEMS[kind](checked, parts.plugins),
            ...channelProblems(body, channelsOf(given), parts),
          ]
        : []),
    ],
  }
}

/** The problems that do not depend on what kind of workflow it is. */
function bodyProblems(
  given: WorkflowBody,
  body: WorkflowBody,
  steps: readonly Step[],
  parts: Parts,
): WorkflowProblem[] {
  return [
    ...nameProblems(body.name),
    ...workflowProblems({ parallel: body.parallel, steps }, parts.plugins),
    ...(body.parallel > MAX_PARALLEL
      ? [{ param: 'parallel', message: say('At most {most}', { most: MAX_PARALLEL }) }]
      : []),
    ...(given.steps.length > MAX_STEPS
      ? [{ param: 'steps', message: say('At most {most} steps', { most: MAX_STEPS }) }]
      : []),
    ...steps.flatMap(({ id }, at) =>
      STEP_ID.test(id)
        ? []
        : [
            {
              param: `steps[${at}].id`,
              message: say('A step’s id has lower-case letters, digits and -'),
            },
          ],
    ),
    ...body.steps.flatMap(({ when }, at) =>
      schemaProblems(conditionSchema, when ?? {}, `steps[${at}].when`),
    ),
    ...wholeProblems(steps, parts.plugins),
    ...keepProblems(steps, parts.plugins),
    ...waitProblems(steps, parts.plugins),
    ...branchProblems(body.steps, parts.plugins),
    ...triesProblems(body.kind, steps, parts.plugins),
  ]
}

/** The action in the history of operations of a shop's own workflow. */
export const actionOf = (kind: Workflow['kind']): string =>
  kind === 'import' ? 'import' : kind === 'delivery' ? 'delivery' : 'workflow'

function nameProblems(name: string): WorkflowProblem[] {
  const message = nameProblem(name)
  return message === null ? [] : [{ param: 'name', message }]
}

/** The problem of a workflow's or schedule's name, or null. */
export function nameProblem(name: string): Text | null {
  if (name.trim() === '') return say('Give it a name')
  if (name.length > MAX_NAME) return say('A name has at most {most} characters', { most: MAX_NAME })
  if (!name.isWellFormed() || UNSAFE_CHARACTERS.test(name))
    return say('A name cannot contain control characters')
  return null
}

/** Adds missing step ids: history and undo refer to steps by id, so an id never changes. */
function stepsOf(given: WorkflowBody['steps']): Step[] {
  const taken = new Set(given.flatMap(({ id }) => id ?? []))
  const fresh = (plugin: string): string => {
    for (let n = 1; ; n++) {
      const id = n === 1 ? plugin : `${plugin}-${n}`
      if (!taken.has(id)) return taken.add(id) && id
    }
  }
  const conditions = new Map<string, Condition>()
  const branchOf = (branch: BranchBody): StepBranch => {
    const when = parseBounded(conditionSchema, branch.when ?? {}).data
    if (when && !conditions.has(branch.id)) conditions.set(branch.id, when)
    const { id } = branch
    return { id, when: conditions.get(id) ?? {}, ...(branch.else ? { else: true } : {}) }
  }
  return given.map(({ id, plugin, options, when, branch, on_failure: onFailure, tries, pause }) => {
    const condition = parseBounded(conditionSchema, when ?? {}).data
    const conditioned = condition && Object.keys(condition).length > 0
    return {
      id: id ?? fresh(plugin),
      plugin,
      ...(options && Object.keys(options).length > 0 ? { options } : {}),
      ...(conditioned ? { when: condition as NonNullable<Step['when']> } : {}),
      ...(branch ? { branch: branchOf(branch) } : {}),
      ...(onFailure ? { onFailure } : {}),
      ...(tries === undefined ? {} : { tries }),
      ...(pause === undefined ? {} : { pause }),
    }
  })
}

const pluginOf = (step: Step | undefined, plugins: readonly Plugin[]) =>
  plugins.find(({ id }) => id === step?.plugin)

/** Problems of steps on the whole operation: in the wrong place, or twice. */
function wholeProblems(steps: readonly Step[], plugins: readonly Plugin[]): WorkflowProblem[] {
  const problems: WorkflowProblem[] = []
  let document: string | null = null
  for (const [at, step] of steps.entries()) {
    const plugin = pluginOf(step, plugins)
    if (plugin?.scope !== 'operation') continue
    const add = (part: string, message: Text) =>
      problems.push({ param: `steps[${at}].${part}`, message })
    if (step.when)
      add('when', say('This step works on the whole operation, so it takes no condition on files'))
    if (step.onFailure === 'stop')
      add('on_failure', say('This step comes after all files: there is nothing left to stop'))
    if (step.onFailure === 'keep')
      add('on_failure', say('This step comes after all files: there is no file to keep'))
    if (plugin.needs?.includes('documents') && !document)
      add('plugin', say('It sends what a step before it writes: add Export files before it'))
    if (plugin.document && document)
      add(
        'plugin',
        say('An operation has one document, and {document} writes it already', { document }),
      )
    if (plugin.document) document ??= plugin.title
  }
  return problems
}

/**
 * Problems of `keep` after a failure: a file that was not fetched does not exist, and a file that
 * failed a check must not enter the shop.
 */
function keepProblems(steps: readonly Step[], plugins: readonly Plugin[]): WorkflowProblem[] {
  const message = say(
    'A file that fails this step cannot be kept: leave it out, or stop the operation',
  )
  return steps.flatMap((step, at) =>
    step.onFailure === 'keep' && ['fetch', 'validate'].includes(pluginOf(step, plugins)?.kind ?? '')
      ? [{ param: `steps[${at}].on_failure`, message }]
      : [],
  )
}

/** Problems of branches: each is one row of steps on files, those of the others last. */
function branchProblems(
  steps: WorkflowBody['steps'],
  plugins: readonly Plugin[],
): WorkflowProblem[] {
  const problems: WorkflowProblem[] = []
  const first = new Map<string, number>()
  for (const [at, { plugin: id, branch }] of steps.entries()) {
    if (!branch) continue
    const plugin = plugins.find((one) => one.id === id)
    const before = steps[at - 1]?.branch
    const add = (part: string, message: Text) =>
      problems.push({ param: `steps[${at}].branch${part}`, message })
    const begins = !first.has(branch.id)
    if (begins) first.set(branch.id, at)
    const start = steps[first.get(branch.id) ?? at]?.branch
    if (plugin?.scope === 'operation')
      add('', say('This step works on the whole operation, so it is in no branch'))
    else if (plugin?.waits) add('', say('All files wait together, so this step is in no branch'))
    else if (plugin?.kind === 'fetch') add('', say('All files are fetched: it is in no branch'))
    if (!begins && before?.id !== branch.id)
      add('.id', say('The steps of a branch follow each other'))
    if (begins && branch.else)
      add('.else', say('A branch begins with the steps of the files that meet its condition'))
    if (!begins && before?.id === branch.id && before.else && !branch.else)
      add('.else', say('The steps of the other files come last'))
    if (begins && Object.keys(branch.when ?? {}).length === 0)
      add('.when', say('Set at least one condition: the other files take the other steps'))
    else if (!begins && branch.when && !isDeepStrictEqual(branch.when, start?.when))
      add('.when', say('All steps of a branch have the same condition'))
    problems.push(...schemaProblems(conditionSchema, branch.when ?? {}, `steps[${at}].branch.when`))
  }
  return problems
}

/** Problems of the steps that end a part of the workflow. */
function waitProblems(steps: readonly Step[], plugins: readonly Plugin[]): WorkflowProblem[] {
  return steps.flatMap((step, at): WorkflowProblem[] => {
    if (waitAt([step], plugins) < 0) return []
    const wrong = (param: string, message: Text) => [{ param: `steps[${at}]${param}`, message }]
    return [
      ...(at === steps.length - 1 ? wrong('', say('Nothing follows this step: add one')) : []),
      ...(step.when ? wrong('.when', say('All files wait together')) : []),
    ]
  })
}

/** Problems of tries and pauses where no file is tried again. */
function triesProblems(
  kind: Workflow['kind'],
  steps: readonly Step[],
  plugins: readonly Plugin[],
): WorkflowProblem[] {
  return steps.flatMap((step, at) => {
    const whole = pluginOf(step, plugins)?.scope === 'operation' || waitAt([step], plugins) >= 0
    const message = whole
      ? say('This step works on all files together: no file is tried again')
      : say('A delivery is held if a step fails: no file is tried again')
    return whole || kind === 'delivery'
      ? (['tries', 'pause'] as const)
          .filter((name) => step[name] !== undefined)
          .map((name) => ({ param: `steps[${at}].${name}`, message }))
      : []
  })
}

/** What a step's plugin declares to work on; null: files and imports, or the whole operation. */
function worksOn(step: Step, plugins: readonly Plugin[]) {
  const plugin = pluginOf(step, plugins)
  return plugin && plugin.scope !== 'operation' ? (plugin.worksOn ?? null) : null
}

function importProblems(all: readonly Step[], plugins: readonly Plugin[]): WorkflowProblem[] {
  // After a wait the files exist, and the steps are those of a workflow on files.
  const waits = waitAt(all, plugins)
  const steps = waits < 0 ? all : all.slice(0, waits)
  const later = waits < 0 ? [] : bulkProblems(all, plugins)
  const problems = later.filter(({ param }) => Number(/\d+/.exec(param)?.[0]) > waits)
  const fetches = (step: Step | undefined) => pluginOf(step, plugins)?.kind === 'fetch'
  if (!fetches(steps[0]))
    problems.push({
      param: 'steps',
      message: say('An import begins with a step that fetches files'),
    })
  if (!steps.some(({ plugin, branch }) => plugin === 'validate-file' && !branch))
    problems.push({
      param: 'steps',
      message: say('An import checks its files: add the step Check files'),
    })
  for (const [at, step] of steps.entries()) {
    const on = worksOn(step, plugins)
    if (on === 'deliveries') problems.push({ param: `steps[${at}].plugin`, message: DELIVERIES })
    else if (on !== null && on !== 'imports')
      problems.push({
        param: `steps[${at}].plugin`,
        message: say('This step works on files that exist, not on imports'),
      })
    if (at > 0 && fetches(step) && fetches(steps[0]))
      problems.push({
        param: `steps[${at}].plugin`,
        message: say('Files are fetched once, by the first step'),
      })
  }
  return problems
}

function bulkProblems(steps: readonly Step[], plugins: readonly Plugin[]): WorkflowProblem[] {
  const trash = steps.some((step) => worksOn(step, plugins) === 'trash')
  return steps.flatMap((step, at): WorkflowProblem[] => {
    const plugin = pluginOf(step, plugins)
    const param = `steps[${at}].plugin`
    const on = worksOn(step, plugins)
    if (on === 'imports') return [{ param, message: say('This step only works on imports') }]
    if (on === 'deliveries') return [{ param, message: DELIVERIES }]
    if (on === 'rows')
      return [{ param, message: say('This step only works on the rows of a CSV file') }]
    if (
      trash &&
      plugin &&
      plugin.scope !== 'operation' &&
      !['trash', 'all'].includes(plugin.worksOn ?? '')
    )
      return [
        {
          param,
          message: say(
            'Another step works on files in the trash, and this one on files outside it',
          ),
        },
      ]
    return []
  })
}

const DELIVERIES = say('This step only works on deliveries')

/**
 * Problems of workflows on deliveries: a file that could not be stamped must not reach its buyer as
 * it was.
 */
function deliveryProblems(steps: readonly Step[], plugins: readonly Plugin[]): WorkflowProblem[] {
  return steps.flatMap((step, at): WorkflowProblem[] => {
    const keep = say('A file that fails this step cannot be delivered as it was: leave this out')
    const kept =
      step.onFailure === 'keep' ? [{ param: `steps[${at}].on_failure`, message: keep }] : []
    if (!pluginOf(step, plugins) || worksOn(step, plugins) === 'deliveries') return kept
    const message = say('This step does not work on deliveries')
    return [{ param: `steps[${at}].plugin`, message }, ...kept]
  })
}

type KindProblems = (steps: readonly Step[], plugins: readonly Plugin[]) => WorkflowProblem[]
const KIND_PROBLEMS: Readonly<Record<Workflow['kind'], KindProblems>> = {
  import: importProblems,
  bulk: bulkProblems,
  delivery: deliveryProblems,
}

/**
 * Problems of the channels: a workflow attached to one gets the channel's entries, so it must begin
 * as the channel's own workflow does.
 */
const channelProblems = (
  { kind, steps }: Pick<WorkflowBody, 'kind' | 'steps'>,
  channels: readonly ImportChannelOf[],
  { workflows, plugins }: Parts,
): WorkflowProblem[] =>
  channels.flatMap(({ channel, param }) => {
    const wrong = (message: Text) => [{ param, message }]
    if (kind !== 'import')
      return wrong(say('Only a workflow for imports can be attached to a way of importing'))
    const builtIn = builtInWorkflow(channel, workflows)
    if (!builtIn) return wrong(say('Files cannot be imported this way here'))
    const first = pluginOf(builtIn.steps[0], plugins)
    if (!first || first.id === steps[0]?.plugin) return []
    return wrong(say('Imports of this kind begin with the step {title}', { title: first.title }))
  })
