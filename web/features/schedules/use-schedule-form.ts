// The state of a scheduled task while it is edited: the draft, its problems, and which of them are
// shown.
import { catchUp, useKnown } from '../../shell/client/edits.ts'
import { type Schedule, useSaveSchedule } from './calls.ts'
import { type JsonSchema, type Objection } from '../../shell/client/workflows.ts'
import { checkFilter } from '../../shell/files/filter-check.ts'
import { checkOptions } from '../plugins/option-form/check.ts'
import { isCount } from '../../shell/components/counts.ts'
import { isWithin, problemsOf, type Problems } from '../../shell/components/problems.ts'
import { useDraftForm, type DraftForm } from '../../shell/components/use-draft-form.ts'
import { bodyOf, draftOf, isChanged, type ScheduleDraft } from './draft.ts'
import { t } from '../../shell/messages/t.ts'

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
