// The storefront of this installation, and the ports of one shop for the engine: guarded fetch, storage, the live catalog, the shop's
// settings.
import type { ShopQuotas } from '../files/quotas.ts'
import { featurePorts, type PortParts } from '../features.ts'
import type { Database } from '../core/db/database.ts'
import { lazy, type Makers, present } from '../core/lazy.ts'
import type { Logger } from '../core/log.ts'
import type { EngineParts, Ports } from '../engine/parts.ts'
import { checkBlob } from '../files/blob-checks.ts'
import { findPack, readPacks } from '../files/packs.ts'
import { readContents } from '../files/same-content.ts'
import { readShop } from '../files/shop-settings.ts'
import { createMatcher } from '../matching/match.ts'
import { createTitleCache } from '../matching/title-cache.ts'
import { createBytesPort } from '../ports/bytes.ts'
import { createCatalogPort, createRemote, createStage } from '../ports/catalog.ts'
import type { GuardedClient } from '../ports/guarded-fetch.ts'
import type { CheckBlob } from '../ports/repair.ts'
import { SCRATCH } from '../ports/scratch.ts'
import type { Sandboxes } from '../ports/sandbox.ts'
import { createStoredFiles } from '../ports/stored.ts'
import { createVirusScanner } from '../ports/virus-scanner.ts'
import { ConfigError } from '../core/config-error.ts'
import type { Environment, ScannerAddress } from '../core/configuration/environment.ts'
import { ensureShop } from '../core/db/for-shop.ts'
import type { Secrets } from '../core/secrets.ts'
import { DEMO_SHOP } from '../demo/app.ts'
import { BRIDGE_PATH, createBridge, SAMPLE } from '../demo/bridge.ts'
import { CatalogError } from '../demo/catalog.ts'
import { databaseOrders } from '../demo/orders/store.ts'
import { startDemoStorefront, type DemoStorefront } from '../demo/listener.ts'
import { signSessionToken } from '../demo/session-token.ts'
import { createDemoTransport } from '../demo/transport.ts'
import { createStorefront } from '../storefront/platform.ts'
import type { Storefront } from '../storefront/storefront.ts'

interface PortsParts extends Omit<PortParts, 'scope' | 'place' | 'check'> {
  database: Database
  log: Logger
  clock: () => Date
  client: GuardedClient
  sandboxes: Sandboxes
  quotas: Partial<ShopQuotas>
  scanner: ScannerAddress | null
}

/** Each port is made when a plugin that needs it runs, at most once for a batch. */
export function portsFactory(parts: PortsParts): EngineParts['ports'] {
  const match = createMatcher(createTitleCache())
  const check: CheckBlob = (blob, signal) => checkBlob(parts, blob, signal)
  return async (scope, scratch) => {
    const { name, domain, settings } = await readShop(scope)
    const stores = scratch ? new Map([...parts.stores, [SCRATCH, scratch]]) : parts.stores
    // The location of new bytes.
    const location = scratch ? SCRATCH : settings.storage_location
    const store = present(stores.get(location), `The location ${location}`)
    const place = { store, shop: scope.shop, location }
    const ours: Partial<Makers<Ports>> = {
      shop: () => ({ name, domain, settings }),
      catalog: () => createCatalogPort(scope, parts.storefront.catalog(scope.shop), match),
      remote: () => createRemote({ client: parts.client, ...place }),
      stage: () => createStage(place),
      stored: () => createStoredFiles(scope, parts.stores, check, parts.quotas),
      packs: () => ({
        find: (pack) => findPack(scope, pack),
        read: (packs) => readPacks(scope, packs),
      }),
      contents: () => ({ read: (ids) => readContents(scope, ids, parts.clock()) }),
      bytes: () => createBytesPort({ scope, stores, check, place }),
      sandbox: () => parts.sandboxes.of(scope.shop),
      virusScanner: () => createVirusScanner(scope, { stores, check }, parts.scanner),
      ...featurePorts({ ...parts, scope, place, check }),
    }
    return lazy(ours as Makers<Ports>)
  }
}

// Opens the configured storefront: the real platform, or the built-in demo with its shop.

export interface OpenOptions {
  environment: Pick<Environment, 'platform' | 'demo' | 'baseUrl' | 'port'>
  database: Database
  secrets: Secrets
  log: Logger
}

/**
 * Opens the storefront. In demo mode its listener runs, its shop exists and the app has access to
 * it afterwards. Throws `ConfigError` if the demo catalog cannot be read.
 */
export async function openStorefront(options: OpenOptions): Promise<Storefront> {
  const { environment, database, secrets, log } = options
  const appUrl = environment.baseUrl ?? `http://127.0.0.1:${environment.port}`
  const { platform } = environment
  return platform
    ? createStorefront({ database, secrets, log, platform, appUrl })
    : openDemo(options, appUrl)
}

async function openDemo(
  { environment, database, secrets, log }: OpenOptions,
  appUrl: string,
): Promise<Storefront> {
  const platform = demoCredentials(secrets)
  const { domain, name, email } = DEMO_SHOP
  const shop = await ensureShop(database, {
    domain,
    name,
    demo: true,
    settings: { recipients: [email] },
  })
  const demo = await startDemo({
    ...environment.demo,
    ...platform,
    log,
    orders: databaseOrders(database, shop.id),
    // Demo mode listens on this machine only, even if BASE_URL names another address.
    appAddress: `http://127.0.0.1:${environment.port}`,
  })
  const bridge = createBridge(demo.app, new URL(demo.adminUrl).origin)
  const { transport, close } = createDemoTransport(demo.url)
  const storefront = createStorefront({
    database,
    secrets,
    log,
    platform,
    appUrl,
    transport,
    bridgeUrl: BRIDGE_PATH,
  })
  const stop = async () => {
    await storefront.close()
    await close()
    await demo.close()
  }
  try {
    await storefront.ensureAccess(shop.id, signSessionToken(demo.app))
    log.info('the demo storefront is ready', { ...demo.size, shop: domain })
    return {
      ...storefront,
      demo: {
        shop: { id: shop.id, domain, name },
        sample: SAMPLE,
        frontUrl: demo.url,
        adminUrl: demo.adminUrl,
        handle: (request, response) =>
          bridge(request, response) || demo.shopFront(request, response),
      },
      close: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startDemo(
  options: Parameters<typeof startDemoStorefront>[0],
): Promise<DemoStorefront> {
  return startDemoStorefront(options).catch((error: unknown) => {
    throw error instanceof CatalogError
      ? new ConfigError([`DEMO_CATALOG: ${error.message}`])
      : error
  })
}

/**
 * Credentials that are derived from the server's secret: session tokens stay valid after a restart.
 * Exported for tests, which sign tokens as the demo platform does.
 */
export function demoCredentials(secrets: Secrets): { apiKey: string; apiSecret: string } {
  const key = secrets.derive('demo-platform').toString('hex')
  return { apiKey: key.slice(0, 32), apiSecret: key.slice(32) }
}
