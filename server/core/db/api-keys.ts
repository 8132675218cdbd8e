// API keys. Finding a key by its hash identifies the shop, so it is one of the few look-ups across
// shops.
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
  /** The last use of the key was recorded more than a minute ago, and has to be recorded again. */
  touch: boolean
}

/** The key with this hash, unless it is revoked or expired, or its shop is uninstalled. */
export async function findApiKey(database: Database, hash: Buffer): Promise<ApiKeyRow | null> {
  const { rows } = await database.pool.query<ApiKeyRow>({
    name: 'find-api-key',
    text: `select k.id, k.shop_id, k.name, k.scopes, s.domain, s.name as shop_name, s.demo,
             k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as touch
           from api_keys k join shops s on s.id = k.shop_id
           where k.hash = $1 and k.revoked_at is null
             and (k.expires_at is null or k.expires_at > now())
             and s.uninstalled_at is null`,
    values: [hash],
  })
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
}

const LISTED = 'id, name, hint, scopes, created_at, expires_at, last_used_at, revoked_at'

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

/** Revokes the key; a key already revoked stays so. Returns false if no such key exists. */
export const revokeApiKey = (scope: ShopScope, id: string): Promise<boolean> =>
  scope.has(
    `update api_keys set revoked_at = coalesce(revoked_at, now()) where shop_id = :shop and id = :id
       returning 1`,
    { id },
  )
