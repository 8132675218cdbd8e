// Opens the configured storefront: the real platform, or the built-in demo with its shop.
import { ConfigError } from '../core/config-error.ts'
import type { Environment } from '../core/configuration/environment.ts'
import type { Database } from '../core/db/database.ts'
import { ensureShop } from '../core/db/for-shop.ts'
import type { Logger } from '../core/log.ts'
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
  const bridge = createBridge(demo.app)
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
