// Brings the schema up to date: our numbered migrations, then graphile-worker's own.
import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runMigrations } from 'graphile-worker'
import type { Knex } from 'knex'
import pg from 'pg'
import type { Database } from './database.ts'
import { present } from '../lazy.ts'
import { isDenied, isLockRefused } from './error-classes.ts'
import { writeFirstStatistics } from './first-statistics.ts'
import { yieldToOthers } from './migration-steps.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)
// An advisory lock key of our own: one process migrates while the others wait.
const MIGRATION_LOCK = 728_115_001

/**
 * Changing a table waits for the transactions that use it, and every later query of that table
 * waits behind the change. So a migration gives up after a short wait, lets the queries pass, and
 * is retried. Shorter than PostgreSQL's deadlock_timeout (1 s): after that time PostgreSQL would end
 * a request that waits for the migration's locks while the migration waits for the request's.
 */
const LOCK_TIMEOUT_MS = 900
const LOCK_ATTEMPTS = 40
const PAUSE_MS = 1_000
/** How often a process asks whether another one still migrates. */
const ASK_AGAIN_MS = 100

const source: Knex.MigrationSource<string> = {
  getMigrations: async () => {
    const names = (await readdir(fileURLToPath(FOLDER))).sort()
    if (names.length === 0) throw new Error('The migrations folder is empty.')
    const misnamed = names.find((name) => !/^\d{4}_[a-z0-9-]+\.ts$/.test(name))
    if (misnamed) throw new Error(`migrations/${misnamed}: name it like 0001_shops.ts`)
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

/** A module of `migrations/`. */
export interface MigrationModule extends Knex.Migration {
  /** @param progress is called with the parts that are done, of all, if it works in parts */
  up(knex: Knex, progress?: (done: number, of: number) => void): PromiseLike<unknown>
  /** What going back loses, as a sentence. Absent: it cannot be undone. */
  undo?: string
}

export interface MigrateOptions {
  migrations?: Knex.MigrationSource<string>
  lockTimeoutMs?: number
  pauseMs?: number
  /** Called by migrations that work in parts. */
  onProgress?: (migration: string, done: number, of: number) => void
}

/**
 * Applies the missing migrations in the order of their names and returns the names applied. Several
 * processes may call it concurrently. Recorded migrations that this version does not know are
 * ignored: during an upgrade a process of the previous version may still restart.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  const { migrations = source, lockTimeoutMs = LOCK_TIMEOUT_MS, pauseMs = PAUSE_MS } = options
  const config: Knex.MigratorConfig = {
    migrationSource: withLockTimeout(migrations, lockTimeoutMs, options.onProgress),
    disableMigrationsListValidation: true,
  }
  const client = await database.pool.connect()
  try {
    await lockMigrations(client)
    const applied = await retryOnRefusedLock(() => applyOurs(database, config), pauseMs)
    await retryOnRefusedLock(() => applyWorkers(database.url, lockTimeoutMs), pauseMs)
    await writeFirstStatistics(database.pool)
    return applied
  } catch (error) {
    throw isDenied(error) ? notOwner(error as Error) : error
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {})
    client.release()
  }
}

const notOwner = (cause: Error) =>
  new Error(
    `${cause.message}: the user of the database may not create tables and extensions. Make it the owner: alter database … owner to …`,
    { cause },
  )

/**
 * An advisory lock, since the first migration creates the tables. Waits without a timeout until the
 * process that migrates has finished, and asks again and again: a statement that waits is a
 * transaction which `create index concurrently` waits for.
 */
async function lockMigrations(client: pg.PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ got: boolean }>(
      'select pg_try_advisory_lock($1) as got',
      [MIGRATION_LOCK],
    )
    if (rows[0]?.got) return
    await delay(ASK_AGAIN_MS)
  }
}

/** A migration that is undone, and what that loses. */
export interface UndoneMigration {
  name: string
  loses: string
}

/**
 * The applied migrations after this number (`0031`), the last one first. Throws if one of them cannot
 * be undone, or is of another version.
 */
export async function migrationsAfter(
  { knex }: Pick<Database, 'knex'>,
  number: string,
  migrations: Knex.MigrationSource<string> = source,
): Promise<UndoneMigration[]> {
  if (!/^\d{4}$/.test(number))
    throw new Error(`${number} is not the number of a migration: send four digits, like 0031`)
  const known = await migrations.getMigrations([])
  const rows = await knex<{ name: string }>('knex_migrations')
    .select('name')
    .orderBy('name', 'desc')
  const after = rows.filter(({ name }) => name.slice(0, number.length) > number)
  return Promise.all(
    after.map(async ({ name }) => {
      const own = known.find((each) => migrations.getMigrationName(each) === name)
      if (own === undefined)
        throw new Error(
          `${name} is of a newer version: use that version to undo it. Nothing was undone.`,
        )
      const { undo }: MigrationModule = await migrations.getMigration(own)
      if (undo === undefined)
        throw new Error(
          `${name} cannot be undone: restore the backup from before the upgrade. Nothing was undone.`,
        )
      return { name, loses: undo }
    }),
  )
}

/**
 * Undoes the migrations after this number, each in a separate transaction, and returns them. No
 * process of this version may start meanwhile: it would apply them again.
 */
export async function migrateDown(
  database: Database,
  number: string,
  { migrations = source, lockTimeoutMs = LOCK_TIMEOUT_MS, pauseMs = PAUSE_MS }: MigrateOptions = {},
): Promise<UndoneMigration[]> {
  const client = await database.pool.connect()
  try {
    // The advisory lock of migrate(): both change the schema, and undoing may drop every table.
    await lockMigrations(client)
    const undone = await migrationsAfter(database, number, migrations)
    const known = await migrations.getMigrations([])
    for (const { name } of undone) {
      const own = present(
        known.find((each) => migrations.getMigrationName(each) === name),
        name,
      )
      const { down } = await migrations.getMigration(own)
      await retryOnRefusedLock(
        () =>
          database.knex.transaction(async (tx) => {
            await yieldToOthers(tx, lockTimeoutMs)
            await withName(name, () => present(down, `The down of ${name}`)(tx))
            await tx('knex_migrations').where({ name }).delete()
          }),
        pauseMs,
      )
    }
    return undone
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {})
    client.release()
  }
}

let knownNames: Promise<string[]> | null = null

/** The migrations of this process's code, which are read once. */
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

/** The schema of the first release replaced migrations of the same numbers with other names. */
const OF_FIRST_RELEASE = 7

async function refuseUnreleased({ knex }: Database): Promise<void> {
  if (!(await knex.schema.hasTable('knex_migrations'))) return
  const known = await migrationNames()
  const rows = await knex<{ name: string }>('knex_migrations').select('name')
  const other = rows.find(
    ({ name }) => Number(name.slice(0, 4)) <= OF_FIRST_RELEASE && !known.includes(name),
  )
  if (other)
    throw new Error(
      `The database is of a version before the first release (migration ${other.name}), which has no upgrade: ` +
        'delete the data folder, or set DATABASE_URL to an empty database.',
    )
}

async function applyOurs(database: Database, config: Knex.MigratorConfig): Promise<string[]> {
  const { knex } = database
  await refuseUnreleased(database)
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
  onProgress: MigrateOptions['onProgress'],
): Knex.MigrationSource<string> {
  return {
    getMigrations: (extensions) => migrations.getMigrations(extensions),
    getMigrationName: (name) => migrations.getMigrationName(name),
    getMigration: async (name) => {
      const migration: MigrationModule = await migrations.getMigration(name)
      const title = migrations.getMigrationName(name)
      return {
        ...migration,
        up: async (knex: Knex) => {
          // Without a transaction a migration sets it for each of its parts.
          if (knex.isTransaction) await yieldToOthers(knex, lockTimeoutMs)
          await withName(title, () =>
            migration.up(knex, (done, of) => onProgress?.(title, done, of)),
          )
        },
      }
    },
  }
}

/** Names the migration in its error; a lock that was refused stays as it is, because it is retried. */
async function withName(name: string, work: () => PromiseLike<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (isLockRefused(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The database could not be migrated: migrations/${name}.ts: ${reason}`, {
      cause: error,
    })
  }
}

/** Repeats `work` while others hold the locks that it needs. Migrations already applied stay. */
async function retryOnRefusedLock<T>(work: () => Promise<T>, pauseMs: number): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isLockRefused(error)) throw error
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
