// Finding an API key says which shop is asking, so it is one of the few look-ups across shops.
import type { Database } from './database.ts'

export interface ApiKeyRow {
  id: string
  shop_id: number
  name: string
  scopes: string[]
  domain: string
  shop_name: string
  demo: boolean
  /** Its last use was noted more than a minute ago. */
  touch: boolean
}

/** The key with this hash, unless it is revoked, expired, or its shop has left. */
export async function findApiKey(database: Database, hash: Buffer): Promise<ApiKeyRow | null> {
  const { rows } = await database.pool.query<ApiKeyRow>({
    name: 'find-api-key',
    text: `select k.id, k.shop_id, k.name, k.scopes, s.domain, s.name as shop_name, s.demo,
             k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as touch
           from api_keys k join shops s on s.id = k.shop_id
           where k.hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
             and s.uninstalled_at is null`,
    values: [hash],
  })
  return rows[0] ?? null
}

export async function touchApiKey(database: Database, id: string): Promise<void> {
  await database.pool.query('update api_keys set last_used_at = now() where id = $1', [id])
}
