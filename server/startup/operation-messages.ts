// The messages that the engine sends about operations.
import type { OperationMessages } from '../engine/parts.ts'
import { raiseNotice } from '../core/outbox/notices.ts'
import { queueSms } from '../features/messages/sms/sms.ts'

export const operationMessages: OperationMessages = {
  sms: queueSms,
  notice: (tx, operation, notice) => raiseNotice(tx, { ...notice, operation_id: operation }),
}
