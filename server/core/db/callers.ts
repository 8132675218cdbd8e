// The callers of the API: their keys, and how often each may call.

// Finding a key by its hash identifies the shop, so it is one of the few look-ups across
// shops.
import type pg from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Database } from './database.ts'
import type { ShopScope } from './for-shop.ts'

export interface ApiKeyRow {
  id: string
  shop_id: number
  name: string
  scopes: string[]
  domain: string
  shop_name: string
  demo: boolean
  /** It also acts in shops that granted it access, and names the shop in each request. */
  agency: boolean
  /** The last use of the key was recorded more than a minute ago, and has to be recorded again. */
  touch: boolean
}

const TOUCH = `k.last_used_at is null or k.last_used_at < now() - interval '1 minute'`

/** The key with this hash, unless it is revoked or expired, or its shop is uninstalled. */
export async function findApiKey(database: Database, hash: Buffer): Promise<ApiKeyRow | null> {
  const { rows } = await database.pool.query<ApiKeyRow>({
    name: 'find-api-key',
    text: `select k.id, k.shop_id, k.name, k.scopes, s.domain, s.name as shop_name, s.demo,
             k.agency_code is not null as agency, ${TOUCH} as touch
           from api_keys k join shops s on s.id = k.shop_id
           where k.hash = $1 and k.revoked_at is null
             and (k.expires_at is null or k.expires_at > now())
             and s.uninstalled_at is null`,
    values: [hash],
  })
  return rows[0] ?? null
}

/** The access of a key to another shop, unless it is revoked or expired, or the shop is uninstalled. */
export async function findGrant(
  database: Pick<Database, 'pool'>,
  key: string,
  domain: string,
): Promise<ApiKeyRow | null> {
  const { rows } = await database.pool.query<ApiKeyRow>({
    name: 'find-grant',
    text: `select k.id, k.shop_id, k.name, k.scopes, s.domain, s.name as shop_name, s.demo,
             true as agency, ${TOUCH} as touch
           from shops s join api_keys k on k.shop_id = s.id and k.granted_to = $1
           where s.domain = $2 and s.uninstalled_at is null and k.revoked_at is null
             and (k.expires_at is null or k.expires_at > now())`,
    values: [key, domain],
  })
  return rows[0] ?? null
}

/** A shop in which a key may act. */
export interface ReachableShop {
  domain: string
  name: string
  scopes: string[]
  expires_at: Date | null
  last_used_at: Date | null
}

/** The shops that granted access to a key of this shop, by domain. */
export async function listReachable(
  database: Pick<Database, 'pool'>,
  key: string,
): Promise<ReachableShop[]> {
  const { rows } = await database.pool.query<ReachableShop>(
    `select s.domain, s.name, k.scopes, k.expires_at, k.last_used_at
     from api_keys k join shops s on s.id = k.shop_id
     where k.granted_to = $1 and k.revoked_at is null and s.uninstalled_at is null
       and (k.expires_at is null or k.expires_at > now())
     order by s.domain`,
    [key],
  )
  return rows
}

/** The key that a code names, with its shop. */
export interface AgencyKey {
  id: string
  shop_id: number
  name: string
  hint: string
  domain: string
  shop_name: string
}

/** The key of an agency with this code, unless it does not work any more. */
export async function findAgencyKey(
  database: Pick<Database, 'pool'>,
  code: string,
): Promise<AgencyKey | null> {
  const { rows } = await database.pool.query<AgencyKey>(
    `select k.id, k.shop_id, k.name, k.hint, s.domain, s.name as shop_name
     from api_keys k join shops s on s.id = k.shop_id
     where k.agency_code = $1 and k.revoked_at is null and s.uninstalled_at is null
       and (k.expires_at is null or k.expires_at > now())`,
    [code],
  )
  return rows[0] ?? null
}

/** Records a use of the key. Concurrent calls write once. */
export async function touchApiKey(database: Database, { shop_id, id }: ApiKeyRow): Promise<void> {
  await database.pool.query(
    `update api_keys set last_used_at = now() where shop_id = $1 and id = $2
       and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    [shop_id, id],
  )
}

/** A key as its shop sees it, without the secret. */
export interface ListedKey {
  id: string
  name: string
  /** The first characters of the key. */
  hint: string
  scopes: string[]
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
  revoked_at: Date | null
  agency_code: string | null
  granted_shop: string | null
}

const LISTED = `id, name, hint, scopes, created_at, expires_at, last_used_at, revoked_at, agency_code,
  granted_shop`

/**
 * The shop's keys, newest first, including revoked ones. `before`: the last id of the previous
 * page.
 */
export const listApiKeys = (
  scope: ShopScope,
  { before, limit }: { before: string | null; limit: number },
): Promise<ListedKey[]> =>
  scope.query<ListedKey>(
    `select ${LISTED} from api_keys
     where shop_id = :shop ${before === null ? '' : 'and id < :before'}
     order by id desc limit :limit`,
    { limit, ...(before === null ? {} : { before }) },
  )

/**
 * A key of the shop, also a revoked one.
 * @param id a bare UUID
 * @returns null: the shop has none with this id
 */
export const readApiKey = (scope: ShopScope, id: string): Promise<ListedKey | null> =>
  scope.first<ListedKey>(`select ${LISTED} from api_keys where shop_id = :shop and id = :id`, {
    id,
  })

/**
 * Lets the key of another shop act in this one. Returns the id of the access; null: the key has one.
 * An expired one is replaced.
 */
export async function grantAccess(
  scope: ShopScope,
  { key, scopes, expiresAt }: { key: AgencyKey; scopes: readonly string[]; expiresAt: Date | null },
): Promise<string | null> {
  await scope.query(
    `update api_keys set revoked_at = now() where shop_id = :shop and granted_to = :key
       and revoked_at is null and expires_at <= now()`,
    { key: key.id },
  )
  const made = await scope.first<{ id: string }>(
    `insert into api_keys (shop_id, name, hint, scopes, expires_at, granted_to, granted_shop)
     values (:shop, :name, :hint, :scopes, :expiresAt, :key, :domain)
     on conflict (granted_to, shop_id) where granted_to is not null and revoked_at is null do nothing
     returning id`,
    { name: key.name, hint: key.hint, scopes, expiresAt, key: key.id, domain: key.domain },
  )
  return made?.id ?? null
}

/** Revokes the key; a key already revoked stays so. Returns false if no such key exists. */
export const revokeApiKey = (scope: ShopScope, id: string): Promise<boolean> =>
  scope.has(
    `update api_keys set revoked_at = coalesce(revoked_at, now()) where shop_id = :shop and id = :id
       returning 1`,
    { id },
  )

// Limits on how often one key (an address, a caller) may do something within a window. The counts
// are in the table rate_limits, so that a limit holds over all web processes.

export interface Usage {
  consumedPoints: number
  remainingPoints: number
  msBeforeNext: number
  /** This use exceeds the limit. */
  exceeded: boolean
  /** For Retry-After: seconds until the window ends, at least 1. */
  retryAfter: number
}

export interface RateLimit {
  /** Counts one use, also one beyond the limit. */
  consume(key: string): Promise<Usage>
  /** Uses of the key in this window, without counting one; 0: none. */
  consumed(key: string): Promise<number>
  /** Takes back one use of the key in this window. */
  giveBack(key: string): Promise<void>
  block(key: string, seconds: number): Promise<void>
}

interface RateLimitOptions {
  /** The counter's name: limits with the same name share their counts. */
  name: string
  /** Uses in one window. */
  points: number
  /** Length of the window. */
  seconds: number
  /** A use beyond the limit makes the window this long. */
  blockSeconds?: number
}

/**
 * Creates a limit whose counts are in the database, shared by all processes. Its functions throw if
 * the database cannot be reached.
 */
export function openRateLimit(pool: pg.Pool, options: RateLimitOptions): RateLimit {
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: options.name,
    points: options.points,
    duration: options.seconds,
    blockDuration: options.blockSeconds ?? 0,
  })
  return {
    consume: async (key) => {
      // The library throws the same result for a use beyond the limit.
      const { consumedPoints, remainingPoints, msBeforeNext } = await limiter
        .consume(key)
        .catch((thrown: unknown) => {
          if (thrown instanceof RateLimiterRes) return thrown
          throw thrown
        })
      return {
        consumedPoints,
        remainingPoints,
        msBeforeNext,
        exceeded: consumedPoints > options.points,
        retryAfter: Math.max(1, Math.ceil(msBeforeNext / 1000)),
      }
    },
    consumed: async (key) => (await limiter.get(key))?.consumedPoints ?? 0,
    giveBack: async (key) => {
      await pool.query(
        'update rate_limits set points = points - 1 where key = $1 and points > 0 and expire > $2',
        [`${options.name}:${key}`, Date.now()],
      )
    },
    block: async (key, seconds) => {
      await limiter.block(key, seconds)
    },
  }
}
