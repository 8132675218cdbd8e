// Jobs of lost workers run eventually, however their worker was lost.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import {
  createTestEngine,
  entryOf,
  makeBytes,
  workflowOf,
  type TestEngine,
} from '../../test/engine.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { queueChain } from '../core/queue/queue.ts'
import type { EngineWorker } from './worker.ts'

const workflow = workflowOf('make-bytes')
let house: TestEngine
let worker: EngineWorker
beforeAll(async () => {
  house = await createTestEngine([makeBytes], [workflow])
  worker = await house.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await house.close()
})

/** Starts an import whose jobs are deleted or locked before any worker sees them. */
async function startWith(
  name: string,
  change: (tx: ShopScope) => Promise<unknown>,
): Promise<string> {
  return house.scope.transaction(async (tx) => {
    const id = await house.engine.start(tx, {
      workflow,
      channel: 'api',
      source: { type: 'entries', entries: [entryOf(name)] },
      request: {},
      requestedBy: 'test',
    })
    await change(tx)
    return id
  })
}
const lockedBy =
  (pool: string, since = '0 seconds') =>
  (tx: ShopScope) =>
    tx.withoutRows(
      `update graphile_worker._private_jobs set locked_by = :pool,
         locked_at = now() - :since::interval
     where locked_by is null`,
      { pool, since },
    )

soakTest(
  'a deleted job, one that a live pool locked and forgot, and one of an unknown pool',
  async () => {
    const [{ pool_id }] = (
      await house.parts.database.pool.query<{ pool_id: string }>('select pool_id from workers')
    ).rows as [{ pool_id: string }]
    const operations = [
      await startWith('lost.txt', (tx) =>
        tx.withoutRows('delete from graphile_worker._private_jobs'),
      ),
      await startWith('forgotten.txt', lockedBy(pool_id)),
      await startWith('unknown.txt', lockedBy('a pool of another time', '31 seconds')),
    ]
    for (const id of operations) {
      const { operation, items } = await house.untilEnd(id)
      expect(operation).toMatchObject({ status: 'success', done: 1 })
      expect(items).toMatchObject([{ attempt: 1 }])
    }
  },
)

test('a job whose successor was queued before its worker died is not kept', async () => {
  const id = await startWith('succeeded.txt', async (tx) => {
    // The worker has locked the job, and queues the next one under its key.
    await lockedBy('a pool of another time', '31 seconds')(tx)
    const [{ operation_id }] = (await tx.query<{ operation_id: string }>(
      'select operation_id from chains where shop_id = :shop order by operation_id desc limit 1',
    )) as [{ operation_id: string }]
    await queueChain(tx, operation_id, 0)
  })
  expect((await house.untilEnd(id)).operation).toMatchObject({ status: 'success', done: 1 })
  const left = () => house.parts.database.pool.query('select id, key from graphile_worker.jobs')
  await expect.poll(async () => (await left()).rows).toEqual([])
})
