// Opens the database at start-up: the one of DATABASE_URL, or the embedded one; checks its version
// and migrates it.
import { ConfigError } from '../config-error.ts'
import type { Environment } from '../environment.ts'
import { openDatabase, requireServerVersion, type Database } from '../db/database.ts'
import { findRunning, startEmbedded } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import type { Logger } from '../log.ts'
import { createSecrets, ensureSecret, type Secrets } from '../secrets.ts'
import { warnOfOtherSecret } from './secret-check.ts'

/** Connections of each pool: each of a worker's 57 places may use one. */
const CONNECTIONS = 60

export interface OpenedDatabase {
  database: Database
  secrets: Secrets
  close(): Promise<void>
}

/** Throws `ConfigError` if DATABASE_URL cannot be used. */
export async function openForStart(environment: Environment, log: Logger): Promise<OpenedDatabase> {
  const secret = environment.secret ?? (await ensureSecret(environment.dataDir))
  const embedded = environment.databaseUrl ? null : await startEmbedded(environment.dataDir, log)
  const database = openDatabase(embedded?.url ?? environment.databaseUrl!, CONNECTIONS, log)
  const secrets = createSecrets(secret)
  const close = async () => {
    await database.close()
    await embedded?.stop()
  }
  try {
    await requireServerVersion(database).catch((error: unknown) => {
      throw embedded ? error : unusable(error)
    })
    const applied = await migrate(database)
    if (applied.length > 0) log.info('migrated the database', { migrations: applied.join(', ') })
    await warnOfOtherSecret(database, secrets, log)
  } catch (error) {
    await close()
    throw error
  }
  return { database, secrets, close }
}

const unusable = (error: unknown) =>
  new ConfigError([`DATABASE_URL: ${error instanceof Error ? error.message : String(error)}`])

/**
 * For a command that may run beside a server: that server's embedded database, or one that is
 * started for the command.
 */
export async function openForCommand(
  environment: Environment,
  log: Logger,
): Promise<OpenedDatabase> {
  const url = environment.databaseUrl ?? (await findRunning(environment.dataDir))
  if (!url) return openForStart(environment, log)
  const secret = environment.secret ?? (await ensureSecret(environment.dataDir))
  const database = openDatabase(url, 2, log)
  return { database, secrets: createSecrets(secret), close: () => database.close() }
}
