// A real PostgreSQL for each test run, and a new database for each test file, cloned from a
// migrated template.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { openDatabase, type Database } from '../server/db/database.ts'
import { createLogger } from '../server/log.ts'

export const TEMPLATE = 'stevedore_template'
export const silent = createLogger('error', () => {})

/** Creates a database; returns its address, and `drop` for the end of the test file. */
export async function createTestDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = inject('postgresUrl')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(server, `create database ${name} template ${TEMPLATE} strategy file_copy`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => onServer(server, `drop database ${name} with (force)`) }
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
  const client = new pg.Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  try {
    const until = Date.now() + 2000
    while (true) {
      const { rows } = await client.query<{ query: string }>(
        `select query from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
        [name],
      )
      if (rows.length === 0) return
      if (Date.now() > until)
        throw new Error(`The test left ${rows.length} connections open: ${rows[0]!.query}`)
    }
  } finally {
    await client.end()
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
