// The status of a message.
import { type Message } from '../../shell/client/types.ts'
import { type StatusWord } from '../operations/operation-status.ts'
import { t } from '../../shell/messages/t.ts'

const WORDS: Record<Message['status'], StatusWord> = {
  waiting: { text: t('Waiting'), tone: undefined, progress: 'incomplete' },
  sending: { text: t('Sending'), tone: 'info', progress: 'partiallyComplete' },
  sent: { text: t('Sent'), tone: 'success', progress: 'complete' },
  failed: { text: t('Failed'), tone: 'critical', progress: undefined },
  // The mail server may have accepted it: sending it again could send it twice.
  unknown: { text: t('Possibly sent'), tone: 'warning', progress: undefined },
}

export const messageWord = ({ status, kept }: Pick<Message, 'status' | 'kept'>): StatusWord =>
  kept ? { text: t('Kept here'), tone: 'info', progress: undefined } : WORDS[status]
