// The whole product as a separate process, as `npm start` runs it, on a data folder or a database
// of the test.
import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import type { Demo } from '../../server/startup/demo.ts'
import { makeDataDir, removeDataDir } from '../data-dir.ts'
import { createTestDatabase } from '../database.ts'
import { WAIT_MS } from '../wait.ts'

export { makeDataDir, removeDataDir }

export const ROOT = path.resolve(import.meta.dirname, '../..')
/** The command of `npm start`, without npm in between. */
const START = (
  JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
).scripts.start
const [, CACHE, ENVIRONMENT, OPTIONS] = /^cache=(\S+); .* exec env ((?:\w+=\S+ )+)node (.+)$/.exec(
  START,
)!
export const ARGUMENTS = OPTIONS!.split(' ')
/** The clone's own Node: the test's Node may be in a folder that another user cannot read. */
export const nodeOf = (root: string): string =>
  path.join(root, 'node_modules', 'node', 'bin', 'node')
/** For servers whose database is not embedded. */
export const SECRET = 'a secret for servers of tests, long enough'

export interface RunningServer {
  url: string
  apiKey: string
  shop: string
  dataDir: string
  /** Empty: the server has an embedded PostgreSQL in its data folder. */
  databaseUrl: string
  /** Everything it has written so far, for the message of a failed test. */
  output(): string
  /** The address of the app in the demo's admin, which frames the page. */
  adminUrl: string
  /** Calls the API with the demo key. */
  call(
    method: string,
    route: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Response>
  /** Stops the server as Ctrl-C does. */
  stop(): Promise<unknown>
}

export interface ServerProcess extends RunningServer {
  child: ChildProcess
  /** Resolves with the exit code. */
  stop(): Promise<number | null>
  kill(): Promise<void>
}

export interface ServerOptions {
  /**
   * Kept by the caller, with the embedded PostgreSQL in it unless `env` names a database. Absent: a
   * new folder, and a database on the run's PostgreSQL, because creating and starting one takes
   * longer than starting the server.
   */
  dataDir?: string
  env?: Record<string, string>
  /**
   * Also starts the drop server, as `npm start` does. It is another process, which most flows do
   * not need.
   */
  drop?: boolean
  /** Further arguments, as after `npm start --`. */
  args?: readonly string[]
  /** A clone of the product to start instead of this one, and the user that runs it. */
  root?: string
  /** The program that runs it, if it contains no Node. */
  node?: string
  user?: { uid: number; gid: number }
}

/** Resolves when the server is ready. */
export async function startServer(options: ServerOptions = {}): Promise<ServerProcess> {
  const dataDir = options.dataDir ?? (await makeDataDir())
  const given = options.env?.DATABASE_URL ?? ''
  const databaseUrl = given || options.dataDir ? given : (await createTestDatabase()).url
  const database = databaseUrl === '' ? {} : { DATABASE_URL: databaseUrl, APP_SECRET: SECRET }
  const port = await freePort()
  const args = [...ARGUMENTS, ...(options.args ?? [])]
  const node = options.node ?? (options.root ? nodeOf(options.root) : process.execPath)
  const child = spawn(node, args, {
    cwd: options.root ?? ROOT,
    ...options.user,
    env: {
      ...baseEnv(),
      ...database,
      DATA_DIR: dataDir,
      PORT: String(port),
      ...(options.drop || options.root ? {} : { ROLE: 'web,worker' }),
      SFTP_PORT: '0',
      FTP_PORT: '0',
      LOG_LEVEL: 'warn',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = outputOf(child)
  const exited = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => resolve(code)),
  )
  await readiness(child, exited, output)
  return {
    ...(await demoClient(`http://127.0.0.1:${port}`, dataDir)),
    databaseUrl,
    child,
    output,
    stop: async () => {
      child.kill('SIGINT')
      return exited
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Collects what a process writes; the returned function gives all of it so far. */
export function outputOf({
  stdout,
  stderr,
}: Pick<ChildProcess, 'stdout' | 'stderr'>): () => string {
  let output = ''
  for (const stream of [stdout!, stderr!]) stream.on('data', (chunk) => (output += String(chunk)))
  return () => output
}

/** What a server in demo mode tells scripts; `drop` only if its drop server runs. */
export const readDemo = async (dataDir: string): Promise<Required<Demo>> =>
  JSON.parse(await readFile(path.join(dataDir, 'demo.json'), 'utf8')) as Required<Demo>

/** The demo shop of a server, and calls of its API. */
export async function demoClient(
  url: string,
  dataDir: string,
): Promise<Pick<RunningServer, 'url' | 'dataDir' | 'apiKey' | 'shop' | 'adminUrl' | 'call'>> {
  const demo = await readDemo(dataDir)
  return {
    url,
    dataDir,
    apiKey: demo.api_key,
    shop: demo.shop,
    adminUrl: demo.storefront?.admin_url ?? '',
    call: (method, route, body, headers = {}) =>
      fetch(url + route, {
        method,
        headers: {
          authorization: `Bearer ${demo.api_key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  }
}

/** Excludes the test's own environment. */
export function baseEnv(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  const own = ENVIRONMENT!.trim().split(' ')
  return {
    PATH,
    HOME,
    NODE_COMPILE_CACHE: CACHE!,
    ...Object.fromEntries(own.map((setting) => setting.split('=', 2))),
  }
}

async function readiness(
  child: ChildProcess,
  exited: Promise<number | null>,
  output: () => string,
): Promise<void> {
  const ready = new Promise<void>((resolve) => {
    const look = () => {
      if (!output().includes('Stevedore is ready')) return
      child.stdout!.off('data', look)
      resolve()
    }
    child.stdout!.on('data', look)
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The server was not ready in time:\n${output()}`)),
      WAIT_MS,
    )
  })
  const gone = exited.then((code) => {
    throw new Error(`The server ended with ${code}:\n${output()}`)
  })
  await Promise.race([ready, gone, late]).finally(() => clearTimeout(timer))
}

// Below the system's range of ephemeral ports: another process could take one of those before the
// server starts.
const FIRST_PORT = 10_000
const PORTS_EACH = 4_000
/** Concurrent test files use separate ranges. */
const place = FIRST_PORT + PORTS_EACH * (Number(process.env.VITEST_POOL_ID ?? 0) % 5)
let next = randomInt(PORTS_EACH)

export async function freePort(): Promise<number> {
  for (;;) {
    const port = place + (next++ % PORTS_EACH)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const free = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (free) await new Promise((resolve) => probe.close(resolve))
  return free
}
