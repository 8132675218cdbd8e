// The mail and the text messages that were sent on the shop's behalf, each to be read.
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
import { Banner, BlockStack, Box, Card, InlineStack, Link, Select } from '../../shell/ui/index.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

const PAGE_SIZE = 25
const KINDS = ['email', 'sms'] as const
const MAIL_STATE = listState({
  status: oneOf(MESSAGE_STATUSES, null),
  kind: oneOf(KINDS, KINDS[0]),
})

export function MailPage() {
  const { urlState, go, pages } = useUrlState(MAIL_STATE)
  const { status, kind } = urlState
  const messages = useMessages({ kind, status, cursor: urlState.cursor, limit: PAGE_SIZE })
  const [open, setOpen] = useState<Message | null>(null)
  const list = messages.data
  return (
    <Page title={t('Sent mail')} backAction={{ content: t('Settings'), url: '/settings' }}>
      <BlockStack gap="400">
        <Filters kind={kind} status={status} go={go} />
        <LoadProblem query={messages} what={t('The mail could not be loaded')} />
        {list ? (
          <BlockStack gap="400">
            {list.data.some(({ kept }) => kept) && (
              <Banner tone="info">
                <p>
                  {t(
                    'Messages marked as kept here were not sent because no mail server was configured. You can read them, and send them once a mail server is configured.',
                  )}{' '}
                  {kind === 'sms' && t('Text messages need an SMS gateway of the installation.')}
                </p>
              </Banner>
            )}
            <Card padding="0">
              {list.data.length === 0 ? (
                <NoMail kind={kind} filtered={status !== null} onAll={() => go({ status: null })} />
              ) : (
                <MessageList
                  list={list}
                  what={t('mail')}
                  page={urlState.page}
                  onOpen={setOpen}
                  pages={pages(messages.isPlaceholderData ? null : list.next_cursor)}
                  about={({ to, created_at }) =>
                    t('To {list} · {time}', { list: to.join(', '), time: momentText(created_at) })
                  }
                />
              )}
            </Card>
          </BlockStack>
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

interface FiltersProps {
  kind: (typeof KINDS)[number]
  status: (typeof MESSAGE_STATUSES)[number] | null
  go: (to: Partial<Pick<FiltersProps, 'kind' | 'status'>>) => void
}

const Filters = ({ kind, status, go }: FiltersProps) => (
  <Box paddingInline={{ xs: '400', sm: '0' }}>
    <InlineStack gap="400">
      <Select
        label={t('Kind')}
        labelInline
        options={KIND_OPTIONS}
        value={kind}
        onChange={(value) => go({ kind: KINDS.find((one) => one === value) ?? 'email' })}
      />
      <Select
        label={t('Status')}
        labelInline
        options={STATUSES}
        value={status ?? ''}
        onChange={(value) => go({ status: MESSAGE_STATUSES.find((one) => one === value) ?? null })}
      />
    </InlineStack>
  </Box>
)

interface NoMailProps {
  kind: (typeof KINDS)[number]
  filtered: boolean
  onAll: () => void
}

function NoMail({ kind, filtered, onAll }: NoMailProps) {
  if (filtered)
    return (
      <Nothing
        why="unmatched"
        heading={t('No mail with this status')}
        action={{ content: t('Show all'), onAction: onAll }}
      />
    )
  if (kind === 'sms')
    return (
      <Nothing
        why="new"
        heading={t('No text messages yet')}
        action={{ content: t('Deliveries'), url: '/settings/deliveries' }}
      >
        {t('Buyers without an email address get a text message if you switch it on.')}
      </Nothing>
    )
  return (
    <Nothing
      why="new"
      heading={t('No mail yet')}
      action={{ content: t('Notifications'), url: '/settings' }}
    >
      {t('The recipients in the settings get an email when an import or another operation ends.')}
    </Nothing>
  )
}

const KIND_OPTIONS = [
  { value: 'email', label: t('Emails') },
  { value: 'sms', label: t('Text messages') },
]
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
      message={message}
      resend={resend}
      onClose={onClose}
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
