// Runs background tasks without the engine's other jobs: one at a time from a test, or by
// graphile-worker.
import { randomUUID } from 'node:crypto'
import { Logger as GraphileLogger, run as runJobs, type TaskList } from 'graphile-worker'
import type { Database } from '../server/core/db/database.ts'
import {
  createBackground,
  type Background,
  type BackgroundTask,
  type TaskJob,
} from '../server/core/queue/background.ts'
import type { Logger } from '../server/core/log.ts'
import { silent } from './database.ts'

export interface TestWorker {
  id: string
  background: Background
  run(task: BackgroundTask, job?: TaskJob): Promise<void>
  /** Runs every job of the task that is due now, one after another. */
  runWanted(task: BackgroundTask): Promise<void>
  /** Makes this worker look dead to the others: it sends no more heartbeats. */
  stopHeartbeats(): Promise<void>
}

export async function openTestWorker(
  database: Database,
  tasks: readonly BackgroundTask[],
  {
    signal = new AbortController().signal,
    log = silent,
  }: { signal?: AbortSignal; log?: Logger } = {},
): Promise<TestWorker> {
  const id = randomUUID()
  await database.pool.query('insert into workers (id, pool_id) values ($1, $2)', [id, id])
  const background = createBackground({
    database,
    worker: id,
    tasks,
    log,
    signal,
    slowAfterMs: 60_000,
  })
  const run: TestWorker['run'] = (task, job = { shop: null, key: '' }) =>
    background.jobs[task.name]!(job)
  return {
    id,
    background,
    run,
    runWanted: async (task) => {
      const { rows } = await database.pool.query<{ shop_id: number; key: string }>(task.wanted!)
      for (const { shop_id: shop, key } of rows) await run(task, { shop, key })
    },
    stopHeartbeats: async () => {
      await database.pool.query(
        `update workers set beat_at = now() - interval '1 minute' where id = $1`,
        [id],
      )
    },
  }
}

const SWEEP_MS = 500

/** Runs only the jobs of these tasks until stopped. Operations that a test starts stay queued. */
export async function startTestTasks(
  database: Database,
  tasks: readonly BackgroundTask[],
): Promise<() => Promise<void>> {
  const stopping = new AbortController()
  const { id, background } = await openTestWorker(database, tasks, { signal: stopping.signal })
  const taskList: TaskList = {}
  for (const [name, work] of Object.entries(background.jobs))
    taskList[name] = async (payload, { job }) => {
      const leave = background.places.enter(Object.keys(job.flags ?? {}))
      await work(payload as TaskJob).finally(leave)
    }
  const jobs = await runJobs({
    pgPool: database.pool,
    taskList,
    noHandleSignals: true,
    pollInterval: 500,
    concurrency: background.places.count,
    forbiddenFlags: background.places.full,
    logger: new GraphileLogger(() => () => {}),
  })
  const sweep = async () => {
    await database.pool.query('update workers set beat_at = now() where id = $1', [id])
    await background.recover()
  }
  let sweeping = sweep()
  const timer = setInterval(() => void (sweeping = sweeping.then(sweep)), SWEEP_MS)
  return async () => {
    clearInterval(timer)
    stopping.abort(new Error('the worker is stopping'))
    await jobs.stop()
    await sweeping
    await database.pool.query('delete from workers where id = $1', [id])
  }
}
