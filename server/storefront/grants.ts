// The two requests to the platform that give a token: a session token traded for the first, a
// refresh token for the next.
import { HttpResponseError, RequestedTokenType, type Session } from '@shopify/shopify-api'
import { PortError } from '../../plugins/contract.ts'
import { AppError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Library } from './library.ts'
import { through, type Transport } from './transport.ts'

export interface Grants {
  /** Throws `AppError`: `unauthenticated` when the session token is refused, else `unavailable`. */
  exchange(domain: string, sessionToken: string): Promise<Session>
  /**
   * Null when the platform says that this refresh token has ended. Throws `PortError` for every
   * other failure.
   */
  refresh(domain: string, refreshToken: string): Promise<Session | null>
}

/**
 * What the platform says of a token itself. Every other refusal is about the app (`invalid_client`:
 * a wrong secret on our side), the shop or the platform, and must not cost a shop its token.
 */
const TOKEN_ENDED = ['invalid_grant']
const SESSION_REFUSED = ['invalid_subject_token', 'invalid_grant']

// No error of the library is passed on as a cause: its text may carry the token.
export function createGrants(library: Library, transport: Transport, log: Logger): Grants {
  const warn = (shop: string, error: unknown) => {
    const [code, status] = [errorCode(error), statusOf(error)]
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
        // Without `expiring` the library asks for a token that never ends.
        const wanted = { shop, sessionToken, requestedTokenType, expiring: true }
        return (await through(transport, () => library.auth.tokenExchange(wanted))).session
      } catch (error) {
        if (SESSION_REFUSED.includes(errorCode(error))) throw new AppError('unauthenticated')
        warn(shop, error)
        throw new AppError('unavailable')
      }
    },
    refresh: async (shop, refreshToken) => {
      try {
        return (await through(transport, () => library.auth.refreshToken({ shop, refreshToken })))
          .session
      } catch (error) {
        warn(shop, error)
        if (TOKEN_ENDED.includes(errorCode(error))) return null
        throw new PortError(
          'storefront_unavailable',
          'The storefront did not renew the access to its catalog',
          true,
        )
      }
    },
  }
}

/** The OAuth error that the platform named; '' when it named none. */
function errorCode(error: unknown): string {
  if (!(error instanceof HttpResponseError)) return ''
  const { error: code } = (error.response.body ?? {}) as { error?: unknown }
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : ''
}

const statusOf = (error: unknown) =>
  error instanceof HttpResponseError ? error.response.code : 'no answer'
