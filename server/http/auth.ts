// Authentication: an API key (stored as a hash, with scopes) or a storefront session token (a
// person in the admin, every scope).
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { say } from '../../plugins/contract/index.ts'
import type { Database } from '../core/db/database.ts'
import { forShop, type ShopScope, findShop, registerShop } from '../core/db/for-shop.ts'
import {
  findApiKey,
  findGrant,
  touchApiKey,
  openRateLimit,
  type ApiKeyRow,
} from '../core/db/callers.ts'
import { AppError } from '../core/errors.ts'
import { hashKey } from '../core/secrets.ts'
import type { Storefront } from '../storefront/storefront.ts'
import { firstOf } from '../core/lazy.ts'
import type { Limits } from '../core/configuration/limits.ts'
import type { GuardedClient } from '../ports/guarded-fetch.ts'
import { networkOfRequest } from '../core/client-address.ts'
import { impliedScopes, SCOPES, type Caller, type Scope } from './endpoint.ts'

const API_KEY = /^sdk_(test|live)_[A-Za-z0-9_-]{43}$/
const HINT_LENGTH = 16
/** A code is shown to people, and nobody finds a key by trying codes. */
const CODE_BYTES = 16

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
  const byKey = async (key: string, asked: string | undefined): Promise<Caller> => {
    const row = await findApiKey(database, hashKey(key))
    if (!row) throw new AppError('unauthenticated')
    if (row.touch) await touchApiKey(database, row)
    if (row.agency && asked === undefined) throw new AppError('shop_required')
    if (asked === undefined || asked === row.domain)
      return callerOf(row, row.agency ? { key: row.id, isGranted: false } : undefined)
    const grant = row.agency ? await findGrant(database, row.id, asked) : null
    if (!grant) throw new AppError('shop_not_granted')
    if (grant.touch) await touchApiKey(database, grant)
    return callerOf(grant, { key: row.id, isGranted: true })
  }
  const callerOf = (row: ApiKeyRow, agency: Caller['agency']): Caller => ({
    scope: forShop(database, row.shop_id),
    shop: { domain: row.domain, name: row.shop_name, demo: row.demo },
    subject: `key:${row.id}`,
    name: row.name,
    scopes: impliedScopes(row.scopes as Scope[]),
    ...(agency ? { agency } : {}),
  })
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
        ? failures.guard(
            request,
            () => byKey(token, shopOf(request)),
            hashKey(token).toString('base64'),
          )
        : failures.guard(request, () => bySession(token))
    },
  }
}

/** The domain in the header `Stevedore-Shop`; undefined: the request names no shop. */
const shopOf = ({ headers }: IncomingMessage): string | undefined =>
  [headers['stevedore-shop']].flat()[0]?.trim().toLowerCase()

export const bearerToken = ({ headers }: IncomingMessage): string | undefined =>
  /^Bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1]

/** Creates an API key. It is shown only here: the database stores its hash. */
export async function createApiKey(
  scope: ShopScope,
  key: {
    name: string
    scopes: readonly Scope[]
    demo: boolean
    expiresAt?: Date
    agency?: boolean
  },
): Promise<{ id: string; key: string }> {
  const secret = `sdk_${key.demo ? 'test' : 'live'}_${randomBytes(32).toString('base64url')}`
  const rows = (await scope
    .insert('api_keys', {
      name: key.name,
      scopes: key.scopes,
      hash: hashKey(secret),
      hint: secret.slice(0, HINT_LENGTH),
      expires_at: key.expiresAt ?? null,
      agency_code: key.agency ? `agency_${randomBytes(CODE_BYTES).toString('base64url')}` : null,
    })
    .returning('id')) as { id: string }[]
  return { id: firstOf(rows).id, key: secret }
}

// Wrong keys and tokens, limited by client address. Failures are counted in the database, for all
// web processes. An address with too many failures is cached here, so that refusing it costs no
// query.

const MINUTE_SECONDS = 60
/** Maximum size of each cache; the oldest entries are dropped. */
const MAX_CACHED = 10_000

export interface FailureLimiter {
  /**
   * Runs `check`, and counts its `unauthenticated` errors. Throws `rate_limited` for further
   * failures of that address. `secret`: the key that the client sends, if it could be guessed by
   * trying. From an address with too many failures a secret is not checked unless it was valid
   * before, so that others behind the same address keep working. A signed token (no `secret`) is
   * always checked.
   */
  guard<T>(request: IncomingMessage, check: () => T | Promise<T>, secret?: string): Promise<T>
}

interface FailureParts {
  database: Database
  limits: Limits
  trustProxy: boolean
}

export function createFailureLimiter({
  database,
  limits,
  trustProxy,
}: FailureParts): FailureLimiter {
  const failures = openRateLimit(database.pool, {
    name: 'failed-sign-ins',
    points: limits.failed_sign_ins_per_minute,
    seconds: MINUTE_SECONDS,
  })
  /** The time until which an address is refused, by address. */
  const refused = new Map<string, number>()
  const valid = new Map<string, true>()

  async function count(network: string): Promise<AppError | null> {
    const { exceeded, remainingPoints, msBeforeNext } = await failures.consume(network)
    if (remainingPoints <= 0) remember(refused, network, Date.now() + msBeforeNext)
    return exceeded ? tooMany(msBeforeNext) : null
  }

  return {
    guard: async (request, check, secret) => {
      const network = networkOfRequest(request, trustProxy)
      const left = (refused.get(network) ?? 0) - Date.now()
      if (left > 0 && secret !== undefined && !valid.has(secret)) throw tooMany(left)
      try {
        const found = await check()
        if (secret !== undefined) remember(valid, secret, true)
        return found
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'unauthenticated')) throw error
        if (secret !== undefined) valid.delete(secret)
        throw (await count(network)) ?? error
      }
    },
  }
}

function tooMany(ms: number): AppError {
  const message = say(
    'Too many requests with a wrong key or token came from this address: wait as long as Retry-After says',
  )
  return new AppError('rate_limited', { message, retryAfter: Math.max(1, Math.ceil(ms / 1000)) })
}

/** Stores the entry as the newest one. */
function remember<V>(memory: Map<string, V>, key: string, value: V): void {
  memory.delete(key)
  memory.set(key, value)
  for (const oldest of memory.keys()) {
    if (memory.size <= MAX_CACHED) return
    memory.delete(oldest)
  }
}

// Addresses that this server will post to are checked when they are given, not only when the first
// message fails.

export type Reach = GuardedClient['reach']

/** Throws `validation_failed` with one text for every reason: it reveals no name of this network. */
export async function requireReachable(
  reach: Reach,
  param: string,
  url: string | undefined,
): Promise<void> {
  if (url === undefined) return
  await reach(url).catch((cause: unknown) => {
    const code = 'url_not_accessible'
    const message = say(
      'This server cannot send to this address: use one on the public internet, on port 80 or 443',
    )
    throw new AppError('validation_failed', {
      param,
      message,
      cause,
      details: [{ param, code, message }],
    })
  })
}
