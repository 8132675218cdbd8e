// In which order batches are taken from the queue: without a worker, so the queue is as it is.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestEngine, makeBytes, workflowOf, type TestEngine } from '../../test/engine.ts'
import { queueChain } from '../core/queue/queue.ts'

const workflow = { ...workflowOf('make-bytes'), parallel: 4 }
let house: TestEngine
beforeAll(async () => void (house = await createTestEngine([makeBytes], [workflow])))
afterAll(() => house.close())
beforeEach(() => pool().query('delete from graphile_worker._private_jobs'))

const pool = () => house.parts.database.pool
const names = new Map<string, string>()
async function start(name: string, files: number): Promise<string> {
  const id = await house.start(
    workflow,
    Array.from({ length: files }, (_, n) => `${name} ${n}.txt`),
  )
  names.set(id, name)
  return id
}
/** The operations and chains of the batches, in the order in which graphile-worker takes them. */
async function order(): Promise<string[]> {
  const { rows } = await pool().query<{ operation: string; chain: number }>(
    `select payload ->> 'operation' as operation, (payload ->> 'chain')::int as chain
     from graphile_worker._private_jobs order by priority, run_at, id`,
  )
  return rows.map(({ operation, chain }) => `${names.get(operation)} ${chain}`)
}
const age = (seconds: number) =>
  pool().query(
    `update graphile_worker._private_jobs set run_at = run_at - $1 * interval '1 second'`,
    [seconds],
  )
const again = (operation: string, chain: number) => queueChain(house.scope, operation, chain)
const taken = (...jobs: readonly string[]) =>
  pool().query(
    `delete from graphile_worker._private_jobs where concat(payload ->> 'operation', payload ->> 'chain') = any($1)`,
    [jobs],
  )

test('the first batch of each operation goes before the others, and further ones by their time', async () => {
  const large = await start('large', 400)
  const middle = await start('middle', 200)
  expect(await order()).toEqual([
    'large 0',
    'middle 0',
    'large 1',
    'large 2',
    'large 3',
    'middle 1',
  ])
  // A chain's next batch is queued when the last one has ended: the operations take turns.
  await taken(`${large}0`, `${middle}0`, `${large}1`)
  await again(large, 0)
  await again(middle, 0)
  await again(large, 1)
  expect(await order()).toEqual([
    'large 2',
    'large 3',
    'middle 1',
    'large 0',
    'middle 0',
    'large 1',
  ])
})

test('a small operation goes before the batches of large ones, also with its further batches', async () => {
  const large = await start('large', 400)
  await taken(`${large}0`)
  const small = await start('small', 100)
  expect(await order()).toEqual(['small 0', 'large 1', 'large 2', 'large 3'])
  // As for a retry, or after a worker has died.
  await taken(`${small}0`)
  await again(small, 0)
  expect((await order())[0]).toBe('small 0')
})

test('a batch that has waited for a minute goes before all that come now: nothing waits for ever', async () => {
  await start('large', 400)
  await start('soon', 10)
  expect(await order()).toEqual(['large 0', 'soon 0', 'large 1', 'large 2', 'large 3'])
  await age(60)
  await start('later', 10)
  expect(await order()).toEqual(['large 0', 'soon 0', 'large 1', 'large 2', 'large 3', 'later 0'])
})
