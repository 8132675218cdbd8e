// Recovery of a dead worker's running items: shared by all chains in small groups, then one at a
// time.
import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { z } from 'zod'
import { createTestEngine, makeBytes, workflowOf, type TestEngine } from '../../test/engine.ts'
import { definePlugin } from '../../plugins/contract/index.ts'
import { CRASHED_GROUP } from './chain.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const workflow = { ...workflowOf('make-bytes', 'meet'), parallel: 4 }

/** Items continue once `few` of them are running; `most`: the highest number so far. */
async function engineMeeting(few: number) {
  const meeting = { here: 0, most: 0 }
  const full = Promise.withResolvers<void>()
  const meet = definePlugin({
    id: 'meet',
    kind: 'validate',
    title: 'Meet',
    options: z.strictObject({}),
    undo: 'none',
    async *plan(items) {
      meeting.here += items.length
      meeting.most = Math.max(meeting.most, meeting.here)
      if (meeting.here >= few) full.resolve()
      await full.promise
      meeting.here -= items.length
      for (const item of items) yield { item: item.id, status: 'ok' }
    },
  })
  const engine = await createTestEngine([makeBytes, meet], [workflow])
  cleanups.push(() => engine.close())
  return { engine, meeting }
}

/**
 * An import whose items are all running, as a worker leaves them that dies during their nth
 * attempt.
 */
async function leftRunning(
  engine: TestEngine,
  names: readonly string[],
  deaths: number,
): Promise<string> {
  const id = await engine.start(workflow, names)
  await engine.scope.query(
    `with left_running as (
       update items set status = 'running', attempt = :deaths, crashed = :deaths > 1, lease = 77
       where shop_id = :shop and operation_id = :id returning position
     )
     update chains set worker_id = :dead, lease = 77,
       claimed = (select array_agg(position) from left_running)
     where shop_id = :shop and operation_id = :id and chain = 0`,
    { id, deaths, dead: randomUUID() },
  )
  return id
}

const begin = async (engine: TestEngine) => {
  const worker = await engine.startWorker()
  cleanups.push(() => worker.stop())
}
const names = (count: number) => Array.from({ length: count }, (_, n) => `file-${n}.txt`)

soakTest(
  '40 slow files of one batch all run together after the crash, in as many chains as the operation may have',
  async () => {
    const { engine, meeting } = await engineMeeting(40)
    const id = await leftRunning(engine, names(40), 1)
    await begin(engine)
    const { operation, items } = await engine.untilEnd(id)
    expect(operation).toMatchObject({ status: 'success', done: 40, failed: 0 })
    expect(meeting.most).toBe(4 * CRASHED_GROUP)
    expect(new Set(items.map(({ attempt }) => attempt))).toEqual(new Set([2]))
  },
)

test('the chains of a dead worker recover at the same time without waiting for each other', async () => {
  const { engine, meeting } = await engineMeeting(40)
  const id = await leftRunning(engine, names(40), 1)
  await engine.scope.query(
    'insert into chains (shop_id, operation_id, chain) values (:shop, :id, 1)',
    { id },
  )
  // As the second chain does before it waits for the first one.
  const second = await engine.parts.database.pool.connect()
  cleanups.push(async () => second.release(true))
  await second.query('begin')
  await second.query('update chains set deaths = 1 where operation_id = $1 and chain = 1', [id])
  await begin(engine)
  await expect.poll(() => meeting.here).toBeGreaterThanOrEqual(CRASHED_GROUP)
  await second.query('rollback')
  expect((await engine.untilEnd(id)).operation).toMatchObject({ status: 'success', done: 40 })
})

soakTest(
  'items that have killed two workers run one at a time, with any number of chains',
  async () => {
    const { engine, meeting } = await engineMeeting(1)
    const id = await leftRunning(engine, names(12), 2)
    await begin(engine)
    const { operation } = await engine.untilEnd(id)
    expect(operation).toMatchObject({ status: 'success', done: 12 })
    expect(meeting.most).toBe(1)
  },
)

test('the third death fails them', async () => {
  const { engine } = await engineMeeting(1)
  const id = await leftRunning(engine, names(2), 3)
  await begin(engine)
  const { operation, items } = await engine.untilEnd(id)
  expect(operation).toMatchObject({ status: 'failed', failed: 2 })
  expect(items.map(({ error }) => error?.code)).toEqual(Array(2).fill('worker_crashed'))
})

soakTest('an item’s last attempt wakes its chain if that has ended', async () => {
  const { engine } = await engineMeeting(1)
  const id = await leftRunning(engine, names(1), 2)
  // Released by a chain that does not run last attempts.
  await engine.scope.query(
    `with waiting as (
       update items set status = 'pending', lease = null where shop_id = :shop
         and operation_id = :id
     )
     insert into chains (shop_id, operation_id, chain) values (:shop, :id, 1)`,
    { id },
  )
  await engine.scope.query(
    `update chains set ended = true, worker_id = null, claimed = '{}'
     where shop_id = :shop and operation_id = :id and chain = 0`,
    { id },
  )
  await begin(engine)
  expect((await engine.untilEnd(id)).operation).toMatchObject({ status: 'success', done: 1 })
})
