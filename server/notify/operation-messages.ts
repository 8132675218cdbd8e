// The messages that the engine sends about operations: callbacks, and email with new links.
import type { OperationMessages } from '../engine/types.ts'
import { queueCallback } from './callbacks.ts'
import { queueLinkMails } from './link-mail.ts'

export const operationMessages: OperationMessages = {
  linksMade: async (tx, links, operation) => {
    await queueLinkMails(tx, links, { occasion: 'made', operation })
  },
  ended: queueCallback,
}
