// The rows of the list with their selection, which is its own state: a tick renders nothing else of
// the page.
import { goTo } from '../../shell/url-state/leaving.ts'
import { Fragment, memo, type ReactNode, useMemo, useState } from 'react'
import { ownValue } from '../../../plugins/_page/own-value.ts'
import type { Answer } from '../../shell/client/endpoints.ts'
import type { Operation } from '../../shell/client/types.ts'
import type { UrlState } from '../../shell/url-state/use-url-state.ts'
import { Box, Button, InlineStack, Text } from '../../shell/ui/index.ts'
import { selectionText } from '../../shell/files/selection-labels.ts'
import { t } from '../../shell/messages/t.ts'
import { type Entry, type PluginList, usePlugins } from '../../shell/client/plugins.ts'
import type { MenuItem } from '../../shell/components/menu-items.tsx'
import type { SelectionMenu } from '../../shell/components/selection-bar.tsx'
import { useStable } from '../../shell/components/use-stable.ts'
import type { ListColumn } from './columns.ts'
import { FilesTable } from './files-table.tsx'
import type { ListLayout } from './layout.ts'
import { useSelection, type FileSelection, type ActionFiles } from './selection.ts'
import { type FilesUrlState, filterOf } from './url-state.ts'
import { ActionDialog } from './action-dialog.tsx'
import { entriesAt, type MenuEntry, menuOf } from './actions.ts'
import { unfitReason } from './fits.ts'

interface Props {
  /** Undefined: it is loading, failed, or empty. */
  list: Answer<'GET /api/files'> | undefined
  /** Another list has other rows (use-shown-list.ts). */
  shown: string
  urlState: FilesUrlState
  columns: readonly ListColumn[]
  layout: ListLayout
  go: UrlState<FilesUrlState>['go']
  onStarted: (operation: Operation) => void
}

export const FilesList = memo(function FilesList(props: Props) {
  const { list, shown, urlState, columns, layout, go, onStarted } = props
  const selection = useSelection(urlState, list?.data, {
    total: list?.total ?? 0,
    isExact: list?.total_is_exact ?? true,
  })
  const { menu, dialog } = useBulkActions(selection, urlState.deleted, onStarted)
  return (
    <>
      {list && (
        <Fragment key={shown}>
          <SelectionLine selection={selection} urlState={urlState} />
          <FilesTable
            files={list.data}
            total={list.total}
            isExact={list.total_is_exact}
            trash={urlState.deleted}
            find={urlState.search}
            columns={columns}
            layout={layout}
            selection={selection}
            menu={menu}
            sort={urlState.sort}
            onSort={(sort) => go({ sort })}
          />
        </Fragment>
      )}
      {dialog}
    </>
  )
})

// The selection in words, if the rows do not show it: files on other pages, or all that match.

function SelectionLine({
  selection,
  urlState,
}: {
  selection: FileSelection
  urlState: FilesUrlState
}) {
  const { all, count, onPage, clear } = selection
  const text = selectionText({ all, count, onPage, filter: filterOf(urlState) })
  return (
    <div role="status">
      {text && (
        <Box paddingInline="400" paddingBlock="200" background="bg-surface-secondary">
          <InlineStack gap="300" blockAlign="center">
            <Text as="span">{text}</Text>
            <Button variant="plain" onClick={clear}>
              {t('Clear selection')}
            </Button>
          </InlineStack>
        </Box>
      )}
    </div>
  )
}

// The actions on the ticked files, as the bars above the list offer them, and the open dialog.

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
function useBulkActions(
  selection: FileSelection,
  trash: boolean,
  onStarted: (operation: Operation) => void,
): { menu: SelectionMenu; dialog: OpenDialog } {
  const plugins = usePlugins().data
  const { show, dialog } = useActionDialog((operation, entry) => {
    if (mayRemove(entry, trash)) selection.clear()
    onStarted(operation)
  })
  // Keeps the files that are ticked now: later changes of the list do not affect the dialog.
  const open = useStable((entry: MenuEntry) => show({ entry, chosen: selection.chosen }))
  const menu = useOffered(plugins, trash, selection.chosen, open)
  const [only, ...others] = selection.chosen.files
  const replaced = only && others.length === 0 && !selection.all && !trash ? only.id : null
  return { menu: useMemo(() => withReplace(menu, replaced), [menu, replaced]), dialog }
}

/** A single file can be replaced from the list too. @param file its id; null: none, or several */
const withReplace = (menu: SelectionMenu, file: string | null): SelectionMenu =>
  file === null
    ? menu
    : {
        ...menu,
        groups: [
          {
            title: t('Version'),
            items: [{ content: t('Replace file'), onAction: () => goTo(`/files/${file}?replace`) }],
          },
          ...menu.groups,
        ],
      }

/** No file is ticked: the action is for those of the list, or chooses its files itself. */
const filesOf = (list: ActionFiles['list']): ActionFiles => ({
  select: { file_ids: [] },
  count: 0,
  files: [],
  known: true,
  list,
})

/** The actions on the list as a whole. Undefined: it is read first. */
export function useWholeActions(
  list: ActionFiles['list'] | undefined,
  onStarted: (operation: Operation) => void,
): { whole: MenuItem[]; dialog: OpenDialog } {
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

/** Returns the same actions while their texts do not change: the bar renders its buttons again for others. */
function useOffered(
  plugins: PluginList | undefined,
  trash: boolean,
  chosen: ActionFiles,
  open: (entry: MenuEntry) => void,
): SelectionMenu {
  const menu = useMemo(() => menuOf(plugins, trash ? 'trash' : 'files'), [plugins, trash])
  const { promoted, groups } = menu
  const ofButtons = JSON.stringify(reasonsOf(promoted, chosen))
  const others = groups.flatMap(({ entries }) => entries)
  const ofOthers = JSON.stringify(reasonsOf(others, chosen))
  return {
    foremost: useMemo(() => promoted.map(offered(ofButtons, open)), [promoted, ofButtons, open]),
    groups: useMemo(
      () =>
        groups.map(({ title, entries }) => ({
          title,
          items: entries.map(offered(ofOthers, open)),
        })),
      [groups, ofOthers, open],
    ),
  }
}

/** Why an action does not fit the selected files, by its id. */
type Reasons = Readonly<Record<string, string>>

function reasonsOf(entries: readonly MenuEntry[], chosen: ActionFiles): Reasons {
  if (chosen.count === 0) return {}
  return Object.fromEntries(
    entries.flatMap((entry) => {
      if (entry === 'workflow') return []
      const reason = unfitReason(entry.action.fits.rules, chosen)
      return reason === null ? [] : [[entry.action.id, reason]]
    }),
  )
}

const itemOf = ({ action: { labels, destructive } }: Entry, onAction: () => void): MenuItem => ({
  content: labels.menu,
  destructive,
  onAction,
})

/** @param written the reasons, as JSON */
function offered(written: string, open: (entry: MenuEntry) => void) {
  const reasons = JSON.parse(written) as Reasons
  return (entry: MenuEntry): MenuItem => {
    if (entry === 'workflow') return { content: t('Run workflow'), onAction: () => open(entry) }
    const reason = ownValue(reasons, entry.action.id)
    return {
      ...itemOf(entry, () => open(entry)),
      ...(reason === undefined ? {} : { disabled: true, helpText: reason }),
    }
  }
}
