// The state of a form whose draft is saved as a whole: the draft, the fields that were visited, and
// saving it.
import { useMemo, useState } from 'react'
import { type UseMutationResult } from '@tanstack/react-query'
import { type Objection } from '../client/workflows.ts'
import { objectionsIn } from './problems.ts'
import { changedFields } from '../labels/changes.ts'
import { useKept, useRestored } from '../url-state/kept-over-reload.ts'

interface Options<Draft, Body, Saved> {
  initial: Draft
  /** Fields that count as visited from the start. */
  visited?: readonly string[]
  saving: UseMutationResult<Saved, Error, Body>
  bodyOf: (draft: Draft) => Body
  /** The draft after it was saved. */
  savedDraft: (saved: Saved, draft: Draft) => Draft
  isChanged: (draft: Draft, saved: Draft) => boolean
  onSaved: (saved: Saved) => void
  /** Somebody else has changed the record, and `initial` is its draft as it is now. */
  isOutdated: () => boolean
}

export interface DraftForm<Draft> {
  draft: Draft
  change: (part: Partial<Draft>) => void
  /** How many times saving was refused. */
  refusals: number
  /** A person has left the field, so a missing value is reported. */
  visit: (path: string) => void
  dirty: boolean
  saving: boolean
  /** Why it could not be saved, if the reason is not a field's value. */
  error: Error | null
  discard: () => void
}

interface DraftState<Draft> extends DraftForm<Draft> {
  visited: ReadonlySet<string>
  /** What the server objected to when it was saved. */
  objections: readonly Objection[]
  /** Saves the draft, or refuses if it is not `ready`. */
  submit: (ready: boolean) => void
}

/**
 * Keeps a draft beside what was saved last. `submit` saves it, and takes over what the server made
 * of it, except for what was typed meanwhile.
 */
export function useDraftForm<Draft extends object, Body, Saved>(
  options: Options<Draft, Body, Saved>,
): DraftState<Draft> {
  const { initial, saving, bodyOf, savedDraft, isChanged, onSaved, isOutdated } = options
  const nameOf = (one: Draft) => `form ${JSON.stringify(bodyOf(one))}`
  const restored = useRestored(nameOf(initial)) as Draft | undefined
  const [draft, setDraft] = useState(restored ?? initial)
  const [saved, setSaved] = useState(initial)
  const [visited, setVisited] = useState<ReadonlySet<string>>(() => new Set(options.visited))
  const [refusals, setRefusals] = useState(0)
  const refuse = () => setRefusals((count) => count + 1)
  const restart = (next: Draft) => {
    setDraft(next)
    setSaved(next)
    setRefusals(0)
  }
  const dirty = isChanged(draft, saved)
  // By what was saved last: a reload begins with it.
  useKept(nameOf(saved), dirty ? draft : undefined)
  const objections = useMemo(() => objectionsIn(saving.error), [saving.error])
  return {
    draft,
    visited,
    refusals,
    objections,
    change: (part) => {
      setDraft((before) => ({ ...before, ...part }))
      if (saving.error) saving.reset()
    },
    visit: (path) =>
      setVisited((before) => (before.has(path) ? before : new Set([...before, path]))),
    dirty,
    saving: saving.isPending,
    error: objections.length === 0 ? saving.error : null,
    submit: (ready) => {
      if (!ready) return refuse()
      saving.mutate(bodyOf(draft), {
        onSuccess: (result) => {
          const next = savedDraft(result, draft)
          // What was typed while it was being saved is kept.
          setDraft((now) => ({ ...next, ...changedFields(draft, now) }))
          setSaved(next)
          setRefusals(0)
          onSaved(result)
        },
        onError: refuse,
      })
    },
    discard: () => {
      restart(isOutdated() ? initial : saved)
      saving.reset()
    },
  }
}
