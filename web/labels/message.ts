// How far a message is, in a word.
import { type Message } from '../client/types.ts'
import { type StatusWord } from './operation.ts'

const WORDS: Record<Message['status'], StatusWord> = {
  waiting: { text: 'Waiting', tone: undefined, progress: 'incomplete' },
  sending: { text: 'Sending', tone: 'info', progress: 'partiallyComplete' },
  sent: { text: 'Sent', tone: 'success', progress: 'complete' },
  failed: { text: 'Failed', tone: 'critical', progress: undefined },
  // The mail server took it or did not: sending it again could send it twice.
  unknown: { text: 'Perhaps sent', tone: 'warning', progress: undefined },
}

export const messageWord = ({ status, kept }: Pick<Message, 'status' | 'kept'>): StatusWord =>
  kept ? { text: 'Kept here', tone: 'info', progress: undefined } : WORDS[status]
