// The dialog of an action, for the files of the list and for a single file on its own page.
import { lazy, Suspense } from 'react'
import { type ActionId } from './actions.ts'
import { type BulkProps } from './dialogs/bulk-dialog.tsx'

// They are many, and none of them is needed to look at files.
const OpenDialog = lazy(async () => ({ default: (await import('./dialogs/open-dialog.tsx')).OpenDialog }))

export const ActionDialog = (props: BulkProps & { action: ActionId }) => (
  <Suspense fallback={null}>
    <OpenDialog key={props.action} {...props} />
  </Suspense>
)
