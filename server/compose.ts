// Connects the server's parts, for main.ts and for the tests: opens what every role needs, then
// what the web role needs.
import type { CloseStep } from './startup/closing.ts'
import { openCloud, type Cloud, type CloudOptions } from './features/cloud/cloud.ts'
import type { Config } from './startup/config.ts'
import type { Environment } from './core/configuration/environment.ts'
import type { DropAddress } from './core/configuration/drop-settings.ts'
import type { Database } from './core/db/database.ts'
import { openListener } from './core/db/listener.ts'
import { openLocks } from './core/db/locks.ts'
import { createEngine, type Engine } from './engine/engine.ts'
import type { EngineParts } from './engine/parts.ts'
import { createApp } from './startup/app.ts'
import { openAccessLog } from './http/access-log.ts'
import type { PageSource } from './http/page.ts'
import type { Logger } from './core/log.ts'
import {
  allEffects,
  allEnds,
  allListings,
  EVENTS,
  GUARDS,
  MESSAGE_WORDS,
  OPERATION_MESSAGES,
  type WebParts,
} from './features.ts'
import { createGuardedClient, type GuardedClient } from './ports/guarded-fetch.ts'
import { withScratch } from './ports/scratch.ts'
import { resolveByServers } from './ports/addresses.ts'
import { userAgentOf } from './ports/user-agent.ts'
import type { Secrets } from './core/secrets.ts'
import { openDelivery } from './startup/delivery.ts'
import { portsFactory, openStorefront } from './startup/ports.ts'
import { createReadiness } from './startup/readiness.ts'
import { stagingFolders } from './startup/staging-metrics.ts'
import { WholeBlobs } from './files/whole-blobs.ts'
import { openStores } from './startup/stores.ts'
import { directOrigin, openUploads } from './startup/uploads.ts'
import type { BlobStore } from './core/store/store.ts'
import { openPreviews } from './features/previews/previews.ts'
import { createProductPictures } from './features/previews/product-pictures.ts'
import { checkBlob, type BlobCheckParts } from './files/blob-checks.ts'
import { Sha256Sums } from './files/sha256-sums.ts'
import type { CheckBlob } from './ports/repair.ts'
import { createSandboxes, type Sandboxes } from './ports/sandbox.ts'
import type { Storefront } from './storefront/storefront.ts'

export interface ComposeOptions {
  config: Config
  database: Database
  secrets: Secrets
  /** The start of the addresses that this server gives to others, without a slash at the end. */
  baseUrl: string
  clock: () => Date
  log: Logger
  /** Tests redirect host names of cloud providers to their emulators. */
  emulators?: CloudOptions['emulators']
  /** Tests replace what mail takes from the internet. */
  mailReach?: Pick<WebParts, 'mailDns' | 'awsGet'>
  /**
   * What closes the parts, added as each one opens, so that a failed start closes them too. They
   * run in reverse order.
   */
  closings: CloseStep[]
}

export interface ComposedServer {
  engine: Engine
  /** The parts that a worker needs. */
  parts: EngineParts
  stores: ReadonlyMap<string, BlobStore>
  storefront: Storefront
  client: GuardedClient
  /** Where unfinished uploads are stored. */
  folder: WebParts['uploads']['folder']
  cloud: Cloud
  /** Child processes for untrusted files, shared by both roles. */
  sandboxes: Sandboxes
  /**
   * Throws `ConfigError` if a setting cannot be used.
   * @param drop the address of the drop server for merchants; absent: as configured.
   */
  openWeb(page: PageSource, drop?: DropAddress): Promise<Web>
}

export interface Web {
  app: ReturnType<typeof createApp>
  parts: WebParts
  delivery: WebParts['delivery']
}

/** Connects the parts of the server. Throws `ConfigError` if a setting cannot be used. */
export async function composeServer(given: ComposeOptions): Promise<ComposedServer> {
  const { config, database, secrets, baseUrl, log, closings } = given
  const { environment, limits } = config
  const listener = await openListener(database.directUrl, log)
  closings.push(() => listener.close())
  const stores = await openStores(config.storage, log)
  const joining = { database, listener, roles: environment.roles, log }
  const folder = await openUploads(environment, config.storage.primary, joining)
  const storefront = await openStorefront({ environment, database, secrets, log })
  closings.push(() => storefront.close())
  const client = createGuardedClient({
    allowLoopback: environment.allowLoopback,
    userAgent: environment.userAgent ?? userAgentOf(environment.baseUrl),
    fileBytes: limits.file_bytes,
    log,
  })
  closings.push(() => client.close())
  const cloud = await openCloud(cloudOptions(given))
  closings.push(() => cloud.close())
  const sandboxes = createSandboxes(log)
  closings.push(() => Promise.resolve(sandboxes.close()))
  const checked = { database, stores, log, clock: given.clock }
  const parts: EngineParts = {
    database,
    listener,
    plugins: config.plugins,
    workflows: config.workflows,
    limits,
    ports: portsFactory({
      ...checked,
      client,
      storefront,
      uploads: folder,
      cloud,
      secrets,
      sandboxes,
      baseUrl,
      quotas: limits,
      scanner: config.environment.scanner,
    }),
    withScratch,
    listings: allListings({
      secrets,
      baseUrl,
      stores,
      check: checkOf(checked),
      sums: new Sha256Sums(checked),
    }),
    messages: OPERATION_MESSAGES,
    messageWords: MESSAGE_WORDS,
    effects: allEffects({ limits, secrets, baseUrl, plugins: config.plugins }),
    ends: allEnds({ secrets, plugins: config.plugins }),
    guards: GUARDS,
    secrets,
    log,
  }
  const engine = createEngine(parts)
  const composed = { engine, parts, stores, storefront, client, folder, cloud, sandboxes }
  return { ...composed, openWeb: (page, drop) => openWeb(given, composed, page, drop) }
}

const cloudOptions = ({
  config: { environment, limits },
  emulators,
  ...given
}: ComposeOptions): CloudOptions => ({
  executable: environment.cloud.rclone,
  clients: environment.cloud.clients,
  allowLoopback: environment.allowLoopback,
  dataDir: environment.dataDir,
  maxFiles: limits.cloud_files,
  demo: environment.platform === null,
  baseUrl: given.baseUrl,
  secrets: given.secrets,
  log: given.log,
  ...(emulators ? { emulators } : {}),
})

const checkOf =
  (parts: BlobCheckParts): CheckBlob =>
  (blob, signal) =>
    checkBlob(parts, blob, signal)

/** What the operator states about this server's surroundings. */
const statedParts = ({ baseUrl, trustProxy, metricsToken }: Environment) => ({
  ownUrl: baseUrl,
  trustProxy,
  metricsToken,
})

const mailParts = (environment: Environment): WebParts['mail'] => ({
  from: environment.mailFrom,
  hasServer: environment.smtpUrl !== null,
  ...environment.mail,
  allowLoopback: environment.allowLoopback,
  resolve: resolveByServers,
})

async function openWeb(
  { config, database, secrets, baseUrl, clock, log, closings, ...given }: ComposeOptions,
  composed: Omit<ComposedServer, 'openWeb'>,
  page: PageSource,
  drop: DropAddress = config.environment.drop,
): Promise<Web> {
  const { environment, limits } = config
  const { engine, stores, storefront, client, folder, cloud, sandboxes } = composed
  const { listener } = composed.parts
  const locks = await openLocks(database.directUrl, log)
  closings.push(() => locks.close())
  closings.push(() => page.close())
  const sandboxOf: WebParts['sandboxOf'] = (shop) => sandboxes.of(shop)
  const readProductPicture = createProductPictures({ client, sandboxOf, log })
  const opened = { database, listener, stores, secrets, baseUrl, clock, log, readProductPicture }
  const check = checkOf({ database, stores, log, clock })
  const readPreview = await openPreviews({ stores, sandboxOf, check, log })
  const delivery = await openDelivery(config, { ...opened, readPicture: readPreview })
  closings.push(() => delivery.close())
  const parts: WebParts = {
    database,
    engine,
    storefront,
    delivery,
    stores,
    blobs: new WholeBlobs({ database, stores, log, clock }),
    secrets,
    uploads: {
      engine,
      folder,
      locks,
      fileBytes: limits.file_bytes,
      quotas: limits,
      direct: config.directUploads,
    },
    bucketOrigin: await directOrigin(config),
    channels: config.channels,
    cloud,
    client,
    reach: (url) => client.reach(url),
    readPreview,
    sandboxOf,
    drop,
    limits,
    page,
    baseUrl,
    demo: environment.platform === null,
    ...statedParts(environment),
    readiness: createReadiness(database),
    accessLog: environment.accessLog ? openAccessLog() : undefined,
    stagingFolders: stagingFolders(environment),
    clock,
    log,
    events: EVENTS,
    plans: config.plans,
    mail: mailParts(environment),
    ...given.mailReach,
  }
  return { app: createApp(parts), parts, delivery }
}
