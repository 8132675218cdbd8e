// The actions on one file from its page: the list's actions and dialogs, for this file only.
import { type ReactNode, useState } from 'react'
import { type FileDetail, type Operation } from '../../shell/client/types.ts'
import {
  type Entry,
  findByAction,
  findByBody,
  findByWidget,
  usePlugins,
} from '../../shell/client/plugins.ts'
import { ActionDialog } from './action-dialog.tsx'
import { type ActionFiles } from './selection.ts'

/** The actions that the page offers: delete, map to a product, remove products, give. */
interface FileActions {
  /** Each opens the action's dialog; null: this installation does not have the action. */
  remove: (() => void) | null
  map: (() => void) | null
  unmap: (() => void) | null
  /** Gives the file to past buyers. */
  give: (() => void) | null
  /** Releases it from quarantine. */
  release: (() => void) | null
  /** The open dialog, or null. The caller must render it. */
  dialog: ReactNode
  /** Notifies the buyers of a new version. */
  tell: (() => void) | null
}

export function useFileActions(
  file: FileDetail,
  onStarted: (operation: Operation) => void,
): FileActions {
  const plugins = usePlugins().data?.data ?? []
  const [entry, setEntry] = useState<Entry | null>(null)
  const dialog = entry && (
    <ActionDialog
      entry={entry}
      chosen={chosenAlone(file)}
      onClose={() => setEntry(null)}
      onStarted={(operation) => {
        setEntry(null)
        onStarted(operation)
      }}
    />
  )
  const opener = (found: Entry | undefined) => (found ? () => setEntry(found) : null)
  return {
    remove: opener(findByBody(plugins, 'delete')),
    map: opener(findByWidget(plugins, 'product')),
    unmap: opener(findByWidget(plugins, 'products')),
    give: opener(findByBody(plugins, 'give')),
    tell: opener(findByBody(plugins, 'tell')),
    release: opener(findByAction(plugins, 'release-files')),
    dialog,
  }
}

const chosenAlone = (file: FileDetail): ActionFiles => ({
  select: { file_ids: [file.id] },
  count: 1,
  files: [file],
  known: true,
  list: { filter: {}, total: 1 },
})
