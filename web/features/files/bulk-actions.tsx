// The actions on the ticked files, as the bars above the list offer them, and the open dialog.
import { type ReactNode, useMemo, useState } from 'react'
import { type Operation } from '../../shell/client/types.ts'
import { type Entry, type PluginList, usePlugins } from '../../shell/client/plugins.ts'
import { useStable } from '../../shell/components/use-stable.ts'
import { ActionDialog } from './action-dialog.tsx'
import { type ActionMenu, entriesAt, type MenuEntry, menuOf } from './actions.ts'
import { unfitReason } from './fits.ts'
import { type ActionFiles, type FileSelection } from './selection.ts'
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

interface OpenAction {
  entry: MenuEntry
  chosen: ActionFiles
}

/** What is shown for the actions; the caller must render it. */
type OpenDialog = ReactNode

/** The dialog of the action that was opened last, until it is closed or has started. */
function useActionDialog(onStarted: (operation: Operation, entry: MenuEntry) => void): {
  show: (opened: OpenAction) => void
  dialog: OpenDialog
} {
  const [opened, setOpened] = useState<OpenAction | null>(null)
  const dialog = opened && (
    <ActionDialog
      {...opened}
      onClose={() => setOpened(null)}
      onStarted={(operation) => {
        setOpened(null)
        onStarted(operation, opened.entry)
      }}
    />
  )
  return { show: setOpened, dialog }
}

/** The actions on the ticked files. */
export function useBulkActions(
  selection: FileSelection,
  trash: boolean,
  onStarted: (operation: Operation) => void,
): { menu: BulkMenu; dialog: OpenDialog } {
  const plugins = usePlugins().data
  const { show, dialog } = useActionDialog((operation, entry) => {
    if (mayRemove(entry, trash)) selection.clear()
    onStarted(operation)
  })
  // Keeps the files that are ticked now: later changes of the list do not affect the dialog.
  const open = useStable((entry: MenuEntry) => show({ entry, chosen: selection.chosen }))
  return { menu: useOffered(plugins, trash, selection.chosen, open), dialog }
}

/** No file is ticked: the action is for those of the list, or chooses its files itself. */
const filesOf = (list: ActionFiles['list']): ActionFiles => ({
  select: { file_ids: [] },
  ...{ count: 0, files: [], known: true, list },
})

/** The actions on the list as a whole. Undefined: it is read first. */
export function useWholeActions(
  list: ActionFiles['list'] | undefined,
  onStarted: (operation: Operation) => void,
): { whole: BulkAction[]; dialog: OpenDialog } {
  const plugins = usePlugins(list !== undefined).data
  const { show, dialog } = useActionDialog(onStarted)
  const open = (entry: Entry) => list && show({ entry, chosen: filesOf(list) })
  const whole = entriesAt(plugins, 'list').map((one) => ({
    ...itemOf(one, () => open(one)),
    destructive: false,
  }))
  return { whole, dialog }
}

/** May the files be in another list afterwards, or be gone? A workflow can contain any action. */
const mayRemove = (entry: MenuEntry, trash: boolean): boolean =>
  trash || entry === 'workflow' || entry.action.destructive

/** Returns the same menu while its texts do not change: the bar measures its buttons for every new one. */
function useOffered(
  plugins: PluginList | undefined,
  trash: boolean,
  chosen: ActionFiles,
  open: (entry: MenuEntry) => void,
): BulkMenu {
  const menu = useMemo(() => menuOf(plugins, trash ? 'trash' : 'files'), [plugins, trash])
  const reasons = JSON.stringify(reasonsOf(menu, chosen))
  return useMemo(() => offeredOf(menu, JSON.parse(reasons) as Reasons, open), [menu, reasons, open])
}

/** Why an action does not fit the selected files, by its id. */
type Reasons = Readonly<Record<string, string>>

function reasonsOf({ promoted, groups }: ActionMenu, chosen: ActionFiles): Reasons {
  if (chosen.count === 0) return {}
  const entries = [...promoted, ...groups.flatMap((group) => group.entries)]
  return Object.fromEntries(
    entries.flatMap((entry) => {
      if (entry === 'workflow') return []
      const reason = unfitReason(entry.action.fits.rules, chosen)
      return reason === null ? [] : [[entry.action.id, reason]]
    }),
  )
}

const itemOf = ({ action: { labels, destructive } }: Entry, onAction: () => void): BulkAction => ({
  content: labels.menu,
  destructive,
  onAction,
})

function offeredOf(
  { promoted, groups }: ActionMenu,
  reasons: Reasons,
  open: (entry: MenuEntry) => void,
): BulkMenu {
  const offered = (entry: MenuEntry): BulkAction => {
    if (entry === 'workflow') return { content: t('Run workflow'), onAction: () => open(entry) }
    const reason = reasons[entry.action.id]
    return {
      ...itemOf(entry, () => open(entry)),
      ...(reason === undefined ? {} : { disabled: true, helpText: reason }),
    }
  }
  return {
    foremost: promoted.map(offered),
    groups: groups.map(({ title, entries }) => ({ title, items: entries.map(offered) })),
  }
}
