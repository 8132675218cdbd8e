// The HTTP application as the server has it, in the test's own process: real database, workers, disk and sockets, with
// whatever plugins a test adds to those of app.config.ts.
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { appConfig } from '../app.config.ts'
import type { Plugin, Workflow } from '../plugins/contract.ts'
import { defineConfig, type Limits } from '../server/config.ts'
import { openUploadFolder } from '../server/channels/upload/upload.ts'
import type { Channel } from '../server/workflows/channel.ts'
import { openLocks } from '../server/db/locks.ts'
import { forShop, type ShopScope } from '../server/db/for-shop.ts'
import { createDelivery } from '../server/delivery/delivery.ts'
import { createApp, listEndpoints, listen, type AppParts } from '../server/http/app.ts'
import { createApiKey } from '../server/http/auth.ts'
import { SCOPES, type Endpoint, type Scope } from '../server/http/endpoint.ts'
import { builtPage } from '../server/http/page.ts'
import { downloadMessages } from '../server/notify/downloads.ts'
import { createDiskStore } from '../server/store/disk.ts'
import { openStorefront } from '../server/storefront/open.ts'
import { createTestShop, silent } from './database.ts'
import { createTestEngine, makeBytes, type TestEngine } from './engine.ts'

export interface Answer {
  status: number
  headers: Headers
  // Tests look into it as they like.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any
}

/** One who calls the API with a key. */
export interface Client {
  scope: ShopScope
  key: string
  call(method: string, route: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export interface TestApp {
  url: string
  endpoints: readonly Endpoint[]
  engine: TestEngine
  /** Of the first shop, with every scope. */
  owner: Client
  /** Another key of the same shop. */
  clientWith(scopes: readonly Scope[]): Promise<Client>
  /** Someone else's shop, with every scope. */
  stranger(domain: string): Promise<Client>
  close(): Promise<void>
}

export interface AppOptions {
  plugins?: readonly Plugin[]
  workflows?: readonly Workflow[]
  channels?: readonly Channel[]
  limits?: Partial<Limits>
  trustProxy?: boolean
}

/** All tests of a file come from one address, often with one key. */
const UNLIMITED = {
  reads_per_minute: 100_000,
  writes_per_minute: 100_000,
  shop_reads_per_minute: 100_000,
  shop_writes_per_minute: 100_000,
  failed_sign_ins_per_minute: 100_000,
}

/** Without a worker, until the test starts one (`engine.startWorker`): what it starts waits. */
export async function openTestApp({
  plugins = [],
  workflows = [],
  channels = [],
  limits = {},
  trustProxy = false,
}: AppOptions = {}): Promise<TestApp> {
  const config = appConfig({})
  const whole = defineConfig({
    ...config,
    plugins: [...config.plugins, ...plugins, makeBytes],
    workflows: [...config.workflows, ...workflows],
    channels: [...config.channels, ...channels],
    limits: { ...config.limits, ...UNLIMITED, ...limits },
  })
  const engine = await createTestEngine(whole.plugins, whole.workflows)
  const { database, secrets } = engine.parts
  const environment = { ...config.environment, baseUrl: null }
  const storefront = await openStorefront({ environment, database, secrets, log: silent })
  const clock = () => new Date()
  const stores = new Map(
    ['primary', 'backup'].map((name) => [name, createDiskStore({ folder: path.join(engine.folder, name) })]),
  )
  const locks = await openLocks(database.url, silent)
  const uploads = {
    engine: engine.engine,
    folder: openUploadFolder(path.join(engine.folder, 'uploads')),
    locks,
    fileBytes: whole.limits.file_bytes,
  }
  const messages = downloadMessages(database, clock)
  const about = { log: silent, clock, trustProxy: false, baseUrl: 'http://127.0.0.1' }
  const delivery = createDelivery({ database, stores, secrets, messages, ...about })
  engine.parts.listener.on('operation_progress', () => delivery.doubt())
  const parts: AppParts = {
    database,
    engine: engine.engine,
    storefront,
    delivery,
    stores,
    secrets,
    uploads,
    channels: whole.channels,
    limits: whole.limits,
    page: builtPage(),
    baseUrl: 'http://127.0.0.1',
    demo: true,
    trustProxy,
    clock,
    log: silent,
  }
  const app = createApp(parts)
  const server = await listen(app, 0, '127.0.0.1')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clientOf = async (shop: number, scopes: readonly Scope[]): Promise<Client> => {
    const scope = forShop(database, shop)
    const { key } = await createApiKey(scope, { name: 'test', scopes, demo: true })
    return { scope, key, call: (...request) => call(url, key, ...request) }
  }
  return {
    url,
    endpoints: listEndpoints(parts),
    engine,
    owner: await clientOf(engine.shop, SCOPES),
    clientWith: (scopes) => clientOf(engine.shop, scopes),
    stranger: async (domain) => clientOf(await createTestShop(database, domain), SCOPES),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await delivery.settle()
      await locks.close()
      await storefront.close()
      await engine.close()
    },
  }
}

async function call(
  url: string,
  key: string,
  method: string,
  route: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url + route, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json') && text !== ''
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text }
}

/** Reads an operation until it has ended. */
export async function untilEnded(client: Client, id: string): Promise<Answer['body']> {
  const until = Date.now() + 40_000
  while (true) {
    const { body } = await client.call('GET', `/api/operations/${id}`)
    if (body.finished_at !== null) return body
    if (Date.now() > until) throw new Error(`The operation did not end: ${JSON.stringify(body)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
