// Messages whose worker died while it sent them, across shops. A living worker records its attempt
// long before this sweep treats the message as lost (mail-server.ts, callbacks.ts); both times come
// from the database's clock.
import { sayPlain } from '../../../plugins/contract.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { timedLease } from '../../core/queue/lease.ts'
import { queueMessage } from '../../core/queue/queue.ts'
import { MESSAGE_LEASE, type Deliverers, type MessageKind } from '../../core/outbox/outbox.ts'
import { forgetReceivers } from '../../core/outbox/receiver-failures.ts'
import { SENT_BY_SHOP } from '../mail/sent-by-shop.ts'
import { raiseFailureNotice } from './failure-notices.ts'
import { markTextLost } from './delivery-text.ts'

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
       ${SENT_BY_SHOP} as own
     from outbox o where o.status = 'sending'
       and (${MESSAGE_LEASE.isExpired('o')} or o.result is null and ${UNWRITTEN_LEASE.isExpired('o')})`,
  )
  for (const row of rows)
    await sweepOne(database, row, row.own ? 'unknown' : deliverers[row.kind].lost)
  return rows.length
}

function sweepOne(database: Database, row: StaleRow, lost: 'unknown' | 'waiting'): Promise<void> {
  // A message without content was never handed over.
  const status = row.written ? lost : 'waiting'
  return forShop(database, row.shop_id).transaction(async (tx) => {
    const changed = await tx.query(
      `update outbox set status = :status, error = :reason, error_text = null
       where shop_id = :shop and id = :id and status = 'sending'
         and lease is not distinct from :lease and (result is not null) = :written returning id`,
      { id: row.id, lease: row.lease, status, reason: REASON, written: row.written },
    )
    if (changed.length === 0) return
    if (status === 'waiting') return queueMessage(tx, row.id)
    if (row.kind === 'sms') await markTextLost(tx, row.id)
    await raiseFailureNotice(tx, row, { status: 'unknown', reason: REASON })
  })
}

/** The background task that runs the sweep. */
export const staleMessageTask = (database: Database, deliverers: Deliverers): BackgroundTask => ({
  name: 'sweep-stale-messages',
  concurrency: 1,
  run: async () => {
    await sweepStaleMessages(database, deliverers)
    await forgetReceivers(database)
    return SWEEP_MS
  },
})
