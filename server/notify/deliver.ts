// Sending a message: one worker takes it under a lease, hands it over, and records the result.
import type { Database } from '../db/database.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { type OutboxJob, queueMessage } from '../queue/queue.ts'
import { type Logger, errorFields } from '../log.ts'
import { createMessageLimiter } from './message-limiter.ts'
import type { Deliverers, MessageKind, Message, Deliverer, DeliveryResult } from './outbox.ts'
import { afterStop, recordAttempt, recordAttempts, type Attempted } from './record-attempt.ts'

export interface OutboxParts {
  database: Database
  deliverers: Deliverers
  log: Logger
  /** Aborts when this process stops. */
  signal: AbortSignal
}

/**
 * Concurrent messages of each kind in one process; most jobs are left for files. All shops have one
 * mail server, so mail has no limit for each shop. Receivers of callbacks and webhooks are the
 * shops' own, and a slow one must not delay the others.
 */
const LIMITS = {
  email: { all: 4, shop: 4 },
  callback: { all: 2, shop: 1 },
  webhook: { all: 2, shop: 1 },
  sms: { all: 1, shop: 1 },
  flow: { all: 2, shop: 1 },
}

/**
 * Delivers one message. Throws only if the database is unavailable; the sweep then records the
 * result.
 */
export function createDeliver(parts: OutboxParts): (job: OutboxJob) => Promise<void> {
  const limiter = createMessageLimiter(LIMITS)
  return async ({ shop, message: id }) => {
    const scope = forShop(parts.database, shop)
    if (parts.signal.aborted) return queueMessage(scope, id, afterStop())
    const kind = await kindOf(scope, id)
    if (!kind) return
    const release = limiter.take(kind, shop)
    if (!release) return queueMessage(scope, id, limiter.later())
    await deliverMessage(scope, id, parts).finally(release)
  }
}

const kindOf = async (scope: ShopScope, id: string): Promise<MessageKind | undefined> =>
  (
    await scope.query<{ kind: MessageKind }>(
      `select kind from outbox where shop_id = :shop and id = :id and status = 'waiting'`,
      { id },
    )
  )[0]?.kind

async function deliverMessage(scope: ShopScope, id: string, parts: OutboxParts): Promise<void> {
  const message = await takeMessage(scope, id)
  if (!message) return
  const deliverer = parts.deliverers[message.kind]
  const delivery = await attempt(scope, message, deliverer, parts)
  if (delivery.status !== 'sent')
    parts.log.warn('a message was not delivered', {
      id,
      kind: message.kind,
      status: delivery.status,
    })
  await recordAttempt(scope, message, deliverer.delays, delivery)
}

/** Takes the message under a lease. After this, a crash means that it may have been sent. */
async function takeMessage(scope: ShopScope, id: string): Promise<Message | null> {
  const [row] = await scope.query<Message>(
    `update outbox set status = 'sending', attempts = attempts + 1, lease = nextval('leases'),
       taken_at = now()
     where shop_id = :shop and id = :id and status = 'waiting'
     returning id, kind, payload, result as content, operation_id, created_at, attempts, lease`,
    { id },
  )
  return row ?? null
}

/** Delivers up to `most` messages that wait for the shop's next batch; returns how many. */
export async function deliverBatch(
  scope: ShopScope,
  { deliverers, log, signal }: OutboxParts,
  most: number,
): Promise<number> {
  if (signal.aborted) return 0
  const messages = await takeBatch(scope, most)
  if (messages.length === 0) return 0
  const deliverer = deliverers.email
  const results = await attemptBatch(scope, messages, deliverer.batch!, log, signal)
  for (const { message, result } of results)
    if (result.status !== 'sent')
      log.warn('a message was not delivered', { id: message.id, status: result.status })
  await recordAttempts(scope, results, deliverer.delays)
  return messages.length
}

/** Another attempt has its own job. */
const takeBatch = (scope: ShopScope, most: number): Promise<Message[]> =>
  scope.query<Message>(
    `with taken as (
       select id from outbox where shop_id = :shop and batched and status = 'waiting'
       order by id limit :most for update skip locked
     )
     update outbox o set status = 'sending', batched = false, attempts = attempts + 1,
       lease = nextval('leases'), taken_at = now()
     from taken where o.shop_id = :shop and o.id = taken.id
     returning o.id, o.kind, o.payload, o.result as content, o.operation_id, o.created_at,
       o.attempts, o.lease`,
    { most },
  )

const OUR_FAULT = { status: 'again', reason: 'Something went wrong on our side' } as const

async function attemptBatch(
  scope: ShopScope,
  messages: readonly Message[],
  batch: NonNullable<Deliverer['batch']>,
  log: Logger,
  signal: AbortSignal,
): Promise<Attempted[]> {
  try {
    const contents = await batch.write(scope, messages)
    const rows = await scope.query<{ id: string }>(
      `update outbox o set result = g.content::jsonb
       from unnest(:ids::uuid[], :leases::bigint[], :contents::text[]) as g (id, lease, content)
       where o.shop_id = :shop and o.id = g.id and o.lease = g.lease returning o.id`,
      {
        ids: messages.map(({ id }) => id),
        leases: messages.map(({ lease }) => lease),
        contents: contents.map((content) => JSON.stringify(content)),
      },
    )
    const held = new Set(rows.map(({ id }) => id))
    const written = messages
      .map((message, at) => ({ message, content: contents[at]! }))
      .filter(({ message }) => held.has(message.id))
    const results = await batch.send(scope, written, signal)
    return written.map(({ message }, at) => ({ message, result: results[at]! }))
  } catch (error) {
    log.error('messages could not be written or sent', errorFields(error))
    return messages.map((message) => ({ message, result: OUR_FAULT }))
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
      `update outbox set result = :content where shop_id = :shop and id = :id and lease = :lease
         returning id`,
      { content: JSON.stringify(content), id: message.id, lease: message.lease },
    )
    if (rows.length === 0) return { status: 'returned' }
    return await deliverer.send(scope, content, message, signal)
  } catch (error) {
    log.error('a message could not be written or sent', errorFields(error))
    return OUR_FAULT
  }
}
