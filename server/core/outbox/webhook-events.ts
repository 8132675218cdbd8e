// The events of webhooks. Raising one writes, in the transaction of the event, a message in the
// outbox for each webhook of the shop that wants it.
import { z } from 'zod'
import type { Text } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../db/for-shop.ts'
import type { EndsOf } from '../operation-ends.ts'
import { queuePromptMessages } from '../queue/queue.ts'

/**
 * An event that a feature declares and lists in its `feature.ts`. The list of all events, the check
 * of the requests and the API's document are derived from the declarations.
 */
export interface WebhookEvent<Data extends z.ZodObject = z.ZodObject> {
  /** The `type` of its messages: `link.exhausted`. Receivers ignore types that they do not know. */
  name: string
  /** When it is sent, as a choice of the form: `A link is used up`. */
  title: Text
  /** The meaning of `data`, for the API's document: `A link whose last download was used`. */
  about: string
  data: Data
  /** Absent: code of the feature raises the event. */
  operations?: OperationEvents
}

/**
 * Some of an operation's files: those that an import brought, those that went to the trash or were
 * purged, or those whose mappings changed.
 */
export type EventFiles = 'imported' | 'deleted' | 'mapped'

/** The ends of operations that raise an event. */
export interface OperationEvents {
  of: EndsOf
  /** The data, which is read when the message is written: the operation's record, or its files. */
  content: 'record' | 'files'
  /** The files that the event is about; without one it is not raised. Absent: all that are done. */
  about?: EventFiles
}

/** Infers the type of its data. */
export const defineEvent = <Data extends z.ZodObject>(
  event: WebhookEvent<Data>,
): WebhookEvent<Data> => event

/** The data of events about the files of an operation. */
export const operationFilesData = z.object({
  operation_id: z.string(),
  total: z.number().int(),
  file_ids: z.array(z.string()).describe('The first 1,000 files'),
  more: z.string().nullable().describe('The address that lists the other files'),
})

/** The event that is sent on request. No webhook subscribes to it. */
export const TEST_EVENT = {
  name: 'webhook.test',
  about: 'A message that a person or a program has requested, to check the address',
  data: z.object({ message: z.string() }),
}

/** The payload in the outbox. The data of an operation is read when its message is rendered. */
export interface WebhookPayload {
  type: string
  data?: object
}

export interface RaisedEvent<Data extends z.ZodObject> {
  /** Unique for the event: the same event is not sent twice. */
  key: string
  /** Absent for events of operations, whose data is read when the message is written. */
  data?: z.input<Data>
  /** The operation of the event, a bare UUID. */
  operation?: string | null
}

/**
 * Must be called in the transaction of the event. Writes nothing if no webhook subscribes to the
 * event.
 */
export async function raiseEvent<Data extends z.ZodObject>(
  tx: ShopScope,
  { name: type }: Pick<WebhookEvent<Data>, 'name'>,
  { key, data, operation = null }: RaisedEvent<Data>,
): Promise<void> {
  const rows = await tx.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload, operation_id, webhook_id)
     select :shop, 'webhook/' || w.id || '/' || :key, 'webhook', :payload, :operation, w.id
     from webhook_endpoints w
     where w.shop_id = :shop and w.enabled and (w.events = '{}' or :type = any(w.events))
     order by w.id
     on conflict do nothing returning id`,
    {
      type,
      operation,
      key: `${type}/${key}`,
      payload: JSON.stringify({ type, ...(data ? { data } : {}) } satisfies WebhookPayload),
    },
  )
  await queuePromptMessages(
    tx,
    rows.map(({ id }) => id),
  )
}
