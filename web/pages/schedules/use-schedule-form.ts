// The state of a scheduled task while it is edited: the draft, its problems, and which of them are
// shown.
import { useState } from 'react'
import { type Schedule, useSaveSchedule } from '../../client/schedules.ts'
import { type JsonSchema, type Objection } from '../../client/workflows.ts'
import { checkFilter } from '../../components/filter-check.ts'
import { checkOptions } from '../../components/option-form/check.ts'
import { isWithin, objectionsIn, problemsOf, type Problems } from '../../components/problems.ts'
import { bodyOf, draftOf, isChanged, type ScheduleDraft } from './draft.ts'
import { t } from '../../messages/t.ts'

export interface ScheduleForm {
  draft: ScheduleDraft
  change: (part: Partial<ScheduleDraft>) => void
  problems: Problems
  /** Every problem that prevents saving, after an attempt to save. */
  obstacles: readonly Objection[]
  /** How many times saving was refused. */
  refusals: number
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
  initial: ScheduleDraft
  /** The schema of the chosen action's options. */
  schemaOf: (draft: ScheduleDraft) => JsonSchema | undefined
  onSaved: (schedule: Schedule) => void
}

export function useScheduleForm({ id, initial, schemaOf, onSaved }: Options): ScheduleForm {
  const [draft, setDraft] = useState(initial)
  const [saved, setSaved] = useState(initial)
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set())
  const [refusals, setRefusals] = useState(0)
  const saving = useSaveSchedule(id)
  const own = objectionsTo(draft, schemaOf(draft))
  const all = problemsOf(own, objectionsIn(saving.error)).all
  const tried = refusals > 0 || id !== null
  const isShown = ({ param }: Objection) =>
    tried || [...visited].some((path) => isWithin(param, path))
  const refuse = () => setRefusals((count) => count + 1)
  const save = () => {
    if (own.length > 0) return refuse()
    saving.mutate(bodyOf(draft), {
      onSuccess: (schedule) => {
        const next = { ...draftOf(schedule), when: draft.when }
        setDraft(next)
        setSaved(next)
        setRefusals(0)
        onSaved(schedule)
      },
      onError: refuse,
    })
  }
  return {
    draft,
    change: (part) => {
      setDraft((before) => ({ ...before, ...part }))
      if (saving.error) saving.reset()
    },
    problems: problemsOf(all.filter(isShown)),
    obstacles: refusals > 0 ? all : [],
    refusals,
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
    ...say(!isWhole(cap), 'cap', t('Enter a whole number from 1 up')),
  ]
}

const isWhole = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1
