// The status of a message.
import { type Message, type Schemas } from '../../shell/client/types.ts'
import { momentText } from '../../shell/labels/time.ts'
import { type StatusWord } from '../operations/operation-status.ts'
import { t } from '../../shell/messages/t.ts'

const WORDS: Record<Message['status'], StatusWord> = {
  waiting: { text: t('Waiting'), tone: undefined, progress: 'incomplete' },
  sending: { text: t('Sending'), tone: 'info', progress: 'partiallyComplete' },
  sent: { text: t('Sent'), tone: 'success', progress: 'complete' },
  failed: { text: t('Failed'), tone: 'critical', progress: undefined },
  // The mail server may have accepted it: sending it again could send it twice.
  bounced: { text: t('Came back'), tone: 'critical', progress: undefined },
  complained: { text: t('Reported as spam'), tone: 'warning', progress: undefined },
  unknown: { text: t('Possibly sent'), tone: 'warning', progress: undefined },
}

/** The statuses by which the list can be limited. */
export const MESSAGE_STATUSES = Object.keys(WORDS) as readonly Message['status'][]
export const statusText = (status: Message['status']): string => WORDS[status].text

export const messageWord = ({ status, kept }: Pick<Message, 'status' | 'kept'>): StatusWord =>
  kept ? { text: t('Kept here'), tone: 'info', progress: undefined } : WORDS[status]

type MailEvent = Schemas['MessageDetail']['events'][number]

const EVENTS: Readonly<Record<MailEvent['event'], string>> = {
  delivered: t('Arrived'),
  delayed: t('Delayed'),
  bounced: t('Came back'),
  complained: t('Reported as spam'),
}

/** Who sent it, and how the mail server accepted it. */
export const senderRows = ({ sender, reply }: Message): (readonly [string, string])[] => [
  ...(sender === null ? [] : [[t('From'), sender] as const]),
  ...(reply === null ? [] : [[t('Accepted with'), reply] as const]),
]

/** What mail servers reported later, oldest first. */
export const eventRows = (events: readonly MailEvent[]): (readonly [string, string])[] =>
  events.map(({ event, at, reason }) => [EVENTS[event], `${momentText(at)}: ${reason}`] as const)
