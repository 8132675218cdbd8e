// The storefront over the platform's own protocols. The real platform and the built-in stand-in are both spoken to by
// this code: only the transport and the credentials differ.
import type { Database } from '../db/database.ts'
import { forShop } from '../db/for-shop.ts'
import type { Logger } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import { createAccess } from './access.ts'
import { createAdminRequest, type AdminRequest } from './admin-api.ts'
import { createCatalog } from './catalog.ts'
import { createGrants } from './grants.ts'
import { openLibrary } from './library.ts'
import { SHOP_PROFILE } from './operations.ts'
import { verifySessionToken } from './session-token.ts'
import { createSealing } from './shop-tokens.ts'
import { searchSkus } from './sku-search.ts'
import type { LiveCatalog, Storefront } from './storefront.ts'
import type { Transport } from './transport.ts'
import { createWholeCatalog } from './whole-catalog.ts'

export interface PlatformOptions {
  database: Pick<Database, 'knex'>
  secrets: Secrets
  log: Logger
  platform: { apiKey: string; apiSecret: string }
  /** The app's public address. */
  appUrl: string
  bridgeUrl?: string
  transport?: Transport
}

const BRIDGE_URL = 'https://cdn.shopify.com/shopifycloud/app-bridge.js'
const PROFILE_POINTS = 1

export function createStorefront(options: PlatformOptions): Storefront {
  const { database, secrets, log, platform, transport = fetch } = options
  const library = openLibrary(platform, options.appUrl)
  const access = createAccess(database, createSealing(secrets), createGrants(library, transport, log))
  const request = createAdminRequest({ library, transport, access, log })
  const catalogs = new Map<number, LiveCatalog>()
  const closing = new AbortController()

  return {
    page: { apiKey: platform.apiKey, bridgeUrl: options.bridgeUrl ?? BRIDGE_URL },
    verifySessionToken: (token) => verifySessionToken(library, token),
    ensureAccess: async (shop, sessionToken) => {
      const { shopDomain } = await verifySessionToken(library, sessionToken)
      if (!(await access.ensure(shop, shopDomain, sessionToken))) return
      // The name can wait for the next sign-in; the token is what counts.
      await learnProfile(database, request, shop, closing.signal).catch(() =>
        log.warn('the shop’s name could not be read', { shop }),
      )
    },
    catalog: (shop) => {
      if (!catalogs.has(shop))
        catalogs.set(
          shop,
          createCatalog((skus, signal) => searchSkus(request, shop, skus, signal), closing.signal),
        )
      return catalogs.get(shop)!
    },
    wholeCatalog: (shop) => createWholeCatalog(shop, request, transport),
    close: () => {
      closing.abort()
      return Promise.resolve()
    },
  }
}

/** Keeps the shop's name as the platform has it, and its address and time zone where the merchant has set no others. */
async function learnProfile(
  database: Pick<Database, 'knex'>,
  request: AdminRequest,
  shop: number,
  signal: AbortSignal,
): Promise<void> {
  const { shop: profile } = await request<{ shop: { name: string; email: string; ianaTimezone: string } }>(
    shop,
    SHOP_PROFILE,
    {},
    PROFILE_POINTS,
    signal,
  )
  await forShop(database, shop).query(
    `update shops set name = :name, settings = jsonb_build_object('recipients', jsonb_build_array(cast(:email as text)),
       'time_zone', cast(:zone as text)) || settings
     where id = :shop`,
    { name: profile.name, email: profile.email, zone: profile.ianaTimezone },
  )
}
