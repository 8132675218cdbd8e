// Background work as jobs of the worker: CSV checks, mirror refreshes, schedules, stale messages,
// upkeep. A run holds a lease that the worker's heartbeat keeps alive. The worker's crash sweep
// queues tasks that have no live job.
import type { Database } from '../db/database.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { errorFields, type Logger } from '../log.ts'
import { LeaseLost, SILENCE } from './worker/lease.ts'

export { LeaseLost } from './worker/lease.ts'

/** The identity of a task: all that is needed to queue its jobs. */
export interface TaskKind {
  /** graphile-worker's task identifier, and the first part of the job keys. */
  readonly name: string
  /** Jobs of one shop run one after another, in the order in which they were queued. */
  readonly onePerShop?: boolean
}

export interface BackgroundTask extends TaskKind {
  /** The most runs at the same time in one process. */
  concurrency: number
  /**
   * SQL that gives (shop_id, key, due_at) of everything that must have a job: the sweep queues the
   * missing jobs. Absent: the task has one job for the whole installation, with the empty key.
   */
  wanted?: string
  /**
   * Its runs claim what they work on with locks that end with their connection, so they need no
   * lease: several processes run one key concurrently, and what a dead one had claimed is free at
   * the same moment. One process runs a key once at a time.
   */
  claims?: boolean
  /** The job is due each time a worker starts, not only at its next time. */
  atStart?: boolean
  /**
   * One run. Gives when to run again, or null: not before `wanted` returns its key again. Errors
   * are logged and the run is retried. When `signal` aborts, it throws the signal's reason.
   */
  run(run: TaskRun): Promise<Date | null>
}

export interface TaskRun {
  /** Null: the task is about the whole installation. */
  shop: number | null
  key: string
  /** 1 for the first run since the last one that ended. Runs that were stopped are not counted. */
  attempt: number
  /** Of a task that claims its work: cannot be held. */
  lease: TaskLease
  /** Aborts when the worker stops or the lease is lost. */
  signal: AbortSignal
}

export interface TaskLease {
  readonly number: number
  /** Locks the lease for the rest of the transaction. Throws `LeaseLost` if another run has it. */
  hold(tx: ShopScope): Promise<void>
}

export interface TaskJob {
  shop: number | null
  key: string
}

const MAX_ATTEMPTS = 3
/** The delay after a run that threw. */
const RETRY_MS = 20_000

const jobKey = (task: string, key: string) => `${task}:${key}`
const flagOf = (task: string) => `task:${task}`
/** A job has it as its second flag; it counts where one process runs a key once at a time. */
const keyFlagOf = (task: string, key: string) => `${flagOf(task)}/${key}`

/** `task`, `key` and `shop` are SQL expressions; the job is queued once per key. */
const ADD_JOB = (job: { task: string; key: string; shop: string; runAt: string; serial: string }) =>
  `graphile_worker.add_job(${job.task}, run_at := ${job.runAt}, job_key := ${job.task} || ':' || ${job.key},
     payload := json_build_object('shop', ${job.shop}, 'key', ${job.key}), max_attempts := ${MAX_ATTEMPTS},
     queue_name := case when ${job.serial} then ${job.task} || ':' || ${job.shop} end,
     flags := array['task:' || ${job.task}, 'task:' || ${job.task} || '/' || ${job.key}])`

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

/** SQL that queues a task's job for the shop as a whole, for a statement of a `ShopScope`. */
export const queuedTask = ({ name, onePerShop = false }: TaskKind): string =>
  ADD_JOB({
    ...{ task: `'${name}'::text`, key: `(:shop::int)::text`, shop: ':shop::int' },
    ...{ runAt: 'null::timestamptz', serial: String(onePerShop) },
  })

/** Resets the count of failed attempts: the next run counts as the first one. */
export async function forgetAttempts(
  tx: ShopScope,
  { name }: TaskKind,
  key: string,
): Promise<void> {
  await tx.query(
    `update background_tasks set attempts = 0 where shop_id = :shop and task = :name and key = :key`,
    {
      name,
      key,
    },
  )
}

/** SQL: a living worker runs the task for this key. `key` is an SQL expression. */
export const runsNow = ({ name }: TaskKind, key: string): string =>
  `exists (select from background_tasks b join workers w on w.id = b.worker_id
     where b.task = '${name}' and b.key = ${key} and w.beat_at > now() - interval '${SILENCE}')`

export const leaseOf = (task: string, key: string, number: number): TaskLease => ({
  number,
  hold: async (tx) => {
    const rows = await tx.query(
      `select from background_tasks where shop_id = :shop and task = :task and key = :key and lease = :number
       for update`,
      { task, key, number },
    )
    if (rows.length === 0) throw new LeaseLost()
  },
})

export interface Background {
  /** How many jobs of this process they add to the limit. */
  places: number
  /** Flags of tasks that already run as often as they may in this process. */
  full(): string[]
  /** Takes a place for a job. Call the result to release it. */
  enter(flags: readonly string[]): () => void
  /** The work of each task identifier. Rejects only if the database is unavailable. */
  jobs: Readonly<Record<string, (job: TaskJob) => Promise<void>>>
  /** Queues the tasks that are due each time a worker starts. */
  start(): Promise<void>
  /** Queues missing jobs, and stops runs whose lease was taken over. The crash sweep calls it. */
  recover(): Promise<void>
}

export interface BackgroundOptions {
  database: Pick<Database, 'pool'>
  /** Its row in `workers` keeps its leases alive. */
  worker: string
  tasks: readonly BackgroundTask[]
  log: Logger
  /** Aborts when the worker stops. */
  signal: AbortSignal
}

interface Run {
  lease: number | null
  lost: AbortController
}

export function createBackground(options: BackgroundOptions): Background {
  const { database, worker, tasks } = options
  const names = tasks.map(({ name }) => name)
  const double = names.find((name, at) => names.indexOf(name) < at)
  if (double !== undefined) throw new Error(`The background task ${double} is listed twice`)
  const running = new Map<string, Run>()
  const perform = createPerform(options, running)
  return {
    ...createPlaces(tasks),
    jobs: Object.fromEntries(
      tasks.map((task) => [task.name, (job: TaskJob) => perform(task, job)]),
    ),
    start: async () => {
      for (const task of tasks) if (task.atStart) await queueAtStart(database, task)
    },
    recover: async () => {
      await dropSucceeded(database, names)
      for (const task of tasks) await queueMissing(database, task)
      await stopLost(database, worker, running)
    },
  }
}

function createPlaces(
  tasks: readonly BackgroundTask[],
): Pick<Background, 'places' | 'full' | 'enter'> {
  const most = new Map(tasks.map(({ name, concurrency }) => [flagOf(name), concurrency]))
  const claiming = tasks.filter(({ claims }) => claims).map(({ name }) => keyFlagOf(name, ''))
  const inside = new Map<string, number>()
  const isOfKey = (flag: string) => claiming.some((start) => flag.startsWith(start))
  const count = (flags: readonly string[], by: 1 | -1) => {
    for (const flag of flags.filter((one) => most.has(one) || isOfKey(one))) {
      const now = (inside.get(flag) ?? 0) + by
      if (now === 0) inside.delete(flag)
      else inside.set(flag, now)
    }
  }
  return {
    places: tasks.reduce((sum, { concurrency }) => sum + concurrency, 0),
    full: () => [...inside].flatMap(([flag, now]) => (now >= (most.get(flag) ?? 1) ? [flag] : [])),
    enter: (flags) => {
      count(flags, 1)
      return () => count(flags, -1)
    },
  }
}

function createPerform(
  options: BackgroundOptions,
  running: Map<string, Run>,
): (task: BackgroundTask, job: TaskJob) => Promise<void> {
  const { database, worker, log, signal: stopping } = options
  const end = (task: BackgroundTask, job: TaskJob, lease: number, result: RunEnd) =>
    endRun(database, task, job, lease, result)
  const attempt = async (
    task: BackgroundTask,
    job: TaskJob,
    { number, attempts }: Taken,
    lost: AbortSignal,
  ) => {
    const signal = AbortSignal.any([stopping, lost])
    try {
      const lease = leaseOf(task.name, job.key, number)
      const next = await task.run({ ...job, attempt: attempts, lease, signal })
      await end(task, job, number, { ended: true, next })
    } catch (error) {
      if (lost.aborted || error instanceof LeaseLost) return
      // Another worker may continue immediately, and this run does not count.
      if (stopping.aborted)
        return end(task, job, number, { ended: false, next: new Date(), attempts: attempts - 1 })
      log.warn('a background task failed, it will be tried again', {
        ...{ task: task.name, key: job.key },
        ...errorFields(error),
      })
      await end(task, job, number, {
        ended: false,
        next: new Date(Date.now() + RETRY_MS),
        attempts,
      })
    }
  }
  return async (task, job) => {
    const id = jobKey(task.name, job.key)
    if (running.has(id)) return
    if (task.claims) return runClaiming(options, task, job)
    const run: Run = { lease: null, lost: new AbortController() }
    running.set(id, run)
    try {
      const taken = await takeLease(database, worker, task, job)
      if (!taken) return
      run.lease = taken.number
      await attempt(task, job, taken, run.lost.signal)
    } finally {
      running.delete(id)
    }
  }
}

const NO_LEASE: TaskLease = { number: 0, hold: () => Promise.reject(new LeaseLost()) }

/** One run of a task that claims its work. */
async function runClaiming(
  { database, log, signal }: BackgroundOptions,
  task: BackgroundTask,
  job: TaskJob,
): Promise<void> {
  let next: Date | null
  try {
    next = await task.run({ ...job, attempt: 1, lease: NO_LEASE, signal })
  } catch (error) {
    next = new Date(Date.now() + (signal.aborted ? 0 : RETRY_MS))
    if (!signal.aborted)
      log.warn('a background task failed, it will be tried again', {
        ...{ task: task.name, key: job.key },
        ...errorFields(error),
      })
  }
  if (next) await queueNext(database, task, job, next)
}

interface Taken {
  number: number
  attempts: number
}

/**
 * Null: a living worker runs it. If this worker holds a lease that it does not run, it could not
 * release it earlier because the database was unavailable: take it again.
 */
async function takeLease(
  { pool }: BackgroundOptions['database'],
  worker: string,
  { name }: TaskKind,
  { shop, key }: TaskJob,
): Promise<Taken | null> {
  const { rows } = await pool.query<Taken>(
    `insert into background_tasks as b (task, key, shop_id, lease, worker_id, attempts)
     values ($1, $2, $3, nextval('leases'), $4, 1)
     on conflict (task, key) do update
       set lease = excluded.lease, worker_id = excluded.worker_id, attempts = b.attempts + 1
       where b.worker_id is null or b.worker_id = excluded.worker_id or not exists (
         select from workers w where w.id = b.worker_id and w.beat_at > now() - $5::interval)
     returning lease as number, attempts`,
    [name, key, shop, worker, SILENCE],
  )
  return rows[0] ?? null
}

type RunEnd = { ended: true; next: Date | null } | { ended: false; next: Date; attempts: number }

/**
 * Releases the lease and queues the next run, both or neither. Does nothing if the lease was taken
 * over.
 */
async function endRun(
  { pool }: BackgroundOptions['database'],
  { name, onePerShop = false }: TaskKind,
  { shop, key }: TaskJob,
  lease: number,
  end: RunEnd,
): Promise<void> {
  const job = {
    task: '$1::text',
    key: '$2::text',
    shop: '$4::int',
    runAt: '$5::timestamptz',
    serial: '$6::boolean',
  }
  const given = end.ended
    ? `delete from background_tasks where task = $1 and key = $2 and lease = $3 and $7::int is null`
    : `update background_tasks set worker_id = null, attempts = $7 where task = $1 and key = $2 and lease = $3`
  await pool.query(
    `with given as (${given} returning 1)
     select ${ADD_JOB(job)} from given where $5::timestamptz is not null`,
    [name, key, lease, shop, end.next, onePerShop, end.ended ? null : end.attempts],
  )
}

async function queueNext(
  { pool }: BackgroundOptions['database'],
  { name, onePerShop = false }: TaskKind,
  { shop, key }: TaskJob,
  at: Date,
): Promise<void> {
  // A job that was queued during the run may be due earlier.
  const runAt = `least($4::timestamptz, (select run_at from graphile_worker.jobs
    where key = $1::text || ':' || $2::text and locked_at is null))`
  const job = { task: '$1::text', key: '$2::text', shop: '$3::int', runAt, serial: '$5::boolean' }
  await pool.query(`select ${ADD_JOB(job)}`, [name, key, shop, at, onePerShop])
}

async function queueAtStart(
  { pool }: BackgroundOptions['database'],
  task: BackgroundTask,
): Promise<void> {
  const job = { task: '$1::text', key: `''`, shop: 'null::int', runAt: 'now()', serial: 'false' }
  await pool.query(`select ${ADD_JOB(job)} where not ${runsNow(task, `''`)}`, [task.name])
}

const LIVE_JOB = (key: string) =>
  `exists (select from graphile_worker.jobs j
     where j.key = ${key} and (j.attempts < j.max_attempts or j.locked_at is not null))`

const ONE_JOB = `select null::int as shop_id, '' as key, now() as due_at`

async function queueMissing(
  { pool }: BackgroundOptions['database'],
  task: BackgroundTask,
): Promise<void> {
  const job = {
    task: '$1::text',
    key: 't.key',
    shop: 't.shop_id',
    runAt: 't.due_at',
    serial: '$2::boolean',
  }
  await pool.query(
    `select ${ADD_JOB(job)} from (${task.wanted ?? ONE_JOB}) t
     where not ${LIVE_JOB(`$1::text || ':' || t.key`)} and not ${runsNow(task, 't.key')}`,
    [task.name, task.onePerShop ?? false],
  )
}

/**
 * Jobs whose key passed to the next job before their worker died. graphile-worker never runs or
 * removes them.
 */
async function dropSucceeded(
  { pool }: BackgroundOptions['database'],
  names: readonly string[],
): Promise<void> {
  await pool.query(
    `select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs
       where key is null and locked_at is null and attempts >= max_attempts and task_identifier = any($1)))`,
    [names],
  )
}

async function stopLost(
  { pool }: BackgroundOptions['database'],
  worker: string,
  running: ReadonlyMap<string, Run>,
): Promise<void> {
  // Runs that take their lease after this query started are not checked.
  const before = [...running].filter(([, { lease }]) => lease !== null)
  if (before.length === 0) return
  const { rows } = await pool.query<{ lease: number }>(
    'select lease from background_tasks where worker_id = $1',
    [worker],
  )
  const ours = new Set(rows.map(({ lease }) => lease))
  for (const [, { lease, lost }] of before) if (!ours.has(lease!)) lost.abort(new LeaseLost())
}
