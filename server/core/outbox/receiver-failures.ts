// Receivers that do not answer. After three attempts without an answer, messages to a receiver
// wait for a growing time, and then one of them tries again. The rows are shared by all workers.
import type { ShopScope } from '../db/for-shop.ts'
import type { Database } from '../db/database.ts'

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
