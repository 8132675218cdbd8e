// The storefront over the platform's own protocols, for the real platform and for the built-in
// demo: only the transport and the credentials differ.
import type { Database } from '../core/db/database.ts'
import { errorFields, type Logger } from '../core/log.ts'
import type { Secrets } from '../core/secrets.ts'
import { createAccess, type Access } from './access.ts'
import { createAdminRequests } from './admin-api.ts'
import { verifyBuyerToken } from './buyer-token.ts'
import { createCatalog } from './catalog.ts'
import { createTriggers } from './flow.ts'
import { createGrants } from './grants.ts'
import { openLibrary } from './library.ts'
import { readProduct } from './one-product.ts'
import { createCustomers } from './customers.ts'
import { createInstallation, type Installation } from './installation.ts'
import { createOrders } from './orders.ts'
import { StoreGone } from './platform-failures.ts'
import { keptPerShop } from './per-shop.ts'
import { createProfiles } from './profile.ts'
import { verifySessionToken } from './session-token.ts'
import { createSealing } from './shop-tokens.ts'
import { searchSkus } from './sku-search.ts'
import { createSubscriptions } from './subscriptions.ts'
import type { Storefront } from './storefront.ts'
import type { Transport } from './transport.ts'
import { createIntake } from './webhooks/intake.ts'
import { isSigned } from './webhooks/signature.ts'
import { createWholeCatalog } from './whole-catalog.ts'

export interface PlatformOptions {
  database: Pick<Database, 'knex'>
  secrets: Secrets
  log: Logger
  /** `previousSecret`: webhooks that were signed with the previous secret are accepted too. */
  platform: { apiKey: string; apiSecret: string; previousSecret?: string | null }
  /** The app's public address. */
  appUrl: string
  bridgeUrl?: string
  transport?: Transport
}

const BRIDGE_URL = 'https://cdn.shopify.com/shopifycloud/app-bridge.js'

export function createStorefront(options: PlatformOptions): Storefront {
  const { database, secrets, log, platform, transport = fetch } = options
  const library = openLibrary(platform, options.appUrl)
  const access = createAccess(
    database,
    createSealing(secrets),
    createGrants(library, transport, log),
  )
  const requestsOf = createAdminRequests({ library, transport, access, log })
  const closing = new AbortController()
  const signing = [platform.apiSecret, platform.previousSecret].filter(
    (secret) => typeof secret === 'string',
  )
  const profiles = createProfiles(database, requestsOf, closing.signal, log)

  return {
    page: { apiKey: platform.apiKey, bridgeUrl: options.bridgeUrl ?? BRIDGE_URL },
    verifySessionToken: (token) => verifySessionToken(library, token),
    verifyBuyerToken: (token) => verifyBuyerToken(token, platform, new Date()),
    ensureAccess: async (shop, sessionToken) => {
      const identity = await verifySessionToken(library, sessionToken)
      const isNew = await access.ensure(shop, identity, sessionToken)
      // A new shop's first page waits for its name; later pages wait for nothing.
      await (isNew ? profiles.read(shop) : profiles.readIfDue(shop))
    },
    catalog: keptPerShop((shop) =>
      createCatalog((skus, signal) => searchSkus(requestsOf(shop), skus, signal), closing.signal),
    ),
    wholeCatalog: (shop) => {
      // Shops without sign-ins are read with each refresh of their catalogs.
      profiles
        .readIfDue(shop)
        .catch((error: unknown) => log.warn('the shop’s name was not read', errorFields(error)))
      return createWholeCatalog(requestsOf(shop), transport)
    },
    product: (shop, id, signal) => readProduct(requestsOf(shop), id, signal),
    orders: keptPerShop((shop) => createOrders(requestsOf(shop))),
    customers: keptPerShop((shop) => createCustomers(requestsOf(shop))),
    installation: (shop) => createInstallation(requestsOf(shop)),
    hasAccess: (shop, signal) =>
      hasAccess(shop, createInstallation(requestsOf(shop)), access, signal),
    subscriptions: (shop) => createSubscriptions(requestsOf(shop), transport),
    triggers: (shop) => createTriggers(requestsOf(shop)),
    isSigned: (body, signature) => isSigned(body, signature, signing),
    // Without access the next sign-in brings the scopes.
    refreshProfile: async (shop) => (await profiles.read(shop)) || access.isLost(shop),
    intake: createIntake(database, signing, log),
    close: async () => {
      closing.abort()
      await profiles.idle()
    },
  }
}

async function hasAccess(
  shop: number,
  installation: Installation,
  access: Pick<Access, 'isLost'>,
  signal: AbortSignal,
): Promise<boolean | 'not found'> {
  try {
    await installation.id(signal)
    return true
  } catch (error) {
    if (await access.isLost(shop)) return false
    if (error instanceof StoreGone) return 'not found'
    throw error
  }
}
