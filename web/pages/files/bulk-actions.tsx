// What can be done with the ticked files, as the bars above the list offer it, and the dialog that is open for it.
import { type ReactNode, useState } from 'react'
import { type Operation } from '../../client/types.ts'
import { usePlugins } from '../../client/workflows.ts'
import { ActionDialog } from './action-dialog.tsx'
import {
  type Action,
  type ActionId,
  type ActionMenu,
  FILES_MENU,
  LIST_ACTIONS,
  offeredBy,
  TRASH_MENU,
} from './actions.ts'
import { type Chosen, type FileSelection } from './selection.ts'

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
  /** What is done with the list as a whole. */
  whole: BulkAction[]
  /** The open dialog, if there is one. To be drawn somewhere. */
  dialog: ReactNode
}

export function useBulkActions(
  selection: FileSelection,
  trash: boolean,
  onStarted: (operation: Operation) => void,
): BulkActions {
  const plugins = usePlugins().data?.data ?? NONE
  const [opened, setOpened] = useState<{ action: ActionId; chosen: Chosen } | null>(null)
  // What is ticked by now: a list that moves on behind the dialog changes nothing of it.
  const open = (action: ActionId) => setOpened({ action, chosen: selection.chosen })
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
  const isOffered = offeredBy(plugins)
  const whole = LIST_ACTIONS.filter(isOffered).map(({ id, title }) => ({ content: title, onAction: () => open(id) }))
  return { menu: menuOf(trash ? TRASH_MENU : FILES_MENU, isOffered, selection.chosen, open), whole, dialog }
}

const NONE: readonly { id: string }[] = []

function menuOf(
  { foremost, groups }: ActionMenu,
  isOffered: (action: Action) => boolean,
  chosen: Chosen,
  open: (action: ActionId) => void,
): BulkMenu {
  const offered = ({ id, title, destructive, unfit }: Action): BulkAction => {
    const reason = chosen.count === 0 ? null : (unfit?.(chosen) ?? null)
    return {
      content: title,
      destructive,
      ...(reason === null ? {} : { disabled: true, helpText: reason }),
      onAction: () => open(id),
    }
  }
  return {
    foremost: foremost.filter(isOffered).map(offered),
    groups: groups
      .map(({ title, actions }) => ({ title, items: actions.filter(isOffered).map(offered) }))
      .filter(({ items }) => items.length > 0),
  }
}
