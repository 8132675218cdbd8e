// A real PostgreSQL for each test run, and a new database for each test file, cloned from a
// migrated template.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { openDatabase, type Database } from '../server/core/db/database.ts'
import { createLogger } from '../server/core/log.ts'
import { WAIT_MS } from './wait.ts'

export const TEMPLATE = 'stevedore_template'
export const silent = createLogger('error', () => {})

/**
 * Creates a database; returns its address, and `drop` for the end of the test file.
 * @param template an empty one (`template1`) for a test that migrates it
 */
export async function createTestDatabase(
  template = TEMPLATE,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await administrator().query(`create database ${name} template ${template} strategy file_copy`)
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  const drop = async () => void (await administrator().query(`drop database ${name} with (force)`))
  return { url: url.href, drop }
}

/** A database with its pools open. Closing it fails if the test left a connection open. */
export async function openTestDatabase(): Promise<Database & { drop: () => Promise<void> }> {
  const { url, drop } = await createTestDatabase()
  const database = openDatabase(url, 8, silent)
  return {
    ...database,
    drop: async () => {
      await database.close()
      await assertNoConnections(url)
      await drop()
    },
  }
}

/** Creates a shop with this domain; returns its internal number. */
export async function createTestShop(
  database: Database,
  domain = 'harbour.myshopify.com',
): Promise<number> {
  const { rows } = await database.pool.query<{ id: number }>(
    'insert into shops (domain, name, demo) values ($1, $1, true) returning id',
    [domain],
  )
  return rows[0]!.id
}

async function assertNoConnections(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  const until = Date.now() + WAIT_MS
  while (true) {
    const { rows } = await administrator().query<{ query: string }>(
      `select query from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
      [name],
    )
    if (rows.length === 0) return
    if (Date.now() > until)
      throw new Error(`The test left ${rows.length} connections open: ${rows[0]!.query}`)
    await delay(5)
  }
}

let shared: pg.Pool | undefined

/** One connection for all test files of this process; it ends with the process. */
function administrator(): pg.Pool {
  if (shared) return shared
  shared = new pg.Pool({
    connectionString: inject('postgresUrl'),
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  })
  // The server ends before the workers do.
  shared.on('error', () => {})
  return shared
}
