// Mail, text messages and callbacks.
import { messagesExamples } from './examples.ts'
import { BUYER_MAIL_WRITERS } from './buyer-mails.ts'
import { buyersEffect } from './buyers-effect.ts'
import { callbackDeliverer, queueCallback, type CallbackOptions } from './callbacks.ts'
import { openMails, openTexts, type MailParts, type TextParts } from './deliverers.ts'
import { messageRoutes } from './routes.ts'
import { sealedBytes } from '../../core/sealed-place.ts'
import { phonePlace } from './buyer-phone.ts'
import type { Secrets } from '../../core/secrets.ts'
import { defineFeature } from '../feature.ts'
import { queueSms } from './sms/sms.ts'

export interface MessageSendParts extends CallbackOptions, MailParts, TextParts {
  secrets: Secrets
  clock: () => Date
}

export const messagesFeature = defineFeature({
  name: 'messages',
  examples: messagesExamples,
  endpoints: messageRoutes,
  effects: () => [buyersEffect],
  onEnd: () => [{ of: { asked: 'callback_url' }, run: queueCallback }],
  sends: {
    email: (parts: MessageSendParts) => openMails(parts),
    callback: callbackDeliverer,
    sms: openTexts,
  },
  mails: BUYER_MAIL_WRITERS,
  operationMessages: { sms: queueSms },
  sealed: ['orders', 'deliveries'].flatMap((table) => sealedBytes(table, ['phone'], phonePlace)),
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
