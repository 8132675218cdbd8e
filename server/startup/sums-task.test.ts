// The background task that computes SHA-256 digests.
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { createTestShop, openTestDatabase, silent } from '../../test/database.ts'
import { openDepot, type Depot } from '../../test/delivery.ts'
import { sha256Of } from '../../test/fakes/content.ts'
import { UNLIMITED, type Pace } from './pace.ts'
import { sumsTask } from './background.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let made = 0
const depots: Depot[] = []
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(async () => {
  for (const one of depots) await one.close()
  await database.drop()
})
beforeEach(async () => {
  await database.pool.query('delete from shops')
  depot = await openDepot(database, await createTestShop(database, `shop-${made++}.myshopify.com`))
  depots.push(depot)
})

const fresh = (size = 1000) => Buffer.alloc(size, `bytes ${made++} `)
/** Adds files whose bytes are due; returns their bytes. */
async function addDue(count: number, age = '1 minute'): Promise<Buffer[]> {
  const all = Array.from({ length: count }, () => fresh())
  for (const bytes of all) await depot.addFile(bytes)
  await depot.scope.query(
    `update blobs set sha256 = null, created_at = now() - :age::interval where shop_id = :shop`,
    { age },
  )
  return all
}
const task = (pace: Pace = UNLIMITED) =>
  sumsTask({
    database,
    stores: new Map([['primary', depot.store]]),
    log: silent,
    clock: () => depot.time.now,
    paces: () => [pace],
  })
/** Runs the task for the shops that it wants; returns when it would run next. */
async function runWanted(one = task(), signal = new AbortController().signal) {
  const { rows } = await database.pool.query<{ shop_id: number; key: string }>(one.wanted!)
  const next = []
  for (const { shop_id: shop, key } of rows)
    next.push(
      await one.run({ shop, key, attempt: 1, lease: { number: 1, hold: async () => {} }, signal }),
    )
  return next
}
const stored = async () =>
  (
    await depot.scope.query<{ sha256: string }>(
      `select encode(sha256, 'hex') as sha256 from blobs
       where shop_id = :shop and sha256 is not null`,
    )
  )
    .map(({ sha256 }) => sha256)
    .toSorted()
const sumsOf = (all: readonly Buffer[]) => all.map(sha256Of).toSorted()

it('computes the digests of all bytes, and is not wanted afterwards', async () => {
  const all = await addDue(3)
  expect(await runWanted()).toEqual([null])
  expect(await stored()).toEqual(sumsOf(all))
  expect(await runWanted()).toEqual([])
})

soakTest(
  'leaves new bytes alone, and those of a shop in which an operation works, for an hour',
  async () => {
    await addDue(1, '1 second')
    expect(await runWanted()).toEqual([])
    await depot.scope.query(
      `insert into operations (shop_id, kind, action, channel, workflow, requested_by, total, status)
     values (:shop, 'import', 'import', 'api', '{}', 'test', 1, 'running')`,
    )
    const all = await addDue(1, '50 minutes')
    expect(await runWanted()).toEqual([])
    await addDue(0, '70 minutes')
    expect(await runWanted()).toEqual([null])
    expect(await stored()).toEqual(expect.arrayContaining(sumsOf(all)))
  },
)

it('keeps its rate, in files and in bytes', async () => {
  await depot.addFile(fresh(3_000_000))
  await addDue(2)
  const done = [0, 0]
  const pace: Pace = {
    done: (items, bytes) => {
      expect(bytes).toBeLessThanOrEqual(1.5 * 1024 ** 2)
      done[0]! += items
      done[1]! += bytes
      return Promise.resolve()
    },
  }
  await runWanted(task(pace))
  expect(done).toEqual([3, 3_002_000])
})

soakTest('continues where it was stopped', async () => {
  const all = await addDue(150)
  const stop = new AbortController()
  let files = 0
  const pace: Pace = {
    done: (items, _, signal) => {
      files += items
      if (files === 120) stop.abort()
      signal.throwIfAborted()
      return Promise.resolve()
    },
  }
  await expect(runWanted(task(pace), stop.signal)).rejects.toThrow('aborted')
  expect(await stored()).toHaveLength(100)
  await runWanted()
  expect(await stored()).toEqual(sumsOf(all))
})

soakTest('reports damaged and missing bytes, and computes the others', async () => {
  const [damaged, missing, ...whole] = await addDue(4)
  const pathOf = async (bytes: Buffer) =>
    path.join(
      depot.folder,
      String(depot.shop),
      (await depot.store.write(depot.shop, [bytes] as never)).hash,
    )
  await writeFile(await pathOf(damaged!), 'other bytes')
  await rm(await pathOf(missing!))
  expect(await runWanted()).toEqual([600_000])
  expect(await stored()).toEqual(sumsOf(whole))
  expect(
    await depot.scope.query(
      'select from blob_locations where shop_id = :shop and damaged_since is not null',
    ),
  ).toHaveLength(2)
  expect(await runWanted()).toEqual([])
})
