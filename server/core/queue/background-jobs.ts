// The jobs of background tasks: queued once per key, and queued again by the sweep.
import type { ShopScope } from '../db/for-shop.ts'
import type {
  BackgroundOptions,
  BackgroundTask,
  NextRun,
  TaskJob,
  TaskKind,
} from './background-task.ts'
import { isAlive } from './lease.ts'
import { isLive } from './live-jobs.ts'

const MAX_ATTEMPTS = 3

/** `task`, `key` and `shop` are SQL expressions; the job is queued once per key. */
export const ADD_JOB = (job: {
  task: string
  key: string
  shop: string
  runAt: string
  serial: string
}) =>
  `graphile_worker.add_job(${job.task}, run_at := ${job.runAt},
     job_key := ${job.task} || ':' || ${job.key},
     payload := json_build_object('shop', ${job.shop}, 'key', ${job.key}),
       max_attempts := ${MAX_ATTEMPTS},
     queue_name := case when ${job.serial} then ${job.task} || ':' || ${job.shop} end,
     flags := array_remove(array['task:' || ${job.task}, 'task:' || ${job.task} || '/' || ${job.key},
       'task:' || ${job.task} || '@' || ${job.shop}], null))`

/** The two parameters of `runAtOf`. */
export const runParameters = (next: NextRun | null): [at: Date | null, ms: number | null] =>
  typeof next === 'number' ? [null, next] : [next, null]

/** SQL: the time that `runParameters` gives; null: neither. */
export const runAtOf = (at: string, ms: string): string =>
  `coalesce(${at}::timestamptz, now() + ${ms}::float8 * interval '1 millisecond')`

/** Queues a task's job for this key in the caller's transaction. Absent `runAt`: immediately. */
export async function queueTask(
  tx: ShopScope,
  { name, onePerShop = false }: TaskKind,
  key: string,
  runAt?: Date,
): Promise<void> {
  const job = {
    task: ':name::text',
    key: ':key::text',
    shop: ':shop::int',
    runAt: ':runAt::timestamptz',
    serial: ':serial::boolean',
  }
  await tx.query(`select ${ADD_JOB(job)}`, { name, key, serial: onePerShop, runAt: runAt ?? null })
}

/**
 * Queues a task's job for this key in so many seconds. A job that waits already keeps its time; one
 * that runs does not count.
 */
export async function queueTaskAfter(
  tx: ShopScope,
  { name, onePerShop = false }: TaskKind,
  key: string,
  seconds: number,
): Promise<void> {
  const job = {
    task: ':name::text',
    key: ':key::text',
    shop: ':shop::int',
    runAt: `coalesce((select run_at from graphile_worker.jobs
      where key = :name::text || ':' || :key::text and locked_at is null),
      now() + :seconds * interval '1 second')`,
    serial: ':serial::boolean',
  }
  await tx.query(`select ${ADD_JOB(job)}`, { name, key, serial: onePerShop, seconds })
}

/** SQL that queues a task's job for the shop as a whole, for a statement of a `ShopScope`. */
export const queuedTask = ({ name, onePerShop = false }: TaskKind): string =>
  ADD_JOB({
    task: `'${name}'::text`,
    key: `(:shop::int)::text`,
    shop: ':shop::int',
    runAt: 'null::timestamptz',
    serial: String(onePerShop),
  })

/** Resets the count of failed attempts: the next run counts as the first one. */
export async function forgetAttempts(
  tx: ShopScope,
  { name }: TaskKind,
  key: string,
): Promise<void> {
  await tx.query(
    `update background_tasks set attempts = 0 where shop_id = :shop and task = :name
       and key = :key`,
    {
      name,
      key,
    },
  )
}

/** SQL: a living worker runs the task for this key. `key` is an SQL expression. */
export const runsNow = ({ name }: TaskKind, key: string): string =>
  `exists (select from background_tasks b
     where b.task = '${name}' and b.key = ${key} and ${isAlive('b.worker_id')})`

/**
 * Queues the next run of a task for a key, unless an earlier one is queued.
 */
export async function queueNext(
  { pool }: BackgroundOptions['database'],
  { name, onePerShop = false }: TaskKind,
  { shop, key }: TaskJob,
  next: NextRun,
): Promise<void> {
  // A job that was queued during the run may be due earlier.
  const runAt = `least(${runAtOf('$4', '$6')}, (select run_at from graphile_worker.jobs
    where key = $1::text || ':' || $2::text and locked_at is null))`
  const job = { task: '$1::text', key: '$2::text', shop: '$3::int', runAt, serial: '$5::boolean' }
  const [at, ms] = runParameters(next)
  await pool.query(`select ${ADD_JOB(job)}`, [name, key, shop, at, onePerShop, ms])
}

/** Queues a task that has one run for the installation, unless a living worker runs it now. */
export async function queueAtStart(
  { pool }: BackgroundOptions['database'],
  task: BackgroundTask,
): Promise<void> {
  const job = { task: '$1::text', key: `''`, shop: 'null::int', runAt: 'now()', serial: 'false' }
  await pool.query(`select ${ADD_JOB(job)} where not ${runsNow(task, `''`)}`, [task.name])
}

const ONE_JOB = `select null::int as shop_id, '' as key, now() as due_at`

/** Queues the missing jobs of all tasks, in one statement. */
export async function queueMissing(
  { pool }: BackgroundOptions['database'],
  tasks: readonly BackgroundTask[],
): Promise<void> {
  if (tasks.length === 0) return
  const job = {
    task: 'm.task',
    key: 'm.key',
    shop: 'm.shop_id',
    runAt: 'm.due_at',
    serial: 'm.serial',
  }
  await pool.query(`select ${ADD_JOB(job)} from (${tasks.map(missingOf).join(' union all ')}) m`)
}

const missingOf = (task: BackgroundTask): string =>
  `select '${task.name}'::text as task, ${task.onePerShop ?? false} as serial, t.shop_id, t.key,
     t.due_at
   from (${task.wanted ?? ONE_JOB}) t
   where not ${isLive(`'${task.name}:' || t.key`)} and not ${runsNow(task, 't.key')}`
