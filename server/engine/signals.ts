// Announces progress at most twice a second, of all operations of the process in one transaction,
// outside the transactions that write outcomes: NOTIFY locks the whole database at commit.
import type { WorkerEvents, WorkerPool } from 'graphile-worker'
import type pg from 'pg'
import type { Database } from '../core/db/database.ts'
import { untilDue } from '../core/queue/private-jobs.ts'
import { createSemaphore } from '../core/semaphore.ts'

const EVERY_MS = 500

export interface Progress {
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
