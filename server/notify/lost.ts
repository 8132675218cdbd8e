// Messages whose worker died while it had them, across shops. Whoever lives settles its own message well before this
// looks at it (mail-server.ts, callbacks.ts), by the same clock in the database that noted when it was taken.
import type { Database } from '../db/database.ts'
import { forShop } from '../db/for-shop.ts'
import { queueMessage } from '../engine/worker/queue.ts'
import { errorFields, type Logger } from '../log.ts'
import type { Deliverers, MessageKind } from './outbox.ts'
import { tellTrouble } from './trouble.ts'

/** Longer than any try can last. */
const LOST_AFTER = '2 minutes'
const SWEEP_MS = 15_000

const REASON = 'The server stopped while it was being sent'

interface LostRow {
  shop_id: number
  id: string
  kind: MessageKind
  operation_id: string | null
  lease: number | null
  written: boolean
}

/** Safe to run in several workers at once; gives how many messages it settled. */
export async function settleLost(database: Database, deliverers: Deliverers): Promise<number> {
  const { rows } = await database.pool.query<LostRow>(
    `select shop_id, id, kind, operation_id, lease, result is not null as written from outbox
     where status = 'sending' and coalesce(taken_at, created_at) < now() - $1::interval`,
    [LOST_AFTER],
  )
  for (const row of rows) await settleOne(database, row, deliverers[row.kind].lost)
  return rows.length
}

function settleOne(database: Database, row: LostRow, lost: 'unknown' | 'waiting'): Promise<void> {
  // What was never written was never handed over.
  const status = row.written ? lost : 'waiting'
  return forShop(database, row.shop_id).transaction(async (tx) => {
    const settled = await tx.query(
      `update outbox set status = :status, error = :reason
       where shop_id = :shop and id = :id and status = 'sending' and lease is not distinct from :lease returning id`,
      { id: row.id, lease: row.lease, status, reason: REASON },
    )
    if (settled.length === 0) return
    if (status === 'waiting') await queueMessage(tx, row.id)
    else await tellTrouble(tx, row, { status: 'unknown', reason: REASON })
  })
}

/** Looks at once and then every few seconds, until stopped. */
export function sweepLost(database: Database, deliverers: Deliverers, log: Logger): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  const look = () => {
    running = running
      .then(() => settleLost(database, deliverers))
      .catch((error: unknown) => log.warn('the sweep of lost messages failed', errorFields(error)))
  }
  look()
  const timer = setInterval(look, SWEEP_MS)
  return async () => {
    clearInterval(timer)
    await running
  }
}
