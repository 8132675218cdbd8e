// The events of webhooks. Raising one writes, in the transaction of the event, a message in the
// outbox for each webhook of the shop that wants it.
import { z } from 'zod'
import type { Text } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { queueTaskAfter } from '../queue/background-jobs.ts'
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
  /**
   * When a workflow starts on its files, as a sentence that begins with “when”: `files were
   * imported`. Absent: it starts none.
   */
  starts?: Text
  /** Absent: code of the feature raises the event. */
  operations?: OperationEvents
}

/**
 * Some of an operation's files: those that an import brought, those that got new bytes, those whose
 * fields changed, those that went to the trash, those that went there or were purged, those whose
 * mappings changed, those that ask a person for their product, those that were put in quarantine, or
 * those that failed.
 */
export type EventFiles =
  | 'imported'
  | 'replaced'
  | 'changed'
  | 'trashed'
  | 'deleted'
  | 'mapped'
  | 'asking'
  | 'quarantined'
  | 'failed'

/** The ends of operations that raise an event. */
export interface OperationEvents {
  of: EndsOf
  /** The data, which is read when the message is written: the operation's record, or its files. */
  content: 'record' | 'files'
  /** The files that the event is about; without one it is not raised. Absent: all that are done. */
  about?: EventFiles
  /** The files that workflows start on. Absent: those of `about`. */
  takes?: EventFiles
}

/** Infers the type of its data. */
export const defineEvent = <Data extends z.ZodObject>(
  event: WebhookEvent<Data>,
): WebhookEvent<Data> => event

/** Maximum number of files that an event names; the operation's items list the others. */
export const MAX_NAMED_FILES = 1000

/** The data of events about the files of an operation. */
export const operationFilesData = z.object({
  operation_id: z.string(),
  total: z.number().int(),
  file_ids: z.array(z.string()).describe(`The first ${MAX_NAMED_FILES} files`),
  more: z.string().nullable().describe('The address that lists the other files of the operation'),
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
  round?: EventRound
}

/** A round of an operation, whose events are about the files that ended in it. */
export interface EventRound {
  /** When it began; null: it is the first. */
  since: string | null
  /** null: it is about the operation, not about files. */
  until: string | null
}

export interface RaisedEvent<Data extends z.ZodObject> {
  /** Unique for the event: the same event is not sent twice. */
  key: string
  /** Absent for events of operations, whose data is read when the message is written. */
  data?: z.input<Data>
  /** The operation of the event, a bare UUID. */
  operation?: string | null
  /** Absent: all files of the operation. */
  round?: EventRound | undefined
  /** The files that workflows start on, if the event is not about an operation's. */
  files?: readonly string[]
}

/** The most triggers that lead to each other. */
export const MAX_PATH = 3

/** SQL: the webhook `w`, or the trigger `t`, wants the event `type`, an SQL expression. */
const webhookWants = (type: string, shop = ':shop') =>
  `w.shop_id = ${shop} and w.enabled and (w.events = '{}' or ${type} = any(w.events))`
const triggerWants = (type: string, shop = ':shop') =>
  `t.shop_id = ${shop} and t.event = ${type} and t.enabled and exists (select from workflows f
     where f.shop_id = t.shop_id and f.id = t.workflow_id and f.enabled)`

/** SQL: a webhook or a trigger of the shop wants the event `type`; both are SQL expressions. */
export const isWanted = (type: string, shop = ':shop') =>
  `(exists (select from webhook_endpoints w where ${webhookWants(type, shop)})
     or exists (select from triggers t where ${triggerWants(type, shop)}))`

/** Those of the events that a webhook or a trigger of the shop wants. */
export async function wantedEvents(
  tx: ShopScope,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ name: string }>(
    `select e.name from unnest(:names::text[]) as e (name)
     where ${isWanted('e.name')}`,
    { names },
  )
  return new Set(rows.map(({ name }) => name))
}

/** The runs of triggers, by the trigger's bare UUID. */
export const TRIGGER_TASK = { name: 'run-triggers' } as const

/**
 * Must be called in the transaction of the event. Writes nothing if neither a webhook nor a trigger
 * wants the event.
 */
export const raiseEvent = <Data extends z.ZodObject>(
  tx: ShopScope,
  event: Pick<WebhookEvent<Data>, 'name'>,
  raised: RaisedEvent<Data>,
): Promise<void> => raiseEvents(tx, event, [raised])

/** As `raiseEvent`, for several events of one type. */
export async function raiseEvents<Data extends z.ZodObject>(
  tx: ShopScope,
  { name: type }: Pick<WebhookEvent<Data>, 'name'>,
  events: readonly RaisedEvent<Data>[],
): Promise<void> {
  if (events.length === 0) return
  const rows = await tx.query<{ message: string | null; trigger: string | null; wait: number }>(
    `with e as (select * from jsonb_to_recordset(:events::jsonb)
       as e (key text, payload jsonb, operation uuid, since timestamptz, files uuid[])),
     sent as (
       insert into outbox (shop_id, key, kind, payload, operation_id, webhook_id)
       select :shop, 'webhook/' || w.id || '/' || e.key, 'webhook', e.payload, e.operation, w.id
       from webhook_endpoints w, e where ${webhookWants(':type')}
       order by w.id
       on conflict do nothing returning id),
     noted as (
       insert into trigger_events (shop_id, trigger_id, key, event, operation_id, since, files, path)
       select :shop, t.id, e.key, :type, e.operation, e.since, e.files, coalesce(o.path, '{}')
       from triggers t, e
         left join operations o on o.shop_id = :shop and o.id = e.operation
       where ${triggerWants(':type')} and cardinality(coalesce(o.path, '{}')) < ${MAX_PATH}
         and not t.id = any(coalesce(o.path, '{}'))
       order by t.id
       on conflict do nothing returning trigger_id)
     select id as message, null::uuid as trigger, 0 as wait from sent
     union all select distinct null::uuid, t.id, t.collect from noted n
       join triggers t on t.shop_id = :shop and t.id = n.trigger_id where t.paused is null`,
    {
      type,
      events: JSON.stringify(
        events.map(({ key, data, operation = null, round, files = [] }) => ({
          key: `${type}/${key}`,
          payload: {
            type,
            ...(data ? { data } : {}),
            ...(round ? { round } : {}),
          } satisfies WebhookPayload,
          operation,
          since: round?.since ?? null,
          files,
        })),
      ),
    },
  )
  await queuePromptMessages(
    tx,
    rows.flatMap(({ message }) => message ?? []),
  )
  for (const { trigger, wait } of rows)
    if (trigger !== null) await queueTaskAfter(tx, TRIGGER_TASK, trigger, wait)
}

// Which ends of operations something is called for, as data: what does not match is never called.

/** The conditions that an end meets; all that are present must hold. */
export interface EndOf {
  kind?: 'import' | 'bulk'
  channel?: string
  /** The action of its workflow: `map-products`. */
  action?: string
  /** It undoes another operation. */
  undo?: true
  /** It ran a workflow of the shop. */
  own?: true
  /** Did files, or all of it, fail? */
  failed?: boolean
  /** It ended by itself: nobody cancelled it, and it is no preview. */
  completed?: true
  /** It changed files; a preview, or one that failed before the first file, did not. */
  worked?: true
  /** It was a preview and has been confirmed. */
  confirmed?: true
  /** Its preview is ready, and waits to be confirmed. No other end is. */
  previewed?: true
  /** Its preview is the question of a workflow. */
  question?: true
  /** A field that its request has. */
  asked?: 'callback_url'
  /** The plugin of a step announces this event. */
  announced?: string
}

/** An end meets one of these. */
export type EndsOf = EndOf | readonly EndOf[]

/** The end of an operation, as conditions distinguish ends. */
export interface EndedOperation {
  kind: 'import' | 'bulk'
  channel: string
  action: string
  undo: boolean
  own: boolean
  failed: boolean
  completed: boolean
  worked: boolean
  confirmed: boolean
  previewed: boolean
  question: boolean
  asked: ReadonlySet<string>
  announced: ReadonlySet<string>
}

export const isEndOf = (of: EndsOf, end: EndedOperation): boolean =>
  'length' in of ? of.some((one) => meets(one, end)) : meets(of, end)

const meets = (
  {
    kind,
    channel,
    action,
    undo,
    own,
    failed,
    completed,
    worked,
    confirmed,
    previewed,
    question,
    ...of
  }: EndOf,
  end: EndedOperation,
): boolean =>
  (kind ?? end.kind) === end.kind &&
  (channel ?? end.channel) === end.channel &&
  (action ?? end.action) === end.action &&
  (!undo || end.undo) &&
  (!own || end.own) &&
  (failed ?? end.failed) === end.failed &&
  (!completed || end.completed) &&
  (!worked || end.worked) &&
  (!confirmed || end.confirmed) &&
  (previewed ?? false) === end.previewed &&
  (!question || end.question) &&
  (of.asked === undefined || end.asked.has(of.asked)) &&
  (of.announced === undefined || end.announced.has(of.announced))
