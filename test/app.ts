// The server as main.ts composes it, in the test's own process: real database, workers, disk and
// sockets, with the plugins that a test adds to those of app.config.ts.
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { appConfig } from '../app.config.ts'
import type { Plugin, Workflow } from '../plugins/contract/index.ts'
import type { ScannerAddress } from '../server/core/configuration/environment.ts'
import type { DirectUploads } from '../server/core/configuration/storage-settings.ts'
import type { Cloud, CloudOptions } from '../server/features/cloud/cloud.ts'
import type { OAuthClients } from '../server/features/cloud/set-up.ts'
import {
  NO_MAIL_SETTINGS,
  type MailEnvironment,
} from '../server/core/configuration/mail-settings.ts'
import type { AwsGet } from '../server/features/mail/provider-ses.ts'
import type { MailDns } from '../server/features/mail/dns-records.ts'
import { composeServer } from '../server/compose.ts'
import type { CloseStep } from '../server/startup/closing.ts'
import { defineConfig } from '../server/startup/config.ts'
import type { Limits } from '../server/core/configuration/limits.ts'
import type { Channel } from '../server/features/workflows/channel.ts'
import { forShop, type ShopScope } from '../server/core/db/for-shop.ts'
import { listen } from '../server/http/listen.ts'
import { allEndpoints } from '../server/features.ts'
import { createApiKey } from '../server/http/auth.ts'
import type { EngineParts } from '../server/engine/parts.ts'
import type { Plans } from '../server/core/configuration/plan-list.ts'
import { createMatcher } from '../server/matching/match.ts'
import { createTitleCache } from '../server/matching/title-cache.ts'
import { createCatalogPort } from '../server/ports/catalog.ts'
import { SCOPES, type Endpoint, type Scope } from '../server/http/endpoint.ts'
import { builtPage } from '../server/http/page.ts'
import { parsePublicId } from '../server/core/ids.ts'
import { createSecrets } from '../server/core/secrets.ts'
import type { S3Location } from '../server/core/store/address.ts'
import type { BlobStore } from '../server/core/store/store.ts'
import { answerSchemas, requireDocumented, type AnswerSchemas } from './documented-answers.ts'
import { createTestShop, openTestDatabase, silent } from './database.ts'
import { makeBytes, testEngineOn, type TestEngine } from './engine.ts'
import { present } from '../server/core/lazy.ts'
import { WAIT_MS } from './wait.ts'

export interface Answer {
  status: number
  headers: Headers
  // Tests look into it as they like.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

/** An API client with one key. */
export interface Client {
  scope: ShopScope
  key: string
  call(
    method: string,
    route: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
}

export interface TestApp {
  url: string
  endpoints: readonly Endpoint[]
  engine: TestEngine
  stores: ReadonlyMap<string, BlobStore>
  cloud: Cloud
  /** The first shop, with every scope. */
  owner: Client
  /** The demo shop, authenticated with the platform's session token. */
  demo: Client
  shopFrontUrl: string
  /** Another key of the owner's shop. */
  clientWith(scopes: readonly Scope[]): Promise<Client>
  /** Another shop, with every scope. */
  stranger(domain: string): Promise<Client>
  close(): Promise<void>
}

export interface AppOptions {
  plugins?: readonly Plugin[]
  workflows?: readonly Workflow[]
  channels?: readonly Channel[]
  limits?: Partial<Limits>
  plans?: Plans | null
  /** Its primary location; absent: a folder. */
  bucket?: S3Location
  directUploads?: DirectUploads | null
  trustProxy?: boolean
  /** Replace the cloud providers. */
  emulators?: CloudOptions['emulators'] | undefined
  /** The operator's OAuth apps at the cloud providers. */
  clients?: OAuthClients
  /** Absent: there is no virus scanner. */
  scanner?: ScannerAddress
  /** The installation's mail server, settings of reports, and name servers. */
  mail?: {
    smtpUrl?: string
    settings?: Partial<MailEnvironment>
    dns?: MailDns
    awsGet?: AwsGet
  }
}

/** All requests of a test file have one address and often one key, so the limits are off. */
const UNLIMITED = {
  reads_per_minute: 100_000,
  writes_per_minute: 100_000,
  shop_reads_per_minute: 100_000,
  shop_writes_per_minute: 100_000,
  failed_sign_ins_per_minute: 100_000,
}

/** The address shown to merchants. No drop server runs there. */
const DROP = {
  host: 'files.example.com',
  sftpPort: 2222,
  ftpPort: 2121,
  schedule: 'hourly',
} as const

/** No worker runs until the test starts one (`engine.startWorker`); operations wait in the queue. */
export async function openTestApp({
  plugins = [],
  workflows = [],
  channels = [],
  limits = {},
  plans = null,
  bucket,
  directUploads = null,
  trustProxy = false,
  emulators,
  clients = {},
  scanner,
  mail = {},
}: AppOptions = {}): Promise<TestApp> {
  const config = appConfig({})
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-app-'))
  const disk = (name: string) => ({ kind: 'disk' as const, folder: path.join(folder, name) })
  const whole = defineConfig({
    ...config,
    plans,
    directUploads,
    plugins: [...config.plugins, ...plugins, makeBytes],
    workflows: [...config.workflows, ...workflows],
    channels: [...config.channels, ...channels],
    limits: { ...config.limits, ...UNLIMITED, ...limits },
    storage: { primary: bucket ?? disk('primary'), backup: disk('backup') },
    environment: {
      ...config.environment,
      dataDir: folder,
      baseUrl: null,
      allowLoopback: true,
      trustProxy,
      smtpUrl: mail.smtpUrl ?? null,
      mail: { ...NO_MAIL_SETTINGS, ...mail.settings },
      cloud: { ...config.environment.cloud, clients },
      scanner: scanner ?? null,
    },
  })
  const database = await openTestDatabase()
  const closings: CloseStep[] = []
  const secrets = createSecrets('the secret of the tests, long enough')
  const composed = await composeServer({
    config: whole,
    database,
    secrets,
    closings,
    log: silent,
    baseUrl: 'http://127.0.0.1',
    clock: () => new Date(),
    ...(emulators ? { emulators } : {}),
    mailReach: {
      ...(mail.dns ? { mailDns: mail.dns } : {}),
      ...(mail.awsGet ? { awsGet: mail.awsGet } : {}),
    },
  })
  // The shop has no platform session, so its catalog is empty, as in the engine's tests.
  composed.parts.ports = withEmptyCatalog(composed.parts.ports)
  const { app, parts } = await composed.openWeb(builtPage(), DROP)
  const close = async () => {
    for (const closing of closings.reverse()) await closing()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  }
  const engine = await testEngineOn({
    parts: composed.parts,
    engine: composed.engine,
    folder,
    close,
  })
  const server = await listen(app, 0, '127.0.0.1')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clientOf = async (shop: number, scopes: readonly Scope[]): Promise<Client> => {
    const scope = forShop(database, shop)
    const { key } = await createApiKey(scope, { name: 'test', scopes, demo: true })
    return {
      scope,
      key,
      call: async (method, route, ...request) => {
        const answer = await call(url, key, method, route, ...request)
        requireDocumented((schemas ??= answerSchemas(allEndpoints(parts))), method, route, answer)
        return answer
      },
    }
  }
  const demo = present(composed.storefront.demo, 'The demo')
  let endpoints: readonly Endpoint[] | undefined
  return {
    url,
    // A quarter of the time that composing a server takes, for the few tests that read them.
    get endpoints() {
      return (endpoints ??= allEndpoints(parts))
    },
    engine,
    stores: composed.stores,
    cloud: composed.cloud,
    owner: await clientOf(engine.shop, SCOPES),
    demo: await clientOf(demo.shop.id, SCOPES),
    shopFrontUrl: demo.frontUrl,
    clientWith: (scopes) => clientOf(engine.shop, scopes),
    stranger: async (domain) => clientOf(await createTestShop(database, domain), SCOPES),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await engine.close()
    },
  }
}

function withEmptyCatalog(ports: EngineParts['ports']): EngineParts['ports'] {
  const match = createMatcher(createTitleCache())
  const live = { findBySku: () => Promise.resolve(new Map()) }
  return async (scope, scratch) => ({
    ...(await ports(scope, scratch)),
    catalog: createCatalogPort(scope, live, match),
  })
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
  return {
    status: response.status,
    headers: response.headers,
    body: json ? JSON.parse(text) : text,
  }
}

/** The schemas of the answers; endpoints of all test applications have the same. */
let schemas: AnswerSchemas | undefined

/** Waits until the operation has ended. */
export const untilEnded = (client: Client, id: string): Promise<Answer['body']> =>
  untilOperation(client, id, 'finished_at is not null')

/**
 * Waits until `condition` (SQL) holds for the operation's row: each request of the API costs ten
 * times the processor time.
 */
export async function untilOperation(
  { scope, call }: Pick<Client, 'scope' | 'call'>,
  id: string,
  condition: string,
): Promise<Answer['body']> {
  const began = Date.now()
  const found = `select from operations where shop_id = :shop and id = :id and (${condition})`
  const given = { id: parsePublicId(['import', 'op'], id) }
  while ((await scope.query(found, given)).length === 0) {
    const elapsed = Date.now() - began
    if (elapsed > WAIT_MS) {
      const { body } = await call('GET', `/api/operations/${id}`)
      throw new Error(`The operation did not get there: ${JSON.stringify(body)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(250, 20 + elapsed / 8)))
  }
  return (await call('GET', `/api/operations/${id}`)).body
}
