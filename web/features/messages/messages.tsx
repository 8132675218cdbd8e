// Messages that were sent for the shop: a page of them, and one message to read and send again.
import { type ReactNode } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { type Message, type Page } from '../../shell/client/types.ts'
import { messageWord } from './labels.ts'
import { pageText } from '../../shell/labels/page.ts'
import { momentText } from '../../shell/labels/time.ts'
import { errorText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { Box, Hint, InlineStack, Text } from '../../shell/ui/index.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Facts } from '../../shell/components/facts.tsx'
import { PageTurner, type Pages } from '../../shell/components/lists.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { StatusBadge } from '../operations/status.tsx'

interface ListProps {
  list: Page<Message>
  /** The plural noun of the pagination: messages, mail. */
  what: string
  page: number
  pages: Pages
  /** The second line of an entry. */
  about(message: Message): string
  onOpen(message: Message): void
}

export function MessageList({ list, what, page, pages, about, onOpen }: ListProps) {
  const count = list.data.length
  const counted = t('{count, plural, one {# message} other {# messages}}', { count })
  return (
    <>
      <ul className="mail">
        {list.data.map((message) => (
          <li key={message.id}>
            <button type="button" onClick={() => onOpen(message)}>
              <InlineStack align="space-between" blockAlign="center" gap="200">
                <Text as="span" fontWeight="semibold" breakWord>
                  {message.subject}
                </Text>
                <StatusBadge word={messageWord(message)} />
              </InlineStack>
              <Text as="span" tone="subdued" variant="bodySm" breakWord>
                {about(message)}
              </Text>
            </button>
          </li>
        ))}
      </ul>
      <PageTurner what={what} pages={pages} label={pageText(page, list.next_cursor, counted)} />
    </>
  )
}

interface Resend {
  button: string
  /** The toast when the message is queued. */
  queued: string
  /** Why it cannot be sent now; null: it can. */
  why?: string | null
  mutation: {
    mutate(id: string, options: { onSuccess: () => void }): void
    isPending: boolean
    error: Error | null
  }
}

type Fact = readonly [name: string, value: string]

interface DialogProps {
  message: Message
  resend: Resend
  /** The first fact, and those after the status. */
  first: Fact
  more?: readonly Fact[]
  body: { label: string; text: string }
  onClose: () => void
  children?: ReactNode
}

export function MessageDialog({ message, resend, body, onClose, children, ...facts }: DialogProps) {
  const { mutate, isPending, error } = resend.mutation
  const send = () =>
    mutate(message.id, {
      onSuccess: () => {
        toast(resend.queued)
        onClose()
      },
    })
  return (
    <Dialog
      title={message.subject}
      onClose={onClose}
      size="large"
      primaryAction={{ content: t('Close'), onAction: onClose }}
      secondaryActions={[
        {
          content: resend.button,
          loading: isPending,
          disabled: Boolean(resend.why),
          onAction: send,
        },
      ]}
    >
      {error && <Problem error={error} what={t('The message could not be sent again')} />}
      <Facts rows={rowsOf(message, facts)} />
      <Box padding="400" background="bg-surface-secondary" borderRadius="200">
        <pre className="mail-text" tabIndex={0} role="group" aria-label={body.label}>
          {body.text}
        </pre>
      </Box>
      {children}
      {resend.why && <Hint>{resend.why}</Hint>}
    </Dialog>
  )
}

function rowsOf(message: Message, { first, more = [] }: Pick<DialogProps, 'first' | 'more'>) {
  const { error, error_text, created_at, sent_at } = message
  const sent = sent_at ? `, ${momentText(sent_at)}` : ''
  const rows: Fact[] = [
    first,
    [t('Created'), momentText(created_at)],
    [t('Status'), messageWord(message).text + sent],
    ...more,
  ]
  return error ? [...rows, [t('Problem'), errorText({ error, error_text })] as const] : rows
}
