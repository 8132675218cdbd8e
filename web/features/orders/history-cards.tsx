// What was bought, which messages were sent, and from where the files were downloaded.
import { agentText } from '../../shell/labels/agent.ts'
import { type ReactNode } from 'react'
import { type DeliveryDetail } from './calls.ts'
import { StatusBadge } from '../operations/status.tsx'
import { Quiet } from '../../shell/components/quiet.tsx'
import { messageWord } from '../messages/labels.ts'
import { AttemptRow } from '../../shell/files/attempt-row.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { t, translated } from '../../shell/messages/t.ts'
import { Badge, BlockStack, Box, Card, Heading, SmallPrint, Text } from '../../shell/ui/index.ts'
import './deliveries.css'

export const LinesCard = ({ lines }: Pick<DeliveryDetail, 'lines'>) => (
  <Rows
    title={t('Products of the order')}
    empty={{ heading: t('No products'), text: t('The order has no lines any more.') }}
  >
    {lines.map(({ line_id, title, sku, quantity, entitled, files }) => (
      <li key={line_id}>
        <BlockStack>
          <Text as="span" breakWord>
            {title}
          </Text>
          <SmallPrint>
            {[...(sku ? [sku] : []), t('quantity {quantity, number}', { quantity })].join(' · ')}
          </SmallPrint>
        </BlockStack>
        <span>{t('{files, plural, =0 {no files} one {# file} other {# files}}', { files })}</span>
        <Badge tone={entitled ? 'success' : undefined}>
          {entitled ? t('Delivered') : t('Not delivered')}
        </Badge>
      </li>
    ))}
  </Rows>
)

export const MessagesCard = ({ messages }: Pick<DeliveryDetail, 'messages'>) => (
  <Rows
    title={t('Messages')}
    empty={{
      heading: t('No message yet'),
      text: t('Emails and text messages to the buyer are listed here.'),
    }}
  >
    {messages.map(({ id, kind, to, subject, status, kept, error, created_at, sent_at, due_at }) => (
      <li key={id}>
        <BlockStack>
          <Text as="span" breakWord>
            {subject === '' ? t('Message about the order') : subject}
          </Text>
          <Text as="span" variant="bodySm" tone="subdued" breakWord>
            {kind === 'sms'
              ? t('Text message to {to}', { to: to.join(', ') })
              : t('To {to}', { to: to.join(', ') })}
          </Text>
          {error && (
            <Text as="span" variant="bodySm" tone="critical" breakWord>
              {translated(error)}
            </Text>
          )}
        </BlockStack>
        <span>
          {due_at === null
            ? momentText(sent_at ?? created_at)
            : t('Is sent {moment}', { moment: momentText(due_at) })}
        </span>
        <StatusBadge word={messageWord({ status, kept })} />
      </li>
    ))}
  </Rows>
)

type Attempts = Pick<DeliveryDetail, 'download_list' | 'refusals' | 'views' | 'openings'>

/** Downloads, those that were refused, views, and answers to what links ask for, newest first. */
export const DownloadsCard = ({ download_list, refusals, views, openings }: Attempts) => (
  <Rows
    title={t('Downloads and views')}
    empty={{
      heading: t('No downloads yet'),
      text: t('Each is listed with its address and program, for files whose tracking is on.'),
    }}
  >
    {attemptsOf({ download_list, refusals, views, openings }).map(
      ({ at, filename, address, agent, refused, viewed, opened }, row) => (
        <AttemptRow
          key={`${at} ${row}`}
          what={filename ?? t('The page with all files')}
          about={[opened?.email, agentText(agent), address]}
          at={at}
          refused={refused}
          result={opened ? openedWith(opened) : viewed ? VIEWED : undefined}
        />
      ),
    )}
  </Rows>
)

const VIEWED = { text: t('Viewed in the browser') }

const openedWith = ({ email }: DeliveryDetail['openings'][number]) => ({
  text: email === null ? t('Opened with the password') : t('Opened with the address'),
  tone: 'success' as const,
})

type RefusedDownload = DeliveryDetail['refusals'][number]

interface Attempt extends Pick<RefusedDownload, 'at' | 'filename' | 'address' | 'agent'> {
  refused?: RefusedDownload
  viewed?: boolean
  opened?: DeliveryDetail['openings'][number]
}

const attemptsOf = ({ download_list, refusals, views, openings }: Attempts): Attempt[] =>
  [
    ...download_list,
    ...refusals.map((refused) => ({ ...refused, refused })),
    ...views.map((view) => ({ ...view, viewed: true })),
    ...openings.map((opened) => ({ ...opened, opened })),
  ].toSorted((a: Attempt, b: Attempt) => b.at.localeCompare(a.at))

interface RowsProps {
  title: string
  empty: { heading: string; text: string }
  children: readonly ReactNode[]
}

const Rows = ({ title, empty, children }: RowsProps) => (
  <Card padding="0">
    <Box padding="400">
      <Heading>{title}</Heading>
    </Box>
    {children.length === 0 ? (
      <Quiet {...empty} />
    ) : (
      <ul className="delivered" aria-label={title}>
        {children}
      </ul>
    )}
  </Card>
)
