// A shop's offline token: had for a session token, kept sealed, renewed shortly before it expires. Processes agree
// through a lock in PostgreSQL, since a token renewed twice may leave the loser with one that no longer works.
import type { Session } from '@shopify/shopify-api'
import { HttpResponseError, RequestedTokenType } from '@shopify/shopify-api'
import { PortError } from '../../plugins/contract.ts'
import type { Database } from '../db/database.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { AppError } from '../errors.ts'
import type { Secrets } from '../secrets.ts'
import type { Library } from './library.ts'
import { through, type Transport } from './transport.ts'

export interface Grant {
  domain: string
  accessToken: string
}

export interface Access {
  /** Stores a token for the shop where it has none that works. True when a new one was had. Throws `AppError`. */
  ensure(shop: number, shopDomain: string, sessionToken: string): Promise<boolean>
  /** A token that works for some minutes more, as far as we know. Throws `PortError`. */
  grant(shop: number): Promise<Grant>
  /** As `grant`, after the platform has refused this one. Throws `PortError`. */
  renewed(shop: number, refused: Grant): Promise<Grant>
}

interface TokenRow {
  domain: string
  access_token: Buffer | null
  expires_at: Date | null
  refresh_token: Buffer | null
  refresh_expires_at: Date | null
}

const LOCK = 728_115_003
const RENEW_BEFORE_MS = 5 * 60_000

export function createAccess(options: {
  database: Pick<Database, 'knex'>
  secrets: Secrets
  library: Library
  transport: Transport
}): Access {
  const { database, library, transport } = options
  const sealed = sealing(options.secrets)
  // One renewal a process: waiters for the lock would hold a database connection each.
  const renewals = new Map<number, Promise<Grant>>()

  const renew = async (shop: number, refused: Grant | null): Promise<Grant> => {
    const grant = await locked(database, shop, async (scope) => {
      const row = await readRow(scope)
      const present = sealed.openGrant(shop, row)
      if (present && isFresh(row) && present.accessToken !== refused?.accessToken) return present
      const refreshToken = lasts(row?.refresh_expires_at, 0) ? sealed.openRefresh(shop, row) : null
      const session = refreshToken === null ? null : await refresh(row!.domain, refreshToken)
      if (session === null) {
        await scope.query('delete from shop_tokens where shop_id = :shop')
        return null
      }
      await writeRow(scope, sealed.row(shop, session))
      return { domain: row!.domain, accessToken: session.accessToken! }
    })
    if (grant === null) throw noAccess()
    return grant
  }
  /** A new token, or null when the platform says that the refresh token is worth nothing. */
  const refresh = (domain: string, refreshToken: string): Promise<Session | null> =>
    through(transport, () => library.auth.refreshToken({ shop: domain, refreshToken })).then(
      ({ session }) => session,
      (error: unknown) => {
        if (isRefusal(error)) return null
        throw new PortError('storefront_unavailable', 'The storefront did not renew the access to its catalog', true)
      },
    )
  const renewOnce = (shop: number, refused: Grant | null) => {
    const underway = renewals.get(shop)
    if (underway) return underway
    const renewal = renew(shop, refused).finally(() => renewals.delete(shop))
    renewals.set(shop, renewal)
    return renewal
  }

  return {
    grant: async (shop) => {
      const row = await readRow(forShop(database, shop))
      return isFresh(row) ? sealed.openGrant(shop, row)! : renewOnce(shop, null)
    },
    renewed: (shop, refused) => renewOnce(shop, refused),
    ensure: async (shop, shopDomain, sessionToken) => {
      const works = (row: TokenRow | null) => isFresh(row) || lasts(row?.refresh_expires_at, RENEW_BEFORE_MS)
      const scope = forShop(database, shop)
      const { 0: owner } = await scope.query<{ domain: string }>('select domain from shops where id = :shop')
      // One shop's token must never become another's.
      if (owner?.domain !== shopDomain) throw new AppError('unauthenticated')
      if (works(await readRow(scope))) return false
      return locked(database, shop, async (inside) => {
        if (works(await readRow(inside))) return false
        await writeRow(inside, sealed.row(shop, await exchange(library, transport, shopDomain, sessionToken)))
        return true
      })
    },
  }
}

async function exchange(library: Library, transport: Transport, shop: string, sessionToken: string): Promise<Session> {
  const requestedTokenType = RequestedTokenType.OfflineAccessToken
  try {
    const { session } = await through(transport, () =>
      library.auth.tokenExchange({ shop, sessionToken, requestedTokenType, expiring: true }),
    )
    return session
  } catch (error) {
    // No cause goes along: the library's text may carry the token.
    throw new AppError(isRefusal(error) ? 'unauthenticated' : 'unavailable')
  }
}

/** Did the platform look at what we sent and say no? Then asking again would not help. */
const isRefusal = (error: unknown) =>
  error instanceof HttpResponseError && [400, 401, 403, 404].includes(error.response.code)

const noAccess = () =>
  new PortError(
    'storefront_unavailable',
    'The storefront no longer gives access to its catalog: open the app once in the storefront admin',
    true,
  )

/** Is the moment at least that far away? A token without an expiry lasts. */
const lasts = (at: Date | null | undefined, ms: number) => at !== undefined && (at === null || +at - Date.now() > ms)
const isFresh = (row: TokenRow | null) =>
  row !== null && row.access_token !== null && lasts(row.expires_at, RENEW_BEFORE_MS)

function locked<T>(database: Pick<Database, 'knex'>, shop: number, work: (scope: ShopScope) => Promise<T>): Promise<T> {
  return forShop(database, shop).transaction(async (scope) => {
    await scope.query('select pg_advisory_xact_lock(:lock, :shop)', { lock: LOCK })
    return work(scope)
  })
}

async function readRow(scope: ShopScope): Promise<TokenRow | null> {
  const rows = await scope.query<TokenRow>(
    `select s.domain, t.access_token, t.expires_at, t.refresh_token,
            case when t.refresh_token is null then to_timestamp(0) else t.refresh_expires_at end as refresh_expires_at
     from shops s left join shop_tokens t on t.shop_id = s.id where s.id = :shop and s.uninstalled_at is null`,
  )
  return rows[0] ?? null
}

async function writeRow(scope: ShopScope, row: Record<string, unknown>): Promise<void> {
  await scope.query(
    `insert into shop_tokens (shop_id, access_token, expires_at, refresh_token, refresh_expires_at, scope)
     values (:shop, :access_token, :expires_at, :refresh_token, :refresh_expires_at, :scope)
     on conflict (shop_id) do update set (access_token, expires_at, refresh_token, refresh_expires_at, scope) =
       row(excluded.access_token, excluded.expires_at, excluded.refresh_token, excluded.refresh_expires_at, excluded.scope)`,
    row,
  )
}

/** Tokens as the database holds them: sealed for their shop and column. */
function sealing(secrets: Secrets) {
  const about = (shop: number, column: string) => `shop/${shop}/${column}`
  return {
    openGrant: (shop: number, row: TokenRow | null): Grant | null =>
      row?.access_token
        ? { domain: row.domain, accessToken: secrets.open(row.access_token, about(shop, 'access_token')) }
        : null,
    openRefresh: (shop: number, row: TokenRow | null): string | null =>
      row?.refresh_token ? secrets.open(row.refresh_token, about(shop, 'refresh_token')) : null,
    row: (shop: number, { accessToken, expires, refreshToken, refreshTokenExpires, scope }: Session) => ({
      access_token: secrets.seal(accessToken!, about(shop, 'access_token')),
      expires_at: expires ?? null,
      refresh_token: refreshToken ? secrets.seal(refreshToken, about(shop, 'refresh_token')) : null,
      refresh_expires_at: refreshTokenExpires ?? null,
      scope: scope ?? '',
    }),
  }
}
