// The worker's side of the outbox: delivers the messages of its jobs, sweeps those whose worker died,
// and sends the shops' batches of mails.
import { setTimeout as delay } from 'node:timers/promises'
import { sayPlain } from '../../../plugins/contract/index.ts'
import { errorFields } from '../log.ts'
import type { BackgroundTask } from '../queue/background.ts'
import { type OutboxJob, queueMessages, queueMessage } from '../queue/queue.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { present } from '../lazy.ts'
import type { Database } from '../db/database.ts'
import { timedLease } from '../queue/lease.ts'
import {
  MESSAGE_LEASE,
  SEND_MAILS,
  type Deliverer,
  type Deliverers,
  type MessageKind,
} from './outbox.ts'
import { forgetReceivers, createMessageLimiter } from './limits.ts'
import { createStart, ownRow, type OutboxParts, sendBatch, writeBatch } from './deliver.ts'

export interface Outbox {
  /** Delivers one message, and resolves when its result is recorded. */
  deliver(job: OutboxJob): Promise<void>
  /** Delivers one message for a job of the worker, and resolves when the job may end. */
  run(job: OutboxJob): Promise<void>
  /** The sweep of messages whose worker died, and the shops' batches of mails. */
  tasks: readonly BackgroundTask[]
  /**
   * Returns messages that were not handed over yet to the queue, and waits until the posts that
   * have no job any more are recorded; call it before the worker is stopped.
   */
  close(): Promise<void>
}

export function runOutbox(given: Omit<OutboxParts, 'signal'>): Outbox {
  const { database, deliverers, log } = given
  const stopping = new AbortController()
  const parts = { database, deliverers, log, signal: stopping.signal }
  const start = createStart(parts, createMessageLimiter())
  const detached = new Set<Promise<void>>()
  return {
    deliver: async (job) => (await start(job)).ended,
    run: async (job) => {
      const message = await start(job)
      if (!message.detached) return message.ended
      const ended = message.ended
        .catch((error: unknown) => log.error('a result was not recorded', errorFields(error)))
        .finally(() => detached.delete(ended))
      detached.add(ended)
    },
    tasks: [staleMessageTask(database, deliverers), mailBatchTask(parts)],
    close: async () => {
      stopping.abort(new Error('the worker is stopping'))
      await Promise.all(detached)
    },
  }
}

// The first mails of deliveries, many in one run, which share statements and sessions of the mail
// server.

const SHOP_CONCURRENCY = 2
/**
 * The number of mails in a batch. It is small: if a worker dies, it is unknown for this many mails
 * whether they were sent.
 */
const MAILS_PER_BATCH = 8
/** How long a run that has sent mails waits for further ones. */
const GATHER_MS = 150
/** The maximum length of a run, after which other shops get their turn. */
const RUN_MS = 10_000

const mailBatchTask = (parts: OutboxParts): BackgroundTask => ({
  ...SEND_MAILS,
  concurrency: SHOP_CONCURRENCY,
  claims: true,
  wanted: `select shop_id, shop_id::text as key, now() as due_at from outbox
    where batched and status = 'waiting' group by shop_id`,
  run: async ({ shop, signal }) => {
    const scope = forShop(parts.database, present(shop, 'The shop of the run'))
    if (await parts.deliverers.email.own?.hasBatch(scope)) {
      await queueSingly(scope)
      return null
    }
    const until = performance.now() + RUN_MS
    const writeNext = () => writeBatch(scope, parts, MAILS_PER_BATCH)
    for (let batch = await writeNext(); batch;) {
      const isFull = batch.messages.length === MAILS_PER_BATCH
      const isLast = performance.now() >= until
      // The next batch is written while this one is sent: both mostly wait for answers.
      const writing = isFull && !isLast ? writeNext() : Promise.resolve(null)
      const sending = sendBatch(scope, parts, batch)
      // Neither is left running when the other one fails.
      await Promise.allSettled([writing, sending])
      await sending
      const next = await writing
      // A batch that was written is sent also when this process stops: then it is given back.
      if (!next) {
        signal.throwIfAborted()
        if (isLast) return 0
        await delay(GATHER_MS, undefined, { signal })
      }
      batch = next ?? (await writeNext())
    }
    return null
  },
})

/**
 * Gives each mail its own job: one that waits for a server of the shop must not hold a place that
 * the batches of all shops share.
 */
const queueSingly = (scope: ShopScope): Promise<void> =>
  scope.transaction(async (tx) => {
    const rows = await tx.query<{ id: string }>(
      `update outbox set batched = false where shop_id = :shop and batched and status = 'waiting'
       returning id`,
    )
    await queueMessages(
      tx,
      rows.map(({ id }) => id),
    )
  })

// Messages whose worker died while it sent them, across shops. A living worker records its attempt
// long before this sweep treats the message as lost (mail-server.ts, callbacks.ts); both times come
// from the database's clock.

const SWEEP_MS = 15_000
/** Of a message that has no text yet: another worker may write and send it. */
const UNWRITTEN_LEASE = timedLease({ since: 'taken_at' }, '30 seconds')

const REASON = sayPlain('The server stopped while it was being sent')

interface StaleRow {
  shop_id: number
  id: string
  kind: MessageKind
  operation_id: string | null
  lease: number | null
  written: boolean
  /** It was sent through the shop's own server. */
  own: boolean
}

/** Sweeps lost messages and returns their number. Several workers may run it concurrently. Exported for tests, which run it without waiting for its interval. */
export async function sweepStaleMessages(
  database: Database,
  deliverers: Deliverers,
): Promise<number> {
  const { rows } = await database.pool.query<StaleRow>(
    `select o.shop_id, o.id, o.kind, o.operation_id, o.lease, o.result is not null as written,
       ${ownRow(deliverers)} as own
     from outbox o where o.status = 'sending'
       and (${MESSAGE_LEASE.isExpired('o')} or o.result is null and ${UNWRITTEN_LEASE.isExpired('o')})`,
  )
  for (const row of rows) await sweepOne(database, row, deliverers[row.kind])
  return rows.length
}

function sweepOne(database: Database, row: StaleRow, { lost, failed }: Deliverer): Promise<void> {
  // A message without content was never handed over.
  const status = row.written ? (row.own ? 'unknown' : lost) : 'waiting'
  return forShop(database, row.shop_id).transaction(async (tx) => {
    const changed = await tx.query(
      `update outbox set status = :status, error = :reason, error_text = null
       where shop_id = :shop and id = :id and status = 'sending'
         and lease is not distinct from :lease and (result is not null) = :written returning id`,
      { id: row.id, lease: row.lease, status, reason: REASON, written: row.written },
    )
    if (changed.length === 0) return
    if (status === 'waiting') return queueMessage(tx, row.id)
    await failed?.(tx, row, { status: 'unknown', reason: REASON })
  })
}

/** The background task that runs the sweep. */
const staleMessageTask = (database: Database, deliverers: Deliverers): BackgroundTask => ({
  name: 'sweep-stale-messages',
  concurrency: 1,
  run: async () => {
    await sweepStaleMessages(database, deliverers)
    await forgetReceivers(database)
    return SWEEP_MS
  },
})
