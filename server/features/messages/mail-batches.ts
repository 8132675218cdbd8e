// The first mails of deliveries, many in one run, which share statements and sessions of the mail
// server.
import { setTimeout as delay } from 'node:timers/promises'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { queueMessages } from '../../core/queue/queue.ts'
import { present } from '../../core/present.ts'
import { sendsItself } from '../mail/sent-by-shop.ts'
import { sendBatch, writeBatch, type OutboxParts } from './deliver.ts'
import { SEND_MAILS } from './delivery-mail.ts'

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

export const mailBatchTask = (parts: OutboxParts): BackgroundTask => ({
  ...SEND_MAILS,
  concurrency: SHOP_CONCURRENCY,
  claims: true,
  wanted: `select shop_id, shop_id::text as key, now() as due_at from outbox
    where batched and status = 'waiting' group by shop_id`,
  run: async ({ shop, signal }) => {
    const scope = forShop(parts.database, present(shop, 'The shop of the run'))
    if (await sendsItself(scope)) {
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
