// The outbox: one worker takes a message under a lease, hands it over, and records the result. A
// deliverer for each kind of message decides how it is sent and how often.
import type { Database } from '../db/database.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { queueMessage, type OutboxJob } from '../engine/worker/queue.ts'
import { errorFields, type Logger } from '../log.ts'
import { later, recordAttempt } from './record-attempt.ts'
import { createMessageLimiter } from './message-limiter.ts'

export type MessageKind = 'email' | 'callback'

/** A message as it is sent, and as the shop reads it. */
export interface Content {
  to: readonly string[]
  subject: string
  text: string
  html?: string
  /** There is no mail server: it was not sent anywhere, only kept. */
  kept?: boolean
}

export interface Message {
  id: string
  kind: MessageKind
  payload: unknown
  /** As it was rendered for an earlier attempt. */
  content: Content | null
  operation_id: string | null
  created_at: Date
  attempts: number
  lease: number
}

/**
 * The result of one attempt. Reasons are shown to the shop: they reveal nothing of this server's
 * network.
 */
export type Delivery =
  | { status: 'sent'; content?: Partial<Content>; reason?: string }
  /** Not delivered; another attempt may help. */
  | { status: 'again'; reason: string }
  /** Not delivered, and no attempt will help. */
  | { status: 'failed'; reason: string }
  /** It may have arrived: it is never sent again automatically. */
  | { status: 'unknown'; reason: string }
  /** Not delivered because this process stops; the attempt does not count. */
  | { status: 'returned' }

export interface Deliverer {
  /** The content. That of an earlier attempt is kept. */
  write(scope: ShopScope, message: Message): Promise<Content>
  /** Never throws because of the receiver. */
  send(scope: ShopScope, content: Content, message: Message, signal: AbortSignal): Promise<Delivery>
  /** Milliseconds to wait after each attempt; after the last one the message has failed. */
  delays: readonly number[]
  /** Its status when its worker died during an attempt. */
  lost: 'unknown' | 'waiting'
}

export type Deliverers = Readonly<Record<MessageKind, Deliverer>>

export interface OutboxParts {
  database: Database
  deliverers: Deliverers
  log: Logger
  /** Aborts when this process stops. */
  signal: AbortSignal
}

/**
 * Most jobs are left for files. All shops have one mail server, so that mail needs no turns between
 * them; receivers of callbacks are the shops' own, and a slow one must not hold up the others.
 */
const LIMITS = { email: { all: 4, shop: 4 }, callback: { all: 2, shop: 1 } }

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
): Promise<Delivery> {
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
