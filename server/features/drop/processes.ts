// The processes of the drop server: each has a number, and is alive while its database connection
// holds the advisory lock of that number.
import type { Database } from '../../core/db/database.ts'
import { DROP_LOCKS } from '../../core/db/lock-classes.ts'
import { firstOf } from '../../core/lazy.ts'

const LIVING = `select from pg_locks l where l.locktype = 'advisory' and l.classid = ${DROP_LOCKS}
  and l.objsubid = 2 and l.granted
  and l.database = (select oid from pg_database where datname = current_database())`

/** SQL: no living process has this number. `process` is an SQL expression. */
export const isGone = (process: string): string =>
  `not exists (${LIVING} and l.objid = ${process}::oid)`

/** Whether any process of the drop server is alive, on this machine or another. */
export async function isDropRunning({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query<{ running: boolean }>(`select exists (${LIVING}) as running`)
  return firstOf(rows).running
}

export async function numberProcess({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ number: number }>(
    `select nextval('drop_processes')::int as number`,
  )
  return firstOf(rows).number
}
