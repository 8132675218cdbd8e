// A shop's offline token: obtained for a session token, stored sealed, renewed shortly before it
// expires. Processes coordinate through a lease: if two processes renewed one token, one of them
// could be left with a token that no longer works.
import { randomUUID } from 'node:crypto'
import { PortError, sayPlain } from '../../plugins/contract/index.ts'
import type { Database } from '../core/db/database.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import { present } from '../core/lazy.ts'
import { pollLease, timedLease } from '../core/queue/lease.ts'
import type { Grants } from './grants.ts'
import {
  dropTokens,
  expireToken,
  install,
  isFresh,
  isRenewable,
  readTokens,
  writeTokens,
  type Grant,
  type TokenSealer,
  type TokenRow,
} from './shop-tokens.ts'
import type { SessionIdentity } from './session-token.ts'

export interface Access {
  /**
   * Stores a token for the shop if it has none that works, which installs an uninstalled shop. True
   * if a new one was obtained. Throws `AppError`.
   */
  ensure(
    shop: number,
    identity: Pick<SessionIdentity, 'shopDomain' | 'issuedAt'>,
    sessionToken: string,
  ): Promise<boolean>
  /** A token that is valid for at least some minutes. Throws `PortError`. */
  grant(shop: number): Promise<Grant>
  /** A token as from `grant`, after the platform has refused this one. Throws `PortError`. */
  renewed(shop: number, refused: Grant): Promise<Grant>
  /** Has the shop no token that works or can be renewed? */
  isLost(shop: number): Promise<boolean>
}

/**
 * A refresh token that expires sooner is replaced at a sign-in: the next sign-in may come too late.
 */
const RENEWABLE_MS = 24 * 3600_000

export function createAccess(
  database: Pick<Database, 'knex'>,
  sealing: TokenSealer,
  grants: Grants,
): Access {
  // Within a process, all callers share one request to the platform.
  const renewals = new Map<number, Promise<Grant>>()
  const exchanges = new Map<number, Promise<boolean>>()
  const renewOnce = (shop: number, refused: Grant | null) =>
    shareRenewal(renewals, shop, () => renew(forShop(database, shop), sealing, grants, refused))
  return {
    grant: async (shop) => {
      const row = await readTokens(forShop(database, shop))
      return (isFresh(row) ? sealing.openGrant(shop, row) : null) ?? renewOnce(shop, null)
    },
    renewed: (shop, refused) => renewOnce(shop, refused),
    isLost: async (shop) => {
      const row = await readTokens(forShop(database, shop))
      return !isFresh(row) && !isRenewable(row)
    },
    ensure: async (shop, { shopDomain, issuedAt }, sessionToken) => {
      const row = await readTokens(forShop(database, shop))
      // Never store one shop's token for another shop.
      if (row?.domain !== shopDomain) throw new AppError('unauthenticated')
      if (works(sealing, shop, row)) return false
      const others = exchanges.get(shop)
      const exchange = () =>
        exchangeOnce(forShop(database, shop), sealing, issuedAt, () =>
          grants.exchange(shopDomain, sessionToken),
        )
      const mine = () => shareRenewal(exchanges, shop, exchange)
      if (!others) return mine()
      // A refused session token does not mean that the stored token is invalid; only an outage is
      // passed on.
      return others.then(
        () => false,
        (error: unknown) => {
          if (error instanceof AppError && error.code === 'unauthenticated') return mine()
          throw error
        },
      )
    },
  }
}

/** A token that was sealed with another secret cannot be used. */
const works = (sealing: TokenSealer, shop: number, row: TokenRow | null): boolean =>
  (isRenewable(row, RENEWABLE_MS) && sealing.openRefresh(shop, row) !== null) ||
  (isFresh(row) && row?.expires_at === null && sealing.openGrant(shop, row) !== null)

/**
 * Stores the token that `exchange` obtains, unless another process has stored one that works. True: it
 * is stored. Throws `AppError`.
 */
async function exchangeOnce(
  scope: ShopScope,
  sealing: TokenSealer,
  at: Date,
  exchange: () => ReturnType<Grants['exchange']>,
): Promise<boolean> {
  const { shop } = scope
  const current = async () => (works(sealing, shop, await readTokens(scope)) ? false : null)
  const trade = async () => {
    const { uninstalled } = present(await readTokens(scope), 'The shop of a session token')
    const sealed = sealing.seal(shop, await exchange())
    const stored = await (uninstalled === null
      ? writeTokens(scope, sealed)
      : install(scope, { uninstalled, at }, sealed))
    if (!stored) throw new AppError('unavailable')
    return true
  }
  return underLease<boolean>(scope, current, trade).catch((error: unknown) => {
    throw error instanceof LeaseTimeout ? new AppError('unavailable') : error
  })
}

function shareRenewal<T>(
  running: Map<number, Promise<T>>,
  shop: number,
  work: () => Promise<T>,
): Promise<T> {
  const there = running.get(shop)
  if (there) return there
  const started = work().finally(() => running.delete(shop))
  running.set(shop, started)
  return started
}

async function renew(
  scope: ShopScope,
  sealing: TokenSealer,
  grants: Grants,
  refused: Grant | null,
): Promise<Grant> {
  const { shop } = scope
  const current = async () => {
    const row = await readTokens(scope)
    const grant = isFresh(row) ? sealing.openGrant(shop, row) : null
    // Another process has renewed it while this one waited.
    return grant && grant.accessToken !== refused?.accessToken ? grant : null
  }
  const ask = async (): Promise<Grant> => {
    const row = await readTokens(scope)
    const refreshToken = isRenewable(row) ? sealing.openRefresh(shop, row) : null
    if (row === null || refreshToken === null) {
      // If a refused token cannot be renewed, the next sign-in must bring another one.
      if (row !== null && refused !== null) await expireToken(scope, row)
      throw noAccess()
    }
    const session = await grants.refresh(row.domain, refreshToken)
    if (session === null) {
      await dropTokens(scope, row)
      throw noAccess()
    }
    if (!(await writeTokens(scope, sealing.seal(shop, session)))) throw noAccess()
    return { domain: row.domain, accessToken: present(session.accessToken, 'The access token') }
  }
  return underLease(scope, current, ask).catch((error: unknown) => {
    if (!(error instanceof LeaseTimeout)) throw error
    throw new PortError(
      'storefront_unavailable',
      sayPlain('The storefront did not renew the access to its catalog'),
      true,
    )
  })
}

const noAccess = () =>
  new PortError(
    'storefront_unavailable',
    sayPlain(
      'The storefront no longer gives access to its catalog: open the app once in the storefront admin',
    ),
    true,
  )

// One process at a time requests a shop's token from the platform, under a lease in a row. No
// connection and no lock is held while the lease is waited for or held, so a slow answer of the
// platform delays this shop only.

/**
 * The lease of a shop's tokens, longer than the longest request to the platform: the holder of an
 * expired one has died. A request of any process holds it, without a heartbeat to extend it.
 */
const TOKEN_LEASE = timedLease({ until: 'expires_at' }, '30 seconds')
const WAIT_MS = 35_000

class LeaseTimeout extends Error {}

/**
 * Returns the result of `currentValue`, or, under the lease, of `work`. `currentValue` is called
 * before and after each wait, and once more under the lease. Throws `LeaseTimeout` if others keep
 * the lease.
 */
async function underLease<T>(
  scope: ShopScope,
  currentValue: () => Promise<T | null>,
  work: () => Promise<T>,
): Promise<T> {
  const holder = randomUUID()
  const found = await pollLease(async () => {
    const value = await currentValue()
    return value !== null || (await take(scope, holder)) ? { value } : null
  }, WAIT_MS)
  if (found === null) throw new LeaseTimeout('Another process keeps asking for the token')
  if (found.value !== null) return found.value
  try {
    return (await currentValue()) ?? (await work())
  } finally {
    // A lease that could not be released expires.
    await scope
      .query('delete from token_leases where shop_id = :shop and holder = :holder', { holder })
      .catch(() => {})
  }
}

const take = (scope: ShopScope, holder: string): Promise<boolean> =>
  scope.has(
    `insert into token_leases (shop_id, holder, expires_at)
       values (:shop, :holder, ${TOKEN_LEASE.value})
     on conflict (shop_id) do update set holder = excluded.holder, ${TOKEN_LEASE.extend}
       where ${TOKEN_LEASE.isExpired('token_leases')}
     returning shop_id`,
    { holder },
  )

// The platform's scopes that the app requests (shopify.app.toml), and what each is needed for. A
// merchant may withdraw one, and an older installation may lack one.

const WANTED: Readonly<Record<string, string>> = {
  read_products: sayPlain('Files cannot be matched to products.'),
  write_orders: sayPlain(
    'Orders cannot be read: buyers do not get their files automatically, and orders are not tagged.',
  ),
  write_merchant_managed_fulfillment_orders: sayPlain(
    'Delivered lines are not marked as fulfilled, and the platform’s own mail cannot bring the files.',
  ),
}

/** Without this scope the platform shows recent orders alone. */
export const ALL_ORDERS = 'read_all_orders'
export const RECENT_ORDERS_MS = 60 * 24 * 60 * 60 * 1000

export interface MissingScope {
  scope: string
  disables: string
}

/** The scopes that the platform reported last; empty if the app has no access. */
export async function readScopes(scope: ShopScope): Promise<string[]> {
  const [row] = await scope.query<{ scope: string }>(
    'select scope from shop_tokens where shop_id = :shop',
  )
  return (row?.scope ?? '').split(',').filter((one) => one !== '')
}

export const missingScopes = (granted: readonly string[]): MissingScope[] =>
  Object.entries(WANTED)
    .filter(([scope]) => !isGranted(granted, scope))
    .map(([scope, disables]) => ({ scope, disables }))

const FULFIL = 'write_merchant_managed_fulfillment_orders'

/** May the app fulfil lines of orders? Scopes that are not known yet count as granted. */
export const mayFulfil = (granted: readonly string[]): boolean =>
  granted.length === 0 || granted.includes(FULFIL)

/** May the app read customers, and their orders' link to them? As above. */
export const mayReadCustomers = (granted: readonly string[]): boolean =>
  granted.length === 0 || isGranted(granted, 'read_customers')

/** A write scope includes its read scope. */
const isGranted = (granted: readonly string[], scope: string) =>
  granted.includes(scope) || granted.includes(scope.replace(/^read_/, 'write_'))
