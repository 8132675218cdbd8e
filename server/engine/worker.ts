// A worker: a graphile-worker pool that runs chains, finishes and messages, with its heartbeat and crash sweep.
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { Logger as GraphileLogger, run, type Task, type TaskList, type WorkerEvents } from 'graphile-worker'
import { runChain, type BatchRunner } from './batch.ts'
import { finishOperation } from './finish.ts'
import { createProgress } from './progress.ts'
import type { ChainJob, FinishJob, OutboxJob } from './queue.ts'
import { createControl } from './control.ts'
import { startRecovery } from './recover.ts'
import type { EngineParts } from './types.ts'

// Notifications wake a worker at once; this is for what they miss.
const POLL_MS = 1000

export interface EngineWorker {
  /** Interrupts running batches, puts their items back, and resolves when the last outcome is written. */
  stop(): Promise<void>
}

/** @param deliver carries out one message of the outbox. */
export async function startWorker(
  parts: EngineParts,
  deliver: (job: OutboxJob) => Promise<void>,
): Promise<EngineWorker> {
  const { database, log } = parts
  const stopping = new AbortController()
  const progress = createProgress(database)
  const control = createControl(parts.listener, async (operation) => {
    const { rows } = await database.pool.query(
      `select 1 from operations where id = $1 and status in ('running', 'previewing') and stopped is null`,
      [operation],
    )
    return rows.length > 0
  })
  const runner: BatchRunner = {
    parts,
    worker: randomUUID(),
    progress,
    control,
    active: new Map(),
    broken: new Set(),
    signal: stopping.signal,
  }
  const jobs = new Set<string>()
  const noted =
    (work: (payload: unknown) => Promise<void>): Task =>
    (payload, { job }) => {
      jobs.add(String(job.id))
      return work(payload).finally(() => jobs.delete(String(job.id)))
    }
  const taskList: TaskList = {
    chain: noted((payload) => runChain(runner, payload as ChainJob)),
    finish: noted((payload) => finishOperation(runner, payload as FinishJob)),
    message: noted((payload) => deliver(payload as OutboxJob)),
  }
  // Before the first job is taken: a chain's holder must be known as alive.
  const pool: { id: string | null } = { id: null }
  const { listener } = parts
  const { worker, broken } = runner
  const recovery = await startRecovery({ database, listener, worker, pool, jobs, broken, log })
  const events = new EventEmitter() as WorkerEvents
  events.once('pool:create', ({ workerPool }) => (pool.id = workerPool.id))
  const graphile = await run({
    pgPool: database.pool,
    taskList,
    events,
    concurrency: parts.limits.jobs_at_once,
    pollInterval: POLL_MS,
    noHandleSignals: true,
    logger: new GraphileLogger(() => (level, message) => {
      if (level === 'error' || level === 'warning') log.warn('graphile-worker', { message })
    }),
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
