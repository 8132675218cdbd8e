// Compares this machine's clock with the database's: with a wrong one the platform's sign-ins and
// signed addresses are refused, and links end at another time than they show.
import type { Database } from '../core/db/database.ts'
import type { Logger } from '../core/log.ts'
import { firstOf } from '../core/present.ts'

/** The platform's sign-ins are accepted with this difference. */
const ALLOWED_MS = 10_000
const LOOK_MS = 60_000
/** The database's clock may be set too: it is compared again after so many looks. */
const LOOKS = 60

export async function warnOfOtherClock(
  { pool }: Pick<Database, 'pool'>,
  log: Logger,
  now = Date.now,
): Promise<void> {
  const before = now()
  const { rows } = await pool.query<{ ms: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
  )
  const after = now()
  const { ms } = firstOf(rows)
  // The answer may have been on its way for all of this time.
  const differsMs = ms > after ? ms - after : Math.min(0, ms - before)
  if (Math.abs(differsMs) < ALLOWED_MS) return
  log.warn(
    'the clock of this machine is not the database’s: set both by NTP. Sign-ins and signed ' +
      'addresses are refused with a wrong clock',
    { differs_seconds: Math.round(differsMs / 1000) },
  )
}

/**
 * Warns when the clock of this machine is set while the process runs, and each hour as long as it is
 * not the database's. Call the result to stop.
 */
export function watchClock(
  database: Pick<Database, 'pool'>,
  log: Logger,
  { now = Date.now, elapsed = () => performance.now() } = {},
): () => void {
  let ahead = now() - elapsed()
  let looks = 0
  const look = () => {
    const before = ahead
    ahead = now() - elapsed()
    const wasSet = Math.abs(ahead - before) >= ALLOWED_MS
    if (wasSet)
      log.warn('the clock of this machine was set while the process ran', {
        by_seconds: Math.round((ahead - before) / 1000),
      })
    looks = (looks + 1) % LOOKS
    // A database that cannot be reached is reported by what needs it.
    if (wasSet || looks === 0) warnOfOtherClock(database, log, now).catch(() => {})
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return () => clearInterval(timer)
}
