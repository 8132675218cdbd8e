// The dialog of a menu entry, for the files of the list and for a single file on its page.
import { lazy, Suspense } from 'react'
import { type MenuEntry } from './actions.ts'
import { type BulkProps } from './dialogs/bulk-dialog.tsx'

// Loaded on first use: looking at files needs no dialog.
const OpenDialog = lazy(async () => ({
  default: (await import('./dialogs/open-dialog.tsx')).OpenDialog,
}))

export const ActionDialog = (props: BulkProps & { entry: MenuEntry }) => (
  <Suspense fallback={null}>
    <OpenDialog key={props.entry === 'workflow' ? 'workflow' : props.entry.action.id} {...props} />
  </Suspense>
)
