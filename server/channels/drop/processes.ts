// The processes of the drop server: each has a number, and is alive while its database connection
// holds the advisory lock of that number.
import type { Database } from '../../db/database.ts'
import { DROP_LOCKS } from '../../db/listener.ts'

/** SQL: no living process has this number. `process` is an SQL expression. */
export const isGone = (process: string): string => `not exists (
  select from pg_locks l where l.locktype = 'advisory' and l.classid = ${DROP_LOCKS}
    and l.objid = ${process}::oid and l.objsubid = 2 and l.granted
    and l.database = (select oid from pg_database where datname = current_database()))`

export async function numberProcess({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ number: number }>(
    `select nextval('drop_processes')::int as number`,
  )
  return rows[0]!.number
}
