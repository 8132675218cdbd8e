// Counts what the drop server refuses, for /metrics. Other processes report the counts, so they are
// written to the database, together and at most every few seconds.
import type { Database } from '../../core/db/database.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { DropError, type DropCode } from './errors.ts'

export type RefusalReason =
  /** A connection that had not signed in made room for a new one of its network, or of another. */
  | 'no_place'
  /** The connection did not sign in in time. */
  | 'grace'
  /** Too many sign-ins have failed. */
  | 'banned'
  | 'sign_in'
  /** Too many connections of one account, or in all, have signed in. */
  | 'sessions'
  /** Lines of FTP that are too long or too many. */
  | 'long_line'
  /** A client of FTP does not read the replies. */
  | 'unread_replies'
  /** A client of SFTP sends requests without taking the replies. */
  | 'flooded'
  /** More files than a connection may have open. */
  | 'handles'
  /** The waiting files of the shop, or one file, are too large. */
  | 'quota'
  /** The disk is full. */
  | 'full'

const BY_ERROR: Partial<Record<DropCode, RefusalReason>> = {
  quota: 'quota',
  too_large: 'quota',
  full: 'full',
  too_many_files: 'handles',
}

/** Counts an error that a limit has caused. */
export function countError(refusals: Refusals, error: unknown): void {
  const reason = error instanceof DropError ? BY_ERROR[error.code] : undefined
  if (reason) refusals.count(reason)
}

export interface Refusals {
  count(reason: RefusalReason): void
  /** Writes the counts that have not been written. */
  close(): Promise<void>
}

const WRITE_MS = 5000

export function createRefusals({ pool }: Pick<Database, 'pool'>, log: Logger): Refusals {
  const counts = new Map<RefusalReason, number>()
  let timer: NodeJS.Timeout | null = null
  const write = async () => {
    timer = null
    if (counts.size === 0) return
    const all = [...counts]
    counts.clear()
    try {
      await pool.query(
        `insert into drop_refusal_counts (reason, count)
           select * from unnest($1::text[], $2::bigint[])
         on conflict (reason) do update set count = drop_refusal_counts.count + excluded.count`,
        [all.map(([reason]) => reason), all.map(([, count]) => count)],
      )
    } catch (error) {
      log.warn('drop: refusals could not be counted', errorFields(error))
    }
  }
  return {
    count: (reason) => {
      counts.set(reason, (counts.get(reason) ?? 0) + 1)
      timer ??= setTimeout(() => void write(), WRITE_MS).unref()
    },
    close: async () => {
      if (timer) clearTimeout(timer)
      await write()
    },
  }
}
