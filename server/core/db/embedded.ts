// The embedded PostgreSQL: created in the data folder, restarted when it stops, and stopped with
// this process. It runs in its own process group, so that Ctrl-C reaches this process first. A
// server left by a killed run is reused.
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '../log.ts'
import { clusterOf, isCluster, openPlace, type EmbeddedPlace } from './embedded-place.ts'
import { clearStalePid, runningPort } from './embedded-process.ts'
import { firstOf } from '../lazy.ts'

const START_TIMEOUT_SECONDS = 60
const WATCH_MS = 1000
// An operator may restart it by hand, so it is started only after this many failed checks.
const ABSENT_CHECKS = 3
/** Exported for a test that looks for a killed owner's lock. */
export const OWNER_LOCK = 728_115_002
// A killed owner's connection may take a moment to be noticed.
const OWNER_WAIT_MS = 5_000

export interface EmbeddedServer {
  url: string
  stop(): Promise<void>
}

/**
 * The server already running on this data folder, for a command that runs alongside it; null: none.
 */
export async function findRunning(dataDir: string): Promise<string | null> {
  const home = path.resolve(dataDir, 'postgres')
  const port = await runningPort(await clusterOf(home))
  return port === null ? null : address(await ensurePassword(home), port)
}

const address = (password: string, port: number) =>
  `postgres://stevedore:${password}@127.0.0.1:${port}/postgres`

/**
 * Starts PostgreSQL in `<dataDir>/postgres`, or reuses the one that runs there.
 * Throws when another Stevedore uses the same folder.
 * @param sockets a folder in which it also listens on a Unix socket.
 */
export async function startEmbedded(
  dataDir: string,
  log: Logger,
  { sockets = '' } = {},
): Promise<EmbeddedServer> {
  const home = path.resolve(dataDir, 'postgres')
  await mkdir(home, { recursive: true })
  const place = await openPlace(home, log)
  const { cluster, programs, runner } = place
  const password = await ensurePassword(home)
  if (!(await isCluster(cluster))) await initialise(place, password)
  await place.keep()

  const port = (await runningPort(cluster)) ?? (await startCluster(place, sockets))
  const url = address(password, port)
  let stopping = false
  const ownership = await keepOwnership(url, log, () => stopping)
  let starting: Promise<unknown> = Promise.resolve()
  let absent = 0
  const watch = setInterval(() => {
    starting = starting.then(async () => {
      if (stopping) return
      absent = (await runningPort(cluster)) === null ? absent + 1 : 0
      if (absent < ABSENT_CHECKS) return
      absent = 0
      log.warn('the embedded PostgreSQL ended, starting it again')
      try {
        await startCluster(place, sockets, port)
      } catch (error) {
        log.error('the embedded PostgreSQL did not start', { error: String(error) })
      }
    })
  }, WATCH_MS)

  return {
    url,
    stop: async () => {
      stopping = true
      clearInterval(watch)
      await starting
      await ownership.end()
      await runner
        .exec(programs.pg_ctl, ['-D', cluster, '-m', 'fast', '-w', 'stop'])
        .catch(() => {})
    },
  }
}

async function ensurePassword(home: string): Promise<string> {
  const file = path.join(home, 'password')
  if (await exists(file)) return (await readFile(file, 'utf8')).trim()
  const password = randomBytes(24).toString('hex')
  await writeFile(file, password + '\n', { mode: 0o600 })
  return password
}

async function initialise({ folder, cluster, programs, runner }: EmbeddedPlace, password: string) {
  // Created under a temporary name, so that an interrupted run leaves nothing that looks complete.
  const fresh = `${cluster}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  await runner.own(fresh)
  const secret = path.join(folder, 'initial-password')
  await writeFile(secret, password + '\n', { mode: 0o600 })
  await runner.own(secret)
  await runner.exec(programs.initdb, [
    `--pgdata=${fresh}`,
    '--username=stevedore',
    `--pwfile=${secret}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // PostgreSQL's own locale, so that sorting and case do not depend on the machine's locales.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ])
  await rm(secret)
  await rename(fresh, cluster)
}

async function startCluster(
  { folder, cluster, programs, runner }: EmbeddedPlace,
  sockets: string,
  samePort?: number,
) {
  await clearStalePid(cluster)
  const logFile = path.join(folder, 'server.log')
  const until = Date.now() + START_TIMEOUT_SECONDS * 1000
  while (true) {
    const port = samePort ?? (await freePort())
    const options = [
      `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='${sockets}'`,
      '-c max_connections=200 -c jit=off',
    ].join(' ')
    const args = [
      '-D',
      cluster,
      '-w',
      '-t',
      String(START_TIMEOUT_SECONDS),
      '-l',
      logFile,
      '-o',
      options,
      'start',
    ]
    try {
      await writeFile(logFile, '')
      await runner.own(logFile)
      await runner.exec(programs.pg_ctl, args)
      return port
    } catch (error) {
      const output = await readFile(logFile, 'utf8').catch(() => '')
      // Backends of a killed server hold its shared memory for some seconds, and the free port may
      // be taken by now.
      const passing =
        /pre-existing shared memory block|lock file .* already exists|Address already in use/.test(
          output,
        )
      if (!passing || Date.now() > until)
        throw new Error(`The embedded PostgreSQL did not start:\n${output}`, { cause: error })
      await delay(500)
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) =>
    probe.once('error', reject).listen(0, '127.0.0.1', resolve),
  )
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** Takes the lock again whenever its connection ends: a restarted server has no locks. */
async function keepOwnership(
  url: string,
  log: Logger,
  isStopping: () => boolean,
): Promise<{ end(): Promise<void> }> {
  let owner = await takeOwnership(url)
  let logged = false
  const keep = () => owner.once('end', () => void retakeOwnership())
  const retakeOwnership = async (): Promise<void> => {
    while (!isStopping()) {
      try {
        owner = await takeOwnership(url)
        logged = false
        if (isStopping()) return void owner.end().catch(() => {})
        return void keep()
      } catch (error) {
        // While the server is down there is no lock to report. But another process that took it in
        // the meantime must be reported.
        if (!logged)
          log.warn('the data folder’s lock is lost, taking it again', { error: String(error) })
        logged = true
        await delay(WATCH_MS)
      }
    }
  }
  keep()
  return { end: () => owner.end().catch(() => {}) }
}

/**
 * One Stevedore per data folder: an advisory lock, which the database releases when its holder
 * dies.
 */
async function takeOwnership(url: string): Promise<pg.Client> {
  const until = Date.now() + OWNER_WAIT_MS
  while (true) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query<{ taken: boolean }>(
        'select pg_try_advisory_lock($1) as taken',
        [OWNER_LOCK],
      )
      if (firstOf(rows).taken) return client
      await client.end()
      if (Date.now() > until)
        throw new Error(
          'Another Stevedore is running on this data folder. Stop it, or set DATA_DIR to another folder.',
        )
    } catch (error) {
      await client.end().catch(() => {})
      if (Date.now() > until) throw error
    }
    await delay(250)
  }
}

const exists = (file: string) =>
  readFile(file).then(
    () => true,
    () => false,
  )
