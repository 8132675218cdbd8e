// The state of a workflow while it is edited: the draft, its problems, and which of them are shown.
import { useMemo, useState } from 'react'
import { type Plugin } from '../../client/plugins.ts'
import {
  type Objection,
  useSaveWorkflow,
  type Workflow,
  type WorkflowCheck,
} from '../../client/workflows.ts'
import { checkFilter } from '../../components/filter-check.ts'
import { checkOptions } from '../../components/option-form/check.ts'
import { useDraftCheck } from '../../components/use-draft-check.ts'
import { isWithin, objectionsIn, problemsOf, type Problems } from '../../components/problems.ts'
import { bodyOf, draftOf, isChanged, type StepDraft, type WorkflowDraft } from './draft.ts'
import { serverText } from '../../messages/server-templates.ts'

export interface WorkflowForm {
  draft: WorkflowDraft
  change: (part: Partial<WorkflowDraft>) => void
  /**
   * Problems that are shown beside the fields: not of fields that the merchant has not reached yet.
   */
  problems: Problems
  /** Every problem that prevents saving, after an attempt to save. */
  obstacles: readonly Objection[]
  /** How many times saving was refused. */
  refusals: number
  /** The server's check of the draft, a moment old while a person types. */
  check: WorkflowCheck | undefined
  summaryOf: (step: StepDraft) => string | null
  /** A person has left the field, so a missing value is reported. */
  visit: (path: string) => void
  dirty: boolean
  saving: boolean
  /** Why it could not be saved, if the reason is not a field's value. */
  error: Error | null
  save: () => void
  discard: () => void
}

interface Options {
  id: string | null
  initial: WorkflowDraft
  plugins: ReadonlyMap<string, Plugin>
  onSaved: (workflow: Workflow) => void
}

export function useWorkflowForm({ id, initial, plugins, onSaved }: Options): WorkflowForm {
  const [draft, setDraft] = useState(initial)
  const [saved, setSaved] = useState(initial)
  const [visited, setVisited] = useState<ReadonlySet<string>>(
    () => new Set(initial.steps.map(({ key }) => key)),
  )
  const [refusals, setRefusals] = useState(0)
  const saving = useSaveWorkflow(id)
  const {
    asked,
    check: checked,
    current,
  } = useDraftCheck({
    body: bodyOf(draft),
    order: orderOf(draft),
  })
  // After steps have moved, the numbers in the server's answer belong to other steps.
  const inOrder = asked.order === orderOf(draft) && !checked.isPlaceholderData
  const [answered, setAnswered] = useState<{ order: string; check: WorkflowCheck } | null>(null)
  if (checked.data && inOrder && answered?.check !== checked.data)
    setAnswered({ order: asked.order, check: checked.data })
  const check = answered?.order === orderOf(draft) ? answered.check : undefined

  const own = useMemo(() => ownProblems(draft, plugins), [draft, plugins])
  const all = useMemo(
    () => problemsOf(own, [...(check?.problems ?? []), ...objectionsIn(saving.error)]).all,
    [own, check, saving.error],
  )
  const tried = refusals > 0
  const shown = tried ? all : all.filter(({ param }) => isVisited(param, draft, visited))

  const change = (part: Partial<WorkflowDraft>) => {
    setDraft((before) => ({ ...before, ...part }))
    if (saving.error) saving.reset()
  }
  const refuse = () => setRefusals((count) => count + 1)
  // The check is of an earlier draft while the merchant keeps editing. Its problems may be mended, so
  // that only the answer to saving counts.
  const save = () => {
    if ((current ? all : own).length > 0) return refuse()
    saving.mutate(bodyOf(draft), {
      onSuccess: (workflow) => {
        const next = keepKeys(draftOf(workflow), draft)
        setDraft(next)
        setSaved(next)
        setRefusals(0)
        onSaved(workflow)
      },
      onError: refuse,
    })
  }
  return {
    draft,
    change,
    problems: problemsOf(shown),
    obstacles: tried ? all : [],
    refusals,
    check,
    summaryOf: (step) => {
      const summary = check?.steps[draft.steps.indexOf(step)]?.summary
      return summary === undefined ? null : serverText(summary)
    },
    visit: (path) =>
      setVisited((before) => (before.has(path) ? before : new Set([...before, path]))),
    dirty: isChanged(draft, saved),
    saving: saving.isPending,
    error: saving.error && objectionsIn(saving.error).length === 0 ? saving.error : null,
    save,
    discard: () => {
      setDraft(saved)
      setRefusals(0)
      saving.reset()
    },
  }
}

/** Problems that need no server: options against their schema, conditions. */
const ownProblems = ({ steps }: WorkflowDraft, plugins: ReadonlyMap<string, Plugin>): Objection[] =>
  steps.flatMap((step, at) => {
    const schema = plugins.get(step.plugin)?.options
    return [
      ...(schema ? checkOptions(schema, step.options, `steps[${at}].options`) : []),
      ...(step.when ? checkFilter(step.when, `steps[${at}].when`) : []),
    ]
  })

const orderOf = ({ steps }: WorkflowDraft): string => steps.map(({ key }) => key).join(' ')

function isVisited(param: string, { steps }: WorkflowDraft, visited: ReadonlySet<string>): boolean {
  const at = steps.findIndex((_, index) => isWithin(param, `steps[${index}]`))
  return visited.has(at < 0 ? param : steps[at]!.key)
}

/** The saved workflow is the draft: its steps keep their keys and stay open. */
const keepKeys = (next: WorkflowDraft, { steps }: WorkflowDraft): WorkflowDraft => ({
  ...next,
  steps: next.steps.map((step, at) => ({ ...step, key: steps[at]?.key ?? step.key })),
})
