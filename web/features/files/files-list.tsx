// The rows of the list with their selection, which is its own state: a tick renders nothing else of
// the page.
import { Fragment, memo } from 'react'
import type { Answer } from '../../shell/client/endpoints.ts'
import type { Operation } from '../../shell/client/types.ts'
import type { UrlState } from '../../shell/url-state/use-url-state.ts'
import { Box, Button, InlineStack, Text } from '../../shell/ui/index.ts'
import { selectionText } from '../../shell/files/selection-labels.ts'
import { t } from '../../shell/messages/t.ts'
import { useBulkActions } from './bulk-actions.tsx'
import type { ListColumn } from './columns.ts'
import { FilesTable } from './files-table.tsx'
import { useSelection, type FileSelection } from './selection.ts'
import { type FilesUrlState, filterOf } from './url-state.ts'

interface Props {
  /** Undefined: it is loading, failed, or empty. */
  list: Answer<'GET /api/files'> | undefined
  /** Another list has other rows (use-shown-list.ts). */
  shown: string
  urlState: FilesUrlState
  columns: readonly ListColumn[]
  go: UrlState<FilesUrlState>['go']
  onStarted: (operation: Operation) => void
}

export const FilesList = memo(function FilesList(props: Props) {
  const { list, shown, urlState, columns, go, onStarted } = props
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
