// The messages that the engine sends about operations: callbacks, and email with new links.
import type { OperationMessages } from '../engine/types.ts'
import type { Plugin } from '../../plugins/contract.ts'
import { queueCallback } from './callbacks.ts'
import { buyersOf, queueDeliveryMails } from './delivery-mail.ts'
import { queueLinkMails } from './link-mail.ts'
import { queueSms } from './sms/sms.ts'
import { raiseOperationEvents } from './webhooks/operation-events.ts'

export const operationMessages = (plugins: readonly Plugin[]): OperationMessages => ({
  linksMade: async (tx, links, operation) => {
    await queueLinkMails(tx, links, { occasion: 'made', operation })
  },
  buyersOf,
  notifyBuyers: async (tx, deliveries, operation) => {
    await queueDeliveryMails(tx, deliveries, { occasion: `update/${operation}`, operation })
  },
  sms: queueSms,
  ended: async (tx, operation, worked) => {
    await queueCallback(tx, operation)
    await raiseOperationEvents(tx, operation, plugins, worked)
  },
})
