// Sends triggers to the platform's automation (Flow). If Flow refuses one because of the shop's
// plan or a missing scope, the shop is notified once, and the trigger is not sent for a day.
import {
  english,
  PortError,
  say,
  sayPlain,
  textOf,
  type AnyText,
} from '../../../plugins/contract/index.ts'
import { IMPORTED_FILES } from '../../engine/types.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import { toOperationId } from '../../core/ids.ts'
import type { SendTrigger } from '../../storefront/flow.ts'
import type { Deliverer, Message } from '../../core/outbox/outbox.ts'
import { recordTriggerRefusal, type FlowMessage, type FlowTrigger } from './triggers.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
/** The delays of the attempts. After the last one a workflow would start too late to be useful. */
const DELAYS = [10 * SECOND, MINUTE, 10 * MINUTE, 60 * MINUTE, 6 * 60 * MINUTE]

/** @param sender absent: there is no platform, and no message of this kind. */
export const flowDeliverer = (sender?: (shop: number) => SendTrigger): Deliverer => ({
  delays: DELAYS,
  lost: 'waiting',
  write: async (scope, message) => {
    if (message.content) return message.content
    const { handle, payload } = message.payload as FlowMessage
    const whole = payload ?? (await importPayload(scope, message))
    return { to: [], subject: handle, text: JSON.stringify(whole) }
  },
  send: async (scope, { subject, text }, _message, signal) => {
    if (!sender) return { status: 'failed', reason: sayPlain('There is no platform') }
    const handle = subject as FlowTrigger
    try {
      const trigger = { handle, payload: JSON.parse(text) as object }
      const result = await sender(scope.shop)(trigger, signal)
      if ('sent' in result) return { status: 'sent' }
      await notifyOfRefusal(scope, handle, result.refused)
      return { status: 'failed', reason: result.refused }
    } catch (error) {
      if (signal.aborted) return { status: 'returned' }
      if (error instanceof PortError) return { status: 'again', reason: error.texts.message }
      throw error
    }
  },
})

const notifyOfRefusal = (scope: ShopScope, handle: FlowTrigger, reason: AnyText): Promise<void> =>
  scope.transaction(async (tx) => {
    if (!(await recordTriggerRefusal(tx, handle, english(reason)))) return
    await raiseNotice(tx, {
      level: 'warning',
      title: say('Shopify Flow refuses a trigger'),
      body: say(
        'It refused “{handle}”: {reason}. Workflows in Flow that begin with it are not started for a day. Switch the workflow off and on again in Flow to try sooner.',
        { handle, reason: textOf(reason) },
      ),
      operation_id: null,
    })
  })

interface EndedImport {
  kind: 'import' | 'bulk'
  status: string
  imported: number
  failed: number
  skipped: number
}

/** The names of the fields in web/extensions/flow-import-finished. */
async function importPayload(scope: ShopScope, { operation_id }: Message): Promise<object> {
  const [row] = await scope.query<EndedImport>(
    `select kind, status, ${IMPORTED_FILES} as imported, failed, skipped from operations
     where shop_id = :shop and id = :id`,
    { id: operation_id },
  )
  return {
    'Import ID': row && operation_id ? toOperationId(row.kind, operation_id) : '',
    Status: row?.status ?? '',
    'Files imported': row?.imported ?? 0,
    'Files failed': row?.failed ?? 0,
    'Files skipped': row?.skipped ?? 0,
  }
}
