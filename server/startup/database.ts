// Opens the database at start-up: the one of DATABASE_URL, or the embedded one; checks its version
// and migrates it.
import { ConfigError } from '../core/config-error.ts'
import type { Environment } from '../core/configuration/environment.ts'
import { keepSettings, openDatabase, requireServer, type Database } from '../core/db/database.ts'
import { findRunning, startEmbedded } from '../core/db/embedded.ts'
import { migrate } from '../core/db/migrate.ts'
import { reasonOf } from '../core/db/error-classes.ts'
import { refuseUnnamedPooler } from '../core/db/pooler-check.ts'
import type { Logger } from '../core/log.ts'
import { openSecrets } from '../core/db/server-keys.ts'
import { ensureSecret, type Secrets } from '../core/secrets.ts'
import { warnOfOtherClock, watchClock } from './clock-check.ts'
import { POOLER_REFUSAL, whenReachable, type DatabaseWait } from './database-wait.ts'
import { warnOfOtherSecret } from './secret-check.ts'
import { present } from '../core/present.ts'

export interface OpenedDatabase {
  database: Database
  secrets: Secrets
  close(): Promise<void>
}

/**
 * Opens the database of a server. Waits for one that cannot be reached yet. Throws `ConfigError` if
 * DATABASE_URL cannot be used.
 */
export async function openForStart(
  environment: Environment,
  log: Logger,
  waiting: Pick<DatabaseWait, 'signal' | 'onWait'> = {},
): Promise<OpenedDatabase> {
  const secret = environment.secret ?? (await ensureSecret(environment.dataDir))
  const embedded = environment.databaseUrl ? null : await startEmbedded(environment.dataDir, log)
  const { connections, databaseDirectUrl: directUrl, roles } = environment
  // Each of a worker's 57 places may use one of a pool.
  const database = openDatabase(
    present(embedded?.url ?? environment.databaseUrl, 'The address of the database'),
    Math.ceil(connections / 2),
    log,
    { directUrl: embedded ? null : directUrl, name: `stevedore ${roles.join('+')}` },
  )
  const isPooled = database.directUrl !== database.url
  // Migrations lock, and set the time that they wait for locks.
  const migrated = isPooled ? openDatabase(database.directUrl, 2, log) : database
  const unwatch = watchClock(database, log)
  const close = async () => {
    unwatch()
    await database.close()
    await embedded?.stop()
  }
  try {
    const forMs = embedded ? 0 : environment.databaseWaitSeconds * 1000
    const reach = (one: Database, setting: string) =>
      whenReachable(() => requireServer(one), {
        forMs,
        log,
        ...waiting,
        ...(embedded ? {} : { failure: unusable(setting) }),
      })
    await reach(database, 'DATABASE_URL')
    if (isPooled) await reach(migrated, 'DATABASE_DIRECT_URL')
    else if (!embedded) await refuseUnnamedPooler(database)
    if (!embedded) await warnOfOtherClock(database, log)
    const applied = await migrate(migrated, {
      onProgress: (migration, done, of) => log.info('migrating', { migration, done, of }),
    })
    if (isPooled) await keepSettings(database)
    if (applied.length > 0) log.info('migrated the database', { migrations: applied.join(', ') })
    const secrets = await openSecrets(database.pool, secret, environment.previousSecrets)
    await warnOfOtherSecret(database, secrets, log)
    return { database, secrets, close }
  } catch (error) {
    await close()
    throw error
  } finally {
    if (isPooled) await migrated.close()
  }
}

/** What to change, for reasons of which the drivers say only what they noticed. */
const ADVICE: readonly [RegExp, string][] = [
  [/client password must be a string/, 'it has no password, and the server asks for one'],
  [POOLER_REFUSAL, 'it leads to a pooler: set DATABASE_DIRECT_URL too, to the server itself'],
  [
    /certificate|does not support SSL/i,
    'see “The database” in docs/operators.md about sslmode and sslrootcert',
  ],
  [/ECONNREFUSED/, 'no server listens there: start it, or correct host and port'],
  [/ENOTFOUND|EAI_AGAIN/, 'no host has this name'],
  [/database ".*" does not exist/, 'create it, or correct the name'],
  [/password authentication failed/, 'correct the user or the password'],
]

const unusable = (setting: string) => (error: unknown) => {
  const reason = reasonOf(error)
  const advice = ADVICE.flatMap(([words, text]) => (words.test(reason) ? [`: ${text}`] : []))
  return new ConfigError([`${setting}: ${reason}${advice.join('')}`])
}

/** Opens the database without migrating it, for commands that fill an empty one, or migrate. */
export async function openEmpty(
  environment: Environment,
  log: Logger,
): Promise<Omit<OpenedDatabase, 'secrets'>> {
  const { dataDir, databaseDirectUrl: directUrl } = environment
  const known = environment.databaseUrl ?? (await findRunning(dataDir))
  const embedded = known ? null : await startEmbedded(dataDir, log)
  const url = known ?? embedded?.url
  if (url === undefined) throw new Error('The embedded database has no address.')
  const database = openDatabase(url, 4, log, { directUrl: embedded ? null : directUrl })
  const close = async () => {
    await database.close()
    await embedded?.stop()
  }
  try {
    await requireServer(database)
    return { database, close }
  } catch (error) {
    await close()
    throw error
  }
}

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
  const { databaseDirectUrl: directUrl } = environment
  const database = openDatabase(url, 2, log, { directUrl })
  try {
    const secrets = await openSecrets(database.pool, secret, environment.previousSecrets)
    return { database, secrets, close: () => database.close() }
  } catch (error) {
    await database.close()
    throw error
  }
}
