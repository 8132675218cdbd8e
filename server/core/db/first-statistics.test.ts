import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/database.ts'
import { writeFirstStatistics } from './first-statistics.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.drop())

const distinctShops = async (table: string): Promise<number | null> => {
  const { rows } = await database.pool.query<{ n_distinct: number }>(
    `select n_distinct from pg_stats where tablename = $1 and attname = 'shop_id'`,
    [table],
  )
  return rows[0]?.n_distinct ?? null
}

test('each table with shops has statistics once it is migrated', async () => {
  const { rows } = await database.pool.query(
    `select c.relname from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'shop_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not exists (select from pg_stats s where s.tablename = c.relname and s.attname = 'shop_id')`,
  )
  expect(rows).toEqual([])
  expect(await distinctShops('orders')).toBe(1)
})

test('in a table that was empty, the id of a shop is expected to find all rows', async () => {
  await database.pool.query(
    'create table visits (shop_id integer, id text, primary key (shop_id, id))',
  )
  const fill = () =>
    database.pool.query('insert into visits select 1, n::text from generate_series(1, 500) n')
  const expectedRows = async () => {
    const { rows } = await database.pool.query<{
      'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }]
    }>('explain (format json) select from visits where shop_id = 1')
    return rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows']
  }
  await fill()
  await writeFirstStatistics(database.pool)
  expect(await expectedRows()).toBeLessThan(10)
  await database.pool.query('truncate visits')
  await writeFirstStatistics(database.pool)
  await fill()
  expect(await expectedRows()).toBeGreaterThan(400)
})

test('statistics of an analyzed table are kept', async () => {
  await database.pool.query(
    `create table stays (shop_id integer, id text, primary key (shop_id, id));
     insert into stays select n % 5, n::text from generate_series(1, 300) n;
     analyze stays`,
  )
  await writeFirstStatistics(database.pool)
  expect(await distinctShops('stays')).toBe(5)
})
