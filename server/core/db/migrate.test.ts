import { readdir } from 'node:fs/promises'
import type { Knex } from 'knex'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { openTestDatabase } from '../../../test/database.ts'
import { migrate, migrateDown, migrationsAfter, migrationsOf } from './migrate.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.drop())

const LATER = '9999_of-a-newer-version'
const names = async () =>
  (await database.pool.query<{ name: string }>('select name from knex_migrations')).rows

test('a database migrated by a newer version is accepted unchanged', async () => {
  await database.pool.query(
    `insert into knex_migrations (name, batch, migration_time) values ($1, 99, now())`,
    [LATER],
  )
  expect(await migrate(database)).toEqual([])
  expect(await names()).toContainEqual({ name: LATER })
})

/** A migration that changes a table. `attempt` is called before each attempt, with its number. */
function changing(
  table: string,
  attempt: (number: number, knex: Knex) => Promise<unknown>,
): Knex.MigrationSource<string> {
  let attempts = 0
  return {
    getMigrations: () => Promise.resolve([`9000_change-${table}`]),
    getMigrationName: (name) => name,
    getMigration: () =>
      Promise.resolve({
        up: async (knex: Knex) => {
          await attempt(++attempts, knex)
          await knex.raw(`alter table ${table} add column of_the_test integer`)
        },
        down: () => Promise.resolve(),
      }),
  }
}

test('a migration does not block queries while it waits: it gives up and retries', async () => {
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select count(*) from shops')
    let last = 0
    const migrations = changing('shops', async (attempt) => {
      last = attempt
      // Releases the table only after the first attempt has failed.
      if (attempt === 2) await holder.query('commit')
    })
    expect(await migrate(database, { migrations, lockTimeoutMs: 50, pauseMs: 0 })).toEqual([
      '9000_change-shops',
    ])
    expect(last).toBe(2)
  } finally {
    await holder.end()
  }
})

soakTest('a migration that waits for a transaction that waits for it is retried', async () => {
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  try {
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
    const waits = async () => {
      const about = 'select wait_event_type from pg_stat_activity where pid = $1'
      const found = await database.pool.query<{ wait_event_type: string }>(about, [rows[0]!.pid])
      return found.rows[0]?.wait_event_type
    }
    await holder.query('begin')
    await holder.query('select count(*) from mappings')
    let last = 0
    let released: Promise<unknown> = Promise.resolve()
    const migrations = changing('mappings', async (attempt, knex) => {
      last = attempt
      await knex.raw('lock table packs')
      if (attempt > 1) return
      // Without a fault: PostgreSQL ends the migration's transaction, not this one.
      released = holder.query('select count(*) from packs').then(() => holder.query('commit'))
      await expect.poll(waits, { interval: 10 }).toBe('Lock')
    })
    const options = { migrations, lockTimeoutMs: 60_000, pauseMs: 0 }
    expect(await migrate(database, options)).toEqual(['9000_change-mappings'])
    await released
    expect(last).toBe(2)
  } finally {
    await holder.end()
  }
})

soakTest(
  'by default a migration waits for locks shorter than PostgreSQL looks for deadlocks',
  async () => {
    const seen: string[] = []
    const migrations = changing('files', async (_, knex) => {
      const { rows } = await knex.raw<{ rows: { lock_timeout: string }[] }>('show lock_timeout')
      seen.push(rows[0]!.lock_timeout)
    })
    await migrate(database, { migrations })
    expect(seen).toEqual(['900ms'])
  },
)

soakTest('locks that are never released are named, and nothing is changed', async () => {
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select count(*) from links')
    const migrations = changing('links', () => Promise.resolve())
    await expect(migrate(database, { migrations, lockTimeoutMs: 1, pauseMs: 0 })).rejects.toThrow(
      'long transactions hold its tables',
    )
    expect(await names()).not.toContainEqual({ name: '9000_change-links' })
  } finally {
    await holder.end()
  }
})

test('a migration that fails is named, and nothing is changed', async () => {
  const migrations = changing('orders', (_, knex) => knex.raw('create table shops (id integer)'))
  await expect(migrate(database, { migrations })).rejects.toThrow(
    /^The database could not be migrated: migrations\/9000_change-orders\.ts: .*"shops" already exists/,
  )
  expect(await names()).not.toContainEqual({ name: '9000_change-orders' })
})

test('no number of a migration is missing', async () => {
  const present = (await readdir(new URL('../../../migrations/', import.meta.url))).sort()
  const numbers = present.map((_, at) => String(at + 1).padStart(4, '0'))
  expect(present.map((name) => name.slice(0, 4))).toEqual(numbers)
})

const LATER_ONES = ['8001_first-wishes', '8002_second-wishes'] as const

/** Those of this version, and two that can be undone. */
async function withLaterOnes(): Promise<Knex.MigrationSource<string>> {
  const own = (await names()).map(({ name }) => name).filter((name) => name < '8')
  const source = await migrationsOf(own)
  const isLater = (name: string) => LATER_ONES.some((later) => later === name)
  const tableOf = (name: string) => name.slice('8001_'.length).replace('-', '_')
  return {
    getMigrations: async (loaded) => [...(await source.getMigrations(loaded)), ...LATER_ONES],
    getMigrationName: (name) => (isLater(name) ? name : source.getMigrationName(name)),
    getMigration: async (name) =>
      isLater(name)
        ? {
            up: (knex: Knex) => knex.raw(`create table ${tableOf(name)} (id integer)`),
            down: (knex: Knex) => knex.raw(`drop table ${tableOf(name)}`),
            undo: 'All wishes.',
          }
        : source.getMigration(name),
  }
}

test('migrations that state what going back loses are undone, last first, and applied again', async () => {
  await database.pool.query(`delete from knex_migrations where name >= '9'`)
  const migrations = await withLaterOnes()
  expect(await migrate(database, { migrations })).toEqual(LATER_ONES)
  const undone = LATER_ONES.toReversed().map((name) => ({ name, loses: 'All wishes.' }))
  expect(await migrationsAfter(database, '0007', migrations)).toEqual(undone)
  await database.pool.query('select 1 from second_wishes')
  expect(await migrateDown(database, '0007', { migrations })).toEqual(undone)
  expect((await names()).filter(({ name }) => name > '8')).toEqual([])
  await expect(database.pool.query('select 1 from first_wishes')).rejects.toThrow('does not exist')
  expect(await migrate(database, { migrations })).toEqual(LATER_ONES)
  expect(await migrateDown(database, '8001', { migrations })).toEqual(undone.slice(0, 1))
  expect(await migrateDown(database, '8001', { migrations })).toEqual([])
  await migrateDown(database, '0007', { migrations })
})

test('a migration that cannot be undone, or is of a newer version, stops all', async () => {
  await expect(migrateDown(database, '0001')).rejects.toThrow(
    /cannot be undone: restore the backup .* Nothing was undone/,
  )
  await expect(migrateDown(database, 'latest')).rejects.toThrow('four digits')
  await database.pool.query(
    `insert into knex_migrations (name, batch, migration_time) values ($1, 99, now())`,
    [LATER],
  )
  await expect(migrateDown(database, '0007')).rejects.toThrow('is of a newer version')
  expect(await names()).toContainEqual({ name: LATER })
  await database.pool.query('select 1 from file_counts')
})

test('a database from before the first release is refused, with what to do', async () => {
  await database.pool.query(`update knex_migrations set name = '0001_shops-and-plans'
    where name = '0001_shops'`)
  onTestFinished(
    async () =>
      void (await database.pool.query(`update knex_migrations set name = '0001_shops'
        where name = '0001_shops-and-plans'`)),
  )
  await expect(migrate(database)).rejects.toThrow(
    /is of a version before the first release.*delete the data folder/,
  )
})
