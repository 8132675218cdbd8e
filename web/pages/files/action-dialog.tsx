// The dialog of a menu's entry, for the files of the list and for a single file on its own page.
import { lazy, Suspense } from 'react'
import { type MenuEntry } from './actions.ts'
import { type BulkProps } from './dialogs/bulk-dialog.tsx'

// No dialog is needed to look at files.
const OpenDialog = lazy(async () => ({
  default: (await import('./dialogs/open-dialog.tsx')).OpenDialog,
}))

export const ActionDialog = (props: BulkProps & { entry: MenuEntry }) => (
  <Suspense fallback={null}>
    <OpenDialog key={props.entry === 'workflow' ? 'workflow' : props.entry.action.id} {...props} />
  </Suspense>
)
