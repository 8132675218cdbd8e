import { expect, onTestFinished, test } from 'vitest'
import { sized, soakTest } from '../../test/scale.ts'
import { z } from 'zod'
import { createTestEngine, workflowOf, type TestEngine } from '../../test/engine.ts'
import { insertManyFiles } from '../../test/factories.ts'
import { definePlugin, type Item, type Outcome } from '../../plugins/contract/index.ts'
import { holdChain } from './chain.ts'
import { planAndWrite, takePlanned } from './planned.ts'
import type { PlannedBatch } from './item-batches.ts'
import { LeaseLost } from '../core/queue/lease.ts'

/** More than one batch for each of the two chains. */
const FILES = 1700
/** How often a file is planned whose catalog is away at first. */
const TIMES = sized(2, 3)

type Asked = (items: readonly Item[], signal: AbortSignal) => AsyncGenerator<Outcome>
const workflow = { ...workflowOf('ask'), id: 'bulk', action: 'bulk', kind: 'bulk' as const }
const tagged = (item: Item): Outcome => ({
  item: item.id,
  status: 'ok',
  change: { tags: { add: ['asked'] } },
})

/** An engine with two workers, files, and a step whose external call the test controls. */
async function withFiles(ask: Asked, count = FILES): Promise<TestEngine> {
  const step = definePlugin({
    id: 'ask',
    kind: 'act',
    title: 'Ask',
    options: z.strictObject({}),
    undo: 'fields',
    outside: true,
    plan: (items, _options, { signal }) => ask(items, signal),
  })
  const engine = await createTestEngine([step], [])
  onTestFinished(() => engine.close())
  await insertManyFiles(engine.parts.database.pool, { shop: engine.shop, count })
  return engine
}
async function startWorkers(engine: TestEngine) {
  const workers = [await engine.startWorker(), await engine.startWorker()]
  onTestFinished(async () => {
    for (const worker of workers) await worker.stop()
  })
}
const taggedFiles = async ({ scope }: TestEngine, tag = 'asked') =>
  (
    await scope.query<{ id: string }>(
      'select id from files where shop_id = :shop and tags @> array[:tag]',
      { tag },
    )
  ).map(({ id }) => id)
const rows = async ({ scope }: TestEngine, id: string) =>
  (
    await scope.query('select position from items where shop_id = :shop and operation_id = :id', {
      id,
    })
  ).length

/** Stops a plan until the test resumes or interrupts it. */
function gate() {
  const entered = Promise.withResolvers<readonly Item[]>()
  const opened = Promise.withResolvers<void>()
  return {
    entered: entered.promise,
    open: () => opened.resolve(),
    wait: async (items: readonly Item[], signal: AbortSignal) => {
      entered.resolve(items)
      signal.throwIfAborted()
      await new Promise<void>((resolve, reject) => {
        void opened.promise.then(resolve)
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    },
  }
}

test('plans each file once with two workers; retryable items are planned again alone', async () => {
  const asked = new Map<string, number>()
  const engine = await withFiles(async function* (items) {
    for (const item of items) {
      const times = (asked.get(item.id) ?? 0) + 1
      asked.set(item.id, times)
      if (item.position % 500 === 3 && times < TIMES)
        yield {
          item: item.id,
          status: 'failed',
          code: 'catalog_unavailable',
          message: 'away',
          retryable: true,
        }
      else if (item.position % 500 === 4) yield { item: item.id, status: 'skipped', reason: 'none' }
      else yield tagged(item)
    }
  })
  await startWorkers(engine)
  const { operation } = await engine.untilEnd(await engine.startOn(workflow))
  expect(operation).toMatchObject({
    status: 'success',
    total: FILES,
    done: FILES - 4,
    skipped: 4,
    failed: 0,
  })
  expect((await taggedFiles(engine)).length).toBe(FILES - 4)
  expect(Object.groupBy(asked.values(), String)).toMatchObject({
    [TIMES]: [TIMES, TIMES, TIMES, TIMES],
  })
  expect([...asked.values()].filter((times) => times === 1).length).toBe(FILES - 4)
})

soakTest(
  'no transaction is open while it plans: a concurrent change does not wait, and is kept',
  async () => {
    const { entered, open, wait } = gate()
    const engine = await withFiles(async function* (items, signal) {
      await wait(items, signal)
      for (const item of items) yield tagged(item)
    }, 5)
    await startWorkers(engine)
    const id = await engine.startOn(workflow)
    const changed = (await entered)[0]!.file.id!
    await engine.scope.query(
      `update files set tags = array['by hand'] where shop_id = :shop and id = :id`,
      {
        id: changed.replace('file_', ''),
      },
    )
    expect(await rows(engine, id)).toBe(0)
    open()
    expect((await engine.untilEnd(id)).operation).toMatchObject({ status: 'success', done: 5 })
    expect((await taggedFiles(engine)).length).toBe(5)
    expect((await taggedFiles(engine, 'by hand')).length).toBe(1)
  },
)

soakTest('a pause interrupts planning with nothing written; a resume starts it again', async () => {
  const first = gate()
  let paused = false
  const engine = await withFiles(async function* (items, signal) {
    if (!paused) await first.wait(items, signal)
    for (const item of items) yield tagged(item)
  })
  await startWorkers(engine)
  const id = await engine.startOn(workflow)
  await first.entered
  await engine.engine.move(engine.scope, id, 'pause')
  await expect
    .poll(
      async () =>
        (
          await engine.scope.query<{ held: number }>(
            `select count(worker_id)::int as held from chains where shop_id = :shop
              and operation_id = :id`,
            { id },
          )
        )[0]!.held,
    )
    .toBe(0)
  expect([await rows(engine, id), (await taggedFiles(engine)).length]).toEqual([0, 0])
  paused = true
  await engine.engine.move(engine.scope, id, 'resume')
  expect((await engine.untilEnd(id)).operation).toMatchObject({ status: 'success', done: FILES })
  expect((await taggedFiles(engine)).length).toBe(FILES)
})

soakTest('does not write the plan of an operation that was cancelled', async () => {
  const { entered, open, wait } = gate()
  const deaf = new AbortController().signal
  const engine = await withFiles(async function* (items) {
    await wait(items, deaf)
    for (const item of items) yield tagged(item)
  })
  await startWorkers(engine)
  const id = await engine.startOn(workflow)
  await entered
  await engine.engine.move(engine.scope, id, 'cancel')
  open()
  const { operation, items } = await engine.untilEnd(id)
  expect(operation).toMatchObject({ status: 'cancelled', done: 0, cancelled: FILES })
  expect(items.every(({ status }) => status === 'cancelled')).toBe(true)
  expect(await taggedFiles(engine)).toEqual([])
})

soakTest('does not write the plan of a worker that was presumed dead', async () => {
  const { entered, open, wait } = gate()
  let tag = 'late'
  const engine = await withFiles(async function* (items, signal) {
    const mine = tag
    if (mine === 'late') await wait(items, signal)
    for (const item of items)
      yield { item: item.id, status: 'ok', change: { tags: { add: [mine] } } }
  }, 20)
  const { parts, scope } = engine
  const id = await engine.startOn(workflow)
  const [zombie, heir] = [
    '0199aaaa-0000-7000-8000-000000000001',
    '0199aaaa-0000-7000-8000-000000000002',
  ]
  await parts.database.pool.query(`insert into workers (id, pool_id) values ($1, 'z'), ($2, 'h')`, [
    zombie,
    heir,
  ])
  const job = { shop: engine.shop, operation: id, chain: 0 }
  const take = (worker: string) => takePlanned(parts, scope, job, worker)
  const batch = (await take(zombie)) as PlannedBatch
  const working = planAndWrite(parts, scope, batch, new AbortController().signal)
  await entered
  expect(await take(heir)).toBeNull()
  await parts.database.pool.query('delete from workers where id = $1', [zombie])
  // After a death the items are executed.
  expect(await take(heir)).toBe('executed')
  expect(await scope.transaction((tx) => holdChain(tx, job, heir))).toMatchObject({ chain: 0 })
  open()
  await expect(working).rejects.toThrow(LeaseLost)
  expect([await rows(engine, id), await taggedFiles(engine, 'late')]).toEqual([0, []])

  tag = 'asked'
  await parts.database.pool.query('delete from workers where id = $1', [heir])
  await startWorkers(engine)
  expect((await engine.untilEnd(id)).operation).toMatchObject({ status: 'success', done: 20 })
  expect([(await taggedFiles(engine)).length, await taggedFiles(engine, 'late')]).toEqual([20, []])
})

soakTest('a preview records its changes, and confirming plans again', async () => {
  const engine = await withFiles(async function* (items) {
    for (const item of items) yield tagged(item)
  })
  await startWorkers(engine)
  const id = await engine.startOn(workflow, { dryRun: true })
  await expect
    .poll(() => engine.engine.get(engine.scope, id))
    .toMatchObject({ status: 'previewed', preview_counts: { changed: FILES } })
  expect(await taggedFiles(engine)).toEqual([])
  await engine.engine.move(engine.scope, id, 'confirm')
  expect((await engine.untilEnd(id)).operation).toMatchObject({ status: 'success', done: FILES })
  expect((await taggedFiles(engine)).length).toBe(FILES)
})
