// Brings the schema up to date: our numbered migrations, then graphile-worker's own.
import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runMigrations } from 'graphile-worker'
import type { Knex } from 'knex'
import pg from 'pg'
import type { Database } from './database.ts'
import { isLockTimeout } from './faults.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)
// Any number that nothing else in the database uses: one process migrates, the others wait for it.
const MIGRATION_LOCK = 728_115_001

/**
 * A change of a table waits for the transactions that use it, and every later query of that table
 * waits behind the change. So it gives up soon, lets them pass, and tries again.
 */
const LOCK_TIMEOUT_MS = 3_000
const LOCK_ATTEMPTS = 20
const PAUSE_MS = 1_000

const source: Knex.MigrationSource<string> = {
  getMigrations: async () => {
    const names = (await readdir(fileURLToPath(FOLDER))).sort()
    if (names.length === 0) throw new Error('The migrations folder is empty.')
    const odd = names.find((name) => !/^\d{4}_[a-z0-9-]+\.ts$/.test(name))
    if (odd) throw new Error(`migrations/${odd}: a migration is named like 0001_shops.ts`)
    return names
  },
  getMigrationName: (name) => name.replace(/\.ts$/, ''),
  getMigration: (name) => import(new URL(name, FOLDER).href) as Promise<Knex.Migration>,
}

export interface MigrateOptions {
  migrations?: Knex.MigrationSource<string>
  lockTimeoutMs?: number
  pauseMs?: number
}

/**
 * Applies what is missing and gives the names applied. Several processes may call it concurrently.
 * Migrations that only a newer version knows are left as they are: during an upgrade an older
 * process may still have to restart.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  const { migrations = source, lockTimeoutMs = LOCK_TIMEOUT_MS, pauseMs = PAUSE_MS } = options
  const config: Knex.MigratorConfig = {
    migrationSource: impatient(migrations, lockTimeoutMs),
    disableMigrationsListValidation: true,
  }
  const client = await database.pool.connect()
  try {
    // No timeout here: the others wait for as long as the one that migrates needs.
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const applied = await patiently(() => applyOurs(database, config), pauseMs)
    await patiently(() => applyWorkers(database.url, lockTimeoutMs), pauseMs)
    return applied
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {})
    client.release()
  }
}

async function applyOurs({ knex }: Database, config: Knex.MigratorConfig): Promise<string[]> {
  // Knex's own lock row would outlive a process killed in mid-migration; the advisory lock does not, so it decides.
  const [, pending] = (await knex.migrate.list(config)) as [unknown[], unknown[]]
  if (pending.length > 0) await knex.migrate.forceFreeMigrationsLock(config)
  const [, applied] = (await knex.migrate.latest(config)) as [number, string[]]
  return applied
}

async function applyWorkers(url: string, lockTimeoutMs: number): Promise<void> {
  const pgPool = new pg.Pool({ connectionString: url, max: 2, options: `-c lock_timeout=${lockTimeoutMs}` })
  pgPool.on('error', () => {})
  pgPool.on('connect', (client) => client.on('error', () => {}))
  try {
    await runMigrations({ pgPool })
  } finally {
    await pgPool.end()
  }
}

/** The same migrations, each with a limit on its waiting for locks. */
function impatient(migrations: Knex.MigrationSource<string>, lockTimeoutMs: number): Knex.MigrationSource<string> {
  return {
    getMigrations: (extensions) => migrations.getMigrations(extensions),
    getMigrationName: (name) => migrations.getMigrationName(name),
    getMigration: async (name) => {
      const migration = await migrations.getMigration(name)
      return {
        ...migration,
        up: async (knex: Knex) => {
          await knex.raw(`set local lock_timeout = ${lockTimeoutMs}`)
          await migration.up(knex)
        },
      }
    },
  }
}

/** Runs `work` again while others hold the locks that it needs. What an attempt has finished stays. */
async function patiently<T>(work: () => Promise<T>, pauseMs: number): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (attempt === LOCK_ATTEMPTS)
        throw new Error(
          'The database could not be migrated: long transactions hold its tables. End them (pg_stat_activity) and try again.',
          { cause: error },
        )
      await delay(pauseMs)
    }
  }
}
