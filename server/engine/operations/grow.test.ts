import { afterEach, expect, test } from 'vitest'
import {
  createTestEngine,
  entryOf,
  makeBytes,
  workflowOf,
  type TestEngine,
} from '../../../test/engine.ts'
import type { GrowingEntry } from './grow.ts'
import { BATCH } from './strategy.ts'

const workflow = { ...workflowOf('make-bytes'), parallel: 4 }
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const entriesOf = (count: number): GrowingEntry[] =>
  Array.from({ length: count }, (_, n) => ({ ...entryOf(`${n}.txt`, 'rename'), after: null }))

async function opened(): Promise<{ engine: TestEngine; id: string }> {
  const engine = await createTestEngine([makeBytes], [workflow])
  cleanups.push(() => engine.close())
  const id = await engine.engine.start(engine.scope, {
    ...{ workflow, channel: 'api', request: {}, requestedBy: 'test', open: true },
    source: { type: 'entries', entries: [] },
  })
  return { engine, id }
}

test.each([
  // One chain started with the operation.
  [1, 2],
  [BATCH, 2],
  [BATCH + 1, 3],
  [10 * BATCH, workflow.parallel],
])('after %i items are added together, %i chains run', async (count, expected) => {
  const { engine, id } = await opened()
  await engine.scope.transaction((tx) => engine.engine.add(tx, id, entriesOf(count)))
  const chains = await engine.scope.query(
    'select from chains where shop_id = :shop and operation_id = :id and chain >= 0 and not ended',
    { id },
  )
  expect(chains).toHaveLength(expected)
})

test('items added while chains run are processed too', async () => {
  const { engine, id } = await opened()
  await engine.scope.transaction((tx) => engine.engine.add(tx, id, entriesOf(2 * BATCH)))
  const worker = await engine.startWorker()
  cleanups.push(() => worker.stop())
  await engine.scope.transaction((tx) => engine.engine.add(tx, id, entriesOf(BATCH)))
  await engine.scope.transaction((tx) => engine.engine.close(tx, id))
  expect((await engine.untilEnd(id)).operation).toMatchObject({
    status: 'success',
    done: 3 * BATCH,
  })
})

test('items added while the first chain starts wait for it, without a deadlock', async () => {
  const { engine, id } = await opened()
  await engine.scope.transaction((tx) => engine.engine.add(tx, id, entriesOf(1)))
  await engine.scope.transaction(async (tx) => {
    await tx.query('select from chains where shop_id = :shop and operation_id = :id for update', {
      id,
    })
    const worker = await engine.startWorker()
    cleanups.push(() => worker.stop())
    const { pool } = engine.parts.database
    const waiting = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await pool.query(waiting)).rowCount).toBeGreaterThan(0)
    await engine.engine.add(tx, id, entriesOf(1))
  })
  await engine.scope.transaction((tx) => engine.engine.close(tx, id))
  expect((await engine.untilEnd(id)).operation).toMatchObject({ status: 'success', done: 2 })
})
