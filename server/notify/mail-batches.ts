// The first mails of deliveries, many in one run: they share their statements, and the sessions of the
// mail server.
import { setTimeout as delay } from 'node:timers/promises'
import { forShop } from '../db/for-shop.ts'
import type { BackgroundTask } from '../engine/background.ts'
import { deliverBatch, type OutboxParts } from './deliver.ts'
import { SEND_MAILS } from './delivery-mail.ts'

const SHOPS_AT_A_TIME = 2
/** Small: of these a worker that dies leaves unknown whether they were sent. */
const MAILS_A_BATCH = 8
/** A run that had mails waits so long for further ones. */
const GATHER_MS = 150
/** Then other shops take their turn. */
const RUN_MS = 10_000

export const mailBatchTask = (parts: OutboxParts): BackgroundTask => ({
  ...SEND_MAILS,
  atOnce: SHOPS_AT_A_TIME,
  claims: true,
  wanted: `select shop_id, shop_id::text as key, now() as due_at from outbox
    where batched and status = 'waiting' group by shop_id`,
  run: async ({ shop, signal }) => {
    const scope = forShop(parts.database, shop!)
    for (const until = performance.now() + RUN_MS; performance.now() < until;) {
      signal.throwIfAborted()
      const count = await deliverBatch(scope, parts, MAILS_A_BATCH)
      if (count === 0) return null
      if (count < MAILS_A_BATCH) await delay(GATHER_MS, undefined, { signal })
    }
    return new Date()
  },
})
