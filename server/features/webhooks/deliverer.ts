// Posts the messages of webhooks. The body is written once, before the first attempt.
import type { z } from 'zod'
import { sayPlain, type AnyText, say, sentences, textOf } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Deliverer, Message } from '../../core/outbox/outbox.ts'
import { deadlineOf } from '../../core/outbox/limits.ts'
import {
  type EventRound,
  MAX_NAMED_FILES,
  TEST_EVENT,
  type WebhookEvent,
  type WebhookPayload,
  raiseEvent,
  wantedEvents,
  type operationFilesData,
  isEndOf,
} from '../../core/outbox/webhook-events.ts'
import { present } from '../../core/lazy.ts'
import { reasonColumns } from '../../core/texts.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import { toPublicId } from '../../core/ids.ts'
import { endedIn, isAbout } from '../../engine/event-files.ts'
import type { OperationEnd } from '../../engine/parts.ts'
import type { OperationRow } from '../../engine/types.ts'
import type { CallbackOptions } from '../messages/callbacks.ts'
import { POST_DELAYS, postSigned } from '../messages/signed-post.ts'
import { openReceiver, RECEIVER_COLUMNS, type WebhookReceiver } from './webhooks.ts'

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
      if (!receiver.enabled && type !== TEST_EVENT.name)
        return { status: 'failed', reason: sayPlain('The webhook is switched off') }
      const { gone = false, ...delivery } = await postSigned({
        client,
        id: message.id,
        body: text,
        stopping,
        at: clock(),
        within: deadline(message.failures),
        ...openReceiver(receiver, { shop: scope.shop, secrets }),
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
): Promise<WebhookReceiver | undefined> {
  const [row] = await scope.query<WebhookReceiver>(
    `select ${RECEIVER_COLUMNS}
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
  const { type, data, round = {} } = payload as WebhookPayload
  if (data) return Promise.resolve(data)
  const operation = present(operation_id, `The operation of the event ${type}`)
  const event = events.find(({ name }) => name === type)
  return event?.operations?.content === 'record'
    ? operationRecord(scope, operation)
    : operationFiles(scope, operation, event ?? {}, round)
}

// Tracks whether a webhook's receiver works: a success clears its failures, and days of failures
// without a success switch it off.

/**
 * After this many days of failures a webhook is switched off. It is longer than all attempts of one
 * message.
 */
const SWITCHED_OFF_AFTER_DAYS = 5

async function recordSuccess(scope: ShopScope, webhook: string): Promise<void> {
  await scope.query(
    `update webhook_endpoints set failing_since = null, last_error = null, last_success_at = now()
     where shop_id = :shop and id = :webhook`,
    { webhook },
  )
}

/**
 * Records a failure, and switches the webhook off after days of failures.
 * @param gone the receiver said that it wants no more messages.
 */
function recordFailure(
  scope: ShopScope,
  webhook: string,
  { because, gone, now }: { because: AnyText; gone: boolean; now: Date },
): Promise<void> {
  const { reason, reasonText } = reasonColumns(because)
  return scope.transaction(async (tx) => {
    const [row] = await tx.query<{ url: string; switched: boolean }>(
      `update webhook_endpoints set last_error = :reason, last_error_text = :reasonText,
         failing_since = coalesce(failing_since, :now::timestamptz),
         enabled = enabled and not :gone::boolean
           and coalesce(failing_since > :now::timestamptz - :days::integer * interval '1 day', true)
       where shop_id = :shop and id = :webhook
       returning url, old.enabled and not new.enabled as switched`,
      { webhook, reason, reasonText, gone, now, days: SWITCHED_OFF_AFTER_DAYS },
    )
    if (!row?.switched) return
    const why = gone
      ? say('it answered 410, which means that it wants no more messages')
      : say('nothing has reached it for {days} days: {reason}', {
          days: SWITCHED_OFF_AFTER_DAYS,
          reason: textOf(because),
        })
    await tx.query(
      `update webhook_endpoints set switched_off = :reason, switched_off_text = :reasonText,
         switched_off_at = :now
       where shop_id = :shop and id = :webhook`,
      { webhook, ...reasonColumns(why), now },
    )
    await raiseNotice(tx, {
      level: 'critical',
      title: say('A webhook was switched off'),
      body: sentences(
        say('{host} gets no more messages, because {why}.', {
          host: URL.parse(row.url)?.host ?? say('The address'),
          why,
        }),
        say(
          'Repair the address, switch the webhook on under Settings, Webhooks, and replay what it missed.',
        ),
      ),
      operation_id: null,
    })
  })
}

// The events that the end of an operation raises, as the features that declare them state.

/** Raises the events of the end of an operation that a webhook or a trigger wants. */
export const raisedAtEnds = (events: readonly WebhookEvent[]): OperationEnd => ({
  of: {},
  run: async (tx, operation, end) => {
    const raised = events.filter(({ operations }) => operations && isEndOf(operations.of, end))
    const wanted = await wantedEvents(
      tx,
      raised.map(({ name }) => name),
    )
    for (const event of raised) if (wanted.has(event.name)) await raiseAtEnd(tx, operation, event)
  },
})

async function raiseAtEnd(
  tx: ShopScope,
  { id, round: number, started_at }: Pick<OperationRow, 'id' | 'round' | 'started_at'>,
  event: WebhookEvent,
): Promise<void> {
  // Retry Failed ends the operation again: that end is another event, about the files of its round.
  const since = number === 0 ? null : (started_at?.toISOString() ?? null)
  const about = event.operations?.about
  const end = about ? await endOfRound(tx, { id, since }, event) : { until: null }
  if (!end) return
  const round = { since, until: end.until }
  await raiseEvent(tx, event, { key: `${id}/${number}`, operation: id, round })
}

const filesOf = ({ operations }: Pick<WebhookEvent, 'operations'>) => isAbout(operations?.about)

/** SQL: the files of the round. */
const IN_ROUND = endedIn({ since: ':since::timestamptz', until: ':until::timestamptz' })

/** The time; null: the event is about no file of the round that ends. */
const endOfRound = (
  tx: ShopScope,
  { id, since }: { id: string; since: string | null },
  event: WebhookEvent,
): Promise<{ until: string } | null> =>
  tx.first(
    `select clock_timestamp()::text as until
     from items i join operations o on o.shop_id = i.shop_id and o.id = i.operation_id
     where i.shop_id = :shop and i.operation_id = :id and ${filesOf(event)}
       and ${endedIn({ since: ':since::timestamptz', until: 'null::timestamptz' })} limit 1`,
    { id, since },
  )

/** Reads the files of an operation that the event is about. */
async function operationFiles(
  scope: ShopScope,
  operation: string,
  event: Pick<WebhookEvent, 'operations'>,
  { since, until }: Partial<EventRound>,
): Promise<z.output<typeof operationFilesData>> {
  const total = event.operations?.about
    ? `(select count(*)::int from items i where i.shop_id = o.shop_id and i.operation_id = o.id
         and ${filesOf(event)} and ${IN_ROUND})`
    : 'o.done'
  const [row] = await scope.query<{ kind: string; done: number; files: string[] }>(
    `select o.kind, ${total} as done, array(
       select i.file_id from items i
       where i.shop_id = o.shop_id and i.operation_id = o.id and ${filesOf(event)}
         and ${IN_ROUND}
       order by i.position limit :most) as files
     from operations o where o.shop_id = :shop and o.id = :operation`,
    { operation, most: MAX_NAMED_FILES, since: since ?? null, until: until ?? null },
  )
  const id = toPublicId(row?.kind === 'import' ? 'import' : 'op', operation)
  return {
    operation_id: id,
    total: row?.done ?? 0,
    file_ids: (row?.files ?? []).map((file) => toPublicId('file', file)),
    more: (row?.done ?? 0) > MAX_NAMED_FILES ? `/api/operations/${id}/items?status=done` : null,
  }
}
