// When the places of a worker's pool ask the database for a job. A notification wakes one place for
// each job that is queued. Jobs that become due later, and jobs whose notification was lost, are
// found by polling: one place asks for all of them, instead of each one at its own interval.
import type { WorkerEvents, WorkerPool } from 'graphile-worker'
import { createSemaphore } from '../../core/semaphore.ts'

/** The longest delay of a job that becomes due. */
const POLL_MS = 100
/** The interval of each place's own polling, so long that only `POLL_MS` counts. */
export const PLACE_POLL_MS = 60 * 60 * 1000

export interface JobSearch {
  /**
   * Resolves when a place may query for a job. The places query one after another, so each query
   * counts the jobs taken before. With concurrent queries, a surplus job would have to be returned,
   * and a waiting shop would lose its turn.
   */
  turn(): Promise<void>
}

/** Polls until the pool shuts down. */
export function searchJobs(events: WorkerEvents): JobSearch {
  const semaphore = createSemaphore(1)
  let leave = () => {}
  // How each query ends. A job's task begins and takes its place in the same tick.
  for (const end of ['job:start', 'worker:getJob:empty', 'worker:getJob:error'] as const)
    events.on(end, () => leave())
  events.once('pool:create', ({ workerPool }) => poll(workerPool, events))
  return { turn: async () => void (leave = await semaphore.acquire()) }
}

function poll(pool: WorkerPool, events: WorkerEvents): void {
  const wakeOne = () => pool.nudge(1)
  const timer = setInterval(wakeOne, POLL_MS)
  // Where one job was due there may be more.
  events.on('job:start', wakeOne)
  events.once('pool:gracefulShutdown', () => {
    clearInterval(timer)
    events.off('job:start', wakeOne)
  })
}
