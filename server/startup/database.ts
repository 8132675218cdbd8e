// Opens the database at start-up: the one of DATABASE_URL, or the embedded one; checks its version
// and migrates it.
import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError } from '../core/config-error.ts'
import type { Environment } from '../core/configuration/environment.ts'
import { keepSettings, openDatabase, requireServer, type Database } from '../core/db/database.ts'
import { findRunning, startEmbedded } from '../core/db/embedded.ts'
import { migrate } from '../core/db/migrate.ts'
import { reasonOf, isDatabaseUnavailable } from '../core/db/error-classes.ts'
import { refuseUnnamedPooler } from '../core/db/pooler-check.ts'
import type { Logger } from '../core/log.ts'
import { openSecrets, isSecretOf } from '../core/db/server-keys.ts'
import { ensureSecret, type Secrets, hashKey } from '../core/secrets.ts'
import { present, firstOf } from '../core/lazy.ts'

// Finds a process that was started with another secret than the one that the database was used
// with: it would write addresses of links and sealed values that the other processes cannot use.

interface LinkRow {
  id: string
  rotation: number
  key_hash: Buffer
}

/** Looks at one link, in any order: the table may be large, and most have one secret. */
const ANY_LINK = 'select id, rotation, key_hash from links limit 1'

export async function warnOfOtherSecret(
  { pool }: Database,
  secrets: Secrets,
  log: Logger,
): Promise<void> {
  if (!(await isSecretOf(pool, secrets)))
    log.error(
      'this database was used with another APP_SECRET: API keys, tokens and everything sealed in it ' +
        'cannot be read. Set that one, or add it to APP_SECRET_PREVIOUS',
    )
  const { rows } = await pool.query<LinkRow>(ANY_LINK)
  const [link] = rows
  if (
    !link ||
    hashKey(secrets.linkKey(link.id, link.rotation, link.key_hash)).equals(link.key_hash)
  )
    return
  log.warn(
    'this database has links that were made with another APP_SECRET, whose addresses cannot be ' +
      'shown; if you did not change it, set the same APP_SECRET on every machine',
  )
}

// Waits at the start for a database that cannot be reached yet: it may start at the same time, or
// its network may be late.

interface DatabaseWait {
  /** How long; 0: the first failure counts. */
  forMs: number
  log: Logger
  /** Ends the wait. */
  signal?: AbortSignal
  /** Called before the first wait. What it throws is not a failure of the database. */
  onWait?: () => Promise<void>
  /** What to throw for an error of the database; absent: the error. */
  failure?: (error: unknown) => unknown
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000
/** A host whose name or network is not there yet, or the socket of a server on this machine. */
const NOT_FOUND = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT'])

/**
 * Repeats `connect` until it succeeds. Throws the last error when the time is over, and other errors,
 * like a wrong password, immediately.
 */
export async function whenReachable(
  connect: () => Promise<void>,
  { forMs, log, signal, onWait, failure = (error) => error }: DatabaseWait,
): Promise<void> {
  const until = performance.now() + forMs
  for (let tries = 0; ; tries++) {
    try {
      return await connect()
    } catch (error) {
      const leftMs = until - performance.now()
      if (leftMs <= 0 || !mayComeLater(error)) throw failure(error)
      if (tries === 0) await onWait?.()
      log.warn('waiting for the database', {
        reason: reasonOf(error),
        left_seconds: Math.ceil(leftMs / 1000),
      })
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS, leftMs)
      await delay(pause, undefined, signal ? { signal } : {})
    }
  }
}

const codeOf = (error: unknown) => (error as { code?: unknown }).code
/** A pooler that refuses our settings does so each time; its code is that of a lost connection. */
const POOLER_REFUSAL = /unsupported startup parameter/
const mayComeLater = (error: unknown) => {
  if (POOLER_REFUSAL.test(reasonOf(error))) return false
  // A file that the address names is not the socket of a server.
  const isFile = (error as { syscall?: unknown }).syscall === 'open'
  return isDatabaseUnavailable(error) || (NOT_FOUND.has(String(codeOf(error))) && !isFile)
}

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

// Compares this machine's clock with the database's: with a wrong one the platform's sign-ins and
// signed addresses are refused, and links end at another time than they show.

/** The platform's sign-ins are accepted with this difference. */
const ALLOWED_MS = 10_000
const LOOK_MS = 60_000
/** The database's clock may be set too: it is compared again after so many looks. */
const LOOKS = 60

export async function warnOfOtherClock(
  { pool }: Pick<Database, 'pool'>,
  log: Logger,
  now = Date.now,
): Promise<void> {
  const before = now()
  const { rows } = await pool.query<{ ms: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
  )
  const after = now()
  const { ms } = firstOf(rows)
  // The answer may have been on its way for all of this time.
  const differsMs = ms > after ? ms - after : Math.min(0, ms - before)
  if (Math.abs(differsMs) < ALLOWED_MS) return
  log.warn(
    'the clock of this machine is not the database’s: set both by NTP. Sign-ins and signed ' +
      'addresses are refused with a wrong clock',
    { differs_seconds: Math.round(differsMs / 1000) },
  )
}

/**
 * Warns when the clock of this machine is set while the process runs, and each hour as long as it is
 * not the database's. Call the result to stop.
 */
export function watchClock(
  database: Pick<Database, 'pool'>,
  log: Logger,
  { now = Date.now, elapsed = () => performance.now() } = {},
): () => void {
  let ahead = now() - elapsed()
  let looks = 0
  const look = () => {
    const before = ahead
    ahead = now() - elapsed()
    const wasSet = Math.abs(ahead - before) >= ALLOWED_MS
    if (wasSet)
      log.warn('the clock of this machine was set while the process ran', {
        by_seconds: Math.round((ahead - before) / 1000),
      })
    looks = (looks + 1) % LOOKS
    // A database that cannot be reached is reported by what needs it.
    if (wasSet || looks === 0) warnOfOtherClock(database, log, now).catch(() => {})
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return () => clearInterval(timer)
}
