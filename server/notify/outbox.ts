// The outbox: a message is taken by one worker under a lease, handed over, and kept with what became of it. What kind of
// message it is decides how it is sent and how often; that is all a kind has to say.
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
  /** As it was written for an earlier try. */
  content: Content | null
  operation_id: string | null
  created_at: Date
  attempts: number
  lease: number
}

/** What became of one try. Reasons are for the shop: they name nothing of this server's own network. */
export type Delivery =
  | { status: 'sent'; content?: Partial<Content>; reason?: string }
  /** Surely not delivered; another try may help. */
  | { status: 'again'; reason: string }
  /** Surely not delivered, and no try will help. */
  | { status: 'failed'; reason: string }
  /** It may have arrived or not: it is never sent again by itself. */
  | { status: 'unknown'; reason: string }
  /** We are stopping: surely not delivered, and the try does not count. */
  | { status: 'returned' }

export interface Deliverer {
  /** What is sent. An earlier try's content stays as it was written. */
  write(scope: ShopScope, message: Message): Promise<Content>
  /** Does not throw for what the other side does. */
  send(scope: ShopScope, content: Content, message: Message, signal: AbortSignal): Promise<Delivery>
  /** Milliseconds to wait after each try; where they end, so do the tries. */
  delays: readonly number[]
  /** What it is when its worker died while it had it. */
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

/** Of each kind in one process, so that most of its jobs are left for files. */
const AT_ONCE = { email: 1, callback: 2 }

/** Carries out one message. Throws only when the database is away; then a sweep settles it. */
export function createDeliver(parts: OutboxParts): (job: OutboxJob) => Promise<void> {
  const limiter = createMessageLimiter(AT_ONCE)
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
    parts.log.warn('a message was not delivered', { message: id, kind: message.kind, status: delivery.status })
  await recordAttempt(scope, message, deliverer.delays, delivery)
}

/** From here on a crash means that it may have left. */
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
