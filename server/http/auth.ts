// Authentication: an API key (stored as a hash, with scopes) or a storefront session token (a
// person in the admin, every scope).
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Database } from '../core/db/database.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { findApiKey, touchApiKey } from '../core/db/api-keys.ts'
import { findShop, registerShop } from '../core/db/shops.ts'
import { AppError } from '../core/errors.ts'
import { hashKey } from '../core/secrets.ts'
import type { Storefront } from '../storefront/storefront.ts'
import type { FailureLimiter } from './auth-failures.ts'
import { impliedScopes, SCOPES, type Caller, type Scope } from './endpoint.ts'
import { firstOf } from '../core/present.ts'

const API_KEY = /^sdk_(test|live)_[A-Za-z0-9_-]{43}$/
const HINT_LENGTH = 16

export interface Authenticator {
  /** Throws `unauthenticated`, and `rate_limited` after too many failures from one address. */
  authenticate(request: IncomingMessage): Promise<Caller>
}

interface AuthParts {
  database: Database
  storefront: Storefront
  failures: FailureLimiter
}

export function createAuthenticator({ database, storefront, failures }: AuthParts): Authenticator {
  const byKey = async (key: string): Promise<Caller> => {
    const row = await findApiKey(database, hashKey(key))
    if (!row) throw new AppError('unauthenticated')
    if (row.touch) await touchApiKey(database, row)
    const { domain, shop_name: name, demo } = row
    return {
      scope: forShop(database, row.shop_id),
      shop: { domain, name, demo },
      subject: `key:${row.id}`,
      name: row.name,
      scopes: impliedScopes(row.scopes as Scope[]),
    }
  }
  const bySession = async (token: string): Promise<Caller> => {
    const { shopDomain, user } = await storefront.verifySessionToken(token)
    const { id, domain, name, demo } =
      (await findShop(database, shopDomain)) ?? (await registerShop(database, shopDomain))
    await storefront.ensureAccess(id, token)
    return {
      scope: forShop(database, id),
      shop: { domain, name, demo },
      subject: `user:${id}:${user}`,
      name: `user ${user}`,
      scopes: new Set(SCOPES),
    }
  }
  return {
    authenticate: async (request) => {
      const token = bearerToken(request)
      if (!token) throw new AppError('unauthenticated')
      return API_KEY.test(token)
        ? failures.guard(request, () => byKey(token), hashKey(token).toString('base64'))
        : failures.guard(request, () => bySession(token))
    },
  }
}

export const bearerToken = ({ headers }: IncomingMessage): string | undefined =>
  /^Bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1]

/** Creates an API key. It is shown only here: the database stores its hash. */
export async function createApiKey(
  scope: ShopScope,
  key: { name: string; scopes: readonly Scope[]; demo: boolean; expiresAt?: Date },
): Promise<{ id: string; key: string }> {
  const secret = `sdk_${key.demo ? 'test' : 'live'}_${randomBytes(32).toString('base64url')}`
  const rows = (await scope
    .insert('api_keys', {
      name: key.name,
      scopes: key.scopes,
      hash: hashKey(secret),
      hint: secret.slice(0, HINT_LENGTH),
      expires_at: key.expiresAt ?? null,
    })
    .returning('id')) as { id: string }[]
  return { id: firstOf(rows).id, key: secret }
}
