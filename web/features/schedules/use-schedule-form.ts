// The state of a scheduled task while it is edited: the draft, its problems, and which of them are
// shown.
import { catchUp, useKnown } from '../../shell/client/edits.ts'
import type { JsonSchema, Objection, Workflow } from '../../shell/client/workflows.ts'
import { checkFilter } from '../../shell/files/filter-check.ts'
import { isCount } from '../../shell/components/counts.ts'
import { isWithin, problemsOf, type Problems } from '../../shell/components/problems.ts'
import { useDraftForm, type DraftForm } from '../../shell/components/use-draft-form.ts'
import { t } from '../../shell/messages/t.ts'
import type { FileFilter } from '../../shell/client/types.ts'
import type { Plugin } from '../../shell/client/plugins.ts'
import type { NumberValue } from '../../shell/components/number-field.tsx'
import { checkOptions } from '../plugins/option-form/check.ts'
import { type Schedule, useSaveSchedule, type ScheduleBody } from './calls.ts'
import { cronOf, whenOf, type RunTimes } from './labels.ts'

export interface ScheduleForm extends DraftForm<ScheduleDraft> {
  problems: Problems
  /** Every problem that prevents saving, after an attempt to save. */
  obstacles: readonly Objection[]
  save: () => void
}

interface Options {
  id: string | null
  initial: ScheduleDraft
  /** The saved task; undefined: a new one. */
  record: Schedule | undefined
  /** The schema of the chosen action's options. */
  schemaOf: (draft: ScheduleDraft) => JsonSchema | undefined
  onSaved: (schedule: Schedule) => void
}

export function useScheduleForm({ id, initial, record, schemaOf, onSaved }: Options): ScheduleForm {
  const known = useKnown(record)
  const form = useDraftForm({
    initial,
    saving: useSaveSchedule(id, known),
    bodyOf,
    savedDraft: (schedule, { when }) => ({ ...draftOf(schedule), when }),
    isChanged,
    onSaved,
    isOutdated: () => catchUp(known, record),
  })
  const { draft, refusals, visited } = form
  const own = objectionsTo(draft, schemaOf(draft))
  const all = problemsOf(own, form.objections).all
  const tried = refusals > 0 || id !== null
  const isShown = ({ param }: Objection) =>
    tried || [...visited].some((path) => isWithin(param, path))
  return {
    ...form,
    problems: problemsOf(all.filter(isShown)),
    obstacles: refusals > 0 ? all : [],
    save: () => form.submit(own.length === 0),
  }
}

/** Problems that are found without the server. */
function objectionsTo(draft: ScheduleDraft, schema: JsonSchema | undefined): Objection[] {
  const { cron, cap, filter } = bodyOf(draft)
  const say = (broken: boolean, param: string, message: string) =>
    broken ? [{ param, message }] : []
  return [
    ...say(draft.name.trim() === '', 'name', t('Enter a name for the task')),
    ...say(
      cron === '',
      'cron',
      draft.when.every === 'week' ? t('Choose at least one day') : t('Choose when it runs'),
    ),
    ...say(draft.runs === null, 'action', t('Choose what to do')),
    ...(schema ? checkOptions(schema, draft.options, 'options') : []),
    ...checkFilter(filter, 'filter'),
    ...say(!isCount(cap), 'cap', t('Enter a whole number from 1 up')),
  ]
}

// A scheduled task while it is edited, and the request body made from it.

export interface ScheduleDraft {
  name: string
  enabled: boolean
  when: RunTimes
  /** A plugin’s id, or a workflow’s, or nothing yet. */
  runs: { action: string } | { workflow: string } | null
  options: Record<string, unknown>
  filter: FileFilter
  notify: Schedule['notify']
  cap: NumberValue
}

/** The server's default. */
const CAP = 100

export const emptyDraft = (): ScheduleDraft => ({
  name: '',
  enabled: true,
  when: whenOf('0 3 * * *'),
  runs: null,
  options: {},
  filter: {},
  notify: 'always',
  cap: CAP,
})

/** A template contains only some fields. */
export const draftOf = (body: Partial<ScheduleBody>): ScheduleDraft => ({
  ...emptyDraft(),
  name: body.name ?? '',
  enabled: body.enabled ?? true,
  when: whenOf(body.cron ?? '0 3 * * *'),
  runs: body.action ? { action: body.action } : body.workflow ? { workflow: body.workflow } : null,
  options: body.options ?? {},
  filter: body.filter ?? {},
  notify: body.notify ?? 'always',
  cap: body.cap ?? CAP,
})

export const bodyOf = ({
  name,
  enabled,
  when,
  runs,
  options,
  filter,
  notify,
  cap,
}: ScheduleDraft): ScheduleBody => ({
  name: name.trim(),
  enabled,
  cron: cronOf(when),
  action: runs && 'action' in runs ? runs.action : null,
  workflow: runs && 'workflow' in runs ? runs.workflow : null,
  options: runs && 'action' in runs ? options : {},
  filter,
  notify,
  // An invalid number is sent as it is: the refusal is shown beside the field.
  cap: (cap ?? CAP) as number,
})

const isChanged = (draft: ScheduleDraft, saved: ScheduleDraft): boolean =>
  JSON.stringify(bodyOf(draft)) !== JSON.stringify(bodyOf(saved))

/** May a run delete files? Then the cap applies. */
export function mayDelete(
  { runs }: Pick<ScheduleDraft, 'runs'>,
  plugins: readonly Plugin[],
  workflows: readonly Workflow[],
): boolean {
  if (!runs) return false
  const used =
    'action' in runs
      ? [runs.action]
      : (workflows.find(({ id }) => id === runs.workflow)?.steps ?? []).map(({ plugin }) => plugin)
  return plugins.some(
    ({ id, permission, works_on }) =>
      used.includes(id) &&
      (permission === 'files:purge' || (permission === 'files:delete' && works_on !== 'trash')),
  )
}

/** Actions that a task can run: every action with a built-in workflow. */
export const actionsOf = (plugins: readonly Plugin[], workflows: readonly Workflow[]): Plugin[] =>
  plugins.filter(({ id }) =>
    workflows.some((workflow) => isBuiltIn(workflow) && workflow.id === id),
  )

/**
 * Workflows that a task can run: the merchant's own first, then built-in ones that are no single
 * action.
 */
export function workflowsOf(
  plugins: readonly Plugin[],
  workflows: readonly Workflow[],
): Workflow[] {
  const own = workflows.filter(({ kind, built_in }) => kind === 'bulk' && !built_in)
  const others = workflows.filter(
    (one) => isBuiltIn(one) && !plugins.some(({ id }) => id === one.id),
  )
  return [...own, ...others]
}

const isBuiltIn = ({ kind, built_in }: Workflow): boolean => kind === 'bulk' && built_in
