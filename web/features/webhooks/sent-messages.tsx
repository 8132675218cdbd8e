// What was sent to a webhook, each to be read and sent again.
import { useState } from 'react'
import { type Message } from '../../shell/client/types.ts'
import { useDeliveries, useReplay, type Webhook } from './calls.ts'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { MessageDialog, MessageList } from '../messages/messages.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { errorText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { PAGED } from '../../shell/url-state/list-state.ts'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'
import { Box, Card, Heading } from '../../shell/ui/index.ts'

const PAGE_SIZE = 25

export function SentMessages({ webhook }: { webhook: Webhook }) {
  const { urlState, pages } = useUrlState(PAGED)
  const sent = useDeliveries(webhook.id, { cursor: urlState.cursor, limit: PAGE_SIZE })
  const [open, setOpen] = useState<Message | null>(null)
  const list = sent.data
  return (
    <>
      <LoadProblem query={sent} what={t('The messages could not be loaded')} />
      <Card padding="0">
        <Box padding="400" paddingBlockEnd="200">
          <Heading>{t('Messages')}</Heading>
        </Box>
        {sent.isPending && <LoadingRows rows={3} what={t('the messages')} />}
        {list?.data.length === 0 && (
          <Nothing why="new" heading={t('Nothing was sent yet')}>
            {t('Send a test to see whether your address answers.')}
          </Nothing>
        )}
        {list && list.data.length > 0 && (
          <MessageList
            list={list}
            what={t('messages')}
            page={urlState.page}
            onOpen={setOpen}
            pages={pages(sent.isPlaceholderData ? null : list.next_cursor)}
            about={({ created_at, error, error_text }) =>
              [momentText(created_at), ...(error ? [errorText({ error, error_text })] : [])].join(
                ' · ',
              )
            }
          />
        )}
      </Card>
      {open && <Reading webhook={webhook} message={open} onClose={() => setOpen(null)} />}
    </>
  )
}

interface ReadingProps {
  webhook: Webhook
  message: Message
  onClose: () => void
}

function Reading({ webhook, message, onClose }: ReadingProps) {
  const replay = useReplay(webhook.id)
  const resend = {
    button: t('Replay'),
    queued: t('It waits to be sent'),
    why: webhook.enabled ? null : t('The webhook is switched off. Switch it on to send messages.'),
    mutation: replay,
  }
  return (
    <MessageDialog
      message={message}
      resend={resend}
      onClose={onClose}
      first={[t('Message'), message.id]}
      more={[[t('Attempts'), String(message.attempts)]]}
      body={{ label: t('Body'), text: bodyText(message.text) }}
    />
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
