// Brings the schema up to date: our numbered migrations, then graphile-worker's own.
import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runMigrations } from 'graphile-worker'
import type { Knex } from 'knex'
import pg from 'pg'
import type { Database } from './database.ts'
import { isLockTimeout } from './error-classes.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)
// An advisory lock key of our own: one process migrates while the others wait.
const MIGRATION_LOCK = 728_115_001

/**
 * Changing a table waits for the transactions that use it, and every later query of that table
 * waits behind the change. So a migration gives up after a short wait, lets the queries pass, and
 * is retried.
 */
const LOCK_TIMEOUT_MS = 3_000
const LOCK_ATTEMPTS = 20
const PAUSE_MS = 1_000

const source: Knex.MigrationSource<string> = {
  getMigrations: async () => {
    const names = (await readdir(fileURLToPath(FOLDER))).sort()
    if (names.length === 0) throw new Error('The migrations folder is empty.')
    const misnamed = names.find((name) => !/^\d{4}_[a-z0-9-]+\.ts$/.test(name))
    if (misnamed) throw new Error(`migrations/${misnamed}: name it like 0001_shops-and-plans.ts`)
    return names
  },
  getMigrationName: (name) => name.replace(/\.ts$/, ''),
  getMigration: (name) => import(new URL(name, FOLDER).href) as Promise<Knex.Migration>,
}

/**
 * The migrations of this version that a database of an earlier version had. Throws if it had others
 * in addition.
 */
export async function migrationsOf(
  names: readonly string[],
): Promise<Knex.MigrationSource<string>> {
  const known = await source.getMigrations([])
  const chosen = known.filter((name) => names.includes(source.getMigrationName(name)))
  const unknown = names.filter(
    (name) => !known.some((each) => source.getMigrationName(each) === name),
  )
  if (unknown.length > 0)
    throw new Error(`A newer version is needed: this one has no migration ${unknown.join(', ')}.`)
  return { ...source, getMigrations: () => Promise.resolve(chosen) }
}

export interface MigrateOptions {
  migrations?: Knex.MigrationSource<string>
  lockTimeoutMs?: number
  pauseMs?: number
}

/**
 * Applies the missing migrations in the order of their names and returns the names applied. Several
 * processes may call it concurrently. Recorded migrations that this version does not know are
 * ignored: during an upgrade a process of the previous version may still restart.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  const { migrations = source, lockTimeoutMs = LOCK_TIMEOUT_MS, pauseMs = PAUSE_MS } = options
  const config: Knex.MigratorConfig = {
    migrationSource: withLockTimeout(migrations, lockTimeoutMs),
    disableMigrationsListValidation: true,
  }
  const client = await database.pool.connect()
  try {
    // An advisory lock, since the first migration creates the tables. No timeout: the other processes
    // wait until the one that migrates has finished.
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const applied = await retryOnLockTimeout(() => applyOurs(database, config), pauseMs)
    await retryOnLockTimeout(() => applyWorkers(database.url, lockTimeoutMs), pauseMs)
    return applied
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {})
    client.release()
  }
}

let knownNames: Promise<string[]> | null = null

/** Of this process's code: they are read once. */
function migrationNames(): Promise<string[]> {
  knownNames ??= source
    .getMigrations([])
    .then((found) => found.map((name) => source.getMigrationName(name)))
    .catch((error: unknown) => {
      knownNames = null
      throw error
    })
  return knownNames
}

/** Would `migrate` change the tables? */
export async function isMigrationPending(pool: Database['pool']): Promise<boolean> {
  const names = await migrationNames()
  const { rows } = await pool.query<{ pending: boolean }>(
    `select exists (select from unnest($1::text[]) as known (name)
       where not exists (select from knex_migrations m where m.name = known.name)) as pending`,
    [names],
  )
  return rows[0]?.pending ?? true
}

async function applyOurs({ knex }: Database, config: Knex.MigratorConfig): Promise<string[]> {
  // knex's lock row outlives a process that is killed during a migration. The advisory lock does
  // not, so it is the one that counts.
  const [, pending] = (await knex.migrate.list(config)) as [unknown[], unknown[]]
  if (pending.length > 0) await knex.migrate.forceFreeMigrationsLock(config)
  const [, applied] = (await knex.migrate.latest(config)) as [number, string[]]
  return applied
}

async function applyWorkers(url: string, lockTimeoutMs: number): Promise<void> {
  const options = `-c lock_timeout=${lockTimeoutMs}`
  const pgPool = new pg.Pool({ connectionString: url, max: 2, options })
  pgPool.on('error', () => {})
  pgPool.on('connect', (client) => client.on('error', () => {}))
  try {
    await runMigrations({ pgPool })
  } finally {
    await pgPool.end()
  }
}

/** The same migrations, each with a limit on its waiting for locks, and its name in its errors. */
function withLockTimeout(
  migrations: Knex.MigrationSource<string>,
  lockTimeoutMs: number,
): Knex.MigrationSource<string> {
  return {
    getMigrations: (extensions) => migrations.getMigrations(extensions),
    getMigrationName: (name) => migrations.getMigrationName(name),
    getMigration: async (name) => {
      const migration = await migrations.getMigration(name)
      return {
        ...migration,
        up: async (knex: Knex) => {
          await knex.raw(`set local lock_timeout = ${lockTimeoutMs}`)
          await withName(migrations.getMigrationName(name), () => migration.up(knex))
        },
      }
    },
  }
}

/** Names the migration in its error; a lock timeout stays as it is, because it is retried. */
async function withName(name: string, work: () => PromiseLike<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (isLockTimeout(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The database could not be migrated: migrations/${name}.ts: ${reason}`, {
      cause: error,
    })
  }
}

/** Repeats `work` while others hold the locks that it needs. Migrations already applied stay. */
async function retryOnLockTimeout<T>(work: () => Promise<T>, pauseMs: number): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (attempt === LOCK_ATTEMPTS)
        throw new Error(
          'The database could not be migrated: long transactions hold its tables. ' +
            'End them (see pg_stat_activity) and try again.',
          { cause: error },
        )
      await delay(pauseMs)
    }
  }
}
