// The draft of a form about a record that is read again while the form is open.
import { useState } from 'react'

interface Options<Saved, Draft, Change extends object> {
  /** As it was read last. */
  record: Saved
  draftOf: (record: Saved) => Draft
  /** The fields that differ. */
  changeOf: (record: Saved, draft: Draft) => Change
}

/**
 * `change`: what a person has changed. A later version of the record is shown until then; afterwards
 * the form keeps the version that it began with, so that it saves nothing that others have changed.
 */
export function useRecordDraft<Saved, Draft extends object, Change extends object>({
  record,
  draftOf,
  changeOf,
}: Options<Saved, Draft, Change>) {
  const [{ base, draft }, set] = useState(() => ({ base: record, draft: draftOf(record) }))
  const change = changeOf(base, draft)
  const dirty = Object.keys(change).length > 0
  const restart = () => set({ base: record, draft: draftOf(record) })
  if (!dirty && base !== record) restart()
  return {
    ...{ draft, change, dirty },
    edit: (part: Partial<Draft>) => set((now) => ({ ...now, draft: { ...now.draft, ...part } })),
    /** `sent` was saved: what was typed meanwhile is kept. */
    saved: (next: Saved, sent: Draft) =>
      set((now) => ({ base: next, draft: now.draft === sent ? draftOf(next) : now.draft })),
    discard: restart,
  }
}
