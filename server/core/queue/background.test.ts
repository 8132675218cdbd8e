// The lease of background tasks and their recovery: one run at a time even after a crash, and every
// job is eventually run.
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openTestWorker, startTestTasks } from '../../../test/background.ts'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import {
  createBackground,
  LeaseLost,
  queueTask,
  RetryLater,
  runsNow,
  type BackgroundTask,
  type TaskRun,
} from './background.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())
beforeEach(async () => {
  await database.pool.query('delete from background_tasks; delete from workers; delete from shops')
  // Also deletes locked jobs and queues of workers that a test left dead.
  await database.pool.query(
    'truncate graphile_worker._private_jobs, graphile_worker._private_job_queues',
  )
  scope = forShop(database, await createTestShop(database))
})

/** A task whose runs the test ends. */
function held(about: Partial<BackgroundTask> = {}) {
  const runs: (TaskRun & { end(next?: Date | number | null): void })[] = []
  const task: BackgroundTask = {
    name: 'held',
    concurrency: 1,
    ...about,
    run: (run) => {
      const { promise, resolve, reject } = Promise.withResolvers<Date | number | null>()
      const stop = () => reject(run.signal.reason as Error)
      // A job may be claimed at the moment the worker stops.
      if (run.signal.aborted) stop()
      run.signal.addEventListener('abort', stop)
      runs.push({ ...run, end: (next = null) => resolve(next) })
      return promise
    },
  }
  return { task, runs }
}
const job = () => ({ shop: scope.shop, key: 'a' })
const begun = async (runs: readonly unknown[], count: number) =>
  expect.poll(() => runs.length, { interval: 5 }).toBe(count)
const jobs = async () =>
  (
    await database.pool.query<{ key: string; seconds: number; queue_name: string | null }>(
      `select key, extract(epoch from run_at - now())::float as seconds, queue_name
         from graphile_worker.jobs
       where key is not null order by key`,
    )
  ).rows
const isRunning = async ({ name }: BackgroundTask) =>
  (
    await scope.query<{ running: boolean }>(
      `select ${runsNow({ name }, `'a'`)} as running from shops where id = :shop`,
    )
  )[0]!.running

describe('a lease', () => {
  test('is held by one worker; after missing heartbeats another takes it over, and the first cannot write', async () => {
    const { task, runs } = held()
    const [one, two] = [
      await openTestWorker(database, [task]),
      await openTestWorker(database, [task]),
    ]
    const first = one.run(task, job())
    await begun(runs, 1)
    await Promise.all([one.run(task, job()), two.run(task, job())])
    expect([runs.length, await isRunning(task)]).toEqual([1, true])
    await scope.transaction((tx) => runs[0]!.lease.hold(tx))

    await one.stopHeartbeats()
    expect(await isRunning(task)).toBe(false)
    const second = two.run(task, job())
    await begun(runs, 2)
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 2])
    await expect(scope.transaction((tx) => runs[0]!.lease.hold(tx))).rejects.toThrow(LeaseLost)
    await one.background.recover()
    await first
    expect(runs[0]!.signal.aborted).toBe(true)
    expect(runs[1]!.signal.aborted).toBe(false)
    runs[1]!.end()
    await second
    expect(await isRunning(task)).toBe(false)
  })

  test('belongs to one shop: no other shop can hold it', async () => {
    const { task, runs } = held()
    const worker = await openTestWorker(database, [task])
    const run = worker.run(task, job())
    await begun(runs, 1)
    const other = forShop(database, await createTestShop(database, 'other.myshopify.com'))
    await expect(other.transaction((tx) => runs[0]!.lease.hold(tx))).rejects.toThrow(LeaseLost)
    runs[0]!.end()
    await run
  })

  test('that could not be released is taken again by its own worker', async () => {
    const { task, runs } = held()
    const worker = await openTestWorker(database, [task])
    await database.pool.query(
      `insert into background_tasks (task, key, shop_id, lease, worker_id)
         values ('held', 'a', $1, 0, $2)`,
      [scope.shop, worker.id],
    )
    const run = worker.run(task, job())
    await begun(runs, 1)
    runs[0]!.end()
    await run
  })
})

describe('a task that claims its work', () => {
  test('runs a key in one process at a time, different keys concurrently, and has no lease', async () => {
    const { task, runs } = held({ claims: true })
    const [one, two] = [
      await openTestWorker(database, [task]),
      await openTestWorker(database, [task]),
    ]
    const running = [one.run(task, job()), two.run(task, job())]
    await begun(runs, 2)
    await expect(scope.transaction((tx) => runs[0]!.lease.hold(tx))).rejects.toThrow(LeaseLost)
    // A process claims no second job of a key that it runs, but one of another key.
    const leave = one.background.places.enter(['task:held', 'task:held/a'])
    expect(one.background.places.full()).toContain('task:held/a')
    expect(two.background.places.full()).not.toContain('task:held/a')
    leave()
    expect(one.background.places.full()).toEqual([])
    const { rows } = await database.pool.query('select from background_tasks')
    expect(rows).toEqual([])
    runs.forEach(({ end }) => end())
    await Promise.all(running)
    expect(await jobs()).toEqual([])
  })

  test('is queued again on request, after a failure, and immediately when its worker stops', async () => {
    const dueAt = async (key: string): Promise<number> => {
      const { rows } = await database.pool.query<{ run_at: Date }>(
        'select run_at from graphile_worker.jobs where key = $1',
        [key],
      )
      return rows[0]!.run_at.getTime()
    }
    const stopping = new AbortController()
    const { task, runs } = held({ claims: true })
    const worker = await openTestWorker(database, [task], { signal: stopping.signal })
    const later = worker.run(task, job())
    await begun(runs, 1)
    const next = new Date(Date.now() + 3_600_000)
    runs[0]!.end(next)
    await later
    expect(await dueAt('held:a')).toBe(next.getTime())

    const failing = { ...task, name: 'failing', run: () => Promise.reject(new Error('broken')) }
    const before = Date.now()
    await (await openTestWorker(database, [failing])).run(failing, job())
    const delay = (await dueAt('failing:a')) - before
    expect(delay).toBeGreaterThanOrEqual(20_000)
    expect(delay).toBeLessThanOrEqual(Date.now() - before + 20_000)

    const stopped = worker.run(task, job())
    await begun(runs, 2)
    stopping.abort(new Error('the worker is stopping'))
    await stopped
    expect(await dueAt('held:a')).toBeLessThanOrEqual(Date.now())
  })
})

describe('a run', () => {
  test('that ended schedules the next one; its attempts count from 1 again', async () => {
    const { task, runs } = held()
    const worker = await openTestWorker(database, [task])
    for (const next of [new Date(Date.now() + 3_600_000), null]) {
      const run = worker.run(task, job())
      await begun(runs, next ? 1 : 2)
      runs.at(-1)!.end(next)
      await run
      expect((await jobs()).map(({ key, seconds }) => [key, Math.round(seconds / 60)])).toEqual([
        ['held:a', 60],
      ])
    }
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 1])
  })

  test('is repeated after its pause also if the clock of this machine is an hour ahead', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    onTestFinished(() => void vi.useRealTimers())
    for (const claims of [false, true]) {
      const { task, runs } = held(claims ? { claims } : {})
      const worker = await openTestWorker(database, [task])
      const run = worker.run(task, job())
      await begun(runs, 1)
      runs[0]!.end(600_000)
      await run
      const minutes = (await jobs()).map(({ seconds }) => Math.round(seconds / 60))
      expect([claims, minutes]).toEqual([claims, [10]])
      await database.pool.query('delete from graphile_worker._private_jobs')
    }
  })

  test('that asks to be run later counts as an attempt', async () => {
    const attempts: number[] = []
    const task: BackgroundTask = {
      name: 'held',
      concurrency: 1,
      run: ({ attempt }) => {
        attempts.push(attempt)
        return Promise.reject(new RetryLater(new Date(Date.now() + 3_600_000)))
      },
    }
    const worker = await openTestWorker(database, [task])
    for (let n = 0; n < 2; n++) await worker.run(task, job())
    expect(Math.round((await jobs())[0]!.seconds / 60)).toBe(60)
    expect(attempts).toEqual([1, 2])
  })

  test('that has failed more often than is counted still runs', async () => {
    const { task, runs } = held()
    const worker = await openTestWorker(database, [task])
    await database.pool.query(
      `insert into background_tasks (task, key, shop_id, lease, attempts)
         values ('held', 'a', $1, 0, 32767)`,
      [scope.shop],
    )
    const run = worker.run(task, job())
    await begun(runs, 1)
    expect(runs[0]!.attempt).toBe(32767)
    runs[0]!.end()
    await run
  })

  test('that fails is retried after a pause and counted; a stopped one is due now and not counted', async () => {
    const attempts: number[] = []
    const stopping = new AbortController()
    const task: BackgroundTask = {
      name: 'held',
      concurrency: 1,
      run: ({ attempt, signal }) => {
        attempts.push(attempt)
        if (attempt === 2) stopping.abort(new Error('stopping'))
        return Promise.reject(signal.aborted ? (signal.reason as Error) : new Error('it failed'))
      },
    }
    const worker = await openTestWorker(database, [task], { signal: stopping.signal })
    await worker.run(task, job())
    expect((await jobs())[0]!.seconds).toBeGreaterThan(10)
    await worker.run(task, job())
    expect((await jobs())[0]!.seconds).toBeLessThan(1)
    // oxfmt-ignore
    await (await openTestWorker(database, [{ ...task, run: ({ attempt }) => (attempts.push(attempt), Promise.resolve(null)) }])).run(task, job())
    expect(attempts).toEqual([1, 2, 2])
  })
})

describe('the sweep', () => {
  test('queues wanted work that has neither a live job nor a run', async () => {
    const wanted = `select shop_id, id::text as key, now() as due_at from csv_uploads
      where status = 'checking'`
    const { task, runs } = held({ wanted, onePerShop: true })
    const worker = await openTestWorker(database, [task, { ...held().task, name: 'single' }])
    const add = async () =>
      (
        await scope.query<{ id: string }>(
          `insert into csv_uploads (shop_id, filename, status) values (:shop, 'a.csv', 'checking')
             returning id`,
        )
      )[0]!.id
    const [running, queued] = [await add(), await add()]
    const run = worker.run(task, { shop: scope.shop, key: running })
    await begun(runs, 1)
    await worker.background.recover()
    await worker.background.recover()
    const queue = `held:${scope.shop}`
    expect(await jobs()).toMatchObject([
      { key: `held:${queued}`, queue_name: queue },
      { key: 'single:' },
    ])
    // The state that graphile-worker leaves after a job has thrown three times.
    await database.pool.query(
      `update graphile_worker._private_jobs set attempts = max_attempts where key like 'held:%'`,
    )
    await worker.background.recover()
    const { rows } = await database.pool.query(
      `select attempts from graphile_worker.jobs where key like 'held:%'`,
    )
    expect(rows).toEqual([{ attempts: 0 }])
    runs[0]!.end()
    await run
  })

  test('deletes jobs whose worker died after it had queued the next one', async () => {
    const { task } = held()
    const worker = await openTestWorker(database, [task])
    await worker.background.recover()
    await database.pool.query(
      `update graphile_worker._private_jobs set key = null, attempts = max_attempts`,
    )
    await worker.background.recover()
    expect((await jobs()).map(({ key }) => key)).toEqual(['held:'])
  })
})

test('jobs run as soon as they are queued, those of one shop one after another', async () => {
  // oxfmt-ignore
  const { task, runs } = held({ concurrency: 4, onePerShop: true, wanted: `select 1 as shop_id,
    null as key, now() as due_at where false` })
  const other = forShop(database, await createTestShop(database, 'other.myshopify.com'))
  const stop = await startTestTasks(database, [task])
  await queueTask(scope, task, 'a')
  await begun(runs, 1)
  await queueTask(scope, task, 'b')
  await queueTask(other, task, 'c')
  await begun(runs, 2)
  expect(runs.map(({ key }) => key)).toEqual(['a', 'c'])
  runs[0]!.end()
  await begun(runs, 3)
  expect(runs[2]!.key).toBe('b')
  await stop()
  expect((await jobs()).map(({ key }) => key)).toEqual(['held:b', 'held:c'])
})

test('a task that is due at every start is queued then, unless it runs', async () => {
  const { task, runs } = held({ atStart: true })
  const [one, two] = [
    await openTestWorker(database, [task]),
    await openTestWorker(database, [task]),
  ]
  const run = one.run(task)
  await begun(runs, 1)
  await two.background.start()
  expect(await jobs()).toEqual([])
  runs[0]!.end(new Date(Date.now() + 3_600_000))
  await run
  await two.background.start()
  expect((await jobs()).map(({ key, seconds }) => [key, seconds < 1])).toEqual([['held:', true]])
})

test('a duplicate name is refused', () => {
  const { task } = held()
  const options = {
    database,
    worker: 'x',
    slowAfterMs: 1000,
    log: null as never,
    signal: new AbortController().signal,
  }
  expect(() => createBackground({ ...options, tasks: [task, task] })).toThrow(
    'held is listed twice',
  )
})
