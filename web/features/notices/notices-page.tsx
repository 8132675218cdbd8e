// The shop's notices, newest first.
import { useState } from 'react'
import { useNotices, useReadNotices } from '../../shell/client/queries.ts'
import { type Notice } from '../../shell/client/types.ts'
import { CorrectDialog } from '../orders/correct-dialog.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import {
  BlockStack,
  Box,
  Button,
  Card,
  InlineStack,
  Link,
  SmallPrint,
  Text,
} from '../../shell/ui/index.ts'
import { momentText } from '../../shell/labels/time.ts'
import { shownText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'

export function NoticesPage() {
  const notices = useNotices()
  const read = useReadNotices()
  const list = notices.data?.pages.flatMap((page) => page.data)
  const unread = notices.data?.pages[0]?.unread ?? 0
  return (
    <Page
      title={t('Notices')}
      tab={unread > 0 ? t('({unread, number}) Notices', { unread }) : t('Notices')}
      subtitle={
        unread > 0
          ? t('{unread, plural, one {# unread notice} other {# unread notices}}', { unread })
          : undefined
      }
      primaryAction={
        unread > 0
          ? {
              content: t('Mark all as read'),
              loading: read.isPending,
              onAction: () => read.mutate({ all: true }),
            }
          : undefined
      }
    >
      <BlockStack gap="400">
        {read.error && (
          <Problem error={read.error} what={t('The notices could not be marked as read')} />
        )}
        <LoadProblem query={notices} what={t('The notices could not be loaded')} />
        {notices.isPending && (
          <Card padding="0">
            <LoadingRows rows={4} what={t('notices')} />
          </Card>
        )}
        {list?.length === 0 && (
          <Card>
            <Nothing why="new" heading={t('No notices yet')}>
              {t('You are notified here when an import or another operation ends.')}
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
        {notices.hasNextPage && <OlderNotices notices={notices} />}
      </BlockStack>
    </Page>
  )
}

const OlderNotices = ({ notices }: { notices: ReturnType<typeof useNotices> }) => (
  <InlineStack align="center">
    <Button loading={notices.isFetchingNextPage} onClick={() => void notices.fetchNextPage()}>
      {t('Show older notices')}
    </Button>
  </InlineStack>
)

function Entry({ notice, onRead }: { notice: Notice; onRead: () => void }) {
  const unread = notice.read_at === null
  const [correcting, setCorrecting] = useState(false)
  return (
    <article
      className={`notice ${notice.level} ${unread ? 'unread' : ''}`}
      aria-label={shownText(notice.title_text)}
    >
      <span className="notice-dot" aria-hidden="true" />
      <BlockStack gap="100">
        <InlineStack align="space-between" gap="200" blockAlign="baseline">
          <Text as="h2" variant="bodyMd" fontWeight={unread ? 'semibold' : 'regular'} breakWord>
            {shownText(notice.title_text)}
            {unread && (
              <Text as="span" visuallyHidden>
                {t('(unread)')}
              </Text>
            )}
          </Text>
          <SmallPrint>{momentText(notice.created_at)}</SmallPrint>
        </InlineStack>
        {notice.body && (
          <Text as="p" tone="subdued" breakWord>
            {shownText(notice.body_text)}
          </Text>
        )}
        {(notice.operation_id || notice.delivery_id || unread) && (
          <NoticeActions notice={notice} onRead={onRead} onCorrect={() => setCorrecting(true)} />
        )}
      </BlockStack>
      {correcting && notice.delivery_id && (
        <CorrectDialog
          id={notice.delivery_id}
          onClose={() => setCorrecting(false)}
          onDone={unread ? onRead : undefined}
        />
      )}
    </article>
  )
}

interface ActionsProps {
  notice: Notice
  onRead: () => void
  onCorrect: () => void
}

function NoticeActions({ notice, onRead, onCorrect }: ActionsProps) {
  const unread = notice.read_at === null
  return (
    <Box paddingBlockStart="100">
      <InlineStack gap="400">
        {notice.operation_id && (
          <Link url={`/operations/${notice.operation_id}`} onClick={unread ? onRead : undefined}>
            {t('View details')}
          </Link>
        )}
        {notice.delivery_id && (
          <>
            {notice.asks_for_address && (
              <Button variant="plain" onClick={onCorrect}>
                {notice.asks_for_address === 'wrong'
                  ? t('Correct the address')
                  : t('Add an address')}
              </Button>
            )}
            <Link url={`/deliveries/${notice.delivery_id}`} onClick={unread ? onRead : undefined}>
              {t('View the delivery')}
            </Link>
          </>
        )}
        {unread && (
          <Button
            variant="plain"
            onClick={onRead}
            accessibilityLabel={t('Mark as read: {title}', {
              title: shownText(notice.title_text),
            })}
          >
            {t('Mark as read')}
          </Button>
        )}
      </InlineStack>
    </Box>
  )
}
