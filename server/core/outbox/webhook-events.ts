// The events of webhooks. Raising one writes, in the transaction of the event, a message in the
// outbox for each webhook of the shop that wants it.
import type { ShopScope } from '../db/for-shop.ts'
import { queueMessage } from '../queue/queue.ts'

/**
 * The types of events, each with the meaning of its `data`. Receivers ignore unknown types, so that
 * more may be added.
 */
export const EVENTS = {
  'notice.created': 'A notice: all that the list of notices shows',
  'operation.finished': 'An operation that ended, as GET /api/operations/{id} answers',
  'file.imported': 'The files of an import that ended',
  'file.deleted': 'The files that an operation moved to the trash or removed',
  'mapping.changed': 'The files whose products an operation may have changed',
  'sync.finished': 'The synchronisation of a cloud folder that ended, as operation.finished',
  'link.exhausted': 'A link whose last download was used',
} as const

export type WebhookEvent = keyof typeof EVENTS
export const WEBHOOK_EVENTS = Object.keys(EVENTS) as readonly WebhookEvent[]

/** The type of the event that is sent on request, to check an address. */
export const TEST_EVENT = 'webhook.test'

/** The payload in the outbox. The data of an operation is read when its message is rendered. */
export interface WebhookPayload {
  type: WebhookEvent | typeof TEST_EVENT
  data?: object
}

export interface RaisedEvent {
  type: WebhookEvent
  /** Unique for the event: the same event is not sent twice. */
  key: string
  data?: object
  /** The operation of the event, a bare UUID. */
  operation?: string | null
}

/**
 * Must be called in the transaction of the event. Writes nothing if no webhook subscribes to the
 * event.
 */
export async function raiseEvent(tx: ShopScope, event: RaisedEvent): Promise<void> {
  const { type, key, data, operation = null } = event
  const rows = await tx.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload, operation_id, webhook_id)
     select :shop, 'webhook/' || w.id || '/' || :key, 'webhook', :payload, :operation, w.id
     from webhook_endpoints w
     where w.shop_id = :shop and w.enabled and (w.events = '{}' or :type = any(w.events))
     order by w.id
     on conflict do nothing returning id`,
    {
      ...{ type, operation },
      key: `${type}/${key}`,
      payload: JSON.stringify({ type, ...(data ? { data } : {}) } satisfies WebhookPayload),
    },
  )
  for (const { id } of rows) await queueMessage(tx, id)
}
