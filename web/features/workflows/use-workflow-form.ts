// The state of a workflow while it is edited: the draft, its problems, and which of them are shown.
import { useMemo, useState } from 'react'
import { catchUp, useKnown } from '../../shell/client/edits.ts'
import { type Plugin } from '../../shell/client/plugins.ts'
import {
  type Objection,
  useSaveWorkflow,
  type Workflow,
  type WorkflowCheck,
} from '../../shell/client/workflows.ts'
import { checkFilter } from '../../shell/files/filter-check.ts'
import { checkOptions } from '../plugins/option-form/check.ts'
import { useDraftCheck } from '../../shell/components/use-draft-check.ts'
import { isWithin, problemsOf, type Problems } from '../../shell/components/problems.ts'
import { useDraftForm, type DraftForm } from '../../shell/components/use-draft-form.ts'
import { bodyOf, draftOf, isChanged, type StepDraft, type WorkflowDraft } from './draft.ts'
import { shownText } from '../../shell/messages/server-text.ts'

export interface WorkflowForm extends DraftForm<WorkflowDraft> {
  /**
   * Problems that are shown beside the fields: not of fields that the merchant has not reached yet.
   */
  problems: Problems
  /** Every problem that prevents saving, after an attempt to save. */
  obstacles: readonly Objection[]
  /** The server's check of the draft, a moment old while a person types. */
  check: WorkflowCheck | undefined
  summaryOf: (step: StepDraft) => string | null
  save: () => void
}

interface Options {
  id: string | null
  initial: WorkflowDraft
  /** The saved workflow; undefined: a new one. */
  record: Workflow | undefined
  plugins: ReadonlyMap<string, Plugin>
  onSaved: (workflow: Workflow) => void
}

export function useWorkflowForm({ id, initial, record, plugins, onSaved }: Options): WorkflowForm {
  const known = useKnown(record)
  const form = useDraftForm({
    initial,
    visited: initial.steps.map(({ key }) => key),
    saving: useSaveWorkflow(id, known),
    bodyOf,
    savedDraft: (workflow, draft) => keepKeys(draftOf(workflow), draft),
    isChanged,
    onSaved,
    isOutdated: () => catchUp(known, record),
  })
  const { draft, objections } = form
  const { check, current } = useCheck(draft)
  const own = useMemo(() => ownProblems(draft, plugins), [draft, plugins])
  const all = useMemo(
    () => problemsOf(own, [...(check?.problems ?? []), ...objections]).all,
    [own, check, objections],
  )
  const tried = form.refusals > 0
  const shown = tried ? all : all.filter(({ param }) => isVisited(param, draft, form.visited))
  return {
    ...form,
    problems: problemsOf(shown),
    obstacles: tried ? all : [],
    check,
    summaryOf: (step) => {
      const summary = check?.steps[draft.steps.indexOf(step)]?.summary_text
      return summary === undefined ? null : shownText(summary)
    },
    // The check is of an earlier draft while the merchant keeps editing. Its problems may be
    // mended, so that only the answer to saving counts.
    save: () => form.submit((current ? all : own).length === 0),
  }
}

/**
 * The server's check of the draft. `current`: of the draft as it is now. After steps have moved,
 * the numbers in the server's answer belong to other steps, so that an earlier check is undefined.
 */
function useCheck(draft: WorkflowDraft): { check: WorkflowCheck | undefined; current: boolean } {
  const order = orderOf(draft)
  const { asked, check, current } = useDraftCheck({ body: bodyOf(draft), order })
  const inOrder = asked.order === order && !check.isPlaceholderData
  const [answered, setAnswered] = useState<{ order: string; check: WorkflowCheck } | null>(null)
  if (check.data && inOrder && answered?.check !== check.data)
    setAnswered({ order: asked.order, check: check.data })
  return { check: answered?.order === order ? answered.check : undefined, current }
}

/** Problems that need no server: options against their schema, conditions. */
const ownProblems = ({ steps }: WorkflowDraft, plugins: ReadonlyMap<string, Plugin>): Objection[] =>
  steps.flatMap((step, at) => {
    const schema = plugins.get(step.plugin)?.options
    return [
      ...(schema ? checkOptions(schema, step.options, `steps[${at}].options`) : []),
      ...(step.when ? checkFilter(step.when, `steps[${at}].when`) : []),
      ...(step.branch ? checkFilter(step.branch.when, `steps[${at}].branch.when`) : []),
    ]
  })

const orderOf = ({ steps }: WorkflowDraft): string => steps.map(({ key }) => key).join(' ')

function isVisited(param: string, { steps }: WorkflowDraft, visited: ReadonlySet<string>): boolean {
  const at = steps.findIndex((_, index) => isWithin(param, `steps[${index}]`))
  if (isWithin(param, 'if_not')) return visited.has('if_not')
  return visited.has(at < 0 ? param : steps[at]!.key)
}

/** The saved workflow is the draft: its steps keep their keys and stay open. */
const keepKeys = (next: WorkflowDraft, { steps }: WorkflowDraft): WorkflowDraft => ({
  ...next,
  steps: next.steps.map((step, at) => ({ ...step, key: steps[at]?.key ?? step.key })),
})
