// Entries that are added to an operation while it runs.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import {
  createTestEngine,
  entryOf,
  makeBytes,
  workflowOf,
  type TestEngine,
} from '../../test/engine.ts'
import type { EngineWorker } from './worker.ts'
import type { GrowingEntry } from './grow.ts'
import { BATCH } from './steps.ts'

const workflow = { ...workflowOf('make-bytes'), parallel: 4 }
let engine: TestEngine
let worker: EngineWorker | null = null
beforeAll(async () => void (engine = await createTestEngine([makeBytes], [workflow])))
afterEach(async () => {
  await worker?.stop()
  worker = null
})
afterAll(() => engine.close())

const entriesOf = (count: number): GrowingEntry[] =>
  Array.from({ length: count }, (_, n) => ({ ...entryOf(`${n}.txt`, 'rename'), after: null }))

const opened = (): Promise<string> =>
  engine.engine.start(engine.scope, {
    workflow,
    channel: 'api',
    request: {},
    requestedBy: 'test',
    open: true,
    source: { type: 'entries', entries: [] },
  })

soakTest('items added while chains run are processed too', async () => {
  const id = await opened()
  await engine.scope.transaction((tx) => engine.engine.add(tx, id, entriesOf(2 * BATCH)))
  worker = await engine.startWorker()
  await engine.scope.transaction((tx) => engine.engine.add(tx, id, entriesOf(BATCH)))
  await engine.scope.transaction((tx) => engine.engine.close(tx, id))
  expect((await engine.untilEnd(id)).operation).toMatchObject({
    status: 'success',
    done: 3 * BATCH,
  })
})

test('items added while the first chain starts wait for it, without a deadlock', async () => {
  const id = await opened()
  await engine.scope.transaction((tx) => engine.engine.add(tx, id, entriesOf(1)))
  await engine.scope.transaction(async (tx) => {
    await tx.query('select from chains where shop_id = :shop and operation_id = :id for update', {
      id,
    })
    worker = await engine.startWorker()
    const { pool } = engine.parts.database
    const waiting = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await pool.query(waiting)).rowCount).toBeGreaterThan(0)
    await engine.engine.add(tx, id, entriesOf(1))
  })
  await engine.scope.transaction((tx) => engine.engine.close(tx, id))
  expect((await engine.untilEnd(id)).operation).toMatchObject({ status: 'success', done: 2 })
})

// Without a worker, so that the chains stay as they are.
test.each([
  // One chain started with the operation.
  [1, 2],
  [BATCH, 2],
  [BATCH + 1, 3],
  [10 * BATCH, workflow.parallel],
])('after %i items are added together, %i chains run', async (count, expected) => {
  const id = await opened()
  await engine.scope.transaction((tx) => engine.engine.add(tx, id, entriesOf(count)))
  const chains = await engine.scope.query(
    'select from chains where shop_id = :shop and operation_id = :id and chain >= 0 and not ended',
    { id },
  )
  expect(chains).toHaveLength(expected)
})
