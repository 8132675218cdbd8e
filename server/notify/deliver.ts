// Sending a message: one worker takes it under a lease, hands it over, and records the result.
import type { Database } from '../db/database.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { type OutboxJob, queueMessage } from '../queue/queue.ts'
import { type Logger, errorFields } from '../log.ts'
import { createMessageLimiter } from './message-limiter.ts'
import type { Deliverers, MessageKind, Message, Deliverer, DeliveryResult } from './outbox.ts'
import { later, recordAttempt } from './record-attempt.ts'

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
 * Carries out one message. Throws only when the database is away; the sweep then records the
 * result.
 */
export function createDeliver(parts: OutboxParts): (job: OutboxJob) => Promise<void> {
  const limiter = createMessageLimiter(LIMITS)
  return async ({ shop, message: id }) => {
    const scope = forShop(parts.database, shop)
    if (parts.signal.aborted) return queueMessage(scope, id, later())
    const kind = await kindOf(scope, id)
    if (!kind) return
    const over = limiter.take(kind, shop)
    if (!over) return queueMessage(scope, id, limiter.later())
    await carryOut(scope, id, parts).finally(over)
  }
}

const kindOf = async (scope: ShopScope, id: string): Promise<MessageKind | undefined> =>
  (
    await scope.query<{ kind: MessageKind }>(
      `select kind from outbox where shop_id = :shop and id = :id and status = 'waiting'`,
      { id },
    )
  )[0]?.kind

async function carryOut(scope: ShopScope, id: string, parts: OutboxParts): Promise<void> {
  const message = await takeMessage(scope, id)
  if (!message) return
  const deliverer = parts.deliverers[message.kind]
  const delivery = await attempt(scope, message, deliverer, parts)
  if (delivery.status !== 'sent')
    parts.log.warn('a message was not delivered', {
      message: id,
      kind: message.kind,
      status: delivery.status,
    })
  await recordAttempt(scope, message, deliverer.delays, delivery)
}

/** From here on a crash means that it may have been sent. */
async function takeMessage(scope: ShopScope, id: string): Promise<Message | null> {
  const [row] = await scope.query<Message>(
    `update outbox set status = 'sending', attempts = attempts + 1, lease = nextval('leases'), taken_at = now()
     where shop_id = :shop and id = :id and status = 'waiting'
     returning id, kind, payload, result as content, operation_id, created_at, attempts, lease`,
    { id },
  )
  return row ?? null
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
      `update outbox set result = :content where shop_id = :shop and id = :id and lease = :lease returning id`,
      { content: JSON.stringify(content), id: message.id, lease: message.lease },
    )
    if (rows.length === 0) return { status: 'returned' }
    return await deliverer.send(scope, content, message, signal)
  } catch (error) {
    log.error('a message could not be written', errorFields(error))
    return { status: 'again', reason: 'It could not be written' }
  }
}
