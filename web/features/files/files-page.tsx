// All files of the shop, or those in its trash: search, filters, order, pages, and actions on
// many files.
import { Fragment, useState } from 'react'
import { useRunning } from '../operations/calls.ts'
import { useFiles } from '../../shell/client/queries.ts'
import { LoadingRows, Nothing, PageTurner } from '../../shell/components/lists.tsx'
import { PageSearch } from '../../shell/components/page-search.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import {
  FILES_STATE,
  type FilesUrlState,
  filesQuery,
  isNarrowed,
  listOf,
  rangeText,
  withoutFilters,
} from './url-state.ts'
import { useShownList } from '../../shell/url-state/use-shown-list.ts'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'
import { BlockStack, Box, Card } from '../../shell/ui/index.ts'
import { type BulkAction, useBulkActions } from './bulk-actions.tsx'
import { FilesFilters } from './files-filters.tsx'
import { FilesTable } from './files-table.tsx'
import { FirstFile } from './first-file.tsx'
import { OperationToast } from './operation-toast.tsx'
import { RunningNow } from './running-now.tsx'
import { SelectionLine } from './selection-line.tsx'
import { useSelection } from './selection.ts'
import { t } from '../../shell/messages/t.ts'

const TRASH = '/files?deleted=true'

export function FilesPage() {
  const { urlState, go, pages } = useUrlState(FILES_STATE)
  const [started, setStarted] = useState<string | null>(null)
  const moving = useRunning()
  const files = useFiles(filesQuery(urlState), moving.length > 0)
  const list = files.data
  const shown = useShownList(listOf(urlState), files.isPlaceholderData)
  const selection = useSelection(urlState, list?.data, list?.total)
  const { menu, whole, dialog } = useBulkActions(selection, urlState.deleted, ({ id }) =>
    setStarted(id),
  )
  const some = list !== undefined && list.total > 0
  const none = list !== undefined && list.total === 0 && list.data.length === 0
  const failed = files.error !== null && (list === undefined || files.isPlaceholderData)
  const first =
    none && !urlState.deleted && !isNarrowed(urlState) && !files.isPlaceholderData && !failed
  const retry = () => void files.refetch()
  return (
    <Page
      {...titleOf(urlState, some ? whole : [])}
      fullWidth
      primaryAction={urlState.deleted ? undefined : { content: t('Import'), url: '/import' }}
    >
      <BlockStack gap="400">
        {files.error && list && !failed && (
          <Problem stale error={files.error} what="" onRetry={retry} retrying={files.isFetching} />
        )}
        {started && (
          <OperationToast id={started} onReplaced={setStarted} onDismiss={() => setStarted(null)} />
        )}
        <RunningNow operations={moving.filter(({ id }) => id !== started)} />
        {first ? (
          <FirstFile />
        ) : (
          <Card padding="0">
            <PageSearch>
              <FilesFilters
                urlState={urlState}
                go={go}
                loading={files.isFetching && files.isPlaceholderData}
              />
            </PageSearch>
            {failed ? (
              <Box padding="400">
                <Problem
                  error={files.error!}
                  what={t('The files could not be loaded')}
                  onRetry={retry}
                  retrying={files.isFetching}
                />
              </Box>
            ) : list === undefined ? (
              <LoadingRows what={t('files')} />
            ) : none ? (
              <NoFile urlState={urlState} onClear={() => go(withoutFilters(urlState))} />
            ) : (
              <Fragment key={shown}>
                <SelectionLine selection={selection} urlState={urlState} />
                <FilesTable
                  files={list.data}
                  total={list.total}
                  trash={urlState.deleted}
                  find={urlState.search}
                  selection={selection}
                  menu={menu}
                  sort={urlState.sort}
                  onSort={(sort) => go({ sort })}
                />
                <PageTurner
                  what={t('files')}
                  pages={pages(files.isPlaceholderData ? null : list.next_cursor)}
                  label={rangeText(urlState.page, list.data.length, list.total)}
                />
              </Fragment>
            )}
          </Card>
        )}
      </BlockStack>
      {dialog}
    </Page>
  )
}

function titleOf({ deleted }: FilesUrlState, whole: BulkAction[]) {
  if (deleted)
    return {
      title: t('Trash'),
      subtitle: t('Deleted files stay here for 7 days. After that they are deleted permanently.'),
      backAction: { content: t('Files'), url: '/files' },
    }
  return { title: t('Files'), secondaryActions: [...whole, { content: t('Trash'), url: TRASH }] }
}

function NoFile({ urlState, onClear }: { urlState: FilesUrlState; onClear: () => void }) {
  if (urlState.deleted && !isNarrowed(urlState))
    return (
      <Nothing
        why="new"
        heading={t('The trash is empty')}
        action={{ content: t('Go to files'), url: '/files' }}
      >
        {t('Files that you delete are kept here for 7 days and can be restored.')}
      </Nothing>
    )
  return (
    <Nothing
      why="unmatched"
      heading={t('No file matches')}
      action={{ content: t('Clear search and filters'), onAction: onClear }}
    >
      {t('Try another word, or remove a filter.')}
    </Nothing>
  )
}
