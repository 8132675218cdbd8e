// The dialog of a menu entry, for the files of the list and for a single file on its page.
import { lazyPart } from '../../shell/components/lazy-part.tsx'
import { type MenuEntry } from './actions.ts'
import { type BulkProps } from './dialogs/bulk-dialog.tsx'

// Loaded on first use: looking at files needs no dialog.
const OpenDialog = lazyPart(async () => (await import('./dialogs/open-dialog.tsx')).OpenDialog, {
  as: 'dialog',
})

export const ActionDialog = (props: BulkProps & { entry: MenuEntry }) => (
  <OpenDialog key={props.entry === 'workflow' ? 'workflow' : props.entry.action.id} {...props} />
)
