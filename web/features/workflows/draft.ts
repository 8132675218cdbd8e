// A workflow while it is edited, and the request body made from it.
import { type Plugin } from '../../shell/client/plugins.ts'
import {
  type Condition,
  type OnFailure,
  type StepBody,
  type Workflow,
  type WorkflowBody,
} from '../../shell/client/workflows.ts'
import { t } from '../../shell/messages/t.ts'

export interface StepDraft {
  /** The step's key in the form, which it keeps when it is moved. */
  key: string
  /** The step's id in history; a new step has none yet. */
  id?: string
  plugin: string
  options: Record<string, unknown>
  /** null: it applies to every file. */
  when: Condition | null
  /** null: the default of the step’s kind. */
  on_failure: OnFailure | null
}

export interface WorkflowDraft {
  name: string
  kind: Workflow['kind']
  channel: string | null
  /** How many batches may run concurrently. */
  parallel: number
  steps: StepDraft[]
}

let made = 0
const freshKey = () => `step-${(made += 1)}`

export const emptyDraft = (kind: WorkflowDraft['kind'] = 'bulk'): WorkflowDraft => ({
  name: '',
  kind,
  channel: null,
  parallel: 1,
  steps: [],
})

export const newStep = (plugin: string): StepDraft => ({
  key: freshKey(),
  plugin,
  options: {},
  when: null,
  on_failure: null,
})

export const draftOf = ({ name, kind, channel, parallel, steps }: Workflow): WorkflowDraft => ({
  name,
  kind,
  channel,
  parallel,
  steps: steps.map((step) => ({ ...stepOf(step), id: step.id })),
})

/** A copy is attached to no channel, and its steps get new ids. */
export const copyOf = (workflow: Workflow): WorkflowDraft => ({
  ...draftOf(workflow),
  name: t('Copy of {name}', { name: workflow.name }),
  channel: null,
  steps: workflow.steps.map(stepOf),
})

export const stepOf = ({ plugin, options = {}, when, on_failure }: StepBody): StepDraft => ({
  ...newStep(plugin),
  options,
  when: when ?? null,
  on_failure: on_failure ?? null,
})

/** The engine's default if a step has no policy: an import would otherwise lose the file. */
export const defaultPolicy = (step: Plugin['kind'], workflow: Workflow['kind']): OnFailure =>
  workflow === 'import' && (step === 'optimize' || step === 'act') ? 'keep' : 'drop'

/**
 * The policies of a step of this kind: a file that was not fetched, or failed a check, cannot be
 * kept.
 */
export const policiesOf = (step: Plugin['kind']): OnFailure[] =>
  step === 'fetch' || step === 'validate' ? ['drop', 'stop'] : ['drop', 'keep', 'stop']

export const bodyOf = ({ name, kind, channel, parallel, steps }: WorkflowDraft): WorkflowBody => ({
  name: name.trim(),
  kind,
  parallel,
  channel: kind === 'import' ? channel : null,
  // A failure always holds the whole delivery, so no policy is sent.
  steps: steps.map(({ id, plugin, options, when, on_failure }) => ({
    ...(id === undefined ? {} : { id }),
    plugin,
    options,
    ...(when && Object.keys(when).length > 0 ? { when } : {}),
    ...(on_failure && kind !== 'delivery' ? { on_failure } : {}),
  })),
})

export const isChanged = (draft: WorkflowDraft, saved: WorkflowDraft): boolean =>
  JSON.stringify(bodyOf(draft)) !== JSON.stringify(bodyOf(saved))
