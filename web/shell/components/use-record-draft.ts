// The draft of a form about a record that is read again while the form is open.
import { useState } from 'react'
import { changedFields } from '../labels/changes.ts'
import { useKept, useRestored } from '../url-state/kept-over-reload.ts'

interface Options<Saved, Draft, Change extends object> {
  /** The record as it was read last. */
  record: Saved
  draftOf: (record: Saved) => Draft
  /** The fields that differ. */
  changeOf: (record: Saved, draft: Draft) => Change
}

/** `base`: what `change` is compared with; `seen`: the record as it was read then. */
const startOf = <Saved, Draft>(record: Saved, draftOf: (record: Saved) => Draft) => ({
  base: record,
  seen: record,
  draft: draftOf(record),
})

/**
 * `change`: what a person has changed. A later version of the record is shown until then; afterwards
 * the form keeps the version that it began with, so that it saves nothing that others have changed.
 */
export function useRecordDraft<Saved, Draft extends object, Change extends object>({
  record,
  draftOf,
  changeOf,
}: Options<Saved, Draft, Change>) {
  const nameOf = (one: Saved) => `record ${JSON.stringify(draftOf(one))}`
  const restored = useRestored(nameOf(record)) as Draft | undefined
  const [{ base, seen, draft }, set] = useState(() => ({
    ...startOf(record, draftOf),
    ...(restored && { draft: restored }),
  }))
  const change = changeOf(base, draft)
  const dirty = Object.keys(change).length > 0
  // By the saved version: after a reload that is the record.
  useKept(nameOf(base), dirty ? draft : undefined)
  const restart = () => set(startOf(record, draftOf))
  // After saving, the record may be the old one until it is read again.
  if (!dirty && seen !== record) restart()
  return {
    draft,
    change,
    dirty,
    edit: (part: Partial<Draft>) => set((now) => ({ ...now, draft: { ...now.draft, ...part } })),
    /** `sent` was saved: what was typed meanwhile is kept. */
    saved: (next: Saved, sent: Draft) =>
      set((now) => ({
        base: next,
        seen: record,
        draft: { ...draftOf(next), ...changedFields(sent, now.draft) },
      })),
    discard: restart,
  }
}
