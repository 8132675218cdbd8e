// The two requests to the platform that return a token: for a session token, the first one; for a
// refresh token, the next one.
import { HttpResponseError, RequestedTokenType, type Session } from '@shopify/shopify-api'
import { PortError } from '../../plugins/contract/index.ts'
import { AppError } from '../core/errors.ts'
import type { Logger } from '../core/log.ts'
import { TOKEN_CODES, tokenFailures } from '../core/totals.ts'
import type { Library } from './library.ts'
import { isStoreGone, StoreGone } from './platform-failures.ts'
import { withTransport, type Transport } from './operations.ts'

export interface Grants {
  /**
   * Exchanges a session token for an offline token. Throws `AppError`: `unauthenticated` if the
   * session token is refused, otherwise `unavailable`.
   */
  exchange(domain: string, sessionToken: string): Promise<Session>
  /**
   * Renews a token; null if the platform says that this refresh token is invalid. Throws
   * `PortError` for every other failure.
   */
  refresh(domain: string, refreshToken: string): Promise<Session | null>
}

/**
 * The OAuth errors about the token itself. Every other refusal is about the app (`invalid_client`:
 * a wrong secret on our side), the shop or the platform, and must not discard a shop's token.
 */
const TOKEN_ENDED = ['invalid_grant']
const SESSION_REFUSED = ['invalid_subject_token', 'invalid_grant']

// Errors of the library are not passed on as causes: their texts may contain the token.
export function createGrants(library: Library, transport: Transport, log: Logger): Grants {
  const warn = (shop: string, error: unknown) => {
    const [code, status] = [errorCode(error), statusOf(error)]
    tokenFailures.add(TOKEN_CODES.includes(code) ? code : 'other')
    const hint =
      code === 'invalid_client' ? { hint: 'check SHOPIFY_API_KEY and SHOPIFY_API_SECRET' } : {}
    log.warn('the platform gave no token', {
      domain: shop,
      ...(code ? { code } : {}),
      status,
      ...hint,
    })
  }
  return {
    exchange: async (shop, sessionToken) => {
      const requestedTokenType = RequestedTokenType.OfflineAccessToken
      try {
        // Without `expiring` the library requests a token that never expires.
        const wanted = { shop, sessionToken, requestedTokenType, expiring: true }
        return (await withTransport(transport, () => library.auth.tokenExchange(wanted))).session
      } catch (error) {
        if (SESSION_REFUSED.includes(errorCode(error))) throw new AppError('unauthenticated')
        warn(shop, error)
        throw new AppError('unavailable')
      }
    },
    refresh: async (shop, refreshToken) => {
      try {
        return (
          await withTransport(transport, () => library.auth.refreshToken({ shop, refreshToken }))
        ).session
      } catch (error) {
        warn(shop, error)
        if (TOKEN_ENDED.includes(errorCode(error))) return null
        const Failure = isStoreGone(error) ? StoreGone : PortError
        throw new Failure(
          'storefront_unavailable',
          'The storefront did not renew the access to its catalog',
          true,
        )
      }
    },
  }
}

/** The OAuth error code of the platform; '' if there is none. */
function errorCode(error: unknown): string {
  if (!(error instanceof HttpResponseError)) return ''
  const { error: code } = (error.response.body ?? {}) as { error?: unknown }
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : ''
}

const statusOf = (error: unknown) =>
  error instanceof HttpResponseError ? error.response.code : 'no answer'
