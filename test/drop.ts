// A drop server in the test's process, with a real database, disk and sockets; and functions that
// run real clients against it.
import { execFile } from 'node:child_process'
import { argon2Sync, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createAccount, type DropAccount } from '../server/features/drop/accounts.ts'
import {
  openDropServer,
  type DropServer,
  type DropServerParts,
} from '../server/features/drop/run-server.ts'
import type { Database } from '../server/core/db/database.ts'
import { forShop, type ShopScope } from '../server/core/db/for-shop.ts'
import { openListener } from '../server/core/db/listener.ts'
import type { Logger } from '../server/core/log.ts'
import { createSecrets } from '../server/core/secrets.ts'
import { createDiskStore } from '../server/core/store/disk.ts'
import { createTestShop, openTestDatabase, silent } from './database.ts'
import { WAIT_MS } from './wait.ts'

type ServerSettings = Partial<Pick<DropServerParts, 'host' | 'connectionLimits' | 'passive'>>

export interface DropHouse {
  database: Database
  scope: ShopScope
  server: DropServer
  account: DropAccount
  password: string
  home: string
  /** An empty folder for clients. */
  folder: string
  store: ReturnType<typeof createDiskStore>
  /**
   * A server as in another process, with a separate staging folder. Closing the first one closes
   * it.
   */
  another(settings?: ServerSettings): Promise<DropServer>
  close(): Promise<void>
}

export async function openDropHouse(
  limits: { drop_waiting_bytes?: number; file_bytes?: number } = {},
  log: Logger = silent,
  /** The disk of the store and the staging files. */
  parent: string = tmpdir(),
): Promise<DropHouse> {
  const database = await openTestDatabase()
  const folder = await mkdtemp(path.join(parent, 'stevedore-drop-'))
  const store = createDiskStore({ folder: path.join(folder, 'primary') })
  const opened: (() => Promise<void>)[] = []
  const open = async (settings: ServerSettings = {}): Promise<DropServer> => {
    const listener = await openListener(database.url, silent)
    const server = await openDropServer({
      database,
      listener,
      log,
      stores: new Map([['primary', store]]),
      staging: path.join(folder, `staging${opened.length || ''}`),
      limits: { file_bytes: 5e9, drop_waiting_bytes: 1e11, ...limits },
      secrets: createSecrets('the secret of the tests, long enough'),
      host: '127.0.0.1',
      sftpPort: 0,
      ftpPort: 0,
      publicHost: 'localhost',
      certificate: null,
      passive: { ports: null, address: null },
      ...settings,
    })
    opened.push(() => server.close().then(() => listener.close()))
    return server
  }
  const server = await open()
  const shop = await createTestShop(database)
  const scope = forShop(database, shop)
  const { account, password } = await createCheapAccount(scope)
  const files = path.join(folder, 'client')
  await mkdir(files)
  return {
    database,
    scope,
    server,
    account,
    password,
    store,
    folder: files,
    home: `/uploads/${shop}`,
    another: open,
    close: async () => {
      for (const end of opened) await end()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Hashed at the lowest cost: a sign-in with a hash of the product takes 27 ms of a processor. */
export function cheapHash(password: string): string {
  const [nonce, cost] = [randomBytes(16), { memory: 8, passes: 1, parallelism: 1 }]
  const tag = argon2Sync('argon2id', { message: password, nonce, ...cost, tagLength: 32 })
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''))
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${salt}$${hash}`
}

/** An account of the shop whose sign-ins are cheap. */
export async function createCheapAccount(scope: ShopScope) {
  const { account, password } = await createAccount(scope, { name: 'Warehouse' }, 'hourly')
  const update = 'update drop_accounts set password = :hash where shop_id = :shop and id = :id'
  await scope.query(update, { id: account.id, hash: cheapHash(password) })
  return { account, password }
}

export interface ProgramResult {
  code: number
  output: string
}

/** Runs a program to its end; returns both outputs as one text. */
export const runProgram = (
  [file, ...args]: readonly [string, ...string[]],
  options: { cwd?: string; env?: Record<string, string>; input?: string; timeout?: number } = {},
): Promise<ProgramResult> =>
  new Promise((resolve) => {
    // npm adds programs of packages to the path, among them another rclone than the system's.
    const folders = (process.env.PATH ?? '').split(path.delimiter)
    const PATH = folders.filter((one) => !one.includes('node_modules')).join(path.delimiter)
    const settings = {
      cwd: options.cwd,
      env: { PATH, LC_ALL: 'C.UTF-8', HOME: options.cwd ?? tmpdir(), ...options.env },
      timeout: options.timeout ?? WAIT_MS,
    }
    const child = execFile(file, args, settings, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    )
    // A program that reads no input may have ended before this write.
    child.stdin!.on('error', () => {}).end(options.input ?? '')
  })
