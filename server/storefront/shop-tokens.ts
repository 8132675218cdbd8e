// The row that holds a shop's platform tokens: sealed, each for its shop and column.
import type { Session } from '@shopify/shopify-api'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { Secrets } from '../core/secrets.ts'
import { present } from '../core/lazy.ts'

export interface TokenRow {
  domain: string
  /** When the app was uninstalled, as the database writes it; null: it is installed. */
  uninstalled: string | null
  access_token: Buffer | null
  expires_at: Date | null
  refresh_token: Buffer | null
  refresh_expires_at: Date | null
}

/** A shop's domain with an access token for it. */
export interface Grant {
  domain: string
  accessToken: string
}

/** A token that was sealed with another secret opens as null, as if it were absent. */
export interface TokenSealer {
  openGrant(shop: number, row: TokenRow | null): Grant | null
  openRefresh(shop: number, row: TokenRow | null): string | null
  seal(shop: number, session: Session): Record<string, unknown>
}

const RENEW_BEFORE_MS = 5 * 60_000

/** Is the access token valid for some minutes more? */
export const isFresh = (row: TokenRow | null): boolean =>
  row !== null && row.access_token !== null && lasts(row.expires_at, RENEW_BEFORE_MS)

/** Can it be renewed for at least `ms` more? */
export const isRenewable = (row: TokenRow | null, ms = 0): boolean =>
  row !== null && row.refresh_token !== null && lasts(row.refresh_expires_at, ms)

/** A token without an expiry never expires. */
const lasts = (at: Date | null, ms: number) => at === null || +at - Date.now() > ms

/** The shop with its tokens, which it has only while it is installed; null: it is unknown. */
export const readTokens = (scope: ShopScope): Promise<TokenRow | null> =>
  scope.first<TokenRow>(
    `select s.domain, s.uninstalled_at::text as uninstalled, t.access_token, t.expires_at,
       t.refresh_token, t.refresh_expires_at
     from shops s left join shop_tokens t on t.shop_id = s.id and s.uninstalled_at is null
     where s.id = :shop`,
  )

/**
 * Stores the tokens, unless the app was uninstalled while the platform was asked for them: false.
 * @param sealed the result of `Sealing.seal`.
 */
export const writeTokens = (scope: ShopScope, sealed: Record<string, unknown>): Promise<boolean> =>
  scope.has(
    `with installed as (
       select id from shops where id = :shop and uninstalled_at is null for share
     )
     insert into shop_tokens (shop_id, access_token, expires_at, refresh_token, refresh_expires_at,
       scope)
     select id, :access_token::bytea, :expires_at::timestamptz, :refresh_token::bytea,
       :refresh_expires_at::timestamptz, :scope from installed
     on conflict (shop_id) do update set (access_token, expires_at, refresh_token,
       refresh_expires_at, scope) =
       row(excluded.access_token, excluded.expires_at, excluded.refresh_token,
         excluded.refresh_expires_at, excluded.scope)
     returning 1`,
    sealed,
  )

/**
 * Stores the tokens that the platform gave to an uninstalled shop, and installs it. False: it was
 * uninstalled again, or installed by another process.
 * @param read.uninstalled of the row that was read before the platform was asked.
 * @param read.at when the platform issued the session token: reports of an uninstallation have its
 *   clock too.
 */
export const install = (
  scope: ShopScope,
  read: { uninstalled: string; at: Date },
  sealed: Record<string, unknown>,
): Promise<boolean> =>
  scope.transaction(async (tx) => {
    const isInstalled = await tx.has(
      `update shops set uninstalled_at = null, installed_at = :at
       where id = :shop and uninstalled_at = :uninstalled::timestamptz returning 1`,
      { ...read },
    )
    return isInstalled && writeTokens(tx, sealed)
  })

/** Removes these tokens, unless another process has stored others since they were read. */
export async function dropTokens(scope: ShopScope, read: TokenRow): Promise<void> {
  await scope.query('delete from shop_tokens where shop_id = :shop and access_token = :token', {
    token: read.access_token,
  })
}

/** The access token no longer works: only a sign-in can replace it. */
export async function expireToken(scope: ShopScope, read: TokenRow): Promise<void> {
  await scope.query(
    'update shop_tokens set expires_at = now() where shop_id = :shop and access_token = :token',
    {
      token: read.access_token,
    },
  )
}

/** What a token is sealed for. */
export const tokenPlace = (shop: number, column: string): string => `shop/${shop}/${column}`

export function createSealing(secrets: Secrets): TokenSealer {
  const open = (sealed: Buffer | null | undefined, shop: number, column: string): string | null => {
    if (!sealed) return null
    try {
      return secrets.open(sealed, tokenPlace(shop, column))
    } catch {
      return null
    }
  }
  return {
    openGrant: (shop, row) => {
      if (row === null) return null
      const accessToken = open(row.access_token, shop, 'access_token')
      return accessToken === null ? null : { domain: row.domain, accessToken }
    },
    openRefresh: (shop, row) => open(row?.refresh_token, shop, 'refresh_token'),
    seal: (shop, { accessToken, expires, refreshToken, refreshTokenExpires, scope }) => ({
      access_token: secrets.seal(
        present(accessToken, 'The access token'),
        tokenPlace(shop, 'access_token'),
      ),
      expires_at: expires ?? null,
      refresh_token: refreshToken
        ? secrets.seal(refreshToken, tokenPlace(shop, 'refresh_token'))
        : null,
      refresh_expires_at: refreshTokenExpires ?? null,
      scope: scope ?? '',
    }),
  }
}
