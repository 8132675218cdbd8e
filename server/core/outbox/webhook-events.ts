// The events of webhooks. Raising one writes, in the transaction of the event, a message in the
// outbox for each webhook of the shop that wants it.
import { z } from 'zod'
import type { Text } from '../../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
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

/** How the ends of operations raise an event. */
export interface OperationEvents {
  raisedBy(end: EndedOperation): boolean
  /** The data, which is read when the message is written: the operation's record, or its files. */
  content: 'record' | 'files'
  /** The event is about the files whose mappings changed; without one it is not raised. */
  changed?: 'mappings'
}

/** The end of an operation, as its events distinguish ends. */
export interface EndedOperation {
  kind: 'import' | 'bulk'
  channel: string
  /** It changed files; a preview, or one that failed before the first file, did not. */
  worked: boolean
  /** The names of the events that the plugins of its steps announce. */
  announced: ReadonlySet<string>
  /** It undoes another operation. */
  isUndo: boolean
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

/** An event about the files of operations with a plugin that announces it. */
export const announcedEvent = (name: string, title: Text, about: string): WebhookEvent => ({
  name,
  title,
  about,
  data: operationFilesData,
  operations: {
    raisedBy: ({ worked, announced }) => worked && announced.has(name),
    content: 'files',
  },
})

/** The type of the event that is sent on request, to check an address. */
export const TEST_EVENT = 'webhook.test'

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
