// Brings the schema up to date: our numbered migrations, then graphile-worker's own.
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runMigrations } from 'graphile-worker'
import type { Knex } from 'knex'
import type { Database } from './database.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)
// Any number that nothing else in the database uses: one process migrates, the others wait for it.
const MIGRATION_LOCK = 728_115_001

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

/** Applies what is missing and gives the names applied. Safe to call from several processes at once. */
export async function migrate(database: Database): Promise<string[]> {
  const client = await database.pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const config: Knex.MigratorConfig = { migrationSource: source }
    // Knex's own lock row would outlive a process killed in mid-migration; the advisory lock does not, so it decides.
    const [, pending] = (await database.knex.migrate.list(config)) as [unknown[], unknown[]]
    if (pending.length > 0) await database.knex.migrate.forceFreeMigrationsLock(config)
    const [, applied] = (await database.knex.migrate.latest(config)) as [number, string[]]
    await runMigrations({ pgPool: database.pool })
    return applied
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => {})
    client.release()
  }
}
