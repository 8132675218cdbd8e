// What is done with one file from its own page: the list's actions and dialogs, for this file alone.
import { type ReactNode, useState } from 'react'
import { type FileDetail, type Operation } from '../../client/types.ts'
import { usePlugins } from '../../client/workflows.ts'
import { ActionDialog } from './action-dialog.tsx'
import { type ActionId, isInstalled } from './actions.ts'
import { type Chosen } from './selection.ts'

export interface FileActions {
  /** Opens the action's dialog; null: this installation does not have the action. */
  opener: (action: ActionId) => (() => void) | null
  /** The open dialog, if there is one. To be drawn somewhere. */
  dialog: ReactNode
}

export function useFileActions(file: FileDetail, onStarted: (operation: Operation) => void): FileActions {
  const plugins = usePlugins().data?.data
  const [action, setAction] = useState<ActionId | null>(null)
  const dialog = action && (
    <ActionDialog
      action={action}
      chosen={chosenAlone(file)}
      onClose={() => setAction(null)}
      onStarted={(operation) => {
        setAction(null)
        onStarted(operation)
      }}
    />
  )
  const opener = (id: ActionId) => (plugins && isInstalled(id, plugins) ? () => setAction(id) : null)
  return { opener, dialog }
}

const chosenAlone = (file: FileDetail): Chosen => ({
  select: { file_ids: [file.id] },
  ...{ count: 1, files: [file], known: true, list: { filter: {}, total: 1 } },
})
