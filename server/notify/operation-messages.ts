// The messages that the engine sends about operations.
import type { OperationMessages } from '../engine/types.ts'
import type { Plugin } from '../../plugins/contract.ts'
import { queueCallback } from './callbacks.ts'
import { queueSms } from './sms/sms.ts'
import { raiseOperationEvents } from './webhooks/operation-events.ts'

export const operationMessages = (plugins: readonly Plugin[]): OperationMessages => ({
  sms: queueSms,
  ended: async (tx, operation, worked) => {
    await queueCallback(tx, operation)
    await raiseOperationEvents(tx, operation, plugins, worked)
  },
})
