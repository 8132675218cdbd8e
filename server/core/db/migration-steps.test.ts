import type { Knex } from 'knex'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../../../test/database.ts'
import { migrate } from './migrate.ts'
import { buildIndexes, expand, migrateInSteps, validateRows } from './migration-steps.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.drop())

const run = (...steps: Parameters<typeof migrateInSteps>[2]) =>
  migrateInSteps(database.knex, () => {}, steps)

async function isValid(index: string): Promise<boolean> {
  const { rows } = await database.pool.query<{ indisvalid: boolean }>(
    'select indisvalid from pg_index where indexrelid = to_regclass($1)',
    [index],
  )
  return rows[0]?.indisvalid ?? false
}

/** A transaction that has read, and does not end. */
async function startReader(): Promise<void> {
  const reader = new pg.Client({ connectionString: database.url })
  await reader.connect()
  onTestFinished(() => reader.end())
  await reader.query('begin isolation level repeatable read')
  await reader.query('select count(*) from shops')
}

test('an index that an ended run left invalid is built again', async () => {
  await database.pool.query('create table twice (n integer)')
  await database.pool.query('insert into twice values (1), (1)')
  await expect(
    database.pool.query('create unique index concurrently twice_n on twice (n)'),
  ).rejects.toThrow('could not create unique index')
  expect(await isValid('twice_n')).toBe(false)
  await run(...buildIndexes({ twice_n: 'twice (n)' }))
  expect(await isValid('twice_n')).toBe(true)
})

test('an index does not wait for ever for a transaction that does not end', async () => {
  await database.pool.query('create table numbers as select 1 as n')
  await startReader()
  await run(...buildIndexes({ numbers_n: 'numbers (n)' }, 20))
  expect(await isValid('numbers_n')).toBe(true)
})

test('columns are added once, and their rows checked afterwards', async () => {
  const add = expand(
    'shops.of_the_test',
    `alter table shops add column of_the_test integer,
       add constraint shops_of_the_test_check check (of_the_test > 0) not valid`,
  )
  const isChecked = async () => {
    const { rows } = await database.pool.query<{ convalidated: boolean }>(
      `select convalidated from pg_constraint where conname = 'shops_of_the_test_check'`,
    )
    return rows[0]?.convalidated
  }
  await run(add)
  expect(await isChecked()).toBe(false)
  await run(add, validateRows('shops'))
  expect(await isChecked()).toBe(true)
})

test('a process that waits for another one to migrate holds up none of its indexes', async () => {
  const SESSIONS = `from pg_stat_activity where datname = current_database()
    and query like '%advisory_lock%' and pid <> pg_backend_pid()`
  const count = async (sql: string) =>
    (await database.pool.query<{ n: number }>(`select count(*)::int as n ${sql}`)).rows[0]?.n
  let second: Promise<unknown> | undefined
  const migrations: Knex.MigrationSource<string> = {
    getMigrations: () => Promise.resolve(['9000_wait']),
    getMigrationName: (name) => name,
    getMigration: () =>
      Promise.resolve({
        up: async () => {
          second = migrate(database)
          await expect.poll(() => count(SESSIONS)).toBe(2)
          // `create index concurrently` waits for all that have a snapshot.
          await expect.poll(() => count(`${SESSIONS} and backend_xmin is not null`)).toBe(0)
        },
        down: () => Promise.resolve(),
      }),
  }
  expect(await migrate(database, { migrations })).toEqual(['9000_wait'])
  await second
})
