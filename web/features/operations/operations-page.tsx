// All operations, newest first, updated while they run.
import { useMemo } from 'react'
import { ListPages } from '../../shell/components/list-pages.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { PageSearch } from '../../shell/components/page-search.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'
import { ListViews } from '../../shell/views/list-views.tsx'
import { BlockStack, Box, Card, Button, Link, Text } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import type { Operation, OperationAction } from '../../shell/client/types.ts'
import { type PageChannel, usePageChannels } from '../../shell/feature.ts'
import type { CardLayout, Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { SmallError } from '../../shell/components/small-error.tsx'
import { numberText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { durationText } from '../../shell/messages/duration.ts'
import { actionName } from '../../shell/labels/action-name.ts'
import { type Channel, useChannels } from '../imports/channel-calls.ts'
import { useOperations, isMoving } from './calls.ts'
import { EVERY_OPERATION, isNarrowed, operationsQuery, OPERATIONS_STATE } from './url-state.ts'
import { OperationsFilters } from './operations-filters.tsx'
import { useOperationActions } from './operation-actions.tsx'
import { Progress, StatusBadge } from './status.tsx'
import { useRequester } from './use-requester.ts'
import { labelText, operationTitle } from './labels.ts'
import { isPreview, statusWord } from './operation-status.ts'

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

// The operations of one page.

function OperationsTable({ operations }: { operations: readonly Operation[] }) {
  const channels = useChannels()
  const pageChannels = usePageChannels()
  const requesterOf = useRequester()
  const columns = useMemo(
    () => columnsOf(channels, pageChannels, requesterOf),
    [channels, pageChannels, requesterOf],
  )
  return (
    <RecordTable
      names={{ singular: t('operation'), plural: t('operations') }}
      columns={columns}
      card={CARD}
      rows={operations}
      idOf={({ id }) => id}
    />
  )
}

type ColumnId =
  | 'label'
  | 'name'
  | 'date'
  | 'status'
  | 'files'
  | 'errors'
  | 'duration'
  | 'requester'
  | 'actions'

const CARD: CardLayout<ColumnId> = {
  lines: [
    { start: 'name', end: 'status' },
    'files',
    { facts: ['label', 'date', 'requester', 'duration', 'errors'] },
    'actions',
  ],
}

const columnsOf = (
  channels: readonly Channel[],
  pageChannels: readonly PageChannel[],
  requesterOf: (requestedBy: string) => string,
): Columns<ColumnId, Operation> => ({
  label: { cell: (operation) => labelText(operation, pageChannels) ?? '' },
  name: {
    title: t('Operation'),
    cut: {
      width: 'clamp(170px, 15vw, 220px)',
      whole: (operation) =>
        labelText(operation, pageChannels) ?? operationTitle(operation, channels),
    },
    cell: (operation) => (
      <>
        <Name operation={operation} />
        {operation.label !== null && (
          <Text as="p" variant="bodySm" tone="subdued" truncate>
            {labelText(operation, pageChannels)}
          </Text>
        )}
      </>
    ),
    inCard: (operation) => <Name operation={operation} />,
  },
  date: { title: t('Date'), cell: ({ created_at }) => momentText(created_at) },
  status: {
    title: t('Status'),
    cell: (operation) => <StatusBadge word={statusWord(operation)} />,
  },
  files: { title: t('Files'), cell: (operation) => <Progress operation={operation} /> },
  errors: {
    title: t('Errors'),
    align: 'end',
    cell: ({ failed }) => (
      <Text as="span" tone={failed > 0 ? 'critical' : 'subdued'}>
        {numberText(failed)}
      </Text>
    ),
    inCard: ({ failed }) =>
      failed > 0 ? t('{failed, plural, one {# error} other {# errors}}', { failed }) : '',
  },
  duration: { title: t('Duration'), tabular: true, cell: duration },
  requester: {
    title: t('Started by'),
    cut: { width: '150px', whole: ({ requested_by }) => requesterOf(requested_by) },
    cell: ({ requested_by }) => requesterOf(requested_by),
  },
  actions: {
    title: t('Actions'),
    titleHidden: true,
    cell: (operation) => <RowActions operation={operation} />,
  },
})

function Name({ operation }: { operation: Operation }) {
  return (
    <Link url={`/operations/${operation.id}`} dataPrimaryLink monochrome removeUnderline>
      <Text as="span" fontWeight="semibold">
        {operationTitle(operation, useChannels())}
      </Text>
    </Link>
  )
}

function duration(operation: Operation): string {
  const { started_at, elapsed_seconds } = operation
  if (started_at === null) return ''
  const text = durationText(elapsed_seconds)
  return isMoving(operation) ? t('{duration} so far', { duration: text }) : text
}

const SHORT: Partial<Record<OperationAction, string>> = {
  pause: t('Pause'),
  resume: t('Resume'),
  cancel: t('Cancel'),
}

const shortText = (action: OperationAction, operation: Operation): string | undefined =>
  action === 'cancel' && isPreview(operation) ? t('Discard') : SHORT[action]

/** Actions without further input; the others are on the operation's page. */
function RowActions({ operation }: { operation: Operation }) {
  const { buttons, question, error } = useOperationActions(operation)
  const title = operationTitle(operation, useChannels())
  const shown = buttons.flatMap(({ action, ...button }) => {
    const text = shortText(action, operation)
    return text === undefined ? [] : [{ action, text, ...button }]
  })
  if (shown.length === 0 && !question && !error) return null
  return (
    // The row is a link to the operation; its buttons are not.
    <div className="row-actions" onClick={(event) => event.stopPropagation()}>
      {shown.map(({ action, text, onAction, loading, disabled }) => (
        <Button
          key={action}
          size="slim"
          tone={action === 'cancel' ? 'critical' : undefined}
          onClick={onAction}
          loading={loading}
          disabled={disabled}
          accessibilityLabel={actionName(text, title)}
        >
          {text}
        </Button>
      ))}
      <SmallError error={error} />
      {question}
    </div>
  )
}
