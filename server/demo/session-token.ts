// Session tokens, as the platform's admin issues them to the app's page.
import { randomUUID } from 'node:crypto'
import type { DemoApp } from './app.ts'
import { signToken } from './jwt.ts'

export const SESSION_TOKEN_SECONDS = 60

/** A token for the shop's owner. `over` overrides claims. */
export function signSessionToken(app: DemoApp, over: Record<string, unknown> = {}): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: `https://${app.shopDomain}/admin`,
    dest: `https://${app.shopDomain}`,
    aud: app.apiKey,
    sub: '1',
    exp: now + SESSION_TOKEN_SECONDS,
    nbf: now,
    iat: now,
    jti: randomUUID(),
    sid: randomUUID(),
  }
  return signToken({ ...claims, ...over }, app.apiSecret)
}
