// Schedules of all shops that are due at the same minute start one after another.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { setNextRun } from './rows.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.drop())

test('the first five of a minute run at its beginning, and the others in the seconds after it', async () => {
  const next = new Date('2026-02-01T03:00:00Z')
  const seconds: number[] = []
  for (const shop of [
    await createTestShop(database, 'one.myshopify.com'),
    await createTestShop(database, 'two.myshopify.com'),
  ]) {
    const scope = forShop(database, shop)
    const rows = await scope.query<{ id: string }>(
      `insert into triggers (shop_id, name, cron, action)
       select :shop, 'Night ' || n, '0 3 * * *', 'delete-files' from generate_series(1, 6) n
       returning id`,
    )
    for (const { id } of rows) {
      await setNextRun(scope, id, next)
      const [row] = await scope.query<{ next_run_at: Date }>(
        'select next_run_at from triggers where shop_id = :shop and id = :id',
        { id },
      )
      seconds.push((row!.next_run_at.getTime() - next.getTime()) / 1000)
    }
  }
  expect(seconds).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2])
})

test('above 1,500 of one minute they are spread over all its seconds, not due in the last one', async () => {
  const next = new Date('2026-03-01T03:00:00Z')
  const scope = forShop(database, await createTestShop(database, 'many.myshopify.com'))
  const rows = await scope.query<{ id: string }>(
    `insert into triggers (shop_id, name, cron, action, next_run_at)
     select :shop, 'Night ' || n, '0 3 * * *', 'delete-files',
       case when n > 60 then :next::timestamptz + interval '1 second' * (n % 300) end
     from generate_series(1, 1560) n returning id, next_run_at`,
    { next },
  )
  const added = rows.slice(0, 60).map(({ id }) => id)
  for (const id of added) await setNextRun(scope, id, next)
  const found = await scope.query<{ second: number }>(
    `select extract(epoch from next_run_at - :next::timestamptz)::int as second from triggers
     where shop_id = :shop and id = any(:added::uuid[])`,
    { added, next },
  )
  const seconds = found.map(({ second }) => second)
  expect(Math.min(...seconds)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...seconds)).toBeLessThan(300)
  // 60 of 300 at random have some seconds in common, never most.
  expect(new Set(seconds).size).toBeGreaterThan(30)
})
