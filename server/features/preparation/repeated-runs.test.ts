// Runs that do not succeed: how often they are repeated, and what ends with them.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { definePlugin } from '../../../plugins/contract/index.ts'
import { openTestWorker, type TestWorker } from '../../../test/background.ts'
import { addFile, deliver, deliveryWorkflowOf } from '../../../test/deliveries.ts'
import { createTestEngine, type TestEngine } from '../../../test/engine.ts'
import { listNotices } from '../../core/outbox/notices.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { renewTask } from './renew.ts'
import { prepareTask } from './run.ts'

let house: TestEngine
let worker: TestWorker
let task: BackgroundTask
let renewal: BackgroundTask
let refuses: boolean
let calls: number
/** Resolves when a run's signal aborts. */
let aborted: PromiseWithResolvers<void>
/** Yields its outcome for one file, then waits for the end of the run. */
let waits: boolean

const work = definePlugin({
  id: 'work',
  kind: 'act',
  title: 'Work',
  actions: [],
  undo: 'none',
  worksOn: 'deliveries',
  options: z.strictObject({}),
  async *plan(items, _, { signal }) {
    calls += 1
    signal.addEventListener('abort', () => aborted.resolve(), { once: true })
    for (const { id } of items) {
      const refused = { status: 'failed', code: 'time_limit', message: 'Busy', retryable: true }
      yield { item: id, ...(refuses ? (refused as { status: 'failed' } & typeof refused) : OK) }
      if (waits) await aborted.promise
      signal.throwIfAborted()
    }
  },
})
const OK = { status: 'ok' as const }

beforeAll(async () => {
  house = await createTestEngine([work], [])
  task = prepareTask(house.parts, () => Promise.resolve())
  renewal = renewTask(house.parts, () => Promise.resolve())
  worker = await openTestWorker(house.parts.database, [task, renewal])
})
afterAll(() => house.close())
beforeEach(() => {
  refuses = false
  waits = false
  calls = 0
  aborted = Promise.withResolvers()
})

const made = async (...names: string[]) => {
  const files = []
  for (const name of names) files.push(await addFile(house, name, Buffer.from(name)))
  const { id } = await deliver(house.scope, files, deliveryWorkflowOf({ plugin: 'work' }))
  return id
}
const outdate = (delivery: string) =>
  house.scope.query(
    `update prepared_files set stale = true,
       hash = (select hash from blobs where shop_id = :shop limit 1), location = 'primary'
     where shop_id = :shop and delivery_id = :delivery`,
    { delivery },
  )

const attemptsOf = async (delivery: string) => {
  const [row] = await house.scope.query<{ attempts: number }>(
    'select attempts from delivery_runs where shop_id = :shop and delivery_id = :delivery',
    { delivery },
  )
  return row!.attempts
}

it('repeats a renewal three times, then keeps the earlier copy and notifies the shop', async () => {
  const delivery = await made('one.txt')
  const job = { shop: house.shop, key: delivery }
  await worker.run(task, job)
  for (const round of [1, 2]) {
    await outdate(delivery)
    refuses = true
    calls = 0
    for (let run = 1; run <= 5; run += 1) await worker.run(renewal, job)
    expect([round, calls]).toEqual([round, 3])
    const [notice] = (await listNotices(house.scope, { limit: 1 })).rows
    expect(notice!.body).toContain('The buyer keeps the earlier version.')
    refuses = false
  }
  await outdate(delivery)
  await worker.run(renewal, job)
  expect(await attemptsOf(delivery)).toBe(0)
})

it('does not count an attempt that ended because the worker stopped', async () => {
  const delivery = await made('stopped.txt')
  waits = true
  const stopping = new AbortController()
  const other = await openTestWorker(house.parts.database, [task], { signal: stopping.signal })
  const run = other.run(task, { shop: house.shop, key: delivery })
  await expect.poll(() => calls).toBe(1)
  expect(await attemptsOf(delivery)).toBe(1)
  stopping.abort(new Error('the worker is stopping'))
  await run
  expect(await attemptsOf(delivery)).toBe(0)
})

it('interrupts the steps of a run whose lease was taken over', async () => {
  const delivery = await made('two.txt', 'three.txt')
  waits = true
  await house.scope.query(
    `create function take_lease() returns trigger language plpgsql as $$
     begin
       update background_tasks set lease = nextval('leases') where key = new.delivery_id::text;
       return new;
     end $$ -- :shop`,
  )
  await house.scope.query(
    `create trigger take_lease after update of attempts on delivery_runs
     for each row execute function take_lease() -- :shop`,
  )
  await worker.run(task, { shop: house.shop, key: delivery })
  await aborted.promise
  expect(calls).toBe(1)
})
