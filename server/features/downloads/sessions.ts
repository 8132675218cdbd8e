// Download sessions: a counted download allows its client to continue it uncounted for a while, if
// it is interrupted. The statements that count also open the session.
import type pg from 'pg'
import { inBatches } from '../../core/db/sweep-batches.ts'
import type { Asker, LinkTarget, Query } from './targets.ts'

/** How long a session lasts, and how many times the file's size it may send. */
const SESSION_MINUTES = 30
const SESSION_SIZES = 2

/**
 * The clause that opens or renews sessions.
 * @param granted a relation with shop_id, link_id, client and the file's size_bytes.
 */
export const openSessions = (granted: string, now: string): string => `
  insert into download_sessions as d (shop_id, link_id, client, expires_at, bytes_left)
  select distinct shop_id, link_id, client, ${now} + interval '${SESSION_MINUTES} minutes',
    size_bytes * ${SESSION_SIZES}
  from ${granted}
  on conflict (link_id, client) do update set expires_at = excluded.expires_at,
    bytes_left = excluded.bytes_left`

const SPEND = `
  update download_sessions set bytes_left = bytes_left - $5
  where shop_id = $1 and link_id = $2 and client = $3 and expires_at > $4 and bytes_left >= $5`

// At most the size of a new session: another download may have renewed it.
const REFUND = `
  update download_sessions set bytes_left = least(bytes_left + $4, $5)
  where shop_id = $1 and link_id = $2 and client = $3`

export interface DownloadSessions {
  /** Takes `bytes` from the client's session; false if it has expired or has fewer left. */
  spend(target: LinkTarget, asker: Asker, bytes: number): Promise<boolean>
  /** Returns bytes that were taken and not sent. */
  refund(target: LinkTarget, asker: Asker, bytes: number): Promise<void>
}

export const createDownloadSessions = (query: Query): DownloadSessions => ({
  spend: async (target, { client, now }, bytes) => {
    const { rowCount } = await query('spend', SPEND, [target.shop, target.link, client, now, bytes])
    return rowCount === 1
  },
  refund: async (target, { client }, bytes) => {
    await query('refund', REFUND, [
      target.shop,
      target.link,
      client,
      bytes,
      target.size * SESSION_SIZES,
    ])
  },
})

/**
 * How long an expired session is kept: a slow client may still be receiving a part that it asked
 * for in time.
 */
const KEPT_HOURS = 12

const SWEEP_BATCH = 10_000

/**
 * Deletes the sessions of all shops that expired 12 hours ago, and returns their number.
 * @param batch how many one statement deletes; tests set fewer.
 */
export async function sweepSessions(
  pool: pg.Pool,
  now: Date,
  batch = SWEEP_BATCH,
): Promise<number> {
  let swept = 0
  for (const table of ['download_sessions', 'archive_sessions'])
    // A locked session is being renewed: waiting for it while holding others could deadlock.
    swept += await inBatches(batch, (limit) =>
      pool.query(
        `delete from ${table} where (link_id, client) in (
           select link_id, client
             from ${table} where expires_at <= $1::timestamptz - $2 * interval '1 hour'
           limit $3 for update skip locked)`,
        [now, KEPT_HOURS, limit],
      ),
    )
  return swept
}
