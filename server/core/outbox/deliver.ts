// Sending a message: one worker takes it under a lease, hands it over, and records the result.
import { sayPlain } from '../../../plugins/contract/index.ts'
import type { Database } from '../db/database.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { NEW_LEASE } from '../queue/lease.ts'
import { type OutboxJob, queueMessage } from '../queue/queue.ts'
import { type Logger, errorFields } from '../log.ts'
import { present, zip } from '../lazy.ts'
import { type MessageLimiter, forgetReceiver, receiverOf, recordNoAnswer } from './limits.ts'
import {
  MESSAGE_LEASE,
  type Deliverers,
  type Content,
  type MessageKind,
  type Message,
  type Deliverer,
  type DeliveryResult,
} from './outbox.ts'
import {
  AFTER_STOP_MS,
  recordAttempt,
  recordAttempts,
  type DeliveryAttempt,
} from './record-attempt.ts'

export interface OutboxParts {
  database: Database
  deliverers: Deliverers
  log: Logger
  /** The signal that aborts when this process stops. */
  signal: AbortSignal
}

export interface StartedMessage {
  /** Resolves when the result is recorded. Rejects only if the database is unavailable. */
  ended: Promise<void>
  /**
   * Whether the job may end before the message: a post waits for its receiver, and needs no place
   * of the worker.
   */
  detached: boolean
}

const NOTHING: StartedMessage = { ended: Promise.resolve(), detached: false }

/** A message that waits for its receiver longer than this fails instead of another attempt. */
const MAX_AGE = '3 days'
const EXPIRED = {
  status: 'failed',
  reason: sayPlain('The address did not answer for three days'),
} as const

/**
 * Starts the delivery of one message, or queues it again if no place is free. Throws only if the
 * database is unavailable; the sweep then records the result.
 */
export function createStart(
  parts: OutboxParts,
  limiter: MessageLimiter,
): (job: OutboxJob) => Promise<StartedMessage> {
  return async ({ shop, message: id }) => {
    const scope = forShop(parts.database, shop)
    const later = async (ms: number) => {
      await queueMessage(scope, id, ms)
      return NOTHING
    }
    if (parts.signal.aborted) return later(AFTER_STOP_MS)
    const waiting = await findWaiting(scope, id, parts.deliverers)
    if (!waiting) return NOTHING
    const turn = { ...waiting, shop, failing: waiting.failures > 0 }
    if (!waiting.expired && waiting.pause > 0)
      return later(Math.max(waiting.pause, limiter.later(turn)))
    const release = limiter.take(turn)
    if (!release) return later(limiter.later(turn))
    const ended = deliverMessage(scope, { id, ...waiting }, parts).finally(release)
    return { ended, detached: waiting.kind !== 'email' || waiting.own }
  }
}

interface WaitingMessage {
  kind: MessageKind
  /** It leaves through a server of the shop. */
  own: boolean
  /**
   * The receiver of a post: the webhook, or the host of the address; null: the message is no post.
   */
  receiver: string | null
  /** Consecutive attempts at the receiver without an answer. */
  failures: number
  /** Milliseconds in which nothing is posted to the receiver. */
  pause: number
  /** It has waited too long for a receiver that does not answer. */
  expired: boolean
}

/** SQL, of a row `o`: does it leave through a server of its shop? */
export const ownRow = ({ email }: Deliverers): string => email.own?.row ?? 'false'

const findWaiting = async (
  scope: ShopScope,
  id: string,
  deliverers: Deliverers,
): Promise<WaitingMessage | undefined> =>
  (
    await scope.query<WaitingMessage>(
      `select o.kind, ${ownRow(deliverers)} as own, ${receiverOf('o')} as receiver,
         coalesce(r.failures, 0) as failures,
         coalesce(extract(epoch from r.retry_at - now()) * 1000, 0)::float8 as pause,
         r.retry_at is not null and now() > o.created_at + interval '${MAX_AGE}' as expired
       from outbox o
       left join receiver_failures r
         on r.shop_id = o.shop_id and r.receiver = ${receiverOf('o')}
       where o.shop_id = :shop and o.id = :id and o.status = 'waiting'`,
      { id },
    )
  )[0]

async function deliverMessage(
  scope: ShopScope,
  { id, receiver, failures, expired }: WaitingMessage & { id: string },
  parts: OutboxParts,
): Promise<void> {
  const message = await takeMessage(scope, id, failures)
  if (!message) return
  const deliverer = parts.deliverers[message.kind]
  const delivery = expired ? EXPIRED : await attempt(scope, message, deliverer, parts)
  if (delivery.status !== 'sent')
    parts.log.warn('a message was not delivered', {
      id,
      kind: message.kind,
      status: delivery.status,
    })
  await recordAttempt(scope, message, deliverer, delivery)
  if (receiver !== null) await recordReceiver(scope, receiver, { failures, delivery })
}

/** A failure to record this is harmless: the next attempt records it. */
async function recordReceiver(
  scope: ShopScope,
  receiver: string,
  { failures, delivery }: { failures: number; delivery: DeliveryResult },
): Promise<void> {
  if (delivery.status === 'again' && delivery.unanswered) await recordNoAnswer(scope, receiver)
  else if (failures > 0 && delivery.status === 'sent') await forgetReceiver(scope, receiver)
}

/** Takes the message under a lease. After this, a crash means that it may have been sent. */
async function takeMessage(
  scope: ShopScope,
  id: string,
  failures: number,
): Promise<Message | null> {
  const [row] = await scope.query<Omit<Message, 'failures'>>(
    `update outbox set status = 'sending', attempts = attempts + 1, lease = ${NEW_LEASE},
       ${MESSAGE_LEASE.extend}
     where shop_id = :shop and id = :id and status = 'waiting'
     returning id, kind, payload, result as content, operation_id, created_at, attempts, lease`,
    { id },
  )
  return row ? { ...row, failures } : null
}

/** Messages of one shop, taken under leases, with their texts. */
export interface WrittenBatch {
  messages: readonly Message[]
  /** Not stored yet: if this process ends, the messages are sent by another one. */
  contents: readonly Content[]
  /** The texts could not be written. */
  failed: boolean
}

/** Takes up to `most` messages that wait for the shop's next batch, and writes them; null: none waits. */
export async function writeBatch(
  scope: ShopScope,
  { deliverers, log, signal }: OutboxParts,
  most: number,
): Promise<WrittenBatch | null> {
  if (signal.aborted) return null
  const messages = await takeBatch(scope, most)
  if (messages.length === 0) return null
  try {
    return { messages, contents: await batchOf(deliverers).write(scope, messages), failed: false }
  } catch (error) {
    log.error('messages could not be written', errorFields(error))
    return { messages, contents: [], failed: true }
  }
}

/** Sends the messages of a batch, and records what became of each. */
export async function sendBatch(
  scope: ShopScope,
  { deliverers, log, signal }: OutboxParts,
  batch: WrittenBatch,
): Promise<void> {
  const results = await attemptBatch(scope, batch, batchOf(deliverers), log, signal)
  for (const { message, result } of results)
    if (result.status !== 'sent')
      log.warn('a message was not delivered', { id: message.id, status: result.status })
  await recordAttempts(scope, results, deliverers.email)
}

const batchOf = (deliverers: Deliverers) => present(deliverers.email.batch, 'The batch of mails')

/** Another attempt has its own job. */
const takeBatch = async (scope: ShopScope, most: number): Promise<Message[]> => {
  const rows = await scope.query<Omit<Message, 'failures'>>(
    `with taken as (
       select id from outbox where shop_id = :shop and batched and status = 'waiting'
       order by id limit :most for update skip locked
     )
     update outbox o set status = 'sending', batched = false, attempts = attempts + 1,
       lease = ${NEW_LEASE}, ${MESSAGE_LEASE.extend}
     from taken where o.shop_id = :shop and o.id = taken.id
     returning o.id, o.kind, o.payload, o.result as content, o.operation_id, o.created_at,
       o.attempts, o.lease`,
    { most },
  )
  return rows.map((row) => ({ ...row, failures: 0 }))
}

const OUR_FAULT = { status: 'again', reason: 'Something went wrong on our side' } as const

async function attemptBatch(
  scope: ShopScope,
  { messages, contents, failed }: WrittenBatch,
  batch: NonNullable<Deliverer['batch']>,
  log: Logger,
  signal: AbortSignal,
): Promise<DeliveryAttempt[]> {
  const ours = () => messages.map((message) => ({ message, result: OUR_FAULT }))
  if (failed) return ours()
  try {
    const rows = await scope.query<{ id: string }>(
      `update outbox o set result = g.content::jsonb, ${MESSAGE_LEASE.extend}
       from unnest(:ids::uuid[], :leases::bigint[], :contents::text[]) as g (id, lease, content)
       where o.shop_id = :shop and o.id = g.id and o.lease = g.lease and o.status = 'sending'
       returning o.id`,
      {
        ids: messages.map(({ id }) => id),
        leases: messages.map(({ lease }) => lease),
        contents: contents.map((content) => JSON.stringify(content)),
      },
    )
    const held = new Set(rows.map(({ id }) => id))
    const written = zip(messages, contents)
      .map(([message, content]) => ({ message, content }))
      .filter(({ message }) => held.has(message.id))
    const results = await batch.send(scope, written, signal)
    return zip(written, results).map(([{ message }, result]) => ({ message, result }))
  } catch (error) {
    log.error('messages could not be sent', errorFields(error))
    return ours()
  }
}

async function attempt(
  scope: ShopScope,
  message: Message,
  deliverer: Deliverer,
  { log, signal }: OutboxParts,
): Promise<DeliveryResult> {
  try {
    const content = await deliverer.write(scope, message)
    const rows = await scope.query(
      `update outbox set result = :content, ${MESSAGE_LEASE.extend}
       where shop_id = :shop and id = :id and lease = :lease and status = 'sending' returning id`,
      { content: JSON.stringify(content), id: message.id, lease: message.lease },
    )
    if (rows.length === 0) return { status: 'returned' }
    return await deliverer.send(scope, content, message, signal)
  } catch (error) {
    log.error('a message could not be written or sent', errorFields(error))
    return OUR_FAULT
  }
}
