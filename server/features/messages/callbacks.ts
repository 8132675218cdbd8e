// Callbacks: the end of an operation is posted to the address that its caller gave, at least once,
// under one id.
import { say, textOf } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { queueMessage } from '../../core/queue/queue.ts'
import { withoutSecrets, wholeAddress, type KeptAddress } from '../../core/client-address.ts'
import type { GuardedClient } from '../../ports/guarded-fetch.ts'
import type { Secrets } from '../../core/secrets.ts'
import { raiseFailure } from '../../core/outbox/notices.ts'
import type { Content, Deliverer, EndedMessage, MessageFailure } from '../../core/outbox/outbox.ts'
import { webhookSecrets } from '../../core/outbox/signatures.ts'
import { deadlineOf } from '../../core/outbox/limits.ts'
import { present } from '../../core/lazy.ts'
import { POST_DELAYS, postSigned } from './signed-post.ts'

export const CALLBACK_EVENT = 'operation.finished'

/**
 * Queues the callback of an operation with a `callback_url`. Must be called in the transaction that
 * ends the operation, in any status.
 */
export async function queueCallback(
  tx: ShopScope,
  operation: {
    id: string
    round: number
    request: { callback_url?: string; callback_sealed?: string }
  },
): Promise<void> {
  const { callback_url: url, callback_sealed: sealed } = operation.request
  if (url === undefined) return
  // Retry Failed ends the operation again, and that end is another callback.
  const key = `callback/${operation.id}/${operation.round}`
  const [row] = await tx.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload, operation_id)
     values (:shop, :key, 'callback', :payload, :operation) on conflict do nothing returning id`,
    {
      key,
      payload: JSON.stringify({
        url,
        ...(sealed === undefined ? {} : { sealed }),
      } satisfies KeptAddress),
      operation: operation.id,
    },
  )
  if (row) await queueMessage(tx, row.id)
}

async function raiseCallbackFailure(
  tx: ShopScope,
  message: EndedMessage,
  failure: MessageFailure,
): Promise<void> {
  const [row] = await tx.query<{ result: Partial<Pick<Content, 'to'>> | null }>(
    'select result from outbox where shop_id = :shop and id = :id',
    { id: message.id },
  )
  const [url] = row?.result?.to ?? []
  const host = (url && URL.parse(url)?.host) ?? say('The address')
  await raiseFailure(tx, message, failure, {
    title: say('A callback could not be delivered'),
    body: say(
      '{host} was not notified that this operation ended: {reason}. It can be sent again over the API.',
      { host, reason: textOf(failure.reason) },
    ),
  })
}

export interface CallbackOptions {
  client: Pick<GuardedClient, 'post'>
  secrets: Pick<Secrets, 'deriveAll' | 'seal' | 'open'>
  /** Reads the body that GET /api/jobs/{id} returns. */
  operationRecord(scope: ShopScope, id: string): Promise<object>
  clock: () => Date
  /** Milliseconds that a receiver has, by its consecutive failures; absent: the usual time. */
  deadline?: (failures: number) => number
}

export function callbackDeliverer({
  client,
  secrets,
  operationRecord,
  clock,
  deadline = deadlineOf,
}: CallbackOptions): Deliverer {
  return {
    delays: POST_DELAYS,
    lost: 'waiting',
    failed: raiseCallbackFailure,
    write: async (scope, message) => {
      if (message.content) return message.content
      const data = await operationRecord(
        scope,
        present(message.operation_id, 'The operation of the callback'),
      )
      const { url } = message.payload as KeptAddress
      const body = { type: CALLBACK_EVENT, timestamp: message.created_at.toISOString(), data }
      // People read this, so the address is shown without its query.
      return { to: [withoutSecrets(url)], subject: CALLBACK_EVENT, text: JSON.stringify(body) }
    },
    send: (scope, { text }, { id, payload, failures }, stopping) =>
      postSigned({
        client,
        id,
        body: text,
        stopping,
        at: clock(),
        within: deadline(failures),
        address: wholeAddress(payload as KeptAddress, { shop: scope.shop, secrets }),
        signingSecrets: webhookSecrets(secrets, scope.shop),
      }),
  }
}
