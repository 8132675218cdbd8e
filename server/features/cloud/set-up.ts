// Providers that need an app of the operator: the log names the variables to set, merchants read what
// has to happen.
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as oauth from 'oauth4webapi'
import { say, type Text, ownValue } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Secrets } from '../../core/secrets.ts'
import { present } from '../../core/lazy.ts'
import { readBounded } from '../../core/body-budget.ts'
import type { Provider, OAuthSpec } from './providers/provider.ts'
import { recordLostAccess } from './lost-access.ts'
import { CloudError } from './rclone/errors.ts'
import { openSealed, sealed } from './sealed.ts'

/** The environment variables that a provider needs and that are not set. */
export const missingOf = ({ clients }: { clients: OAuthClients }, { oauth }: Provider): string[] =>
  oauth && !ownValue(clients, oauth.client)
    ? [`CLOUD_${oauth.client}_CLIENT_ID`, `CLOUD_${oauth.client}_CLIENT_SECRET`]
    : []

export const setUpText = ({ title }: Provider): Text =>
  say('{title} cannot be connected yet: the operator of this app has to set it up first', { title })

// Access tokens of connections with OAuth 2: the refresh token is sealed in the connection's row
// and used under its lock, since providers may replace it.

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

// The token broker: rclone starts with an expired token and requests another one from this server
// on loopback, with a nonce in place of a refresh token. The real refresh token and the client's
// secret never enter the rclone process, and a rotated refresh token is stored.

interface AccessToken {
  token: string
  /** The lifetime of the token in seconds. */
  expiresIn: number
}

export interface Broker {
  /**
   * Returns settings of a remote that gets its tokens from this broker, until `end`. `token` is
   * called with `again` if the provider may have refused the last token.
   */
  grant(token: (again: boolean) => Promise<AccessToken>): {
    settings: Readonly<Record<string, string>>
    end(): void
  }
  close(): Promise<void>
}

const MAX_BODY = 16_384

export async function openBroker(): Promise<Broker> {
  const grants = new Map<string, { asked: number; token(again: boolean): Promise<AccessToken> }>()
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy())
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const reply = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const form = new URLSearchParams(await textOf(request))
    const grant = grants.get(form.get('refresh_token') ?? '')
    if (!grant) return reply(400, { error: 'invalid_grant' })
    try {
      grant.asked += 1
      const { token, expiresIn } = await grant.token(grant.asked > 1)
      reply(200, { access_token: token, token_type: 'Bearer', expires_in: expiresIn })
    } catch (error) {
      const revoked = error instanceof CloudError && error.code === 'cloud_access_revoked'
      reply(revoked ? 400 : 503, { error: revoked ? 'invalid_grant' : 'temporarily_unavailable' })
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`
  return {
    grant: (token) => {
      const nonce = randomBytes(32).toString('hex')
      grants.set(nonce, { asked: 0, token })
      const expired = {
        access_token: 'expired',
        token_type: 'Bearer',
        refresh_token: nonce,
        expiry: '2000-01-01T00:00:00Z',
      }
      return {
        settings: {
          TOKEN: JSON.stringify(expired),
          TOKEN_URL: url,
          CLIENT_ID: 'stevedore',
          CLIENT_SECRET: 'none',
        },
        end: () => void grants.delete(nonce),
      }
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const bytes = await readBounded(request, MAX_BODY)
  if (bytes === null) throw new Error('too large')
  return bytes.toString()
}
