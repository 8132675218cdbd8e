// A worker: a graphile-worker pool that runs chains, finalizations and messages, with its heartbeat
// and crash sweep.
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import {
  Logger as GraphileLogger,
  run,
  type Job,
  type Runner,
  type Task,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker'
import { databaseReason, isDatabaseUnavailable } from '../core/db/error-classes.ts'
import { type Logger, errorFields } from '../core/log.ts'
import { traced, type SpanOptions } from '../core/tracing.ts'
import {
  createBackground,
  type Background,
  type BackgroundTask,
  type TaskJob,
} from '../core/queue/background.ts'
import {
  jobLimits,
  QUICK_PLACES,
  type ChainJob,
  type FinishJob,
  type OutboxJob,
} from '../core/queue/queue.ts'
import { createPlaces, type Places } from '../core/queue/places.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import {
  type EngineRunner,
  createOperationControl,
  runExclusively,
  PLACE_POLL_MS,
  searchJobs,
  createProgress,
} from './runner.ts'
import { finishOperation } from './finish.ts'
import { startRecovery } from './recovery.ts'
import { strategyOf } from './steps.ts'
import type { EngineParts } from './parts.ts'
import { BrokenStep } from './context.ts'
import { workExecuted } from './executed.ts'
import { countOutcomes } from './outcomes.ts'
import { workPlanned } from './planned.ts'

export interface EngineWorker {
  /**
   * Interrupts running batches, puts their items back, and resolves when the last outcome is
   * written.
   */
  stop(): Promise<void>
}

/**
 * Starts a worker of this process, after its first heartbeat.
 * @param deliver sends one message of the outbox
 * @param tasks the background work of this installation
 */
export async function startWorker(
  parts: EngineParts,
  deliver: (job: OutboxJob) => Promise<void>,
  tasks: readonly BackgroundTask[] = [],
): Promise<EngineWorker> {
  const { database, log } = parts
  const stopping = new AbortController()
  const { signal } = stopping
  const runner = createRunner(parts, signal)
  const { worker, progress, control } = runner
  const jobs = new Set<string>()
  const { jobs_at_once: batches, slow_after_seconds } = parts.limits
  const slowAfterMs = slow_after_seconds * 1000
  const places = createPlaces(jobLimits(batches), slowAfterMs)
  const background = createBackground({ database, worker, tasks, slowAfterMs, log, signal })
  const taskList = taskListOf({ runner, deliver, background, places, jobs })
  // Recovery starts before the first job is taken: the holder of a chain must be known as alive.
  const pool: { id: string | null } = { id: null }
  const recovery = await startRecovery({
    database,
    listener: parts.listener,
    worker,
    pool,
    jobs,
    background,
    log,
    broken: runner.broken,
    loadOf: (operation) => strategyOf(operation, parts.plugins).load,
  })
  await background.start()
  const graphile = await runJobs(parts, {
    taskList,
    places: [places, background.places],
    onPool: (id) => (pool.id = id),
  })
  await recovery.beat()
  return {
    stop: async () => {
      stopping.abort(new Error('the worker is stopping'))
      await graphile.stop()
      await recovery.stop()
      progress.close()
      control.close()
    },
  }
}

interface JobPool {
  taskList: TaskList
  /** The places of the jobs. A job whose places are all taken stays in the queue. */
  places: readonly Places[]
  /** Called with the pool's id, before it takes the first job. */
  onPool(id: string): void
}

function runJobs(
  { database, log }: EngineParts,
  { taskList, places, onPool }: JobPool,
): Promise<Runner> {
  const events = new EventEmitter() as WorkerEvents
  events.once('pool:create', ({ workerPool }) => onPool(workerPool.id))
  const search = searchJobs(events, database.direct)
  return run({
    pgPool: database.direct,
    taskList,
    events,
    concurrency: places.reduce((sum, { count }) => sum + count, QUICK_PLACES),
    forbiddenFlags: async () => {
      await search.turn()
      return places.flatMap((each) => each.full())
    },
    pollInterval: PLACE_POLL_MS,
    noHandleSignals: true,
    logger: graphileLogger(log),
  })
}

function createRunner(parts: EngineParts, signal: AbortSignal): EngineRunner {
  const { database, listener } = parts
  const control = createOperationControl(listener, async (operation) => {
    const { rows } = await database.pool.query(
      `select 1 from operations where id = $1 and status in ('running', 'previewing')
         and stopped is null`,
      [operation],
    )
    return rows.length > 0
  })
  return {
    parts,
    worker: randomUUID(),
    progress: createProgress(database),
    control,
    active: new Map(),
    broken: new Set(),
    signal,
  }
}

interface TaskParts {
  runner: EngineRunner
  deliver: (job: OutboxJob) => Promise<void>
  background: Background
  places: Places
  /** The ids of the running jobs. */
  jobs: Set<string>
}

/** The work of each kind of job, listed in `jobs` while it runs. */
function taskListOf({ runner, deliver, background, places, jobs }: TaskParts): TaskList {
  const tracked =
    (
      name: string,
      work: (payload: unknown) => Promise<void>,
      { enter }: Pick<Places, 'enter'> = places,
    ): Task =>
    async (payload, helpers) => {
      const release = enter(flagsOf(helpers.job))
      const id = String(helpers.job.id)
      jobs.add(id)
      return traced(name, spanOf(payload), () => work(payload)).finally(() => {
        jobs.delete(id)
        release()
      })
    }
  const tasks = Object.entries(background.jobs).map(([name, work]) => {
    const task = tracked(`task ${name}`, (payload) => work(payload as TaskJob), background.places)
    return [name, task] as const
  })
  return {
    chain: tracked('batch', (payload) => runChain(runner, payload as ChainJob)),
    finish: tracked('finish', (payload) => finishOperation(runner, payload as FinishJob)),
    message: tracked('message', (payload) => deliver(payload as OutboxJob)),
    ...Object.fromEntries(tasks),
  }
}

/** A job's ids. The key of a background task is left out: it may be an address. */
function spanOf(payload: unknown): SpanOptions {
  const { shop, operation, chain } = payload as Partial<ChainJob>
  return {
    kind: 'job',
    ...(operation === undefined ? {} : { operation }),
    fields: {
      ...(shop === undefined || shop === null ? {} : { 'stevedore.shop': shop }),
      ...(operation === undefined ? {} : { 'stevedore.operation': operation }),
      ...(chain === undefined ? {} : { 'stevedore.chain': chain }),
    },
  }
}

const flagsOf = (job: Job) => Object.keys(job.flags ?? {})

/**
 * The warning that graphile-worker prints if there are more places than connections. It does not
 * apply: a job that waits holds no connection.
 */
const MORE_PLACES = 'WARNING: having maxPoolSize'

const graphileLogger = (log: Logger) =>
  new GraphileLogger(() => (level, text, meta) => {
    if (text.startsWith(MORE_PLACES)) return
    if (level !== 'error' && level !== 'warning') return
    // Every running job fails when the database restarts: stacks do not help.
    const error: unknown = meta?.['error'] ?? meta?.['fatalError']
    if (!isDatabaseUnavailable(error)) return log.warn('graphile-worker', { text })
    const [what] = text.split(` with error '`, 1)
    log.warn('graphile-worker', { text: what?.split('\n', 1)[0], error: databaseReason(error) })
  })

// One job of a chain: processes the next batch and queues the chain's next job. The strategy
// decides what a batch is and how it is processed.

/**
 * Processes a chain's next batch and queues its next job, or ends the chain. Returns false if the
 * batch needs another strategy.
 */
type Work = (runner: EngineRunner, scope: ShopScope, job: ChainJob) => Promise<boolean>

/**
 * The strategies of a job, tried in this order. Every item can be executed, so that a job that was
 * queued before an update of the installation has changed the strategy is done as it says.
 */
const strategiesFor = ({ load }: ChainJob): readonly Work[] =>
  load === 'slow' ? [workExecuted] : [workPlanned, workExecuted]

/** Runs one job of a chain, unless the worker stops or the chain has ended. */
function runChain(runner: EngineRunner, job: ChainJob): Promise<void> {
  return runExclusively(runner, job, async () => {
    const scope = forShop(runner.parts.database, job.shop)
    try {
      for (const work of strategiesFor(job)) if (await work(runner, scope, job)) return
    } catch (error) {
      if (!(error instanceof BrokenStep)) throw error
      // No item can be processed, now or later: the operation ends with what is done.
      runner.parts.log.error('an operation cannot continue', {
        operation: job.operation,
        ...errorFields(error),
      })
      await scope.transaction((tx) => countOutcomes(tx, job.operation, {}, error.stop))
    }
  })
}
