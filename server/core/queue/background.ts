// Background work as jobs of the worker: CSV checks, mirror refreshes, schedules, stale messages,
// upkeep. A run holds a lease that the worker's heartbeat keeps alive. The worker's crash sweep
// queues tasks that have no live job.
import { errorFields } from '../log.ts'
import { queueAtStart, queueMissing, queueNext } from './background-jobs.ts'
import {
  endRun,
  leaseOf,
  stopLost,
  takeLease,
  type RunEnd,
  type LeasedRow,
} from './background-lease.ts'
import {
  RetryLater,
  type BackgroundOptions,
  type BackgroundTask,
  type HeldRun,
  type NextRun,
  type TaskJob,
  type TaskLease,
} from './background-task.ts'
import {
  createPlaces,
  plainLimits,
  waitingLimits,
  type PlaceLimits,
  type Places,
} from './places.ts'
import { LeaseLost } from './lease.ts'
import { dropSucceeded } from './live-jobs.ts'

export { forgetAttempts, queuedTask, queueTask, runsNow } from './background-jobs.ts'
export { leaseOf } from './background-lease.ts'
export { RetryLater } from './background-task.ts'
export type { BackgroundTask, TaskJob, TaskKind, TaskLease, TaskRun } from './background-task.ts'
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
