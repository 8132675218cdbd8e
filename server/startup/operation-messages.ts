// The messages that the engine sends about operations.
import type { OperationEnd, OperationMessages } from '../engine/parts.ts'
import type { Plugin } from '../../plugins/contract.ts'
import { queueCallback } from '../features/messages/callbacks.ts'
import { raiseNotice } from '../core/outbox/notices.ts'
import { queueSms } from '../features/messages/sms/sms.ts'
import { raiseOperationEvents } from '../features/webhooks/operation-events.ts'

export const operationMessages: OperationMessages = {
  sms: queueSms,
  notice: (tx, operation, notice) => raiseNotice(tx, { ...notice, operation_id: operation }),
}

/** At an operation's end: its callback, webhooks and triggers. */
export const messagesAtEnd =
  (plugins: readonly Plugin[]): OperationEnd =>
  async (tx, operation, worked) => {
    await queueCallback(tx, operation)
    await raiseOperationEvents(tx, operation, plugins, worked)
  }
