// The platform's token endpoint. Tokens are signed, not stored: they stay valid after a restart and
// in every process of this app. Only the retirement of refresh tokens is kept in memory, until the
// process ends.
import { randomUUID } from 'node:crypto'
import type { DemoApp } from './app.ts'
import { readToken, signToken } from './jwt.ts'

export interface TokenEndpoint {
  /** Answers a grant: HTTP status and JSON body. */
  grant(body: Record<string, unknown>): { status: number; body: Record<string, unknown> }
  /** Is this access token valid? */
  accepts(accessToken: string): boolean
  isInstalled(): boolean
  /** No token is given or accepted until the app is installed again, and none from before. */
  uninstall(): void
  install(): void
  /** Numbers of grants: `exchange` for session tokens, `refresh` for refresh tokens. */
  readonly counts: { exchange: number; refresh: number }
}

/** A write scope includes its read. */
export const DEMO_SCOPES = [
  'write_products',
  'write_orders',
  'write_merchant_managed_fulfillment_orders',
  'read_customers',
]
const SCOPE = DEMO_SCOPES.join(',')
const REFRESH_SECONDS = 90 * 24 * 3600
/** The expiry of a token that was requested without one: effectively never. */
const NEVER_SECONDS = 100 * 365 * 24 * 3600

/** Signs and reads the app's tokens. */
function createTokens(app: DemoApp, accessSeconds: number) {
  const secret = `${app.apiSecret}/tokens`
  /** Tokens from before `uninstalledAt` (milliseconds, forgotten at a restart) are refused. */
  const installation = { installed: true, uninstalledAt: 0 }
  const sign = (use: string, seconds: number, more: object = {}) => {
    const now = Date.now()
    const about = { use, shop: app.shopDomain, jti: randomUUID() }
    const claims = { ...about, made: now, exp: now / 1000 + seconds, ...more }
    return signToken(claims, secret)
  }
  const read = (token: unknown, use: string) => {
    const claims =
      typeof token === 'string' ? readToken(token.replace(/^shp(at|rt)_/, ''), secret) : null
    const { installed, uninstalledAt } = installation
    const current = installed && Number(claims?.made ?? 0) >= uninstalledAt
    return current && claims?.use === use && claims.shop === app.shopDomain ? claims : null
  }
  const expiring = (replaces?: unknown) => ({
    access_token: `shpat_${sign('access', accessSeconds)}`,
    scope: SCOPE,
    expires_in: accessSeconds,
    refresh_token: `shprt_${sign('refresh', REFRESH_SECONDS, { replaces })}`,
    refresh_token_expires_in: REFRESH_SECONDS,
  })
  return { sign, read, expiring, installation }
}

/** @param accessSeconds how long an expiring access token works. */
export function createTokenEndpoint(app: DemoApp, accessSeconds: number): TokenEndpoint {
  const { sign, read, expiring, installation } = createTokens(app, accessSeconds)
  const retired = new Set<string>()
  const counts = { exchange: 0, refresh: 0 }
  const exchange = (body: Record<string, unknown>) => {
    const { subject_token: subject } = body
    const claims = typeof subject === 'string' ? readToken(subject, app.apiSecret) : null
    if (
      !installation.installed ||
      claims?.aud !== app.apiKey ||
      claims.dest !== `https://${app.shopDomain}`
    )
      return refusal('invalid_subject_token', 'The session token is not valid')
    if (body.requested_token_type !== 'urn:shopify:params:oauth:token-type:offline-access-token')
      return refusal('invalid_request', 'Only offline access tokens are given here')
    counts.exchange++
    if (String(body.expiring) === '1') return { status: 200, body: expiring() }
    return {
      status: 200,
      body: { access_token: `shpat_${sign('access', NEVER_SECONDS)}`, scope: SCOPE },
    }
  }
  const refresh = (body: Record<string, unknown>) => {
    const claims = read(body.refresh_token, 'refresh')
    if (!claims || retired.has(String(claims.jti)))
      return refusal('invalid_grant', 'The refresh token has expired or was replaced')
    // The previous refresh token is valid until its replacement is used, so that a client can
    // repeat a request whose answer was lost.
    if (claims.replaces) retired.add(String(claims.replaces))
    counts.refresh++
    return { status: 200, body: expiring(claims.jti) }
  }

  return {
    counts,
    isInstalled: () => installation.installed,
    uninstall: () => {
      installation.installed = false
      installation.uninstalledAt = Date.now() + 1
    },
    install: () => void (installation.installed = true),
    accepts: (token) => token.startsWith('shpat_') && read(token, 'access') !== null,
    grant: (body) => {
      if (body.client_id !== app.apiKey || body.client_secret !== app.apiSecret)
        return refusal('invalid_client', 'There is no such app')
      if (body.grant_type === 'urn:ietf:params:oauth:grant-type:token-exchange')
        return exchange(body)
      if (body.grant_type === 'refresh_token') return refresh(body)
      return refusal('unsupported_grant_type', 'This grant is not known here')
    },
  }
}

const refusal = (error: string, description: string) => ({
  status: 400,
  body: { error, error_description: description },
})
