// Posts the messages of webhooks. The body is written once, before the first attempt.
import { sayPlain } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { wholeAddress } from '../../core/kept-address.ts'
import type { CallbackOptions } from '../messages/callbacks.ts'
import type { Deliverer, Message } from '../../core/outbox/outbox.ts'
import { deadlineOf } from '../../core/outbox/receiver-failures.ts'
import { POST_DELAYS, postSigned } from '../messages/signed-post.ts'
import {
  TEST_EVENT,
  type WebhookEvent,
  type WebhookPayload,
} from '../../core/outbox/webhook-events.ts'
import { present } from '../../core/present.ts'
import { recordFailure, recordSuccess } from './health.ts'
import { operationFiles } from './operation-events.ts'
import { secretPlace } from './webhooks.ts'

interface Receiver {
  id: string
  url: string
  sealed_url: string | null
  enabled: boolean
  secret: Buffer
  previous_secret: Buffer | null
}

export interface WebhookOptions extends CallbackOptions {
  /** The events that features declare. */
  events: readonly WebhookEvent[]
}

export function webhookDeliverer(options: WebhookOptions): Deliverer {
  const { client, secrets, clock, deadline = deadlineOf } = options
  return {
    delays: POST_DELAYS,
    lost: 'waiting',
    write: async (scope, message) => {
      if (message.content) return message.content
      const { type } = message.payload as WebhookPayload
      const data = await dataOf(scope, message, options)
      const body = { type, timestamp: message.created_at.toISOString(), data }
      const receiver = await receiverOf(scope, message, clock())
      return { to: receiver ? [receiver.url] : [], subject: type, text: JSON.stringify(body) }
    },
    send: async (scope, { text }, message, stopping) => {
      const receiver = await receiverOf(scope, message, clock())
      if (!receiver) return { status: 'failed', reason: sayPlain('The webhook was deleted') }
      const { type } = message.payload as WebhookPayload
      if (!receiver.enabled && type !== TEST_EVENT)
        return { status: 'failed', reason: sayPlain('The webhook is switched off') }
      const open = (sealed: Buffer) => secrets.open(sealed, secretPlace(scope.shop))
      const { url, sealed_url, secret, previous_secret } = receiver
      const { gone = false, ...delivery } = await postSigned({
        client,
        id: message.id,
        body: text,
        stopping,
        at: clock(),
        within: deadline(message.failures),
        address: wholeAddress(sealed_url === null ? { url } : { url, sealed: sealed_url }, {
          shop: scope.shop,
          secrets,
        }),
        signingSecrets: [secret, ...(previous_secret ? [previous_secret] : [])].map(open),
      })
      if (delivery.status === 'sent') await recordSuccess(scope, receiver.id)
      else if (delivery.status !== 'returned')
        await recordFailure(scope, receiver.id, { because: delivery.reason, gone, now: clock() })
      return delivery
    },
  }
}

/** Reads the address and its secrets, with the previous secret while it is valid. */
async function receiverOf(
  scope: ShopScope,
  message: Message,
  now: Date,
): Promise<Receiver | undefined> {
  const [row] = await scope.query<Receiver>(
    `select w.id, w.url, w.sealed_url, w.enabled, w.secret,
       case when w.previous_until > :now then w.previous_secret end as previous_secret
     from outbox m join webhook_endpoints w on w.shop_id = m.shop_id and w.id = m.webhook_id
     where m.shop_id = :shop and m.id = :id`,
    { id: message.id, now },
  )
  return row
}

function dataOf(
  scope: ShopScope,
  { payload, operation_id }: Message,
  { operationRecord, events }: WebhookOptions,
): Promise<object> {
  const { type, data } = payload as WebhookPayload
  if (data) return Promise.resolve(data)
  const operation = present(operation_id, `The operation of the event ${type}`)
  const event = events.find(({ name }) => name === type)
  return event?.operations?.content === 'record'
    ? operationRecord(scope, operation)
    : operationFiles(scope, operation, event ?? {})
}
