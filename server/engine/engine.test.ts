import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { z } from 'zod'
import { createTestEngine, makeBytes, workflowOf, type TestEngine } from '../../test/engine.ts'
import { definePlugin, type Item, type Outcome } from '../../plugins/contract/index.ts'
import { forShop } from '../core/db/for-shop.ts'
import { BATCH } from './steps.ts'
import { CRASHED_GROUP } from './chain.ts'
import { claimBatch } from './claim.ts'
import { commit } from './commit.ts'
import { LeaseLost } from '../core/queue/lease.ts'
import { WAIT_MS } from '../../test/wait.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function engineWith(
  plan: (items: readonly Item[], signal: AbortSignal) => AsyncGenerator<Outcome>,
): Promise<TestEngine> {
  const check = definePlugin({
    id: 'check',
    kind: 'validate',
    title: 'Check',
    options: z.strictObject({}),
    undo: 'none',
    plan: (items, _options, context) => plan(items, context.signal),
  })
  const engine = await createTestEngine([makeBytes, check], [workflow])
  cleanups.push(() => engine.close())
  return engine
}

async function working(engine: TestEngine) {
  const worker = await engine.startWorker()
  cleanups.push(() => worker.stop())
  return worker
}

const workflow = workflowOf('make-bytes', 'check')
const names = (count: number) => Array.from({ length: count }, (_, n) => `file-${n}.txt`)
const ok = (item: Item): Outcome => ({ item: item.id, status: 'ok' })
const statuses = (items: readonly { status: string }[]) =>
  Object.fromEntries(
    Map.groupBy(items, ({ status }) => status)
      .entries()
      .map(([status, of]) => [status, of.length]),
  )

test('every item runs through the steps and becomes a file, once', async () => {
  const engine = await engineWith(async function* (items) {
    for (const item of items) yield ok(item)
  })
  await working(engine)
  const { operation, items } = await engine.untilEnd(
    await engine.start(workflow, names(3 * BATCH + 7)),
  )
  expect(operation).toMatchObject({ status: 'success', total: 307, done: 307, failed: 0 })
  expect(operation.bytes).toBe(names(307).join('').length)
  expect(new Set(items.map(({ file_id }) => file_id)).size).toBe(307)
})

test('starting twice with one key creates one operation', async () => {
  const engine = await engineWith(async function* () {})
  const started = await Promise.all(
    Array.from({ length: 10 }, () => engine.start(workflow, ['a.txt'], 'same')),
  )
  expect(new Set(started).size).toBe(1)
  expect(await engine.start(workflow, ['a.txt'], 'other')).not.toBe(started[0])
})

soakTest(
  'a process with one job slot runs one batch, even if many begin at the same moment',
  async () => {
    let [now, most] = [0, 0]
    const engine = await engineWith(async function* (items) {
      most = Math.max(most, ++now)
      await setImmediate()
      for (const item of items) yield ok(item)
      now--
    })
    const started = await Promise.all(names(12).map((name) => engine.start(workflow, [name])))
    const worker = await engine.startWorker({ jobs_at_once: 1 })
    cleanups.push(() => worker.stop())
    for (const id of started) expect((await engine.untilEnd(id)).operation.status).toBe('success')
    expect(most).toBe(1)
  },
)

soakTest('an operation without items ends immediately', async () => {
  const engine = await engineWith(async function* () {})
  await working(engine)
  expect((await engine.untilEnd(await engine.start(workflow, []))).operation.status).toBe('success')
})

test('failed, skipped and omitted items affect only themselves; retryable ones are tried three times', async () => {
  const tries = new Map<string, number>()
  const engine = await engineWith(async function* (items) {
    for (const item of items) {
      const name = item.file.filename
      tries.set(name, (tries.get(name) ?? 0) + 1)
      if (name === 'file-3.txt')
        yield {
          item: item.id,
          status: 'failed',
          code: 'url_not_accessible',
          message: 'no',
          retryable: false,
        }
      else if (name === 'file-4.txt')
        yield {
          item: item.id,
          status: 'failed',
          code: 'url_not_accessible',
          message: 'later',
          retryable: true,
        }
      else if (name === 'file-5.txt' && tries.get(name) === 1)
        yield {
          item: item.id,
          status: 'failed',
          code: 'storage_full',
          message: 'later',
          retryable: true,
        }
      else if (name === 'file-6.txt')
        yield { item: item.id, status: 'skipped', reason: 'not wanted' }
      else if (name !== 'file-7.txt') yield ok(item)
    }
  })
  await working(engine)
  const { operation, items } = await engine.untilEnd(await engine.start(workflow, names(12)))
  expect(operation.status).toBe('partial')
  expect(statuses(items)).toEqual({ done: 8, failed: 3, skipped: 1 })
  expect(items[3]).toMatchObject({
    status: 'failed',
    attempt: 1,
    error: { code: 'url_not_accessible' },
  })
  expect(items[4]).toMatchObject({ status: 'failed', attempt: 3, error: { message: 'later' } })
  expect(items[5]).toMatchObject({ status: 'done', attempt: 2 })
  expect(items[7]).toMatchObject({ status: 'failed', error: { code: 'plugin_failed' } })
  expect([tries.get('file-3.txt'), tries.get('file-4.txt'), tries.get('file-5.txt')]).toEqual([
    1, 3, 2,
  ])
})

soakTest('a slow item delays no other: they are committed while it runs', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const engine = await engineWith(async function* (items) {
    for (const item of items.filter(({ file }) => file.filename !== 'file-0.txt')) yield ok(item)
    const slow = items.find(({ file }) => file.filename === 'file-0.txt')
    if (slow) {
      await held
      yield ok(slow)
    }
  })
  await working(engine)
  const id = await engine.start(workflow, names(20))
  const scope = forShop(engine.parts.database, engine.shop)
  await expect.poll(async () => (await engine.engine.get(scope, id))!.done).toBe(19)
  release()
  expect((await engine.untilEnd(id)).operation.status).toBe('success')
})

test('a stopped worker releases its items, and the next one completes them without counting that attempt', async () => {
  let entered = () => {}
  const inside = new Promise<void>((resolve) => (entered = resolve))
  let first = true
  const engine = await engineWith(async function* (items, signal) {
    if (first) {
      first = false
      entered()
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('aborted'))),
      )
    }
    for (const item of items) yield ok(item)
  })
  const worker = await engine.startWorker()
  const id = await engine.start(workflow, names(30))
  await inside
  await worker.stop()
  await working(engine)
  const { operation, items } = await engine.untilEnd(id)
  expect(operation.status).toBe('success')
  expect(items.map(({ attempt }) => attempt)).toEqual(Array(30).fill(1))
})

test('a running worker that was presumed dead cannot write', async () => {
  const engine = await engineWith(async function* (items) {
    for (const item of items) yield ok(item)
  })
  const { database } = engine.parts
  const scope = forShop(database, engine.shop)
  const id = await engine.start(workflow, names(5))
  const job = { shop: engine.shop, operation: id, chain: 0 }
  const [zombie, heir] = [
    '0199aaaa-0000-7000-8000-000000000001',
    '0199aaaa-0000-7000-8000-000000000002',
  ]
  await database.pool.query(`insert into workers (id, pool_id) values ($1, 'z'), ($2, 'h')`, [
    zombie,
    heir,
  ])

  const claim = (await claimBatch(scope, job, zombie, () => BATCH))!
  expect(claim.items.length).toBe(5)
  expect(await claimBatch(scope, job, heir, () => BATCH)).toBeNull()
  await database.pool.query('delete from workers where id = $1', [zombie])
  const taken = (await claimBatch(scope, job, heir, () => BATCH))!
  // The items that the dead worker left running are marked.
  expect(taken.items.map(({ position, attempt, crashed }) => [position, attempt, crashed])).toEqual(
    Array.from({ length: 5 }, (_, position) => [position, 2, true]),
  )

  const staged = { hash: 'a'.repeat(64), size_bytes: 1, location: 'primary', content_type: null }
  const ended = claim.items.map((item) => ({
    item: { ...item, staged },
    ending: { status: 'done' as const },
  }))
  const options = {
    limits: { file_bytes: 10 },
    effects: engine.parts.effects,
    log: engine.parts.log,
    times: [],
    last: true,
  }
  await expect(commit(scope, claim, ended, options)).rejects.toThrow(LeaseLost)
  expect(await scope.from('files').select('id')).toEqual([])
  expect(await engine.engine.get(scope, id)).toMatchObject({ done: 0, failed: 0 })
})

soakTest(
  'items that a dead worker left running are shared by all chains, a group each',
  async () => {
    const engine = await engineWith(async function* () {})
    const { database } = engine.parts
    const scope = forShop(database, engine.shop)
    const id = await engine.start(workflow, names(BATCH + 2))
    const claimed = async (within: typeof scope, chain: number, worker: number) => {
      const by = `0199aaaa-0000-7000-8000-00000000000${worker}`
      const claim = await claimBatch(
        within,
        { shop: engine.shop, operation: id, chain },
        by,
        () => BATCH,
      )
      return claim?.items.map(({ position }) => position) ?? null
    }
    const range = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => from + n)
    expect(await claimed(scope, 0, 1)).toEqual(range(0, BATCH))
    expect(await claimed(scope, 1, 2)).toEqual([BATCH, BATCH + 1])
    // The second chain ends, and then the first one's worker is found dead.
    await scope.query(
      `update chains set ended = true, worker_id = null, claimed = '{}' where shop_id = :shop
       and operation_id = :id and chain = 1`,
      { id },
    )
    await scope.transaction(async (tx) => {
      expect(await claimed(tx, 0, 3)).toEqual(range(0, CRASHED_GROUP))
      expect(
        await tx.from('chains').where('operation_id', id).where('ended', true).select('chain'),
      ).toEqual([])
    })
    const queued = await database.pool.query(
      'select key from graphile_worker.jobs where key = $1',
      [`chain:${id}:1`],
    )
    expect(queued.rows.length).toBe(1)
    // Neither waits for rows that the other claims, nor skips unclaimed ones.
    await scope.transaction(async (tx) => {
      expect(await claimed(tx, 0, 3)).toEqual(range(0, CRASHED_GROUP))
      expect(await claimed(scope, 1, 4)).toEqual(range(CRASHED_GROUP, 2 * CRASHED_GROUP))
    })
  },
)

test('an item that kills its worker every time fails after three attempts', async () => {
  const engine = await engineWith(async function* () {})
  const { database } = engine.parts
  const scope = forShop(database, engine.shop)
  const id = await engine.start(workflow, names(2))
  const job = { shop: engine.shop, operation: id, chain: 0 }
  const claims: [number, number][][] = []
  for (let death = 0; death < 6; death++) {
    const worker = `0199aaaa-0000-7000-8000-00000000000${death}`
    const claim = await claimBatch(scope, job, worker, () => BATCH)
    claims.push(claim?.items.map(({ position, attempt }) => [position, attempt]) ?? [])
  }
  expect(claims).toEqual([
    [
      [0, 1],
      [1, 1],
    ],
    [
      [0, 2],
      [1, 2],
    ],
    // Each has its last attempt alone, so that a death is its own.
    [[0, 3]],
    [[1, 3]],
    [],
    [],
  ])
  const items = await engine.engine.items(scope, id, { limit: 10 })
  expect(items).toMatchObject([
    { status: 'failed', error: { code: 'worker_crashed' } },
    { status: 'failed', error: { code: 'worker_crashed' } },
  ])
  expect(await engine.engine.get(scope, id)).toMatchObject({ failed: 2 })
})

soakTest('a resume that waits for a batch, which waits for it, is made after all', async () => {
  const engine = await engineWith(async function* (items) {
    for (const item of items) yield ok(item)
  })
  const { scope } = engine
  const { pool } = engine.parts.database
  const id = await engine.start(workflow, names(5))
  await engine.engine.move(scope, id, 'pause')
  // Changes of operations wait for the gate, with their row locked.
  await pool.query(`create function gate() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock_shared(1); return new; end'`)
  await pool.query(
    'create trigger gate before update on operations for each row execute function gate()',
  )
  const waiting = (count: number) =>
    expect
      .poll(
        async () =>
          (
            await pool.query(`select from pg_stat_activity where datname = current_database()
              and wait_event_type = 'Lock'`)
          ).rowCount,
        { timeout: WAIT_MS },
      )
      .toBe(count)
  const [gate, batch] = [await pool.connect(), await pool.connect()]
  try {
    await gate.query('select pg_advisory_lock(1)')
    await batch.query('begin')
    // So that PostgreSQL ends the resume, and not the batch.
    await batch.query(`set local deadlock_timeout = '1h'`)
    await batch.query('select from chains where operation_id = $1 for update', [id])
    const resumed = engine.engine.move(scope, id, 'resume')
    await waiting(1)
    const counted = batch.query('update operations set done = done where id = $1', [id])
    await waiting(2)
    await gate.query('select pg_advisory_unlock(1)')
    await counted
    await batch.query('commit')
    await resumed
  } finally {
    gate.release(true)
    batch.release(true)
  }
  expect(await engine.engine.get(scope, id)).toMatchObject({ status: 'queued' })
})
