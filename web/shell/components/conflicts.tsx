// Shows the question of a form whose fields somebody else has changed, above every page.
import { useQueryClient } from '@tanstack/react-query'
import { Fragment, type ReactNode, useState, useSyncExternalStore } from 'react'
import { conflictStore } from '../client/edits.ts'
import { lazyPart } from './lazy-part.tsx'

const ConflictDialog = lazyPart(
  async () => (await import('./conflict-dialog.tsx')).ConflictDialog,
  {
    as: 'dialog',
  },
)

/** Mounts the pages again, with fresh data, when the other version is kept. */
export function Conflicts({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const conflict = useSyncExternalStore(conflictStore.subscribe, conflictStore.read)
  const [kept, setKept] = useState(0)
  const keepTheirs = () => {
    conflict?.answer('theirs')
    client.removeQueries()
    setKept((count) => count + 1)
  }
  const decideLater = () => {
    // Read before the form can be used again: Discard then shows the other version.
    void client.invalidateQueries().finally(() => conflict?.answer('later'))
  }
  return (
    <>
      <Fragment key={kept}>{children}</Fragment>
      {conflict && (
        <ConflictDialog conflict={conflict} onKeepTheirs={keepTheirs} onClose={decideLater} />
      )}
    </>
  )
}
