// Sign-in: verifies session tokens.
import { AppError } from '../core/errors.ts'
import type { Library } from './library.ts'

const SHOP_DOMAIN = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/

/** The person and shop of a session token. */
export interface SessionIdentity {
  /** The shop's platform domain, like `harbour.myshopify.com`. */
  shopDomain: string
  /** The signed-in person's platform id. */
  user: string
  /** When the platform issued the token, by its clock. */
  issuedAt: Date
}

/**
 * Verifies a session token. Throws `AppError` `unauthenticated`, without a cause: the library's
 * error text contains the token.
 */
export async function verifySessionToken(
  library: Library,
  token: string,
): Promise<SessionIdentity> {
  const claims: Record<string, unknown> = await library.session.decodeSessionToken(token).then(
    (payload) => ({ ...payload }),
    () => ({}),
  )
  // The library checks exp and nbf if they are present, and accepts a token without them.
  const { exp, nbf } = claims
  const shopDomain = shopOf(claims.dest, ['/'])
  if (
    typeof exp !== 'number' ||
    typeof nbf !== 'number' ||
    shopDomain === null ||
    shopDomain !== shopOf(claims.iss, ['/', '/admin']) ||
    !isText(claims.sub)
  )
    throw new AppError('unauthenticated')
  return { shopDomain, user: claims.sub, issuedAt: new Date(nbf * 1000) }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/**
 * The shop domain in an address, or null unless the address is `https://<shop>` with one of the
 * paths.
 */
function shopOf(value: unknown, paths: readonly string[]): string | null {
  if (!isText(value) || !URL.canParse(value)) return null
  const { protocol, host, hostname, pathname, username, password, search, hash } = new URL(value)
  const plain =
    protocol === 'https:' && host === hostname && !username && !password && !search && !hash
  return plain && paths.includes(pathname) && SHOP_DOMAIN.test(hostname) ? hostname : null
}
