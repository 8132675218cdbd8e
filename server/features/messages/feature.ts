// Mail, text messages and callbacks.
import { messagesExamples } from './examples.ts'
import { buyersEffect } from './buyers-effect.ts'
import { queueCallback } from './callbacks.ts'
import { messageRoutes } from './routes.ts'
import { sealedBytes } from '../../core/sealed-place.ts'
import { phonePlace } from './buyer-phone.ts'
import { defineFeature } from '../feature.ts'

export const messagesFeature = defineFeature({
  name: 'messages',
  examples: messagesExamples,
  endpoints: messageRoutes,
  effects: () => [buyersEffect],
  onEnd: () => [{ of: { asked: 'callback_url' }, run: queueCallback }],
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
