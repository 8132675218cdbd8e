// The mail that was sent on the shop's behalf, each to be read.
import { useState } from 'react'
import { useMessage, useMessages, useResendMessage } from '../../shell/client/settings.ts'
import { type Message } from '../../shell/client/types.ts'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { eventRows, MESSAGE_STATUSES, senderRows, statusText } from '../messages/labels.ts'
import { MessageDialog, MessageList } from '../messages/messages.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { listState, oneOf } from '../../shell/url-state/list-state.ts'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'
import { Banner, BlockStack, Box, Card, Link, Select } from '../../shell/ui/index.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

const PAGE_SIZE = 25
const MAIL_STATE = listState({ status: oneOf(MESSAGE_STATUSES, null) })

export function MailPage() {
  const { urlState, go, pages } = useUrlState(MAIL_STATE)
  const { status } = urlState
  const messages = useMessages({ status, cursor: urlState.cursor, limit: PAGE_SIZE })
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
        <Box paddingInline={{ xs: '400', sm: '0' }}>
          <Select
            label={t('Status')}
            labelInline
            options={STATUSES}
            value={status ?? ''}
            onChange={(value) =>
              go({ status: MESSAGE_STATUSES.find((one) => one === value) ?? null })
            }
          />
        </Box>
        <LoadProblem query={messages} what={t('The mail could not be loaded')} />
        {list ? (
          <Card padding="0">
            {list.data.length === 0 && status !== null ? (
              <Nothing
                why="unmatched"
                heading={t('No mail with this status')}
                action={{ content: t('Show all'), onAction: () => go({ status: null }) }}
              />
            ) : list.data.length === 0 ? (
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
              <MessageList
                {...{ list, what: t('mail'), page: urlState.page, onOpen: setOpen }}
                pages={pages(messages.isPlaceholderData ? null : list.next_cursor)}
                about={({ to, created_at }) =>
                  t('To {list} · {time}', { list: to.join(', '), time: momentText(created_at) })
                }
              />
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

const STATUSES = [
  { value: '', label: t('All', {}, 'mail') },
  ...MESSAGE_STATUSES.map((status) => ({ value: status, label: statusText(status) })),
]

function Reading({ message, onClose }: { message: Message; onClose: () => void }) {
  const send = useResendMessage()
  const detail = useMessage(message.id)
  const resend = {
    button: message.status === 'waiting' ? t('Send now') : t('Send again'),
    queued: t('The message is queued'),
    mutation: send,
  }
  return (
    <MessageDialog
      {...{ message, resend, onClose }}
      more={[...senderRows(message), ...eventRows(detail.data?.events ?? [])]}
      first={[t('To'), message.to.join(', ')]}
      body={{ label: t('Message'), text: message.text }}
    >
      {message.operation_id && (
        <p>
          <Link url={`/operations/${message.operation_id}`}>{t('View the operation')}</Link>
        </p>
      )}
    </MessageDialog>
  )
}
