// Which jobs live, and which graphile-worker has given up, in its own tables.
import type { Database } from '../db/database.ts'

/**
 * SQL: the job with this key runs, or has an attempt left. `key` is an SQL expression.
 */
export const isLive = (key: string): string =>
  `exists (select from graphile_worker.jobs j
     where j.key = ${key} and (j.attempts < j.max_attempts or j.locked_at is not null))`

/**
 * Removes jobs of these tasks whose worker died after it had queued the next job under their key.
 * graphile-worker never runs or removes them.
 */
export async function dropSucceeded(
  { pool }: Pick<Database, 'pool'>,
  tasks: readonly string[],
): Promise<void> {
  await pool.query(
    `select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs
       where key is null and locked_at is null and attempts >= max_attempts
         and task_identifier = any($1)))`,
    [tasks],
  )
}
