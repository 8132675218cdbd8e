// The storefront over the platform's own protocols, for the real platform and for the built-in
// demo: only the transport and the credentials differ.
import type { Database } from '../core/db/database.ts'
import { errorFields, type Logger } from '../core/log.ts'
import type { Secrets } from '../core/secrets.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { createAccess, type Access } from './access.ts'
import {
  createAdminRequests,
  FIRST_BACKOFF_MS,
  keptPerShop,
  type AdminRequest,
} from './admin-api.ts'
import { verifyBuyerToken } from './buyer-token.ts'
import { createCatalog, searchSkus } from './catalog.ts'
import { createTriggers } from './flow.ts'
import { createGrants } from './grants.ts'
import { openLibrary } from './library.ts'
import { readProduct } from './one-product.ts'
import { createCustomers } from './customers.ts'
import { createInstallation, type Installation } from './installation.ts'
import { createProduct } from './new-products.ts'
import { createOrders } from './orders.ts'
import { StoreGone } from './platform-failures.ts'
import { verifySessionToken } from './session-token.ts'
import { createSealing } from './shop-tokens.ts'
import { createSubscriptions } from './subscriptions.ts'
import type { Storefront } from './storefront.ts'
import { type Transport, SHOP_PROFILE } from './operations.ts'
import { createIntake, isSigned } from './intake.ts'
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
  /** The pause before a query that failed is repeated. */
  firstBackoffMs?: number
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
  const { firstBackoffMs = FIRST_BACKOFF_MS } = options
  const requestsOf = createAdminRequests({ library, transport, access, log, firstBackoffMs })
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
    createProduct: (shop, product, signal) => createProduct(requestsOf(shop), product, signal),
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

// The platform's data about the shop: its name, its owner's address, its time zone and language, and the scopes
// that the app was granted. Read at a sign-in and with each refresh of the catalog, if it is due,
// so that failed reads and later changes are caught up.

export interface Profiles {
  /**
   * Reads the profile, for some seconds at most. Never rejects; false: it could not be read, and
   * stays due.
   */
  read(shop: number): Promise<boolean>
  /**
   * Reads it in the background if it is due, in one process only. Resolves when that is decided.
   */
  readIfDue(shop: number): Promise<void>
  /** Resolves when no read is running; abort them with the signal first. */
  idle(): Promise<void>
}

interface Profile {
  shop: {
    name: string
    email: string
    ianaTimezone: string
    /** Null for a shop without an online store. */
    primaryDomain?: { localization: { defaultLocale: string } | null }
  }
  currentAppInstallation: { accessScopes: { handle: string }[] }
}

const POINTS = 3
/** The time limit while a person waits for the first page. */
const READ_LIMIT_MS = 5_000
const FRESH = '10 minutes'
const AFTER_FAILURE = '1 minute'

function createProfiles(
  database: Pick<Database, 'knex'>,
  requestsOf: (shop: number) => AdminRequest,
  signal: AbortSignal,
  log: Logger,
): Profiles {
  const running = new Set<Promise<unknown>>()
  const track = (work: Promise<unknown>) => {
    const tracked = work.catch(() => {}).finally(() => running.delete(tracked))
    running.add(tracked)
  }
  const read = async (shop: number, until: AbortSignal) => {
    try {
      const scope = forShop(database, shop)
      const { begun } = await scope.one<{ begun: string }>(
        'select clock_timestamp()::text as begun from shops where id = :shop',
      )
      const profile = await requestsOf(shop)<Profile>(SHOP_PROFILE, {}, POINTS, until)
      await storeProfile(scope, profile, begun)
      return true
    } catch (error) {
      if (!signal.aborted)
        log.warn('the shop’s name could not be read', { shop, ...errorFields(error) })
      return false
    }
  }
  return {
    read: (shop) => read(shop, AbortSignal.any([signal, AbortSignal.timeout(READ_LIMIT_MS)])),
    readIfDue: (shop) => {
      const claimed = claim(forShop(database, shop)).then((due) => {
        if (due) track(read(shop, signal))
      })
      track(claimed)
      return claimed
    },
    idle: async () => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/**
 * Claims the reading of a profile that is due: true for one caller; it is due again soon unless it
 * is stored in the meantime.
 */
const claim = (scope: ShopScope): Promise<boolean> =>
  scope.has(
    `update shops set profile_due_at = now() + interval '${AFTER_FAILURE}'
     where id = :shop and profile_due_at <= now() returning id`,
  )

/**
 * Stores the platform's name. Recipients and time zone follow the platform if the shop has none, or
 * still has the platform's earlier values; the merchant's own choices are kept.
 * @param begun when the platform was asked: the answer of an earlier request is not stored after that
 *   of a later one.
 */
async function storeProfile(scope: ShopScope, profile: Profile, begun: string): Promise<void> {
  const { name, email, ianaTimezone, primaryDomain } = profile.shop
  const scopes = profile.currentAppInstallation.accessScopes.map(({ handle }) => handle)
  const isStored = await scope.has(
    `update shops set name = :name, profile_due_at = now() + interval '${FRESH}',
       profile = jsonb_build_object('email', cast(:email as text), 'time_zone',
         cast(:zone as text), 'language', cast(:language as text), 'read_at', :begun::timestamptz),
       settings = settings
         || case when settings->'recipients' is null
                   or settings->'recipients' = jsonb_build_array(profile->'email')
              then jsonb_build_object('recipients', jsonb_build_array(cast(:email as text)))
                else '{}' end
         || case when settings->'time_zone' is null or settings->'time_zone' = profile->'time_zone'
              then jsonb_build_object('time_zone', cast(:zone as text)) else '{}' end
     where id = :shop
       and coalesce((profile ->> 'read_at')::timestamptz, '-infinity') <= :begun::timestamptz
     returning id`,
    {
      name,
      email,
      begun,
      zone: ianaTimezone,
      language: primaryDomain?.localization?.defaultLocale ?? null,
    },
  )
  if (!isStored) return
  await scope.query('update shop_tokens set scope = :scopes where shop_id = :shop', {
    scopes: scopes.join(','),
  })
}
