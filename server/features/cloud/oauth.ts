// Access tokens of connections with OAuth 2: the refresh token is sealed in the connection's row
// and used under its lock, since providers may replace it.
import { ownValue } from '../../../plugins/contract.ts'
import * as oauth from 'oauth4webapi'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Secrets } from '../../core/secrets.ts'
import { present } from '../../core/present.ts'
import type { AccessToken } from './broker.ts'
import type { OAuthSpec, Provider } from './providers/provider.ts'
import { recordLostAccess } from './lost-access.ts'
import { CloudError } from './rclone/errors.ts'
import { openSealed, sealed } from './sealed.ts'

/** The operator's client ids, by the names of `OAuthSpec.client`. */
export type OAuthClients = Readonly<Record<string, { id: string; secret: string } | undefined>>
export type OAuthFetch = typeof fetch

interface Parts {
  clients: OAuthClients
  secrets: Secrets
  emulators?: { fetch: OAuthFetch }
}

const ANSWER_MS = 30_000

/** The server and the client in the library's form. Throws `CloudError` without a client id. */
export function partiesOf({ clients, emulators }: Parts, spec: OAuthSpec) {
  const client = ownValue(clients, spec.client)
  if (!client) throw new CloudError('cloud_access_revoked')
  const { origin } = new URL(spec.token)
  return {
    server: {
      issuer: origin,
      token_endpoint: spec.token,
      authorization_endpoint: spec.authorize,
    } satisfies oauth.AuthorizationServer,
    client: { client_id: client.id } satisfies oauth.Client,
    authentication: oauth.ClientSecretPost(client.secret),
    options: () => ({
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(emulators ? { [oauth.customFetch]: emulators.fetch } : {}),
    }),
  }
}

interface CachedToken {
  token: string
  until: number
}

/** Gives access tokens, and caches each while it is valid. */
export function tokenSource(parts: Parts) {
  const known = new Map<string, CachedToken>()
  const usable = (kept: CachedToken | undefined): AccessToken | null => {
    const left = Math.floor(((kept?.until ?? 0) - Date.now()) / 1000)
    return kept && left > 60 ? { token: kept.token, expiresIn: left } : null
  }
  return {
    /** The provider refused the cached token. */
    forget: (connection: string) => void known.delete(connection),
    /**
     * Returns a valid token. Throws `CloudError`. `again`: the last token may have been refused
     * before its expiry.
     */
    accessToken: async (
      scope: ShopScope,
      connection: string,
      provider: Provider,
      again: boolean,
    ): Promise<AccessToken> => {
      const kept = again ? null : usable(known.get(connection))
      if (kept) return kept
      const fresh = await refreshed(parts, scope, connection, provider)
      known.set(connection, { token: fresh.token, until: Date.now() + fresh.expiresIn * 1000 })
      return fresh
    },
  }
}

/**
 * Gets a new access token under the connection's lock, because two refreshes with one token could
 * end the grant. A refusal is recorded at the connection.
 */
async function refreshed(
  parts: Parts,
  scope: ShopScope,
  connection: string,
  provider: Provider,
): Promise<AccessToken> {
  const fresh = await scope.transaction(async (tx) => {
    const [row] = await tx.query<{ sealed: Buffer | null }>(
      'select sealed from connections where shop_id = :shop and id = :connection for update',
      { connection },
    )
    const values = openSealed(parts.secrets, tx.shop, row?.sealed ?? null)
    const answer = await answerTo(
      parts,
      present(provider.oauth, `OAuth of ${provider.id}`),
      values.refresh_token,
    )
    if (answer === null) await recordLostAccess(tx, connection, null)
    if (answer?.refresh_token && answer.refresh_token !== values.refresh_token) {
      const next = { ...values, refresh_token: answer.refresh_token }
      await tx.query(
        'update connections set sealed = :sealed where shop_id = :shop and id = :connection',
        { connection, sealed: sealed(parts.secrets, tx.shop, next) },
      )
    }
    return answer && { token: answer.access_token, expiresIn: answer.expires_in ?? 3600 }
  })
  if (fresh === null) throw new CloudError('cloud_access_revoked')
  return fresh
}

/**
 * Requests a new access token; null: the provider no longer accepts the refresh token, or there is
 * none.
 */
async function answerTo(parts: Parts, spec: OAuthSpec, refreshToken: string | undefined) {
  if (refreshToken === undefined) return null
  try {
    return await requestToken(parts, spec, refreshToken)
  } catch (error) {
    if (error instanceof CloudError && error.code === 'cloud_access_revoked') return null
    throw error
  }
}

async function requestToken(parts: Parts, spec: OAuthSpec, refreshToken: string) {
  const { server, client, authentication, options } = partiesOf(parts, spec)
  try {
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      authentication,
      refreshToken,
      options(),
    )
    return await oauth.processRefreshTokenResponse(server, client, response)
  } catch (error) {
    throw tokenError(error)
  }
}

/** Maps an error of the library, without its own message, which may contain tokens. */
export function tokenError(error: unknown): CloudError {
  if (error instanceof oauth.ResponseBodyError) {
    const revoked = ['invalid_grant', 'unauthorized_client', 'access_denied'].includes(error.error)
    return new CloudError(revoked ? 'cloud_access_revoked' : 'cloud_failed')
  }
  return new CloudError('cloud_unreachable')
}
