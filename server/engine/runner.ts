// What all jobs of this process share, and the rules of running one: a chain runs once at a time,
// and its work is interrupted when the worker stops or the operation is paused or cancelled.
import type { WorkerEvents, WorkerPool } from 'graphile-worker'
import type pg from 'pg'
import { LeaseLost } from '../core/queue/lease.ts'
import type { ChainJob } from '../core/queue/queue.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { Listener } from '../core/db/listener.ts'
import type { Database } from '../core/db/database.ts'
import { untilDue } from '../core/queue/private-jobs.ts'
import { createSemaphore } from '../core/body-budget.ts'
import type { EngineParts } from './parts.ts'

export interface EngineRunner {
  parts: EngineParts
  worker: string
  progress: Progress
  control: OperationControl
  /** Chains that this process runs, by `operation:chain`. */
  active: Map<string, Promise<void>>
  /**
   * Chains that it could not release, perhaps because the database was unavailable: the next
   * heartbeat releases them.
   */
  broken: Set<string>
  /** The signal that aborts when the worker stops. */
  signal: AbortSignal
}

/**
 * Runs `work` after this process's earlier work on the chain has ended. Records a chain that it
 * could not release.
 */
export async function runExclusively(
  runner: EngineRunner,
  job: ChainJob,
  work: () => Promise<void>,
): Promise<void> {
  const key = `${job.operation}:${job.chain}`
  for (let earlier = runner.active.get(key); earlier; earlier = runner.active.get(key))
    await earlier.catch(() => {})
  if (runner.signal.aborted) return
  const working = work()
  runner.active.set(key, working)
  try {
    await working
  } catch (error) {
    if (error instanceof LeaseLost) {
      runner.parts.log.info('a chain was taken over or ended', {
        operation: job.operation,
        chain: job.chain,
      })
      return
    }
    runner.broken.add(key)
    throw error
  } finally {
    runner.active.delete(key)
    runner.progress.announce(job.shop, job.operation)
  }
}

/**
 * Runs `work` with a signal that aborts when the worker stops or the operation is paused, cancelled
 * or stopped. Take the batch inside it: a pause before that would be missed.
 */
export async function withCancellation<T>(
  runner: EngineRunner,
  operation: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const watch = runner.control.watch(operation)
  try {
    return await work(AbortSignal.any([runner.signal, watch.signal]))
  } finally {
    watch.release()
  }
}

// Interrupting running work: a pause, cancel or stop is announced, and every worker that runs the
// operation releases it immediately.

/** Notifies every process, when the transaction commits, that the operation's state has changed. */
export async function announceControl(tx: ShopScope, operation: string): Promise<void> {
  await tx.withoutRows(`select pg_notify('operation_control', :operation)`, { operation })
}

interface OperationControl {
  /**
   * A signal that aborts when the operation must be interrupted. Call `release` when the batch is
   * over.
   */
  watch(operation: string): { signal: AbortSignal; release(): void }
  close(): void
}

/**
 * Listens to announcements until it is closed.
 * @param isWanted whether an operation should still be processed
 */
export function createOperationControl(
  listener: Listener,
  isWanted: (operation: string) => Promise<boolean>,
): OperationControl {
  const controllers = new Map<string, Set<AbortController>>()
  const check = async (operation: string) => {
    if (!controllers.has(operation) || (await isWanted(operation))) return
    for (const controller of controllers.get(operation) ?? [])
      controller.abort(new Error('the operation was interrupted'))
  }
  const forget = listener.on('operation_control', (payload) => {
    // After a broken connection, notifications may have been missed.
    for (const operation of payload === null ? controllers.keys() : [payload])
      void check(operation).catch(() => {})
  })
  return {
    watch: (operation) => {
      const controller = new AbortController()
      const all = controllers.get(operation) ?? new Set()
      controllers.set(operation, all.add(controller))
      return {
        signal: controller.signal,
        release: () => {
          all.delete(controller)
          if (all.size === 0 && controllers.get(operation) === all) controllers.delete(operation)
        },
      }
    },
    close: forget,
  }
}

// Announces progress at most twice a second, of all operations of the process in one transaction,
// outside the transactions that write outcomes: NOTIFY locks the whole database at commit.

const EVERY_MS = 500

interface Progress {
  /** Announces within half a second that the operation's counts have changed. */
  announce(shop: number, operation: string): void
  /** Announces immediately that the operation has ended. */
  announceEnd(shop: number, operation: string): Promise<void>
  close(): void
}

export function createProgress(database: Database): Progress {
  const due = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  const send = (messages: readonly string[]) =>
    database.pool
      .query(`select pg_notify('operation_progress', message) from unnest($1::text[]) as message`, [
        messages,
      ])
      .then(() => {})
      // A hint may be lost: readers also poll.
      .catch(() => {})
  const sendDue = () => {
    timer = null
    const messages = [...due]
    due.clear()
    if (messages.length > 0) void send(messages)
  }
  return {
    announce: (shop, operation) => {
      due.add(`${shop}/${operation}`)
      timer ??= setTimeout(sendDue, EVERY_MS)
    },
    announceEnd: (shop, operation) => {
      const message = `${shop}/${operation}`
      due.delete(message)
      return send([message])
    },
    close: () => {
      if (timer) clearTimeout(timer)
    },
  }
}

// When the places of a worker's pool ask the database for a job. A notification wakes one place for
// each job that is queued. Jobs that become due later are found by their time: one timer waits for
// the next one, instead of each place asking at its own interval.

/** The interval of asking while jobs are due that no place could take. */
const BUSY_MS = 100
/** The longest delay of a job whose notification was lost. */
const IDLE_MS = 1000
/** The interval of each place's own polling, so long that only the intervals above count. */
export const PLACE_POLL_MS = 60 * 60 * 1000

export interface JobSearch {
  /**
   * Resolves when a place may query for a job. The places query one after another, so each query
   * counts the jobs taken before. With concurrent queries, a surplus job would have to be returned,
   * and a waiting shop would lose its turn.
   */
  turn(): Promise<void>
}

/** Searches until the pool shuts down. */
export function searchJobs(events: WorkerEvents, direct: pg.Pool): JobSearch {
  const semaphore = createSemaphore(1)
  let leave = () => {}
  // How each query ends. A job's task begins and takes its place in the same tick.
  for (const end of ['job:start', 'worker:getJob:empty', 'worker:getJob:error'] as const)
    events.on(end, () => leave())
  events.once('pool:create', ({ workerPool }) => poll(workerPool, events, direct))
  return { turn: async () => void (leave = await semaphore.acquire()) }
}

function poll(pool: WorkerPool, events: WorkerEvents, direct: pg.Pool): void {
  const wakeOne = () => pool.nudge(1)
  let timer: NodeJS.Timeout | undefined
  let wakeAt = Infinity
  /** How often in a row a job was due. More than once: no place can take it now. */
  let dueInRow = 0
  let lookedAt = -Infinity
  let stopped = false
  const wakeIn = (ms: number) => {
    if (stopped) return
    clearTimeout(timer)
    wakeAt = performance.now() + ms
    timer = setTimeout(() => void look(), ms)
  }
  const look = async () => {
    wakeAt = Infinity
    if (dueInRow < 2 || performance.now() - lookedAt > IDLE_MS) {
      lookedAt = performance.now()
      // The database may be unavailable.
      const due = await untilDue(direct).catch(() => IDLE_MS)
      if (stopped) return
      dueInRow = due > 0 ? 0 : dueInRow + 1
      if (due > 0) return wakeIn(Math.min(due, IDLE_MS))
    }
    wakeOne()
    wakeIn(BUSY_MS)
  }
  // A place found nothing: the job that woke it may be due later.
  const lookSoon = () => {
    if (dueInRow === 0 && wakeAt - performance.now() > BUSY_MS) wakeIn(BUSY_MS / 2)
  }
  wakeIn(0)
  events.on('worker:getJob:empty', lookSoon)
  // Where one job was due there may be more.
  events.on('job:start', wakeOne)
  events.once('pool:gracefulShutdown', () => {
    stopped = true
    clearTimeout(timer)
    events.off('job:start', wakeOne)
    events.off('worker:getJob:empty', lookSoon)
  })
}
