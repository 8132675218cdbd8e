// Shops by their platform domain: the look-up that gives the shop of a scope.
import type { Database } from './database.ts'
import { firstOf } from '../lazy.ts'

export interface Shop {
  id: number
  domain: string
  name: string
  demo: boolean
}

/** The installed shop of that domain, or null. */
export async function findShop(
  database: Pick<Database, 'pool'>,
  domain: string,
): Promise<Shop | null> {
  const { rows } = await database.pool.query<Shop>(
    'select id, domain, name, demo from shops where domain = $1 and uninstalled_at is null',
    [domain],
  )
  return rows[0] ?? null
}

/** The shop of that domain, also after it was uninstalled, or null. */
export async function findKnownShop(
  database: Pick<Database, 'knex'>,
  domain: string,
): Promise<number | null> {
  const [row] = await database.knex<{ id: number; domain: string }>('shops').where({ domain })
  return row?.id ?? null
}

/**
 * The shop of that domain. A missing one is created as not installed: a session token alone does not
 * prove that the app is installed, because it stays valid for a minute after the app was uninstalled.
 * The platform's first offline token installs it (server/storefront/shop-tokens.ts).
 */
export async function registerShop(
  database: Pick<Database, 'pool'>,
  domain: string,
): Promise<Shop> {
  const { rows } = await database.pool.query<Shop>(
    `with added as (
       insert into shops (domain, name, uninstalled_at) values ($1, $2, now())
       on conflict (domain) do nothing returning id, domain, name, demo
     )
     select * from added union all select id, domain, name, demo from shops where domain = $1
     limit 1`,
    [domain, domain.split('.')[0]],
  )
  // Another process may have added the row after this statement began.
  return rows[0] ?? registerShop(database, domain)
}

/**
 * The shop of that domain, created if missing and reinstalled if uninstalled, without the platform. An existing shop
 * keeps its name and settings. `demo` can't change, since the prefix of its API keys depends on it.
 */
export async function ensureShop(
  database: Pick<Database, 'pool'>,
  shop: { domain: string; name?: string; demo?: boolean; settings?: Record<string, unknown> },
): Promise<Shop> {
  const there = await findShop(database, shop.domain)
  if (there) return there
  const { rows } = await database.pool.query<Shop>(
    `insert into shops (domain, name, demo, settings) values ($1, $2, $3, $4)
     on conflict (domain) do update set
       uninstalled_at = null,
       installed_at = case when shops.uninstalled_at is null then shops.installed_at else now() end
     returning id, domain, name, demo`,
    [
      shop.domain,
      shop.name ?? shop.domain.split('.')[0],
      shop.demo ?? false,
      JSON.stringify(shop.settings ?? {}),
    ],
  )
  return firstOf(rows)
}
