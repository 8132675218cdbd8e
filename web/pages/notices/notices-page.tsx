// What the merchant was told, newest first.
import { useNotices, useReadNotices } from '../../client/queries.ts'
import { type Notice } from '../../client/types.ts'
import { LoadingRows, Nothing } from '../../components/lists.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { BlockStack, Box, Button, Card, InlineStack, Link, Text } from '../../ui/index.ts'
import { countText } from '../../labels/size.ts'
import { momentText } from '../../labels/time.ts'

export function NoticesPage() {
  const notices = useNotices()
  const read = useReadNotices()
  const list = notices.data?.pages.flatMap((page) => page.data)
  const unread = notices.data?.pages[0]?.unread ?? 0
  return (
    <Page
      title="Notices"
      tab={unread > 0 ? `(${unread}) Notices` : 'Notices'}
      subtitle={unread > 0 ? countText(unread, 'unread notice', 'unread notices') : undefined}
      primaryAction={
        unread > 0
          ? {
              content: 'Mark all as read',
              loading: read.isPending,
              onAction: () => read.mutate({ all: true }),
            }
          : undefined
      }
    >
      <BlockStack gap="400">
        {read.error && (
          <Problem error={read.error} what="The notices could not be marked as read" />
        )}
        {notices.error && (
          <Problem
            error={notices.error}
            stale={list !== undefined}
            what="The notices could not be loaded"
            onRetry={() => void notices.refetch()}
            retrying={notices.isFetching}
          />
        )}
        {notices.isPending && (
          <Card padding="0">
            <LoadingRows rows={4} what="notices" />
          </Card>
        )}
        {list?.length === 0 && (
          <Card>
            <Nothing why="new" heading="No notices yet">
              When an import or another operation ends, you read about it here.
            </Nothing>
          </Card>
        )}
        {list && list.length > 0 && (
          <Card padding="0">
            {list.map((notice) => (
              <Entry
                key={notice.id}
                notice={notice}
                onRead={() => read.mutate({ ids: [notice.id] })}
              />
            ))}
          </Card>
        )}
        {notices.hasNextPage && (
          <InlineStack align="center">
            <Button
              loading={notices.isFetchingNextPage}
              onClick={() => void notices.fetchNextPage()}
            >
              Show older notices
            </Button>
          </InlineStack>
        )}
      </BlockStack>
    </Page>
  )
}

function Entry({ notice, onRead }: { notice: Notice; onRead: () => void }) {
  const unread = notice.read_at === null
  return (
    <article
      className={`notice ${notice.level} ${unread ? 'unread' : ''}`}
      aria-label={notice.title}
    >
      <span className="notice-dot" aria-hidden="true" />
      <BlockStack gap="100">
        <InlineStack align="space-between" gap="200" blockAlign="baseline">
          <Text as="h2" variant="bodyMd" fontWeight={unread ? 'semibold' : 'regular'}>
            {notice.title}
            {unread && (
              <Text as="span" visuallyHidden>
                {' '}
                (unread)
              </Text>
            )}
          </Text>
          <Text as="span" variant="bodySm" tone="subdued">
            {momentText(notice.created_at)}
          </Text>
        </InlineStack>
        {notice.body && (
          <Text as="p" tone="subdued" breakWord>
            {notice.body}
          </Text>
        )}
        {(notice.operation_id || unread) && (
          <Box paddingBlockStart="100">
            <InlineStack gap="400">
              {notice.operation_id && (
                <Link
                  url={`/operations/${notice.operation_id}`}
                  onClick={unread ? onRead : undefined}
                >
                  View details
                </Link>
              )}
              {unread && (
                <Button
                  variant="plain"
                  onClick={onRead}
                  accessibilityLabel={`Mark as read: ${notice.title}`}
                >
                  Mark as read
                </Button>
              )}
            </InlineStack>
          </Box>
        )}
      </BlockStack>
    </article>
  )
}
