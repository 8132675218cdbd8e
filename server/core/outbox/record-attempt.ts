// Records the result of an attempt, only while the attempt holds the message's lease.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyText } from '../../../plugins/contract/index.ts'
import { isDatabaseUnavailable } from '../db/error-classes.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { queueMessage } from '../queue/queue.ts'
import { reasonColumns } from '../texts.ts'
import type { Deliverer, DeliveryResult, Message } from './outbox.ts'

/** What the deliverer says about its attempts, and about messages that did not reach everybody. */
type AttemptRules = Pick<Deliverer, 'delays' | 'failed' | 'kept' | 'refused'>

/**
 * Milliseconds until the next attempt after this process has stopped: late enough that another worker
 * takes the message.
 */
export const AFTER_STOP_MS = 5000

/**
 * Records the result, and queues the next attempt or notifies the shop. Throws if the database
 * remains unavailable.
 */
export async function recordAttempt(
  scope: ShopScope,
  message: Message,
  deliverer: AttemptRules,
  delivery: DeliveryResult,
): Promise<void> {
  const write = WRITERS[delivery.status] as (
    tx: ShopScope,
    message: Message,
    delivery: DeliveryResult,
    deliverer: AttemptRules,
  ) => Promise<void>
  await withDatabase(() => scope.transaction((tx) => write(tx, message, delivery, deliverer)))
}

export interface DeliveryAttempt {
  message: Message
  result: DeliveryResult
}

/** Records the results of many messages that were sent together, as `recordAttempt` does. */
export async function recordAttempts(
  scope: ShopScope,
  attempted: readonly DeliveryAttempt[],
  deliverer: AttemptRules,
): Promise<void> {
  const plain = attempted.filter(({ result }) => result.status === 'sent' && !result.reason)
  await withDatabase(() => recordSent(scope, plain))
  for (const { message, result } of attempted.filter((one) => !plain.includes(one)))
    await recordAttempt(scope, message, deliverer, result)
}

async function recordSent(scope: ShopScope, sent: readonly DeliveryAttempt[]): Promise<void> {
  if (sent.length === 0) return
  await scope.query(
    `update outbox o set status = 'sent', error = null, error_text = null,
       result = o.result || g.content::jsonb, sent_at = now()
     from unnest(:ids::uuid[], :leases::bigint[], :contents::text[]) as g (id, lease, content)
     where o.shop_id = :shop and o.id = g.id and o.lease = g.lease
       and o.status in ('sending', 'unknown')`,
    {
      ids: sent.map(({ message }) => message.id),
      leases: sent.map(({ message }) => message.lease),
      contents: sent.map(({ result }) =>
        JSON.stringify(result.status === 'sent' ? (result.content ?? {}) : {}),
      ),
    },
  )
}

type Writer<Status extends DeliveryResult['status']> = (
  tx: ShopScope,
  message: Message,
  delivery: DeliveryResult & { status: Status },
  deliverer: AttemptRules,
) => Promise<void>

const WRITERS: { [Status in DeliveryResult['status']]: Writer<Status> } = {
  sent: async (tx, message, { content = {}, reason }, { failed, kept }) => {
    // The result counts even if the sweep has marked the message as unknown in the meantime.
    const held = await writeResult(
      tx,
      message,
      ['sending', 'unknown'],
      'sent',
      reason ?? null,
      JSON.stringify(content),
    )
    if (held && content.kept) await kept?.(tx, message)
    if (held && reason) await failed?.(tx, message, { status: 'partly', reason })
  },
  again: async (tx, message, { reason, delays: own }, deliverer) => {
    const delay = (own ?? deliverer.delays)[message.attempts - 1]
    if (delay === undefined) {
      await giveUp(tx, message, { status: 'failed', reason }, deliverer)
      return
    }
    if (await writeResult(tx, message, ['sending'], 'waiting', reason))
      await queueMessage(tx, message.id, delay)
  },
  returned: async (tx, message) => {
    if (!(await writeResult(tx, message, ['sending'], 'waiting', null))) return
    await tx.query('update outbox set attempts = attempts - 1 where shop_id = :shop and id = :id', {
      id: message.id,
    })
    await queueMessage(tx, message.id, AFTER_STOP_MS)
  },
  failed: async (tx, message, end, deliverer) => {
    await giveUp(tx, message, end, deliverer)
    if (end.badAddress || end.blocked) await deliverer.refused?.(tx, message, end)
  },
  unknown: giveUp,
}

async function giveUp(
  tx: ShopScope,
  message: Message,
  end: { status: 'failed' | 'unknown'; reason: AnyText },
  { failed }: AttemptRules,
): Promise<void> {
  if (!(await writeResult(tx, message, ['sending'], end.status, end.reason))) return
  await failed?.(tx, message, end)
}

/**
 * Writes the result. False if another attempt has taken the message, or the sweep has recorded a
 * result.
 */
const writeResult = (
  tx: ShopScope,
  message: Message,
  from: readonly string[],
  status: string,
  error: AnyText | null,
  content = '{}',
): Promise<boolean> => {
  const { reason, reasonText } = reasonColumns(error)
  return tx.has(
    `update outbox set status = :status, error = :reason, error_text = :reasonText,
       result = result || :content::jsonb,
       sent_at = case when :status = 'sent' then now() else sent_at end
     where shop_id = :shop and id = :id and lease = :lease and status = any(:from::text[])
       returning id`,
    { id: message.id, lease: message.lease, from, status, reason, reasonText, content },
  )
}

const TRIES = 40
const WAIT_MS = 500

/**
 * Repeats the work while the database restarts: an unrecorded delivery would be marked as unknown.
 */
async function withDatabase(work: () => Promise<void>): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work()
    } catch (error) {
      if (tried === TRIES || !isDatabaseUnavailable(error)) throw error
      await sleep(WAIT_MS)
    }
  }
}
