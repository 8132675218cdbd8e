// The two requests to the platform that give a token: a session token traded for the first, a refresh token for the next.
import { HttpResponseError, RequestedTokenType, type Session } from '@shopify/shopify-api'
import { PortError } from '../../plugins/contract.ts'
import { AppError } from '../errors.ts'
import type { Library } from './library.ts'
import { through, type Transport } from './transport.ts'

export interface Grants {
  /** Throws `AppError`: `unauthenticated` when the session token is refused, `unavailable` when the platform is. */
  exchange(domain: string, sessionToken: string): Promise<Session>
  /** Null when the platform says that the refresh token is worth nothing. Throws `PortError` when it says nothing. */
  refresh(domain: string, refreshToken: string): Promise<Session | null>
}

// No error of the library is passed on as a cause: its text may carry the token.
export function createGrants(library: Library, transport: Transport): Grants {
  return {
    exchange: async (shop, sessionToken) => {
      const requestedTokenType = RequestedTokenType.OfflineAccessToken
      try {
        // Without `expiring` the library asks for a token that never ends.
        const wanted = { shop, sessionToken, requestedTokenType, expiring: true }
        return (await through(transport, () => library.auth.tokenExchange(wanted))).session
      } catch (error) {
        throw new AppError(isRefusal(error) ? 'unauthenticated' : 'unavailable')
      }
    },
    refresh: async (shop, refreshToken) => {
      try {
        return (await through(transport, () => library.auth.refreshToken({ shop, refreshToken }))).session
      } catch (error) {
        if (isRefusal(error)) return null
        throw new PortError('storefront_unavailable', 'The storefront did not renew the access to its catalog', true)
      }
    },
  }
}

/** Did the platform look at what we sent and say no? Then asking again would not help. */
const isRefusal = (error: unknown) =>
  error instanceof HttpResponseError && [400, 401, 403, 404].includes(error.response.code)
