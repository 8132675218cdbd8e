// Background work as jobs of the worker: CSV checks, mirror refreshes, schedules, stale messages,
// upkeep. A run holds a lease that the worker's heartbeat keeps alive. The worker's crash sweep
// queues tasks that have no live job.
import { errorFields } from '../log.ts'
import {
  queueAtStart,
  queueMissing,
  queueNext,
  ADD_JOB,
  runAtOf,
  runParameters,
} from './background-jobs.ts'
import {
  RetryLater,
  type BackgroundOptions,
  type BackgroundTask,
  type HeldRun,
  type NextRun,
  type TaskJob,
  type TaskLease,
  type TaskKind,
} from './background-task.ts'
import {
  createPlaces,
  plainLimits,
  waitingLimits,
  type PlaceLimits,
  type Places,
} from './places.ts'
import { LeaseLost, holdLeased, NEW_LEASE, WORKER_LEASE } from './lease.ts'
import { dropSucceeded } from './live-jobs.ts'

export { forgetAttempts, queuedTask, queueTask, runsNow } from './background-jobs.ts'
export { RetryLater } from './background-task.ts'
export type {
  BackgroundTask,
  NextRun,
  TaskJob,
  TaskKind,
  TaskLease,
  TaskRun,
} from './background-task.ts'
export { LeaseLost } from './lease.ts'

/** The delay after a run that threw. */
const RETRY_MS = 20_000

const jobKey = (task: string, key: string) => `${task}:${key}`
const flagOf = (task: string) => `task:${task}`
/** The second flag of a job. It limits only tasks with `claims`. */
const keyFlagOf = (task: string, key: string) => `${flagOf(task)}/${key}`

export interface Background {
  /** Places for background tasks, in addition to those of other jobs. */
  places: Places
  /** The work of each task identifier. Rejects only if the database is unavailable. */
  jobs: Readonly<Record<string, (job: TaskJob) => Promise<void>>>
  /** Queues the tasks that are due each time a worker starts. */
  start(): Promise<void>
  /** Queues missing jobs, and stops runs whose lease was taken over. The crash sweep calls it. */
  recover(): Promise<void>
}

/**
 * The background tasks of one worker.
 * @throws if two tasks have one name
 */
export function createBackground(options: BackgroundOptions): Background {
  const { database, worker, tasks } = options
  const names = tasks.map(({ name }) => name)
  const duplicate = names.find((name, at) => names.indexOf(name) < at)
  if (duplicate !== undefined) throw new Error(`The background task ${duplicate} is listed twice`)
  const running = new Map<string, HeldRun>()
  const perform = createPerform(options, running)
  return {
    places: placesOf(options),
    jobs: Object.fromEntries(
      tasks.map((task) => [task.name, (job: TaskJob) => perform(task, job)]),
    ),
    start: async () => {
      for (const task of tasks) if (task.atStart) await queueAtStart(database, task)
    },
    recover: async () => {
      await dropSucceeded(database, names)
      await queueMissing(database, tasks)
      await stopLost(database, worker, running)
    },
  }
}

/** The places of all tasks. A process runs a key of a task with `claims` only once at a time. */
function placesOf({ tasks, slowAfterMs }: BackgroundOptions): Places {
  const limits = new Map(tasks.map((task) => [flagOf(task.name), limitsOf(task)]))
  const places = createPlaces(limits, slowAfterMs)
  const claiming = tasks.filter(({ claims }) => claims).map(({ name }) => keyFlagOf(name, ''))
  const claimed = new Set<string>()
  return {
    count: places.count,
    full: () => [...places.full(), ...claimed],
    enter: (flags) => {
      const own = flags.filter((flag) => claiming.some((start) => flag.startsWith(start)))
      for (const flag of own) claimed.add(flag)
      const leave = places.enter(flags)
      return () => {
        for (const flag of own) claimed.delete(flag)
        leave()
      }
    },
  }
}

const limitsOf = ({ concurrency, waits }: BackgroundTask): PlaceLimits =>
  waits ? waitingLimits(concurrency) : plainLimits(concurrency)

function createPerform(
  options: BackgroundOptions,
  running: Map<string, HeldRun>,
): (task: BackgroundTask, job: TaskJob) => Promise<void> {
  const { database, worker } = options
  return async (task, job) => {
    const id = jobKey(task.name, job.key)
    if (running.has(id)) return
    if (task.claims) return runClaiming(options, task, job)
    const run: HeldRun = { lease: null, lost: new AbortController() }
    running.set(id, run)
    try {
      const taken = await takeLease(database, worker, task, job)
      if (!taken) return
      run.lease = taken.number
      await runLeased(options, task, job, taken, run.lost.signal)
    } finally {
      running.delete(id)
    }
  }
}

/** One run under a lease. `lost` aborts when another worker has taken the lease over. */
async function runLeased(
  { database, log, signal: stopping }: BackgroundOptions,
  task: BackgroundTask,
  job: TaskJob,
  { number, attempts }: LeasedRow,
  lost: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([stopping, lost])
  const end = (result: RunEnd) => endRun(database, task, job, number, result)
  try {
    const lease = leaseOf(task.name, job.key, number)
    const next = await task.run({ ...job, attempt: attempts, lease, signal })
    await end({ ended: true, next })
  } catch (error) {
    if (lost.aborted || error instanceof LeaseLost) return
    // Another worker may continue immediately, and this run does not count.
    if (stopping.aborted) return end({ ended: false, next: 0, attempts: attempts - 1 })
    await end({ ended: false, next: retryTime(log, task, job, error), attempts })
  }
}

/** When a failed run is repeated. Logs the failure, unless the run has set the time. */
function retryTime(
  log: BackgroundOptions['log'],
  task: BackgroundTask,
  job: TaskJob,
  error: unknown,
): NextRun {
  if (error instanceof RetryLater) return error.at
  log.warn('a background task failed, it will be tried again', {
    task: task.name,
    key: job.key,
    ...errorFields(error),
  })
  return RETRY_MS
}

const NO_LEASE: TaskLease = { number: 0, hold: () => Promise.reject(new LeaseLost()) }

/** One run of a task that claims its work. */
async function runClaiming(
  { database, log, signal }: BackgroundOptions,
  task: BackgroundTask,
  job: TaskJob,
): Promise<void> {
  let next: NextRun | null
  try {
    next = await task.run({ ...job, attempt: 1, lease: NO_LEASE, signal })
  } catch (error) {
    next = signal.aborted ? 0 : retryTime(log, task, job, error)
  }
  if (next !== null) await queueNext(database, task, job, next)
}

// The leases of background tasks: one run per key, even after a crash.

/** Exported for tests. */
export const leaseOf = (task: string, key: string, number: number): TaskLease => ({
  number,
  hold: (tx) =>
    holdLeased(tx, 'background_tasks', 'task = :task and key = :key', { task, key, lease: number }),
})

interface LeasedRow {
  number: number
  attempts: number
}

/** The column is a `smallint`: further attempts are not counted. */
const MAX_COUNTED = 32_767

/**
 * Takes the lease of a run; null: a living worker runs it. If this worker holds a lease that it
 * does not run, it could not release it earlier because the database was unavailable: take it
 * again.
 */
async function takeLease(
  { pool }: BackgroundOptions['database'],
  worker: string,
  { name }: TaskKind,
  { shop, key }: TaskJob,
): Promise<LeasedRow | null> {
  const { rows } = await pool.query<LeasedRow>(
    `insert into background_tasks as b (task, key, shop_id, lease, worker_id, attempts)
     values ($1, $2, $3, ${NEW_LEASE}, $4, 1)
     on conflict (task, key) do update
       set lease = excluded.lease, worker_id = excluded.worker_id,
         attempts = least(b.attempts, ${MAX_COUNTED - 1}) + 1
       where ${WORKER_LEASE.isFree('b', 'excluded.worker_id')}
     returning lease as number, attempts`,
    [name, key, shop, worker],
  )
  return rows[0] ?? null
}

type RunEnd =
  | { ended: true; next: NextRun | null }
  | { ended: false; next: NextRun; attempts: number }

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
    runAt: runAtOf('$5', '$8'),
    serial: '$6::boolean',
  }
  const given = end.ended
    ? `delete from background_tasks where task = $1 and key = $2 and lease = $3 and $7::int is null`
    : `update background_tasks set ${WORKER_LEASE.giveBack}, attempts = $7 where task = $1 and key = $2
      and lease = $3`
  const [at, ms] = runParameters(end.next)
  await pool.query(
    `with given as (${given} returning 1)
     select ${ADD_JOB(job)} from given where ${job.runAt} is not null`,
    [name, key, lease, shop, at, onePerShop, end.ended ? null : end.attempts, ms],
  )
}

async function stopLost(
  { pool }: BackgroundOptions['database'],
  worker: string,
  running: ReadonlyMap<string, HeldRun>,
): Promise<void> {
  // Runs that take their lease after this query started are not checked.
  const before = [...running.values()].flatMap(({ lease, lost }) =>
    lease === null ? [] : [{ lease, lost }],
  )
  if (before.length === 0) return
  const { rows } = await pool.query<{ lease: number }>(
    'select lease from background_tasks where worker_id = $1',
    [worker],
  )
  const ours = new Set(rows.map(({ lease }) => lease))
  for (const { lease, lost } of before) if (!ours.has(lease)) lost.abort(new LeaseLost())
}
