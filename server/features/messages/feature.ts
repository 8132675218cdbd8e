// Text messages and callbacks, and the list of all messages.
import { messagesExamples } from './examples.ts'
import { callbackDeliverer, queueCallback, type CallbackOptions } from './callbacks.ts'
import { openTexts, type TextParts } from './sms/twilio.ts'
import type { Secrets } from '../../core/secrets.ts'
import { messageRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'
import { queueSms } from './sms/sms.ts'

export interface MessageSendParts extends CallbackOptions, Omit<TextParts, 'secrets'> {
  secrets: Secrets
}

export const messagesFeature = defineFeature({
  name: 'messages',
  examples: messagesExamples,
  endpoints: messageRoutes,
  onEnd: () => [{ of: { asked: 'callback_url' }, run: queueCallback }],
  sends: { callback: (parts: MessageSendParts) => callbackDeliverer(parts), sms: openTexts },
  operationMessages: { sms: queueSms },
  tables: {
    outbox: {
      about: 'Messages',
      columns: ['payload', 'result', 'error', 'error_text'],
      keeps: ['key'],
      how: 'delete',
    },
    receiver_failures: 'addresses of the merchant’s own servers',
  },
})
