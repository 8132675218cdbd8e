// What is done with one file from its own page: the list's actions and dialogs, for this file
// alone.
import { type ReactNode, useState } from 'react'
import { type FileDetail, type Operation } from '../../client/types.ts'
import { type Entry, findByBody, findByWidget, usePlugins } from '../../client/plugins.ts'
import { ActionDialog } from './action-dialog.tsx'
import { type Chosen } from './selection.ts'

/**
 * What the page offers for one file: to delete it, to map it to a product, to take products off it.
 */
export interface FileActions {
  /** Each opens the action's dialog; null: this installation does not have the action. */
  remove: (() => void) | null
  map: (() => void) | null
  unmap: (() => void) | null
  /** The open dialog, if there is one. To be drawn somewhere. */
  dialog: ReactNode
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
    dialog,
  }
}

const chosenAlone = (file: FileDetail): Chosen => ({
  select: { file_ids: [file.id] },
  ...{ count: 1, files: [file], known: true, list: { filter: {}, total: 1 } },
})
