// Limits concurrent messages: a slow mail server or receiver must not occupy all places of this
// process, and one receiver's messages must not delay those of another.
import type { ShopScope } from '../db/for-shop.ts'
import type { Database } from '../db/database.ts'
import type { MessageKind } from './outbox.ts'

const RETRY_MS = 500
const APART_MS = 100

/** Limits of concurrent messages in this process. */
interface PlaceLimit {
  all: number
  /** The maximum for one shop. */
  shop: number
  /** The maximum for one receiver. */
  receiver: number
}

/**
 * All shops share the installation's mail server, so its mail has no limit for each shop; mails through
 * a server of a shop have separate places, so that a slow one delays no other shop. A post that waits for an
 * answer costs a socket, so there are many places. Receivers that did not answer last have separate
 * places, because each of them may hold one for its whole deadline.
 */
const LIMITS = {
  email: { all: 4, shop: 4, receiver: 4 },
  ownMail: { all: 64, shop: 2, receiver: 2 },
  sms: { all: 4, shop: 1, receiver: 1 },
  flow: { all: 16, shop: 1, receiver: 1 },
  post: { all: 512, shop: 64, receiver: 2 },
  failing: { all: 64, shop: 4, receiver: 1 },
} satisfies Record<string, PlaceLimit>

type Places = keyof typeof LIMITS

export interface MessageTurn {
  kind: MessageKind
  shop: number
  /** Whether it is a mail through the shop's own server. */
  own: boolean
  /** The receiver of a post; null: a server that all messages of the kind share. */
  receiver: string | null
  /** Whether the receiver did not answer the last time. */
  failing: boolean
}

export interface MessageLimiter {
  /** Takes a place. Null if a limit is reached; otherwise the function that releases the place. */
  take(turn: MessageTurn): (() => void) | null
  /**
   * Milliseconds until another attempt: the messages that wait for one receiver are spread over time.
   */
  later(turn: MessageTurn): number
}

export function createMessageLimiter(): MessageLimiter {
  const busy = new Map<string, number>()
  const lines = new Map<string, number>()
  const count = (key: string) => busy.get(key) ?? 0
  const add = (key: string, by: 1 | -1) => {
    const now = count(key) + by
    if (now === 0) busy.delete(key)
    else busy.set(key, now)
  }
  return {
    take: (turn) => {
      const places = placesOf(turn)
      const limits = LIMITS[places]
      const [all, shop, receiver] = keysOf(turn)
      if (count(all) >= limits.all || count(shop) >= limits.shop) return null
      if (count(receiver) >= limits.receiver) return null
      const taken = [all, shop, receiver]
      taken.forEach((key) => add(key, 1))
      return () => taken.forEach((key) => add(key, -1))
    },
    later: (turn) => {
      // All shops wait in one line for a server that they share.
      const [all, , receiver] = keysOf(turn)
      const line = turn.receiver === null && !turn.own ? all : receiver
      const now = performance.now()
      const at = Math.max(now + RETRY_MS, (lines.get(line) ?? 0) + APART_MS)
      forgetPast(lines, now)
      lines.set(line, at)
      return at - now
    },
  }
}

/** Keys of a message's places: of all, of its shop, of its receiver. */
function keysOf(turn: MessageTurn): [all: string, shop: string, receiver: string] {
  const all = placesOf(turn)
  const shop = `${all}/${turn.shop}`
  // Both groups of posts count for one receiver.
  return [all, shop, turn.receiver === null ? `${shop}/` : `${turn.shop}/${turn.receiver}`]
}

function placesOf({ kind, failing, own }: MessageTurn): Places {
  if (own) return 'ownMail'
  if (kind !== 'webhook' && kind !== 'callback') return kind
  return failing ? 'failing' : 'post'
}

/** Keeps the list as long as the receivers that have waiting messages. */
function forgetPast(lines: Map<string, number>, now: number): void {
  for (const [key, at] of lines) if (at < now) lines.delete(key)
}

// Receivers that do not answer. After three attempts without an answer, messages to a receiver
// wait for a growing time, and then one of them tries again. The rows are shared by all workers.

const SECOND = 1000
/** The time for an answer, by the number of consecutive failures before the attempt. */
const DEADLINES = [15 * SECOND, 10 * SECOND, 5 * SECOND]
/** An attempt after a pause has the whole time: a slow receiver could never succeed otherwise. */
const AFTER_PAUSE = 15 * SECOND
/** The number of consecutive failures that begins the pauses. */
const PAUSED_FROM = 3
const FIRST_PAUSE_SECONDS = 30
const LONGEST_PAUSE_SECONDS = 3600
/** An answer that refuses the message and took longer than this counts as none. */
export const SLOW_MS = 5 * SECOND
const KEPT_DAYS = 7

/** Milliseconds that the receiver has to answer. */
export const deadlineOf = (failures: number): number => DEADLINES[failures] ?? AFTER_PAUSE

/** Records an attempt without an answer, and begins the next pause. */
export async function recordNoAnswer(scope: ShopScope, receiver: string): Promise<void> {
  await scope.query(
    `insert into receiver_failures as r (shop_id, receiver, failed_at)
     values (:shop, :receiver, now())
     on conflict (shop_id, receiver) do update set failures = least(r.failures + 1, 1000),
       failed_at = now(), retry_at = case when r.failures + 1 >= :from::integer
         then now() + least(:longest::integer,
           :first::integer * 2 ^ least(r.failures + 1 - :from::integer, 20)) * interval '1 s' end`,
    {
      receiver,
      from: PAUSED_FROM,
      first: FIRST_PAUSE_SECONDS,
      longest: LONGEST_PAUSE_SECONDS,
    },
  )
}

/** Forgets the failures of a receiver that answered, or that is deleted. */
export async function forgetReceiver(scope: ShopScope, receiver: string): Promise<void> {
  await scope.query(
    'delete from receiver_failures where shop_id = :shop and receiver = :receiver',
    { receiver },
  )
}

/**
 * SQL: what a message of the outbox is posted to: a webhook's id, or the host and port of a
 * callback's address. Null for other messages.
 */
export const receiverOf = (message: string) =>
  `coalesce(${message}.webhook_id::text, case when ${message}.kind = 'callback'
    then split_part(${message}.payload ->> 'url', '/', 3) end)`

/**
 * Ends the pause of a receiver, because a person has repaired it or sends a message to it. It still
 * counts as failing until it answers.
 */
export async function endPause(scope: ShopScope, receiver: string): Promise<void> {
  await scope.query(
    `update receiver_failures set failures = 1, retry_at = null
     where shop_id = :shop and receiver = :receiver`,
    { receiver },
  )
}

/** Ends the pause of the receiver of a message. */
export async function endPauseOf(scope: ShopScope, message: string): Promise<void> {
  await scope.query(
    `update receiver_failures set failures = 1, retry_at = null
     where shop_id = :shop and receiver = (
       select ${receiverOf('o')} from outbox o where o.shop_id = :shop and o.id = :message)`,
    { message },
  )
}

/** Deletes the rows of receivers that got no message for a week. */
export async function forgetReceivers({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query('delete from receiver_failures where failed_at < now() - $1::interval', [
    `${KEPT_DAYS} days`,
  ])
}

// Limits how often one mail is sent again by hand or over the API: a tool in a loop must not fill a
// buyer's mailbox.

/** The maximum of mails within an hour about one link or delivery. */
export const MAX_REPEATED = 5

/**
 * The links or deliveries (bare UUIDs) whose mail was sent too often within the last hour, each
 * with the seconds until it may be sent again. Call it in the transaction that sends the mails and has
 * locked them: each request counts the mails of those before it.
 */
export async function repeatedTooOften(
  tx: ShopScope,
  kind: 'link' | 'delivery',
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.query<{ about: string; seconds: number }>(
    `select about, ceil(extract(epoch from earliest + interval '1 hour' - now()))::int as seconds
     from unnest(:ids::text[]) about cross join lateral (
       select min(created_at) as earliest, count(*) from (
         select created_at from outbox
         where shop_id = :shop and payload ->> '${kind}' = about
           and created_at > now() - interval '1 hour'
         order by id desc limit ${MAX_REPEATED}
       ) recent
     ) sent where sent.count >= ${MAX_REPEATED}`,
    { ids },
  )
  return new Map(rows.map(({ about, seconds }) => [about, Math.max(1, seconds)]))
}
