// The fragments of leases, on rows of their own table and of background tasks.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { HEARTBEAT, holdLeased, LeaseLost, pollLease, timedLease, WORKER_LEASE } from './lease.ts'

const [ANN, BEN] = [
  '00000000-0000-7000-8000-00000000000a',
  '00000000-0000-7000-8000-00000000000b',
] as const

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
  await database.pool.query('create table held_rows (id int primary key, at timestamptz)')
})
afterAll(() => database.drop())

describe.each([
  ['since its last extension', timedLease({ since: 'at' }, '10 seconds'), '-11 seconds'],
  ['until its expiry', timedLease({ until: 'at' }, '10 seconds'), '-1 second'],
])('a lease with the time %s', (_, lease, past) => {
  const take = async () => {
    const { rows } = await database.pool.query(
      `insert into held_rows values (1, ${lease.value}) on conflict (id) do update
       set ${lease.extend} where ${lease.isExpired('held_rows')} returning id`,
    )
    return rows.length === 1
  }
  beforeEach(() => database.pool.query('truncate held_rows'))

  test('is taken once, until it expires', async () => {
    expect([await take(), await take()]).toEqual([true, false])
    await database.pool.query('update held_rows set at = now() + $1::interval', [past])
    expect([await take(), await take()]).toEqual([true, false])
  })

  test('is free immediately after it is given back', async () => {
    await take()
    await database.pool.query(`update held_rows set ${lease.giveBack}`)
    expect(await take()).toBe(true)
  })
})

describe('the lease of a worker', () => {
  const ROW = 'task = :task and key = :key'
  const row = { task: 'task', key: 'key' }
  beforeEach(async () => {
    await database.pool.query('delete from background_tasks; delete from workers')
    for (const worker of [ANN, BEN])
      await database.pool.query('insert into workers (id, pool_id) values ($1, $2)', [
        worker,
        worker,
      ])
    await scope.insert('background_tasks', { ...row, lease: 0 })
  })
  const take = async (worker: string): Promise<number | null> => {
    const [taken] = await scope.query<{ lease: number }>(
      `update background_tasks b set ${WORKER_LEASE.take(':worker')}
       where shop_id = :shop and ${ROW} and ${WORKER_LEASE.isFree('b', ':worker')} returning lease`,
      { ...row, worker },
    )
    return taken?.lease ?? null
  }
  const hold = (lease: number) => holdLeased(scope, 'background_tasks', ROW, { ...row, lease })
  const hasDied = async (worker: string) =>
    (
      await scope.one<{ died: boolean }>(
        `select ${WORKER_LEASE.hasDied('b', ':worker')} as died from background_tasks b
         where shop_id = :shop`,
        { worker },
      )
    ).died

  test('keeps others out while its heartbeat lives, and has a new number each time', async () => {
    const first = await take(ANN)
    expect([await take(BEN), await hasDied(BEN)]).toEqual([null, false])
    const second = await take(ANN)
    expect(second).toBeGreaterThan(first ?? Infinity)
  })

  test.each([
    ['is silent', `update workers set beat_at = now() - interval '31 seconds' where id = $1`],
    ['is gone', 'delete from workers where id = $1'],
  ])('is taken over when its worker %s, which can then write nothing', async (_, sql) => {
    const first = await take(ANN)
    await database.pool.query(sql, [ANN])
    expect([await hasDied(BEN), await hasDied(ANN)]).toEqual([true, false])
    expect(await take(BEN)).not.toBeNull()
    await expect(hold(first ?? 0)).rejects.toThrow(LeaseLost)
  })

  test('lives on with one heartbeat for all rows', async () => {
    await take(ANN)
    await database.pool.query(`update workers set beat_at = now() - interval '31 seconds'`)
    await database.pool.query(`update workers set ${HEARTBEAT.extend} where id = $1`, [ANN])
    expect(await take(BEN)).toBeNull()
  })

  test('is free immediately after it is given back', async () => {
    await take(ANN)
    await database.pool.query(`update background_tasks set ${WORKER_LEASE.giveBack}`)
    expect(await take(BEN)).not.toBeNull()
  })
})

test('a lease that others keep is asked for until the wait is over or aborted', async () => {
  let left = 3
  expect(await pollLease(() => Promise.resolve(--left === 0 ? 'taken' : null), 60_000)).toBe(
    'taken',
  )
  const none = () => Promise.resolve(null)
  expect(await pollLease(none, 0)).toBeNull()
  expect(await pollLease(none, 60_000, AbortSignal.abort())).toBeNull()
})
