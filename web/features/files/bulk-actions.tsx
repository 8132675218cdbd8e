// The actions on the ticked files, as the bars above the list offer them, and the open dialog.
import { type ReactNode, useState } from 'react'
import { type Operation } from '../../shell/client/types.ts'
import { type Entry, usePlugins } from '../../shell/client/plugins.ts'
import { ActionDialog } from './action-dialog.tsx'
import { type ActionMenu, entriesAt, type MenuEntry, menuOf } from './actions.ts'
import { unfitReason } from './fits.ts'
import { type Chosen, type FileSelection } from './selection.ts'
import { t } from '../../shell/messages/t.ts'

export interface BulkAction {
  content: string
  destructive?: boolean
  disabled?: boolean
  /** Why it is disabled. */
  helpText?: string
  onAction: () => void
}

export interface BulkMenu {
  foremost: BulkAction[]
  groups: { title: string; items: BulkAction[] }[]
}

interface BulkActions {
  menu: BulkMenu
  /** Actions on the list as a whole. */
  whole: BulkAction[]
  /** The open dialog, or null. The caller must render it. */
  dialog: ReactNode
}

export function useBulkActions(
  selection: FileSelection,
  trash: boolean,
  onStarted: (operation: Operation) => void,
): BulkActions {
  const plugins = usePlugins().data
  const [opened, setOpened] = useState<{ entry: MenuEntry; chosen: Chosen } | null>(null)
  // Keeps the files that are ticked now: later changes of the list do not affect the dialog.
  const open = (entry: MenuEntry) => setOpened({ entry, chosen: selection.chosen })
  const dialog = opened && (
    <ActionDialog
      {...opened}
      onClose={() => setOpened(null)}
      onStarted={(operation) => {
        setOpened(null)
        selection.clear()
        onStarted(operation)
      }}
    />
  )
  const whole = trash
    ? []
    : entriesAt(plugins, 'list').map((entry) => ({
        ...itemOf(entry, () => open(entry)),
        destructive: false,
      }))
  const menu = menuOf(plugins, trash ? 'trash' : 'files')
  return { menu: offeredOf(menu, selection.chosen, open), whole, dialog }
}

const itemOf = ({ action: { labels, destructive } }: Entry, onAction: () => void): BulkAction => ({
  content: labels.menu,
  destructive,
  onAction,
})

function offeredOf(
  { promoted, groups }: ActionMenu,
  chosen: Chosen,
  open: (entry: MenuEntry) => void,
): BulkMenu {
  const offered = (entry: MenuEntry): BulkAction => {
    if (entry === 'workflow') return { content: t('Run workflow'), onAction: () => open(entry) }
    const reason = chosen.count === 0 ? null : unfitReason(entry.action.fits.rules, chosen)
    return {
      ...itemOf(entry, () => open(entry)),
      ...(reason === null ? {} : { disabled: true, helpText: reason }),
    }
  }
  return {
    foremost: promoted.map(offered),
    groups: groups.map(({ title, entries }) => ({ title, items: entries.map(offered) })),
  }
}
