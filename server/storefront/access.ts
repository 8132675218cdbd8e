// A shop's offline token: had for a session token, kept sealed, renewed shortly before it expires. Processes agree
// through a lock in PostgreSQL, since a token renewed twice may leave the loser with one that no longer works.
import { PortError } from '../../plugins/contract.ts'
import type { Database } from '../db/database.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { AppError } from '../errors.ts'
import type { Grants } from './grants.ts'
import {
  dropTokens,
  isFresh,
  isRenewable,
  readTokens,
  writeTokens,
  type Grant,
  type Sealing,
  type TokenRow,
} from './shop-tokens.ts'

export interface Access {
  /** Stores a token for the shop where it has none that works. True when a new one was had. Throws `AppError`. */
  ensure(shop: number, shopDomain: string, sessionToken: string): Promise<boolean>
  /** A token that works for some minutes more, as far as we know. Throws `PortError`. */
  grant(shop: number): Promise<Grant>
  /** As `grant`, after the platform has refused this one. Throws `PortError`. */
  renewed(shop: number, refused: Grant): Promise<Grant>
}

const LOCK = 728_115_003
/** A refresh token with less to live is replaced when someone signs in: the next may come too late. */
const RENEWABLE_MS = 24 * 3600_000

export function createAccess(database: Pick<Database, 'knex'>, sealing: Sealing, grants: Grants): Access {
  // One renewal a process: waiters for the lock would hold a database connection each.
  const renewals = new Map<number, Promise<Grant>>()
  const renewOnce = (shop: number, refused: Grant | null) => {
    const underway = renewals.get(shop)
    if (underway) return underway
    const renewal = renew(database, sealing, grants, shop, refused).finally(() => renewals.delete(shop))
    renewals.set(shop, renewal)
    return renewal
  }
  const works = (row: TokenRow | null) => isRenewable(row, RENEWABLE_MS) || (isFresh(row) && row?.expires_at === null)

  return {
    grant: async (shop) => {
      const row = await readTokens(forShop(database, shop))
      return isFresh(row) ? sealing.openGrant(shop, row)! : renewOnce(shop, null)
    },
    renewed: (shop, refused) => renewOnce(shop, refused),
    ensure: async (shop, shopDomain, sessionToken) => {
      const row = await readTokens(forShop(database, shop))
      // One shop's token must never become another's.
      if (row?.domain !== shopDomain) throw new AppError('unauthenticated')
      if (works(row)) return false
      return locked(database, shop, async (scope) => {
        if (works(await readTokens(scope))) return false
        await writeTokens(scope, sealing.seal(shop, await grants.exchange(shopDomain, sessionToken)))
        return true
      })
    },
  }
}

async function renew(
  database: Pick<Database, 'knex'>,
  sealing: Sealing,
  grants: Grants,
  shop: number,
  refused: Grant | null,
): Promise<Grant> {
  const grant = await locked(database, shop, async (scope) => {
    const row = await readTokens(scope)
    const present = sealing.openGrant(shop, row)
    // Someone else has renewed it while we waited.
    if (present && isFresh(row) && present.accessToken !== refused?.accessToken) return present
    const refreshToken = isRenewable(row) ? sealing.openRefresh(shop, row) : null
    const session = refreshToken === null ? null : await grants.refresh(row!.domain, refreshToken)
    if (session === null) {
      await dropTokens(scope)
      return null
    }
    await writeTokens(scope, sealing.seal(shop, session))
    return { domain: row!.domain, accessToken: session.accessToken! }
  })
  if (grant) return grant
  const message = 'The storefront no longer gives access to its catalog: open the app once in the storefront admin'
  throw new PortError('storefront_unavailable', message, true)
}

function locked<T>(database: Pick<Database, 'knex'>, shop: number, work: (scope: ShopScope) => Promise<T>): Promise<T> {
  return forShop(database, shop).transaction(async (scope) => {
    await scope.query('select pg_advisory_xact_lock(:lock, :shop)', { lock: LOCK })
    return work(scope)
  })
}
