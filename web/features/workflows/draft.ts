// A workflow while it is edited, and the request body made from it.
import { type Plugin } from '../../shell/client/plugins.ts'
import {
  type Condition,
  type IfNot,
  type OnFailure,
  type StepBody,
  type Trigger,
  type Workflow,
  type WorkflowBody,
} from '../../shell/client/workflows.ts'
import { t } from '../../shell/messages/t.ts'
import { KIND_ORDER, unfitText } from '../plugins/step-labels.ts'

export interface StepDraft {
  /** The step's key in the form, which it keeps when it is moved. */
  key: string
  /** The step's id in history; a new step has none yet. */
  id?: string
  plugin: string
  options: Record<string, unknown>
  /** null: it applies to every file. */
  when: Condition | null
  /** Of which files; null: it is in no branch. */
  branch: { id: string; when: Condition; else: boolean } | null
  /** null: the default of the step’s kind. */
  on_failure: OnFailure | null
  /** How often a file is tried, and the seconds between two tries; null: as usual. */
  tries: number | null
  pause: number | null
}

/** What is proposed for a workflow that does nothing about failed runs. */
export const FRESH_IF_NOT: IfNot = {
  after: 1,
  mail: true,
  run: null,
  again: ['1h', '6h', '1d'],
  on_recovery: true,
}

/** What starts the workflow. What the server says about a saved trigger is not sent. */
export interface TriggerDraft extends Omit<Trigger, 'id'> {
  /** Its key in the form. */
  key: string
  /** A new one has none yet. */
  id?: string
}

export interface WorkflowDraft {
  name: string
  kind: Workflow['kind']
  /** What starts it; those that do not fit its kind are not sent. */
  when: TriggerDraft[]
  /** false: nothing starts it by itself. */
  enabled: boolean
  /** How many batches may run concurrently. */
  parallel: number
  steps: StepDraft[]
  /** What follows when runs end with failed files; null: nothing. */
  if_not: IfNot | null
}

// Random: the draft may be of a page that was reloaded, and its next step must have another key.
const freshKey = () => `step-${crypto.randomUUID()}`

export const emptyDraft = (kind: WorkflowDraft['kind'] = 'bulk'): WorkflowDraft => ({
  name: '',
  kind,
  when: [],
  enabled: true,
  parallel: 1,
  steps: [],
  if_not: null,
})

export const newStep = (plugin: string): StepDraft => ({
  key: freshKey(),
  plugin,
  options: {},
  when: null,
  branch: null,
  on_failure: null,
  tries: null,
  pause: null,
})

export const newTrigger = (kind: Trigger['kind']): TriggerDraft => ({
  key: freshKey(),
  kind,
  enabled: true,
  from: null,
  on_conflict: null,
  quiet_seconds: null,
  event: kind === 'event' ? 'file.imported' : null,
  which: {},
  collect: 10,
  max_files: null,
  cap: 100,
  paused: null,
  has_address: false,
  waiting: 0,
})

export const draftOf = ({
  name,
  kind,
  when,
  enabled,
  parallel,
  steps,
  if_not,
}: Workflow): WorkflowDraft => ({
  name,
  kind,
  when: when.map((trigger) => ({ ...trigger, key: trigger.id })),
  enabled,
  parallel,
  steps: steps.map((step) => ({ ...stepOf(step), id: step.id })),
  if_not,
})

/** Nothing starts a copy, and its steps get new ids. */
export const copyOf = (workflow: Workflow): WorkflowDraft => ({
  ...draftOf(workflow),
  name: t('Copy of {name}', { name: workflow.name }),
  when: [],
  enabled: true,
  steps: workflow.steps.map(stepOf),
})

const stepOf = ({
  plugin,
  options = {},
  when,
  branch,
  on_failure,
  tries,
  pause,
}: StepBody): StepDraft => ({
  ...newStep(plugin),
  options,
  when: when ?? null,
  branch: branch ?? null,
  on_failure: on_failure ?? null,
  tries: tries ?? null,
  pause: pause ?? null,
})

type PluginsById = ReadonlyMap<string, Pick<Plugin, 'kind' | 'works_on'>>

/** Where a step of this kind is added: behind all steps that have to run before it. */
export function placeFor(
  kind: Plugin['kind'],
  steps: readonly StepDraft[],
  plugins: PluginsById,
): number {
  const rank = (of: Plugin['kind'] | undefined) => KIND_ORDER.indexOf(of ?? kind)
  return steps.findLastIndex(({ plugin }) => rank(plugins.get(plugin)?.kind) <= rank(kind)) + 1
}

/**
 * The steps after the workflow runs on something else: those that can, and for imports the steps of
 * `model` if none of them fetches the files.
 */
export function stepsFor(
  kind: Workflow['kind'],
  steps: readonly StepDraft[],
  plugins: PluginsById,
  model: Pick<Workflow, 'steps'> | undefined,
): StepDraft[] {
  const fits = steps.filter(({ plugin }) => {
    const known = plugins.get(plugin)
    return known === undefined || unfitText(known, kind) === null
  })
  const fetches = fits.some(({ plugin }) => plugins.get(plugin)?.kind === 'fetch')
  if (kind !== 'import' || fetches || model === undefined) return fits
  const needed = model.steps.map(stepOf)
  const own = fits.filter(({ plugin }) => needed.every((step) => step.plugin !== plugin))
  return withSteps(needed, own, plugins)
}

/** The steps with these too, each in its place: they were taken out when it ran on something else. */
export const withSteps = (
  steps: readonly StepDraft[],
  left: readonly StepDraft[],
  plugins: PluginsById,
): StepDraft[] =>
  left.reduce(
    (all, step) =>
      all.toSpliced(placeFor(plugins.get(step.plugin)?.kind ?? 'act', all, plugins), 0, step),
    [...steps],
  )

/** The engine's default if a step has no policy: an import would otherwise lose the file. */
export const defaultPolicy = (step: Plugin['kind'], workflow: Workflow['kind']): OnFailure =>
  workflow === 'import' && (step === 'optimize' || step === 'act') ? 'keep' : 'drop'

/**
 * The policies of a step of this kind: a file that was not fetched, or failed a check, cannot be
 * kept.
 */
export const policiesOf = (step: Plugin['kind']): OnFailure[] =>
  step === 'fetch' || step === 'validate' ? ['drop', 'stop'] : ['drop', 'keep', 'stop']

/** The triggers that a workflow of this kind can have. */
export const fittingTriggers = ({ kind, when }: Pick<WorkflowDraft, 'kind' | 'when'>) =>
  when.filter(
    (trigger) =>
      (trigger.kind === 'imports') === (kind === 'import') &&
      (trigger.kind === 'orders') === (kind === 'delivery'),
  )

const triggerBody = ({
  key: _,
  paused: _paused,
  has_address: _address,
  waiting: _waiting,
  ...trigger
}: TriggerDraft) => trigger

export const bodyOf = ({
  name,
  kind,
  when,
  enabled,
  parallel,
  steps,
  if_not,
}: WorkflowDraft): WorkflowBody => ({
  name: name.trim(),
  kind,
  parallel,
  channel: null,
  enabled,
  when: fittingTriggers({ kind, when }).map(triggerBody),
  if_not: kind === 'delivery' ? null : if_not,
  // A failure always holds the whole delivery, so no policy is sent.
  steps: steps.map(({ id, plugin, options, when, branch, on_failure, tries, pause }) => ({
    ...(id === undefined ? {} : { id }),
    plugin,
    options,
    ...(when && Object.keys(when).length > 0 ? { when } : {}),
    ...(branch ? { branch } : {}),
    ...(on_failure && kind !== 'delivery' ? { on_failure } : {}),
    ...(tries !== null && kind !== 'delivery' ? { tries } : {}),
    ...(pause !== null && kind !== 'delivery' ? { pause } : {}),
  })),
})

export const isChanged = (draft: WorkflowDraft, saved: WorkflowDraft): boolean =>
  JSON.stringify(bodyOf(draft)) !== JSON.stringify(bodyOf(saved))
