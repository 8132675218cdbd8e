// All files of the shop, or those in its trash: search, filters, order, pages, and actions on
// many files.
import { useMemo, useState } from 'react'
import { Redirect } from 'wouter'
import { navigate, useSearch } from 'wouter/use-browser-location'
import { useFiles } from '../../shell/client/queries.ts'
import type { File, Operation } from '../../shell/client/types.ts'
import { lazyPart } from '../../shell/components/lazy-part.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { PageSearch } from '../../shell/components/page-search.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadingTiles } from '../../shell/components/record-tiles.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { useStable } from '../../shell/components/use-stable.ts'
import type { MenuItem } from '../../shell/components/menu-items.tsx'
import { useShownList } from '../../shell/url-state/use-shown-list.ts'
import { type UrlState, useUrlState } from '../../shell/url-state/use-url-state.ts'
import { BlockStack, Box, Card } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import { useRunning } from '../operations/running-calls.ts'
import {
  type FilesUrlState,
  FILES_STATE,
  filesQuery,
  filterOf,
  isNarrowed,
  listOf,
  trashAddress,
  withoutFilters,
  writeFilesUrlState,
} from './url-state.ts'
import { useWholeActions, FilesList } from './files-list.tsx'
import { type ListColumn, readColumns, useKeptColumns, writeColumns } from './columns.ts'
import { FilesFilters } from './files-filters.tsx'
import { FilesViews } from './files-views.tsx'
import { FILES_IN_BROWSER } from './kept-rows.ts'
import { type ListLayout, useKeptLayout } from './layout.ts'
import { useKeptScroll } from './kept-scroll.ts'
import { ListFoot } from './list-foot.tsx'
import type { ActionFiles } from './selection.ts'

// Loaded in a shop without files.
const FirstFile = lazyPart(async () => (await import('./first-file.tsx')).FirstFile)
// Loaded when something runs, or was started here.
const RunningNow = lazyPart(async () => (await import('./running-now.tsx')).RunningNow)
const OperationToast = lazyPart(async () => (await import('./operation-toast.tsx')).OperationToast)

const NO_FILES: readonly File[] = []

export function FilesPage() {
  const trash = trashAddress(FILES_STATE.read(useSearch()))
  return trash === null ? <FilesOf state={FILES_IN_BROWSER} /> : <Redirect replace to={trash} />
}

/** The list of files whose address has this state: all files or the trash. */
export function FilesOf({ state }: { state: typeof FILES_STATE }) {
  const url = useUrlState(state)
  const { urlState, go } = url
  const moving = useRunning()
  const files = useFiles(filesQuery(urlState), moving.length > 0)
  const list = files.data
  const { started, setStarted, onStarted, whole, wholeRuns, dialog } = useStarted(
    wholeListOf(files, urlState),
  )
  const others = moving.filter(({ id }) => id !== started)
  const [columns, setColumns] = useColumns(urlState, go)
  const [layout, setLayout] = useKeptLayout()
  useKeptScroll(list && !files.isPlaceholderData ? writeFilesUrlState(urlState) : null)
  const { some, none, failed, first } = stateOf(files, urlState)
  const retry = () => void files.refetch()
  return (
    <Page
      {...titleOf(urlState, some ? whole : [])}
      fullWidth
      primaryAction={urlState.deleted ? undefined : { content: t('Import'), url: '/import' }}
    >
      <BlockStack gap="400">
        {list && !failed && <Stale files={files} />}
        <RunningHere started={started} onStarted={setStarted} others={others} />
        {first ? (
          <FirstFile />
        ) : (
          <Card padding="0">
            {!urlState.deleted && <FilesViews urlState={urlState} go={go} columns={columns} />}
            <PageSearch>
              <FilesFilters
                urlState={urlState}
                go={go}
                loading={files.isFetching && files.isPlaceholderData}
                files={list?.data ?? NO_FILES}
                columns={columns}
                onColumns={setColumns}
                layout={layout}
                onLayout={setLayout}
              />
            </PageSearch>
            <ListBody
              files={files}
              url={url}
              columns={columns}
              layout={layout}
              onStarted={onStarted}
              failed={failed}
              none={none}
              retry={retry}
              key={wholeRuns}
            />
          </Card>
        )}
      </BlockStack>
      {dialog}
    </Page>
  )
}

/** The list could not be read again, and its earlier rows are shown. */
const Stale = ({ files: { error, refetch, isFetching } }: Pick<BodyProps, 'files'>) =>
  error && (
    <Problem stale error={error} what="" onRetry={() => void refetch()} retrying={isFetching} />
  )

const wholeListOf = (
  { data: list, isPlaceholderData }: ReturnType<typeof useFiles>,
  urlState: FilesUrlState,
): ActionFiles['list'] | undefined =>
  list && {
    filter: filterOf(urlState),
    total: list.total,
    // The total of the list before is none of this one.
    isExact: list.total_is_exact && !isPlaceholderData,
  }

/** What the list can show. */
function stateOf(
  { data: list, error, isPlaceholderData }: ReturnType<typeof useFiles>,
  urlState: FilesUrlState,
) {
  const none = list !== undefined && list.total === 0 && list.data.length === 0
  const failed = error !== null && (list === undefined || isPlaceholderData)
  const isWhole = !urlState.deleted && !isNarrowed(urlState)
  return {
    some: list !== undefined && list.total > 0,
    none,
    failed,
    /** There are no files yet. */
    first: none && isWhole && !isPlaceholderData && !failed,
  }
}

/** The operation that was started here last, and the actions on the whole list once it is read. */
function useStarted(list: ActionFiles['list'] | undefined) {
  const [started, setStarted] = useState<string | null>(null)
  const onStarted = useStable(({ id }: Operation) => setStarted(id))
  // An action on the list chooses its files itself, and may delete ticked ones.
  const [wholeRuns, setWholeRuns] = useState(0)
  const { whole, dialog } = useWholeActions(list, (operation) => {
    setWholeRuns(wholeRuns + 1)
    onStarted(operation)
  })
  return { started, setStarted, onStarted, whole, wholeRuns, dialog }
}

interface RunningProps {
  started: string | null
  onStarted: (id: string | null) => void
  /** All that run now, except the one that was started here. */
  others: readonly Operation[]
}

const RunningHere = ({ started, onStarted, others }: RunningProps) => (
  <>
    {started && (
      <OperationToast id={started} onReplaced={onStarted} onDismiss={() => onStarted(null)} />
    )}
    {others.length > 0 && <RunningNow operations={others} />}
  </>
)

interface BodyProps {
  files: ReturnType<typeof useFiles>
  url: UrlState<FilesUrlState>
  columns: readonly ListColumn[]
  layout: ListLayout
  onStarted: (operation: Operation) => void
  failed: boolean
  none: boolean
  retry: () => void
}

/** The rows and the pages, or why there are none. */
function ListBody({ files, url, columns, layout, onStarted, failed, none, retry }: BodyProps) {
  const { urlState, go } = url
  const shown = useShownList(listOf(urlState), files.isPlaceholderData)
  const list = failed || none ? undefined : files.data
  return (
    <>
      {failed && files.error ? (
        <Box padding="400">
          <Problem
            error={files.error}
            what={t('The files could not be loaded')}
            onRetry={retry}
            retrying={files.isFetching}
          />
        </Box>
      ) : none ? (
        <NoFile urlState={urlState} onClear={() => go(withoutFilters(urlState))} />
      ) : (
        list === undefined &&
        (layout === 'grid' ? <LoadingTiles what={t('files')} /> : <LoadingRows what={t('files')} />)
      )}
      <FilesList
        list={list}
        shown={shown}
        urlState={urlState}
        columns={columns}
        layout={layout}
        go={go}
        onStarted={onStarted}
      />
      {list && (
        <ListFoot
          url={url}
          next={files.isPlaceholderData ? null : list.next_cursor}
          shown={list.data.length}
          total={list.total}
          isExact={list.total_is_exact}
        />
      )}
    </>
  )
}

/** The columns of the open view, or of the browser; a change of a view's columns is in the address. */
function useColumns(
  urlState: FilesUrlState,
  go: UrlState<FilesUrlState>['go'],
): [columns: readonly ListColumn[], change: (columns: readonly ListColumn[]) => void] {
  const [kept, keep] = useKeptColumns()
  const said = urlState.columns.join(',')
  const columns = useMemo(() => readColumns(said.split(',').filter(Boolean)) ?? kept, [said, kept])
  const change = useStable((chosen: readonly ListColumn[]) => {
    if (said !== '' || urlState.view !== '') go({ columns: writeColumns(chosen) })
    else keep(chosen)
  })
  return [columns, change]
}

const SAME_CONTENT: MenuItem = {
  content: t('Same content'),
  onAction: () => navigate('/same-content'),
}

function titleOf({ deleted }: FilesUrlState, whole: MenuItem[]) {
  if (deleted)
    return {
      title: t('Trash'),
      subtitle: t('Deleted files stay here for 7 days. After that they are deleted permanently.'),
    }
  return {
    title: t('Files'),
    actionGroups:
      whole.length > 0 ? [{ title: t('More actions'), actions: [...whole, SAME_CONTENT] }] : [],
  }
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
