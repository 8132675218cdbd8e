// All operations, newest first, updated while they run.
import { ListPages } from '../../shell/components/list-pages.tsx'
import { useOperations } from './calls.ts'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { PageSearch } from '../../shell/components/page-search.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { EVERY_OPERATION, isNarrowed, operationsQuery, OPERATIONS_STATE } from './url-state.ts'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'
import { ListViews } from '../../shell/views/list-views.tsx'
import { BlockStack, Box, Card } from '../../shell/ui/index.ts'
import { OperationsFilters } from './operations-filters.tsx'
import { OperationsTable } from './operations-table.tsx'
import { t } from '../../shell/messages/t.ts'

const PAGE_SIZE = 25

const countText = (count: number): string =>
  t('{count, plural, one {# operation} other {# operations}}', { count })

export function OperationsPage() {
  const { urlState, go, pages } = useUrlState(OPERATIONS_STATE)
  const operations = useOperations(operationsQuery(urlState, PAGE_SIZE))
  const list = operations.data
  const failed = operations.error !== null && (list === undefined || operations.isPlaceholderData)
  const problem = operations.error && {
    error: operations.error,
    onRetry: () => void operations.refetch(),
    retrying: operations.isFetching,
  }
  return (
    <Page
      title={t('Operations')}
      subtitle={t('Every import and every bulk operation, with the result for each file')}
      fullWidth
    >
      <BlockStack gap="400">
        {problem && !failed && <Problem {...problem} stale what="" />}
        <Card padding="0">
          <ListViews
            list="operations"
            path="/operations"
            all={t('All operations')}
            urlState={urlState}
            go={go}
            state={OPERATIONS_STATE}
          />
          <PageSearch>
            <OperationsFilters
              urlState={urlState}
              go={go}
              loading={operations.isFetching && operations.isPlaceholderData}
            />
          </PageSearch>
          {failed && problem ? (
            <Box padding="400">
              <Problem {...problem} what={t('The operations could not be loaded')} />
            </Box>
          ) : list === undefined ? (
            <LoadingRows what={t('operations')} />
          ) : list.data.length === 0 ? (
            <Empty narrowed={isNarrowed(urlState)} onClear={() => go(EVERY_OPERATION)} />
          ) : (
            <>
              <OperationsTable operations={list.data} />
              <ListPages
                what={t('operations')}
                all={countText(list.data.length)}
                page={urlState.page}
                next={list.next_cursor}
                pages={pages}
                stale={operations.isPlaceholderData}
              />
            </>
          )}
        </Card>
      </BlockStack>
    </Page>
  )
}

function Empty({ narrowed, onClear }: { narrowed: boolean; onClear: () => void }) {
  return narrowed ? (
    <Nothing
      why="unmatched"
      heading={t('No operation matches')}
      action={{ content: t('Show all operations'), onAction: onClear }}
    />
  ) : (
    <Nothing
      why="new"
      heading={t('Nothing has run yet')}
      action={{ content: t('How to import files'), url: '/files' }}
    >
      {t(
        'Each import and each bulk operation is listed here, with its progress and the result for every file.',
      )}
    </Nothing>
  )
}
