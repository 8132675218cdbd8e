// What can be done with the ticked files, and the dialog that is open for it.
import { type ReactNode, useState } from 'react'
import { type Operation } from '../../client/types.ts'
import { type BulkProps } from './bulk-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { type FileSelection } from './selection.ts'
import { SettingsDialog } from './settings-dialog.tsx'
import { TagsDialog } from './tags-dialog.tsx'
import { PurgeDialog, RestoreDialog } from './trash-dialogs.tsx'
import { WorkflowDialog } from './workflow-dialog.tsx'

export interface BulkAction {
  content: string
  destructive?: boolean
  onAction: () => void
}

const DIALOGS: Record<string, (props: BulkProps) => ReactNode> = {
  'Change tags': TagsDialog,
  'Change settings': SettingsDialog,
  'Run workflow': WorkflowDialog,
  Delete: DeleteDialog,
  Restore: RestoreDialog,
  'Delete permanently': PurgeDialog,
}
const FILES = ['Change tags', 'Change settings', 'Run workflow', 'Delete']
const TRASH = ['Restore', 'Delete permanently']

interface BulkActions {
  actions: BulkAction[]
  /** The open dialog, if there is one. To be drawn somewhere. */
  dialog: ReactNode
}

export function useBulkActions(
  selection: FileSelection,
  trash: boolean,
  onLaunched: (operation: Operation) => void,
): BulkActions {
  const [open, setOpen] = useState<{ name: string; chosen: BulkProps['chosen'] } | null>(null)
  const actions = (trash ? TRASH : FILES).map((name) => ({
    content: name,
    destructive: name.startsWith('Delete'),
    // What is ticked by now: a list that moves on behind the dialog changes nothing of it.
    onAction: () => setOpen({ name, chosen: selection.chosen }),
  }))
  const Open = open && DIALOGS[open.name]
  const dialog = Open && (
    <Open
      chosen={open.chosen}
      onClose={() => setOpen(null)}
      onLaunched={(operation) => {
        setOpen(null)
        selection.clear()
        onLaunched(operation)
      }}
    />
  )
  return { actions, dialog }
}
