// The dialog of a menu entry; all dialogs are loaded when the first one is opened.
import { type ComponentType } from 'react'
import { type MenuEntry } from '../actions.ts'
import { type BulkProps } from './bulk-dialog.tsx'
import { DeleteByFilter } from './delete-by-filter.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { type EntryProps } from './entry-props.ts'
import { GiveDialog } from './give-dialog.tsx'
import { LinksDialog } from './links-dialog.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { PluginDialog } from './plugin-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { WorkflowDialog } from './workflow-dialog.tsx'

/** Dialog bodies that the schema cannot draw, by their names in the plugin contract. */
const BODIES: Readonly<Record<string, ComponentType<EntryProps>>> = {
  rename: RenameDialog,
  merge: MergeDialog,
  links: LinksDialog,
  give: GiveDialog,
  delete: DeleteDialog,
  'delete-by-filter': DeleteByFilter,
}

export function OpenDialog({ entry, ...props }: BulkProps & { entry: MenuEntry }) {
  if (entry === 'workflow') return <WorkflowDialog {...props} />
  const Dialog = BODIES[entry.action.body ?? ''] ?? PluginDialog
  return <Dialog entry={entry} {...props} />
}
