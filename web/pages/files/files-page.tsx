// All files of the shop: search, filters, order, pages.
import { useOperations } from '../../client/operations.ts'
import { useFiles } from '../../client/queries.ts'
import { LoadingRows, Nothing, PageTurner } from '../../components/lists.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { filesQuery, isNarrowed, rangeText, readFilesPlace, widened, writeFilesPlace } from '../../place/files.ts'
import { usePlace } from '../../place/use-place.ts'
import { BlockStack, Card } from '../../ui/index.ts'
import { FilesFilters } from './files-filters.tsx'
import { FilesTable } from './files-table.tsx'
import { FirstFile } from './first-file.tsx'
import { RunningNow } from './running-now.tsx'

export function FilesPage() {
  const { place, go, pages } = usePlace(readFilesPlace, writeFilesPlace)
  const running = useOperations({ status: 'running', limit: 3 })
  const moving = running.data?.data ?? []
  const files = useFiles(filesQuery(place), moving.length > 0)
  const list = files.data
  const narrowed = isNarrowed(place)
  const none = list !== undefined && list.total === 0 && list.data.length === 0
  const failed = files.error !== null && (list === undefined || files.isPlaceholderData)
  const retry = () => void files.refetch()

  return (
    <Page title="Files" fullWidth>
      <BlockStack gap="400">
        {files.error && list && !failed && (
          <Problem stale error={files.error} what="" onRetry={retry} retrying={files.isFetching} />
        )}
        <RunningNow operations={moving} />
        {none && !narrowed && !files.isPlaceholderData && !failed ? (
          <FirstFile />
        ) : (
          <Card padding="0">
            <FilesFilters place={place} go={go} loading={files.isFetching && files.isPlaceholderData} />
            {failed ? (
              <div style={{ padding: 'var(--p-space-400)' }}>
                <Problem
                  error={files.error!}
                  what="The files could not be loaded"
                  onRetry={retry}
                  retrying={files.isFetching}
                />
              </div>
            ) : list === undefined ? (
              <LoadingRows what="files" />
            ) : none ? (
              <Nothing
                why="unmatched"
                heading="No file matches"
                action={{ content: 'Clear search and filters', onAction: () => go(widened(place)) }}
              >
                <p>Try another word, or take a filter away.</p>
              </Nothing>
            ) : (
              <>
                <FilesTable files={list.data} sort={place.sort} onSort={(sort) => go({ sort })} />
                <PageTurner
                  what="files"
                  pages={pages(files.isPlaceholderData ? null : list.next_cursor)}
                  label={rangeText(place.page, list.data.length, list.total)}
                />
              </>
            )}
          </Card>
        )}
      </BlockStack>
    </Page>
  )
}
