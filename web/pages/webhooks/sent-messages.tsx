// What was sent to a webhook, each to be read and sent again.
import { useState } from 'react'
import { toast } from '../../client/bridge.ts'
import { type Message } from '../../client/types.ts'
import { useDeliveries, useReplay, type Webhook } from '../../client/webhooks.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Facts } from '../../components/facts.tsx'
import { LoadingRows, Nothing, PageTurner } from '../../components/lists.tsx'
import { Problem } from '../../components/problem.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { messageWord } from '../../labels/message.ts'
import { pageText } from '../../labels/page.ts'
import { momentText } from '../../labels/time.ts'
import { t } from '../../messages/t.ts'
import { readPaged, writePaged } from '../../url-state/paged.ts'
import { useUrlState } from '../../url-state/use-url-state.ts'
import { Box, Card, InlineStack, Text } from '../../ui/index.ts'

const PAGE_SIZE = 25

export function SentMessages({ webhook }: { webhook: Webhook }) {
  const { place, pages } = useUrlState(readPaged, writePaged)
  const sent = useDeliveries(webhook.id, { cursor: place.cursor, limit: PAGE_SIZE })
  const [open, setOpen] = useState<Message | null>(null)
  const list = sent.data
  return (
    <>
      {sent.error && (
        <Problem
          stale={list !== undefined}
          error={sent.error}
          what={t('The messages could not be loaded')}
          onRetry={() => void sent.refetch()}
          retrying={sent.isFetching}
        />
      )}
      <Card padding="0">
        <Box padding="400" paddingBlockEnd="200">
          <Text as="h2" variant="headingMd">
            {t('Messages')}
          </Text>
        </Box>
        {sent.isPending && <LoadingRows rows={3} what={t('the messages')} />}
        {list?.data.length === 0 && (
          <Nothing why="new" heading={t('Nothing was sent yet')}>
            {t('Send a test to see whether your address answers.')}
          </Nothing>
        )}
        {list && list.data.length > 0 && (
          <>
            <ul className="mail">
              {list.data.map((message) => (
                <Entry key={message.id} message={message} onOpen={() => setOpen(message)} />
              ))}
            </ul>
            <PageTurner
              what={t('messages')}
              pages={pages(sent.isPlaceholderData ? null : list.next_cursor)}
              label={pageText(
                place.page,
                list.next_cursor,
                t('{count, plural, one {# message} other {# messages}}', {
                  count: list.data.length,
                }),
              )}
            />
          </>
        )}
      </Card>
      {open && <Reading webhook={webhook} message={open} onClose={() => setOpen(null)} />}
    </>
  )
}

function Entry({ message, onOpen }: { message: Message; onOpen: () => void }) {
  const { subject, created_at, error } = message
  return (
    <li>
      <button type="button" onClick={onOpen}>
        <InlineStack align="space-between" blockAlign="center" gap="200">
          <Text as="span" fontWeight="semibold" breakWord>
            {subject}
          </Text>
          <StatusBadge word={messageWord(message)} />
        </InlineStack>
        <Text as="span" tone="subdued" variant="bodySm" breakWord>
          {[momentText(created_at), error].filter(Boolean).join(' · ')}
        </Text>
      </button>
    </li>
  )
}

interface ReadingProps {
  webhook: Webhook
  message: Message
  onClose: () => void
}

function Reading({ webhook, message, onClose }: ReadingProps) {
  const { id, subject, text, error, attempts, created_at, sent_at } = message
  const replay = useReplay(webhook.id)
  const again = () =>
    replay.mutate(id, {
      onSuccess: () => {
        toast(t('It waits to be sent'))
        onClose()
      },
    })
  return (
    <Dialog
      title={subject}
      onClose={onClose}
      size="large"
      primaryAction={{ content: t('Close'), onAction: onClose }}
      secondaryActions={[
        {
          content: t('Replay'),
          loading: replay.isPending,
          disabled: !webhook.enabled,
          onAction: again,
        },
      ]}
    >
      {replay.error && (
        <Problem error={replay.error} what={t('The message could not be sent again')} />
      )}
      <Facts
        rows={[
          [t('Message'), id],
          [t('Created'), momentText(created_at)],
          [t('Status'), messageWord(message).text + (sent_at ? `, ${momentText(sent_at)}` : '')],
          [t('Attempts'), String(attempts)],
          ...(error ? [[t('Problem'), error] as const] : []),
        ]}
      />
      <Box padding="400" background="bg-surface-secondary" borderRadius="200">
        <pre className="mail-text" tabIndex={0} role="group" aria-label={t('Body')}>
          {bodyText(text)}
        </pre>
      </Box>
    </Dialog>
  )
}

/** Indented. What waits has no body yet. */
function bodyText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text === '' ? t('It is written when it is sent.') : text
  }
}
