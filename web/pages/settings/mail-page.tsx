// The mail that was sent on the shop's behalf, each to be read.
import { useState } from 'react'
import { toast } from '../../client/bridge.ts'
import { useMessages, useSendAgain } from '../../client/settings.ts'
import { type Message } from '../../client/types.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Facts } from '../../components/facts.tsx'
import { LoadingRows, Nothing, PageTurner } from '../../components/lists.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { readPaged, writePaged } from '../../url-state/paged.ts'
import { useUrlState } from '../../url-state/use-url-state.ts'
import { Banner, BlockStack, Box, Card, InlineStack, Link, Text } from '../../ui/index.ts'
import { messageWord } from '../../labels/message.ts'
import { pageText } from '../../labels/page.ts'
import { momentText } from '../../labels/time.ts'
import { t } from '../../messages/t.ts'

const PAGE_SIZE = 25

export function MailPage() {
  const { place, pages } = useUrlState(readPaged, writePaged)
  const messages = useMessages({ cursor: place.cursor, limit: PAGE_SIZE })
  const [open, setOpen] = useState<Message | null>(null)
  const list = messages.data
  return (
    <Page title={t('Sent mail')} backAction={{ content: t('Settings'), url: '/settings' }}>
      <BlockStack gap="400">
        {list?.data.some(({ kept }) => kept) && (
          <Banner tone="info">
            <p>
              {t(
                'Messages marked as kept here were not sent because no mail server was configured. You can read them, and send them once a mail server is configured.',
              )}
            </p>
          </Banner>
        )}
        {messages.error && (
          <Problem
            error={messages.error}
            stale={list !== undefined}
            what={t('The mail could not be loaded')}
            onRetry={() => void messages.refetch()}
            retrying={messages.isFetching}
          />
        )}
        {list ? (
          <Card padding="0">
            {list.data.length === 0 ? (
              <Nothing
                why="new"
                heading={t('No mail yet')}
                action={{ content: t('Notifications'), url: '/settings' }}
              >
                {t(
                  'The recipients in the settings get an email when an import or another operation ends.',
                )}
              </Nothing>
            ) : (
              <>
                <ul className="mail">
                  {list.data.map((message) => (
                    <Entry key={message.id} message={message} onOpen={() => setOpen(message)} />
                  ))}
                </ul>
                <PageTurner
                  what={t('mail')}
                  pages={pages(messages.isPlaceholderData ? null : list.next_cursor)}
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
        ) : (
          !messages.error && (
            <Card padding="0">
              <LoadingRows what={t('the mail')} />
            </Card>
          )
        )}
      </BlockStack>
      {open && <Reading message={open} onClose={() => setOpen(null)} />}
    </Page>
  )
}

function Entry({ message, onOpen }: { message: Message; onOpen: () => void }) {
  const { subject, to, created_at } = message
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
          {t('To {list} · {time}', { list: to.join(', '), time: momentText(created_at) })}
        </Text>
      </button>
    </li>
  )
}

function Reading({ message, onClose }: { message: Message; onClose: () => void }) {
  const { id, subject, to, text, status, error, created_at, sent_at, operation_id } = message
  const send = useSendAgain()
  return (
    <Dialog
      title={subject}
      onClose={onClose}
      size="large"
      primaryAction={{ content: t('Close'), onAction: onClose }}
      secondaryActions={[
        {
          content: status === 'waiting' ? t('Send now') : t('Send again'),
          loading: send.isPending,
          onAction: () =>
            send.mutate(id, {
              onSuccess: () => {
                toast(t('The message is queued'))
                onClose()
              },
            }),
        },
      ]}
    >
      {send.error && <Problem error={send.error} what={t('The message could not be sent again')} />}
      <Facts
        rows={[
          [t('To'), to.join(', ')],
          [t('Created'), momentText(created_at)],
          [t('Status'), messageWord(message).text + (sent_at ? `, ${momentText(sent_at)}` : '')],
          ...(error ? [[t('Problem'), error] as const] : []),
        ]}
      />
      <Box padding="400" background="bg-surface-secondary" borderRadius="200">
        <pre className="mail-text" tabIndex={0} role="group" aria-label={t('Message')}>
          {text}
        </pre>
      </Box>
      {operation_id && (
        <p>
          <Link url={`/operations/${operation_id}`}>{t('View the operation')}</Link>
        </p>
      )}
    </Dialog>
  )
}
