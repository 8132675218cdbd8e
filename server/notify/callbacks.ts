// Callbacks: the end of an operation is posted to the address that its caller gave, at least once,
// under one id.
import type { ShopScope } from '../db/for-shop.ts'
import { queueMessage } from '../engine/worker/queue.ts'
import {
  withoutSecrets,
  wholeAddress,
  type KeptAddress,
} from '../engine/operations/sealed-addresses.ts'
import { toPublicId } from '../ids.ts'
import type { GuardedClient } from '../ports/guarded-fetch.ts'
import type { Secrets } from '../secrets.ts'
import type { Deliverer, DeliveryResult } from './outbox.ts'
import { signatureHeaders, webhookSecret } from './signatures.ts'

export const CALLBACK_EVENT = 'operation.finished'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Within three days: the last try is 65 hours and a half after the first. */
const DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  ...[12, 12, 12, 12].map((hours) => hours * HOUR),
]
/** Includes the DNS lookup: a slow receiver must not delay the messages of other shops. */
const WITHIN_MS = 15 * SECOND
const GONE = 410

/**
 * Call it in the transaction that ends the operation, in any status. Without a `callback_url` it
 * does nothing.
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
  // Retry Failed ends the operation again, which is another callback.
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

export interface CallbackOptions {
  client: Pick<GuardedClient, 'post'>
  secrets: Pick<Secrets, 'derive' | 'seal' | 'open'>
  /** What GET /api/jobs/{id} would answer with. */
  operationRecord(scope: ShopScope, id: string): Promise<object>
  clock: () => Date
}

export function callbackDeliverer({
  client,
  secrets,
  operationRecord,
  clock,
}: CallbackOptions): Deliverer {
  return {
    delays: DELAYS,
    lost: 'waiting',
    write: async (scope, message) => {
      if (message.content) return message.content
      const data = await operationRecord(scope, message.operation_id!)
      const { url } = message.payload as KeptAddress
      const body = { type: CALLBACK_EVENT, timestamp: message.created_at.toISOString(), data }
      // People read this content, so it has the address without its query.
      return { to: [withoutSecrets(url)], subject: CALLBACK_EVENT, text: JSON.stringify(body) }
    },
    send: async (scope, { text }, { id, payload }, stopping) => {
      const headers = {
        'content-type': 'application/json',
        ...signatureHeaders(
          webhookSecret(secrets, scope.shop),
          toPublicId('message', id),
          clock(),
          text,
        ),
      }
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(WITHIN_MS)])
      const address = wholeAddress(payload as KeptAddress, { shop: scope.shop, secrets })
      try {
        return deliveryOf((await client.post(address, headers, text, signal)).status)
      } catch {
        if (stopping.aborted) return { status: 'returned' }
        // One text for all causes: details would reveal what this server can reach.
        return {
          status: 'again',
          reason: 'The address could not be reached, or did not answer in time',
        }
      }
    },
  }
}

function deliveryOf(status: number): DeliveryResult {
  if (status >= 200 && status < 300) return { status: 'sent' }
  // Standard Webhooks: 410 means that the receiver wants no more messages.
  if (status === GONE)
    return { status: 'failed', reason: 'The address answered 410: it wants no callbacks any more' }
  return { status: 'again', reason: `The address answered ${status}` }
}
