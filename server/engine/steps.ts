// Questions about a workflow as data: what it works on, what permissions it needs, what cannot be
// undone.
import { isDeepStrictEqual } from 'node:util'
import {
  type ItemPlugin,
  type Plugin,
  say,
  type ShopSettings,
  type Step,
  type Text,
  type Wait,
  type Workflow,
} from '../../plugins/contract/index.ts'
import { AppError } from '../core/errors.ts'
import { withoutSensitive } from '../core/sensitive.ts'
import type { FileFilter } from '../files/filter.ts'
import type { ChainLoad } from '../core/queue/queue.ts'
import type { StoredStep, StoredWorkflow, OperationRow } from './types.ts'

const pluginOf = (plugins: readonly Plugin[], step: Step) =>
  plugins.find(({ id }) => id === step.plugin)

export const itemPlugins = (workflow: Workflow, plugins: readonly Plugin[]): ItemPlugin[] =>
  workflow.steps
    .map((step) => pluginOf(plugins, step))
    .filter((plugin): plugin is ItemPlugin => plugin !== undefined && plugin.scope !== 'operation')

/** Where the files of a workflow's steps may be. */
export type FilePlace = 'files' | 'trash' | 'all' | 'rows'

export function filePlaceOf(workflow: Workflow, plugins: readonly Plugin[]): FilePlace {
  const works = itemPlugins(workflow, plugins).map(({ worksOn }) => worksOn)
  if (works.includes('rows')) return 'rows'
  if (works.includes('all')) return 'all'
  return works[0] === 'trash' ? 'trash' : 'files'
}

/**
 * Whether a step's result is known only after it ran: the plan of a plugin with `run` cannot tell
 * that a file would stay unchanged.
 */
export const isKnownLater = (workflow: Workflow, plugins: readonly Plugin[]): boolean =>
  itemPlugins(workflow, plugins).some(({ run }) => run !== undefined)

/**
 * The workflow with one batch after another if a plugin needs that: files may take each other's
 * names.
 */
export function withoutParallel(workflow: Workflow, plugins: readonly Plugin[]): Workflow {
  const ordered =
    workflow.kind === 'bulk' && itemPlugins(workflow, plugins).some((plugin) => plugin.ordered)
  return ordered ? { ...workflow, parallel: 1 } : workflow
}

/** Whether a step takes options from the shop's settings when an operation starts. */
export const takesSettings = ({ steps }: Workflow, plugins: readonly Plugin[]): boolean =>
  steps.some((step) => pluginOf(plugins, step)?.withSettings !== undefined)

/**
 * The workflow with the options that its steps take from the shop's settings. A step keeps what it
 * was given, so that a retry can take them from the settings again.
 */
export const withSettings = (
  workflow: Workflow,
  plugins: readonly Plugin[],
  settings: ShopSettings,
): StoredWorkflow => ({
  ...workflow,
  steps: workflow.steps.map((step): StoredStep => {
    const plugin = pluginOf(plugins, step)
    const parsed = plugin?.withSettings && plugin.options.safeParse(step.options ?? {})
    if (!plugin?.withSettings || !parsed?.success) return step
    const options = plugin.withSettings(parsed.data, settings)
    if (isDeepStrictEqual(options, parsed.data)) return step
    const given = withoutSensitive(plugin, step.options ?? {})
    return { ...step, options: options as Record<string, unknown>, given }
  }),
})

/** The step after which another operation continues; -1: none. */
export const waitAt = (steps: readonly Step[], plugins: readonly Plugin[]): number =>
  steps.findIndex((step) => waitOf(step, plugins) !== null)

function waitOf(step: Step, plugins: readonly Plugin[]): Wait | null {
  const plugin = pluginOf(plugins, step)
  if (!plugin || plugin.scope === 'operation' || !plugin.waits) return null
  const options = plugin.options.safeParse(step.options ?? {})
  return options.success ? plugin.waits(options.data) : null
}

/** The steps up to the first wait, with what follows it. */
export function firstPart(workflow: StoredWorkflow, plugins: readonly Plugin[]): StoredWorkflow {
  const at = waitAt(workflow.steps, plugins)
  const steps = at < 0 ? [] : workflow.steps.slice(at)
  const wait = steps[0] ? waitOf(steps[0], plugins) : null
  return wait
    ? { ...workflow, steps: workflow.steps.slice(0, at), after: { wait, steps } }
    : workflow
}

/**
 * Adds the steps that other steps' options require before them. Throws `workflow_broken` if a
 * plugin is not installed.
 */
export function withPreceding<W extends StoredWorkflow>(
  workflow: W,
  plugins: readonly Plugin[],
): W {
  const steps = workflow.steps.flatMap((step) => {
    const before = precedingOf(step, plugins)
    return before ? [before, step] : [step]
  })
  return { ...workflow, steps }
}

/** The workflow without the steps that `withPreceding` added. */
export const withoutPreceding = (workflow: Workflow, plugins: readonly Plugin[]): Workflow => ({
  ...workflow,
  steps: workflow.steps.filter((step, at) => {
    const next = workflow.steps[at + 1]
    return next === undefined || precedingOf(next, plugins)?.id !== step.id
  }),
})

function precedingOf(
  { id, plugin: name, options, when, branch, onFailure, tries, pause }: Step,
  plugins: readonly Plugin[],
): Step | null {
  const plugin = plugins.find((one) => one.id === name)
  if (!plugin || plugin.scope === 'operation' || !plugin.precededBy) return null
  const before = plugin.precededBy(plugin.options.parse(options ?? {}))
  if (before === null) return null
  if (!plugins.some((one) => one.id === before))
    throw new AppError('workflow_broken', {
      message: say('{title} needs the plugin {before}, which is not installed', {
        title: plugin.title,
        before,
      }),
    })
  // Never `keep`: the step itself must not run on a file for which the preceding step failed.
  const stops = onFailure === 'stop' ? { onFailure } : {}
  return {
    id: `${id}-${before}`,
    plugin: before,
    ...(when ? { when } : {}),
    ...(branch ? { branch } : {}),
    onFailure: 'drop',
    ...stops,
    ...(tries === undefined ? {} : { tries }),
    ...(pause === undefined ? {} : { pause }),
  }
}

/** A filter without `deleted` means the files in the trash if the steps work there. */
export const placedFilter = (
  filter: FileFilter,
  workflow: Workflow,
  plugins: readonly Plugin[],
): FileFilter =>
  filter.deleted === undefined && ['trash', 'all'].includes(filePlaceOf(workflow, plugins))
    ? { ...filter, deleted: true }
    : filter

/** Why its steps cannot work where the filter looks, or null. */
export function misplaced(
  { deleted }: FileFilter,
  workflow: Workflow,
  plugins: readonly Plugin[],
): Text | null {
  const place = filePlaceOf(workflow, plugins)
  if (deleted === undefined || place === 'all' || deleted === (place === 'trash')) return null
  return place === 'trash'
    ? say('This only works on files in the trash')
    : say('This does not work on files in the trash')
}

/** The workflow with all steps that ran in any round of its operation. */
export const withEarlier = ({ earlier = [], ...workflow }: StoredWorkflow): Workflow => ({
  ...workflow,
  steps: [...earlier, ...workflow.steps],
})

/** Whether it has effects that an undo can restore. It has none if it purges files. */
export function canUndo(workflow: Workflow, plugins: readonly Plugin[]): boolean {
  const all = workflow.steps.flatMap((step) => pluginOf(plugins, step) ?? [])
  return (
    all.some(({ undo }) => undo !== 'none') &&
    all.every(({ permission }) => permission !== 'files:purge')
  )
}

/** Titles of the steps whose effects cannot be undone. Checks and messages have none. */
export function cannotUndo(workflow: Workflow, plugins: readonly Plugin[]): string[] {
  const lasting = workflow.steps.flatMap((step) => pluginOf(plugins, step) ?? [])
  return [
    ...new Set(
      lasting
        .filter(({ undo, kind }) => undo === 'none' && kind !== 'validate' && kind !== 'notify')
        .map(({ title }) => title),
    ),
  ]
}

/** The API scopes needed to run it. */
export const permissionsOf = (
  workflow: Pick<Workflow, 'kind' | 'steps'>,
  plugins: readonly Plugin[],
): string[] => [
  ...new Set(
    workflow.steps.flatMap((step) => {
      const plugin = pluginOf(plugins, step)
      if (!plugin || plugin.kind === 'notify') return []
      return [plugin.permission ?? (workflow.kind === 'import' ? 'imports:write' : 'files:write')]
    }),
  ),
]

/** The workflow with an action's options in the step of that plugin. */
export const withOptions = (
  workflow: Workflow,
  plugin: string,
  options: Record<string, unknown>,
): Workflow => ({
  ...workflow,
  steps: workflow.steps.map((step) =>
    step.plugin === plugin ? { ...step, options: { ...step.options, ...options } } : step,
  ),
})

// How an operation's batches are processed, derived from the plugins of its item steps. It is not
// stored: after an update of the installation, a waiting operation is processed as its plugins are
// now. The strategies: docs/decisions/0028.

/**
 * The items of an executed batch, unless a plugin asks for more: files are read and written whole.
 */
export const BATCH = 100
/** The most items of a planned batch. An operation's chains share its items evenly. */
export const PLAN_BATCH = 2000
/**
 * The most items of a planned batch if planning waits for external systems: progress is announced
 * once a batch.
 */
const EXTERNAL_PLAN_BATCH = 500

export interface Strategy {
  /**
   * `planned`: no step uses bytes or external systems, so planning is all the work, and a batch is
   * written in one transaction. `executed`: items are marked as running and written as they end.
   */
  kind: 'planned' | 'executed'
  /** Maximum number of items in a batch. */
  batch: number
  /** What its jobs count as while they run (job-concurrency.ts). */
  load: ChainLoad
}

type StrategyInput = Pick<OperationRow, 'workflow'> & {
  source: Pick<OperationRow['source'], 'type'>
}

export function strategyOf(
  { workflow, source }: StrategyInput,
  plugins: readonly Plugin[],
): Strategy {
  const steps = itemPlugins(workflow, plugins)
  const executed =
    source.type === 'entries' || steps.some(({ run, bytes }) => run !== undefined || bytes)
  if (executed) {
    const batch = Math.max(BATCH, ...steps.map((step) => step.batch ?? 0))
    return { kind: 'executed', batch, load: 'slow' }
  }
  if (steps.some(({ outside }) => outside))
    return { kind: 'planned', batch: EXTERNAL_PLAN_BATCH, load: 'outside' }
  return { kind: 'planned', batch: PLAN_BATCH, load: 'quick' }
}
