// The files of one operation, each with its result; tabs narrow them to one result.
import { isMoving, useItems } from '../../client/operations.ts'
import { type Item, type ItemStatus, type Operation } from '../../client/types.ts'
import { FileIcon } from '../../components/file-icon.tsx'
import { LoadingRows, PageTurner } from '../../components/lists.tsx'
import { Problem } from '../../components/problem.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { placeQuery, readItemsPlace, writePlace } from '../../place/operations.ts'
import { usePlace } from '../../place/use-place.ts'
import { Box, Card, IndexTable, Link, Tabs, Text, useBreakpoints } from '../../ui/index.ts'
import { ITEM_STATUSES, waitingCount } from '../../words/operation.ts'
import { pageText } from '../../words/page.ts'
import { numberText } from '../../words/size.ts'

const PAGE_SIZE = 50

export function ItemsCard({ operation }: { operation: Operation }) {
  const { place, go, pages } = usePlace(readItemsPlace, writePlace)
  const items = useItems(operation.id, placeQuery(place, PAGE_SIZE), operation.status, isMoving(operation))
  const tabs = tabsOf(operation)
  const list = items.data
  const failed = items.error !== null && (list === undefined || items.isPlaceholderData)
  const problem = items.error && (
    <Box padding="400">
      <Problem
        error={items.error}
        stale={!failed}
        what="The files could not be loaded"
        onRetry={() => void items.refetch()}
        retrying={items.isFetching}
      />
    </Box>
  )
  return (
    <Card padding="0">
      <Tabs
        tabs={tabs.map(({ status, text, count }) => ({
          id: `items-${status ?? 'all'}`,
          content: text,
          badge: count === null ? undefined : numberText(count),
          accessibilityLabel: count === null ? text : `${text}, ${numberText(count)}`,
          panelID: 'items',
        }))}
        selected={Math.max(
          0,
          tabs.findIndex(({ status }) => status === place.status),
        )}
        onSelect={(at) => go({ status: tabs[at]?.status ?? null })}
      />
      <div id="items">
        {problem}
        {failed ? null : list === undefined ? (
          <LoadingRows what="files" />
        ) : list.data.length === 0 ? (
          <Box padding="800">
            <Text as="p" alignment="center" tone="subdued">
              {place.status === null ? 'This operation has no files.' : 'No file has this result.'}
            </Text>
          </Box>
        ) : (
          <>
            <ItemsTable items={list.data} />
            <PageTurner
              what="results"
              pages={pages(items.isPlaceholderData ? null : list.next_cursor)}
              label={pageText(place.page, list.data.length, list.next_cursor, 'file', 'files')}
            />
          </>
        )}
      </div>
    </Card>
  )
}

interface ResultTab {
  status: ItemStatus | null
  text: string
  count: number | null
}

function tabsOf(operation: Operation): ResultTab[] {
  const tabs: ResultTab[] = [
    { status: null, text: 'All', count: operation.total },
    { status: 'done', text: 'Done', count: operation.done },
    { status: 'failed', text: 'Failed', count: operation.failed },
    { status: 'skipped', text: 'Skipped', count: operation.skipped },
    { status: 'pending', text: 'Waiting', count: waitingCount(operation) },
  ]
  if (operation.cancelled > 0) tabs.push({ status: 'cancelled', text: 'Cancelled', count: operation.cancelled })
  return tabs
}

function ItemsTable({ items }: { items: readonly Item[] }) {
  const { lgDown: narrow } = useBreakpoints()
  return (
    <IndexTable
      resourceName={{ singular: 'file', plural: 'files' }}
      itemCount={items.length}
      selectable={false}
      condensed={narrow}
      headings={[{ title: 'File' }, { title: 'Result' }, { title: 'Product' }, { title: 'What happened' }]}
    >
      {items.map((item, at) => (
        <IndexTable.Row key={item.position} id={String(item.position)} position={at}>
          {narrow ? <NarrowRow item={item} /> : <WideRow item={item} />}
        </IndexTable.Row>
      ))}
    </IndexTable>
  )
}

function Name({ item }: { item: Item }) {
  const name = (
    <Text as="span" fontWeight="semibold">
      {item.filename}
    </Text>
  )
  return item.file_id === null ? (
    name
  ) : (
    <Link url={`/files/${item.file_id}`} dataPrimaryLink monochrome removeUnderline>
      {name}
    </Link>
  )
}

function WideRow({ item }: { item: Item }) {
  return (
    <>
      <IndexTable.Cell>
        <div className="file-name">
          <FileIcon filename={item.filename} />
          <span className="cut" title={item.filename}>
            <Name item={item} />
          </span>
        </div>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <StatusBadge word={ITEM_STATUSES[item.status]} />
      </IndexTable.Cell>
      <IndexTable.Cell>{item.product_mapped ? 'Mapped' : ''}</IndexTable.Cell>
      <IndexTable.Cell>
        <div className="happened">
          <Happened item={item} />
        </div>
      </IndexTable.Cell>
    </>
  )
}

function NarrowRow({ item }: { item: Item }) {
  return (
    <Box padding="400">
      <div className="file-name">
        <FileIcon filename={item.filename} />
        <div className="item-facts">
          <Text as="span" breakWord>
            <Name item={item} />
          </Text>
          <StatusBadge word={ITEM_STATUSES[item.status]} />
          <Happened item={item} />
        </div>
      </div>
    </Box>
  )
}

function Happened({ item }: { item: Item }) {
  const { error, warnings, attempt } = item
  return (
    <>
      {error && (
        <Text as="p" tone={item.status === 'failed' ? 'critical' : undefined} breakWord>
          {error.message}
        </Text>
      )}
      {error?.detail && (
        <Text as="p" variant="bodySm" tone="subdued" breakWord>
          {error.detail}
        </Text>
      )}
      {warnings.map(({ code, message }, at) => (
        <Text key={`${code} ${at}`} as="p" tone="caution" breakWord>
          {message}
        </Text>
      ))}
      {attempt > 1 && (
        <Text as="p" variant="bodySm" tone="subdued">
          {`Tried ${attempt} times`}
        </Text>
      )}
    </>
  )
}
