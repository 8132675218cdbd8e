// All operations, newest first, moving while they run.
import { useOperations } from '../../client/operations.ts'
import { LoadingRows, Nothing, PageTurner } from '../../components/lists.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { type OperationsPlace, placeQuery, readOperationsPlace, writePlace } from '../../place/operations.ts'
import { type Placed, usePlace } from '../../place/use-place.ts'
import { BlockStack, Box, Card, InlineStack, Select } from '../../ui/index.ts'
import { OPERATION_STATUSES } from '../../words/operation.ts'
import { pageText } from '../../words/page.ts'
import { OperationsTable } from './operations-table.tsx'

const PAGE_SIZE = 25

export function OperationsPage() {
  const { place, go, pages } = usePlace(readOperationsPlace, writePlace)
  const operations = useOperations(placeQuery(place, PAGE_SIZE))
  const list = operations.data
  const failed = operations.error !== null && (list === undefined || operations.isPlaceholderData)
  const retry = () => void operations.refetch()
  const narrowed = place.status !== null || place.kind !== null
  return (
    <Page title="Operations" fullWidth>
      <BlockStack gap="400">
        {operations.error && !failed && (
          <Problem stale error={operations.error} what="" onRetry={retry} retrying={operations.isFetching} />
        )}
        <Card padding="0">
          <Narrow place={place} go={go} />
          {failed ? (
            <Box padding="400">
              <Problem
                error={operations.error!}
                what="The operations could not be loaded"
                onRetry={retry}
                retrying={operations.isFetching}
              />
            </Box>
          ) : list === undefined ? (
            <LoadingRows what="operations" />
          ) : list.data.length === 0 ? (
            <Empty narrowed={narrowed} onClear={() => go({ status: null, kind: null })} />
          ) : (
            <>
              <OperationsTable operations={list.data} />
              <PageTurner
                what="operations"
                pages={pages(operations.isPlaceholderData ? null : list.next_cursor)}
                label={pageText(place.page, list.data.length, list.next_cursor, 'operation', 'operations')}
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
      heading="No operation matches"
      action={{ content: 'Show all operations', onAction: onClear }}
    />
  ) : (
    <Nothing why="new" heading="Nothing has run yet" action={{ content: 'How to import files', url: '/files' }}>
      Each import and each bulk operation is listed here, with its progress and the result for every file.
    </Nothing>
  )
}

interface NarrowProps {
  place: OperationsPlace
  go: Placed<OperationsPlace>['go']
}

function Narrow({ place, go }: NarrowProps) {
  const statuses = Object.entries(OPERATION_STATUSES).map(([value, { text }]) => ({ value, label: text }))
  return (
    <Box padding="300" borderBlockEndWidth="025" borderColor="border-secondary">
      <InlineStack gap="300">
        <Select
          label="Status"
          labelInline
          options={[{ label: 'Any', value: '' }, ...statuses]}
          value={place.status ?? ''}
          onChange={(status) => go({ status: (status || null) as OperationsPlace['status'] })}
        />
        <Select
          label="Kind"
          labelInline
          options={[
            { label: 'Any', value: '' },
            { label: 'Import', value: 'import' },
            { label: 'Bulk operation', value: 'bulk' },
          ]}
          value={place.kind ?? ''}
          onChange={(kind) => go({ kind: (kind || null) as OperationsPlace['kind'] })}
        />
      </InlineStack>
    </Box>
  )
}
