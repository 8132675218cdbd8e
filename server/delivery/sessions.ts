// A counted download opens its client's session: for a while an interrupted one may be gone on with, uncounted. Opening is part of the
// statements that count.
import type pg from 'pg'
import type { Asker, LinkTarget } from './counting.ts'
import type { Query } from './targets.ts'

/** How long an interrupted download may go on uncounted, and how many times the file's size. */
const SESSION_MINUTES = 30
const SESSION_SIZES = 2

/** Of `granted`, rows with a shop_id, a link_id, a client and the file's size_bytes. One that is open is opened anew. */
export const openSessions = (granted: string, now: string): string => `
  insert into download_sessions as d (shop_id, link_id, client, expires_at, bytes_left)
  select distinct shop_id, link_id, client, ${now} + interval '${SESSION_MINUTES} minutes', size_bytes * ${SESSION_SIZES}
  from ${granted}
  on conflict (link_id, client) do update set expires_at = excluded.expires_at, bytes_left = excluded.bytes_left`

const RIDE = `
  update download_sessions set bytes_left = bytes_left - $5
  where shop_id = $1 and link_id = $2 and client = $3 and expires_at > $4 and bytes_left >= $5`

// Never above what a session opens with: it may have been opened anew meanwhile.
const REFUND = `
  update download_sessions set bytes_left = least(bytes_left + $4, $5)
  where shop_id = $1 and link_id = $2 and client = $3`

export interface Sessions {
  /** Takes `bytes` from the client's session; false where it had ended when the client asked, or has fewer left. */
  ride(target: LinkTarget, asker: Asker, bytes: number): Promise<boolean>
  /** Puts back what was taken but not sent. */
  refund(target: LinkTarget, asker: Asker, bytes: number): Promise<void>
}

export const createSessions = (query: Query): Sessions => ({
  ride: async (target, { client, now }, bytes) => {
    const { rowCount } = await query('ride', RIDE, [target.shop, target.link, client, now, bytes])
    return rowCount === 1
  },
  refund: async (target, { client }, bytes) => {
    await query('refund', REFUND, [target.shop, target.link, client, bytes, target.size * SESSION_SIZES])
  },
})

/** A slow client may still be sent a part that it asked for in time. */
const KEPT_HOURS = 12

/** Deletes the sessions that have ended long ago, of all shops, and gives how many there were. */
export async function sweepSessions(pool: pg.Pool, now: Date): Promise<number> {
  // One that is locked is being opened anew: waiting for it with others in hand could end in a deadlock.
  const { rowCount } = await pool.query(
    `delete from download_sessions where (link_id, client) in (
       select link_id, client from download_sessions where expires_at <= $1::timestamptz - $2 * interval '1 hour'
       for update skip locked)`,
    [now, KEPT_HOURS],
  )
  return rowCount ?? 0
}
