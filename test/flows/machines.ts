// An installation on several machines: each has its own data folder, and they share only a database
// and a bucket.
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import type { DemoDrop } from '../../server/features/drop/demo-account.ts'
import { makeDataDir, removeDataDir } from '../data-dir.ts'
import { createTestDatabase } from '../database.ts'
import { BUCKET, CREDENTIALS, startS3, type FakeS3 } from '../fakes/s3.ts'
import { startWorkerProcess, type Worker } from './cluster.ts'
import { readDemo, SECRET, startServer, type ServerProcess } from './server.ts'

export interface Machine {
  server: ServerProcess
  /** The machine's drop server, with an account; null: it has none. */
  drop: DemoDrop | null
  /** Its data folder. */
  folder: string
}

type Env = Record<string, string>

export interface Machines {
  databaseUrl: string
  pool: pg.Pool
  bucket: FakeS3
  /** Starts a machine with a web process and, if wanted, a drop server. */
  startWeb(options?: { drop?: boolean; folder?: string; env?: Env }): Promise<Machine>
  /** Starts a machine with a worker. */
  startWorker(name: string): Promise<Worker & { folder: string }>
  close(): Promise<void>
}

/** @param settings environment variables of all processes, for a database at this address. */
export async function startMachines(
  settings: (databaseUrl: string) => Promise<Record<string, string>> = async () => ({}),
): Promise<Machines> {
  const [database, bucket] = await Promise.all([createTestDatabase(), startS3()])
  const pool = new pg.Pool({ connectionString: database.url, max: 4, application_name: 'test' })
  pool.on('error', () => {})
  const endpoint = encodeURIComponent(`http://127.0.0.1:${bucket.port}`)
  const location = (prefix: string) =>
    `s3://${BUCKET}/${prefix}?endpoint=${endpoint}&region=us-east-1&path_style=1`
  const env = {
    DATABASE_URL: database.url,
    APP_SECRET: SECRET,
    STORAGE_PRIMARY: location('files'),
    STORAGE_BACKUP: location('backup'),
    S3_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    S3_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    ...(await settings(database.url)),
  }
  const folders: string[] = []
  const stops: (() => Promise<unknown>)[] = []
  const newFolder = async () => {
    const folder = await makeDataDir('stevedore-machine-')
    folders.push(folder)
    return folder
  }
  return {
    databaseUrl: database.url,
    pool,
    bucket,
    startWeb: async ({ drop = false, folder, env: own = {} } = {}) => {
      const dataDir = folder ?? (await newFolder())
      const role = drop ? 'web,drop' : 'web'
      const server = await startServer({ dataDir, drop, env: { ...env, ...own, ROLE: role } })
      stops.push(() => server.stop())
      return { server, folder: dataDir, drop: drop ? (await readDemo(dataDir)).drop : null }
    },
    startWorker: async (name) => {
      const folder = await newFolder()
      const given = { ...env, ROLE: 'worker', DATA_DIR: folder }
      const worker = await startWorkerProcess(name, given)
      stops.push(() => worker.stop())
      return { ...worker, folder }
    },
    close: async () => {
      await Promise.all(stops.map((stop) => stop()))
      await pool.end()
      await bucket.close()
      await database.drop()
      await Promise.all(folders.map((folder) => removeDataDir(folder)))
    },
  }
}

/** The files of a data folder that hold bytes of merchants: uploads and transfers. */
export async function stagedFiles(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((name) => /^(uploads\/(incoming|received)|drop|files|backup|cloud)\//.test(name))
}
