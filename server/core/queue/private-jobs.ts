// What graphile-worker's public view of its jobs does not answer, or not fast enough, from its own
// tables. A new version of graphile-worker may change them: no other module reads them.
import type { Database } from '../db/database.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { firstOf } from '../lazy.ts'

type Pool = Pick<Database['pool'], 'query'>

/** The jobs of one task. */
export interface TaskCount {
  task: string
  waiting: string
  running: string
  given_up: string
  /** Since when the oldest waiting job was due, in seconds. */
  oldest: number
}

/** SQL: the job can be taken, or it was given up after its last attempt. */
const DUE = 'locked_at is null and run_at <= now() and attempts < max_attempts'

/** Counts the jobs of each task. The table is small: one for each batch, deleted when it is done. */
export async function countTaskJobs(pool: Pool): Promise<TaskCount[]> {
  const { rows } = await pool.query<TaskCount>(
    `select t.identifier as task, count(*) filter (where ${DUE}) as waiting,
       count(*) filter (where locked_at is not null) as running,
       count(*) filter (where locked_at is null and attempts >= max_attempts) as given_up,
       -- Some are queued as if they had waited already (queue.ts).
       coalesce(extract(epoch from max(now() - greatest(run_at, updated_at)) filter (where ${DUE})), 0)
         ::float8 as oldest
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     group by 1`,
  )
  return rows
}

/** How many jobs are due that no worker has taken; at most `most`. */
export async function countDueJobs(pool: Pool, most: number): Promise<number> {
  const { rows } = await pool.query<{ due: number }>(
    `select count(*)::int as due from (select from graphile_worker._private_jobs
       where is_available and run_at <= now() limit $1) jobs`,
    [most],
  )
  return firstOf(rows).due
}

/**
 * The milliseconds until the next job is due; Infinity: there is none. A job that is due is found
 * without reading those that wait for a later time.
 */
export async function untilDue(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ ms: number | null }>(
    `select case when exists (
         select from graphile_worker._private_jobs where is_available and run_at <= now())
       then 0 else (
         select extract(epoch from min(run_at) - now())::float8 * 1000
         from graphile_worker._private_jobs where is_available) end as ms`,
  )
  return firstOf(rows).ms ?? Infinity
}

/**
 * Removes a shop's jobs, of every task: its rows are being deleted. A running job ends because it
 * finds no rows of the shop. The view has no payload.
 */
export async function dropJobs(tx: ShopScope): Promise<void> {
  await tx.query(
    `delete from graphile_worker._private_jobs
     where payload ->> 'shop' = :shop::text and locked_at is null`,
  )
}
