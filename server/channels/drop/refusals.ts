// Counts what the drop server refuses, for /metrics. Other processes report the counts, so they are
// written to the database, together and at most every few seconds.
import type { Database } from '../../core/db/database.ts'
import { DropError, type DropCode } from './errors.ts'
import { errorFields, type Logger } from '../../core/log.ts'

export const REFUSALS = {
  no_place: 'connections that have not signed in, of one network or in all, were too many',
  banned: 'connections and sign-ins after too many failures',
  sign_in: 'failed sign-ins',
  grace: 'connections that did not sign in in time',
  sessions: 'signed-in connections of one account or in all were too many',
  long_line: 'FTP lines that were too long or too many',
  unread_replies: 'FTP clients that did not read the replies',
  flooded: 'SFTP clients that sent too many requests without taking the replies',
  handles: 'files beyond those that a connection may have open',
  quota: 'files beyond the quota of waiting files or the size of one file',
  full: 'files for which the disk had no room',
} as const
export type RefusalReason = keyof typeof REFUSALS

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
  /** Writes what has not been written. */
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
