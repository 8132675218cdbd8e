// The platform's data about the shop: its name, its owner's address, its time zone and language, and the scopes
// that the app was granted. Read at a sign-in and with each refresh of the catalog, if it is due,
// so that failed reads and later changes are caught up.
import type { Database } from '../core/db/database.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { errorFields, type Logger } from '../core/log.ts'
import type { AdminRequest } from './admin-api.ts'
import { SHOP_PROFILE } from './operations.ts'

export interface Profiles {
  /**
   * Reads the profile, for some seconds at most. Never rejects; false: it could not be read, and
   * stays due.
   */
  read(shop: number): Promise<boolean>
  /**
   * Reads it in the background if it is due, in one process only. Resolves when that is decided.
   */
  readIfDue(shop: number): Promise<void>
  /** Resolves when no read is running; abort them with the signal first. */
  idle(): Promise<void>
}

interface Profile {
  shop: {
    name: string
    email: string
    ianaTimezone: string
    /** Null for a shop without an online store. */
    primaryDomain?: { localization: { defaultLocale: string } | null }
  }
  currentAppInstallation: { accessScopes: { handle: string }[] }
}

const POINTS = 3
/** The time limit while a person waits for the first page. */
const READ_LIMIT_MS = 5_000
const FRESH = '10 minutes'
const AFTER_FAILURE = '1 minute'

export function createProfiles(
  database: Pick<Database, 'knex'>,
  requestsOf: (shop: number) => AdminRequest,
  signal: AbortSignal,
  log: Logger,
): Profiles {
  const running = new Set<Promise<unknown>>()
  const track = (work: Promise<unknown>) => {
    const tracked = work.catch(() => {}).finally(() => running.delete(tracked))
    running.add(tracked)
  }
  const read = async (shop: number, until: AbortSignal) => {
    try {
      const scope = forShop(database, shop)
      const { begun } = await scope.one<{ begun: string }>(
        'select clock_timestamp()::text as begun from shops where id = :shop',
      )
      const profile = await requestsOf(shop)<Profile>(SHOP_PROFILE, {}, POINTS, until)
      await storeProfile(scope, profile, begun)
      return true
    } catch (error) {
      if (!signal.aborted)
        log.warn('the shop’s name could not be read', { shop, ...errorFields(error) })
      return false
    }
  }
  return {
    read: (shop) => read(shop, AbortSignal.any([signal, AbortSignal.timeout(READ_LIMIT_MS)])),
    readIfDue: (shop) => {
      const claimed = claim(forShop(database, shop)).then((due) => {
        if (due) track(read(shop, signal))
      })
      track(claimed)
      return claimed
    },
    idle: async () => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/**
 * Claims the reading of a profile that is due: true for one caller; it is due again soon unless it
 * is stored in the meantime.
 */
const claim = (scope: ShopScope): Promise<boolean> =>
  scope.has(
    `update shops set profile_due_at = now() + interval '${AFTER_FAILURE}'
     where id = :shop and profile_due_at <= now() returning id`,
  )

/**
 * Stores the platform's name. Recipients and time zone follow the platform if the shop has none, or
 * still has the platform's earlier values; the merchant's own choices are kept.
 * @param begun when the platform was asked: the answer of an earlier request is not stored after that
 *   of a later one.
 */
async function storeProfile(scope: ShopScope, profile: Profile, begun: string): Promise<void> {
  const { name, email, ianaTimezone, primaryDomain } = profile.shop
  const scopes = profile.currentAppInstallation.accessScopes.map(({ handle }) => handle)
  const isStored = await scope.has(
    `update shops set name = :name, profile_due_at = now() + interval '${FRESH}',
       profile = jsonb_build_object('email', cast(:email as text), 'time_zone',
         cast(:zone as text), 'language', cast(:language as text), 'read_at', :begun::timestamptz),
       settings = settings
         || case when settings->'recipients' is null
                   or settings->'recipients' = jsonb_build_array(profile->'email')
              then jsonb_build_object('recipients', jsonb_build_array(cast(:email as text)))
                else '{}' end
         || case when settings->'time_zone' is null or settings->'time_zone' = profile->'time_zone'
              then jsonb_build_object('time_zone', cast(:zone as text)) else '{}' end
     where id = :shop
       and coalesce((profile ->> 'read_at')::timestamptz, '-infinity') <= :begun::timestamptz
     returning id`,
    {
      name,
      email,
      begun,
      zone: ianaTimezone,
      language: primaryDomain?.localization?.defaultLocale ?? null,
    },
  )
  if (!isStored) return
  await scope.query('update shop_tokens set scope = :scopes where shop_id = :shop', {
    scopes: scopes.join(','),
  })
}
