// Keeps the mirrors of all shops current: a background task refreshes each one when it is due, or
// when the shop asks for it.
import { PortError } from '../../../plugins/contract.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { ERRORS } from '../../core/errors.ts'
import { LeaseLost, type BackgroundTask, type TaskLease } from '../../core/queue/background.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { Storefront } from '../storefront.ts'
import {
  beginRefresh,
  DUE_MIRRORS,
  failRefresh,
  REFRESH_MIRROR,
  type Refresh,
  type RefreshResult,
} from './mirror-lease.ts'
import { refresh } from './refresh.ts'
import { present } from '../../core/present.ts'

export interface MirrorParts {
  database: Database
  storefront: Pick<Storefront, 'wholeCatalog'>
  /** Called after a refresh. Its errors are logged: the mirror is current even so. */
  refreshed(scope: ShopScope, result: RefreshResult): Promise<unknown>
  log: Logger
}

export const mirrorTask = (parts: MirrorParts): BackgroundTask => ({
  ...REFRESH_MIRROR,
  // Swapping a large catalog is heavy on the database.
  concurrency: 1,
  waits: true,
  wanted: DUE_MIRRORS,
  run: async ({ shop, lease, signal }) => {
    await refreshShop(parts, forShop(parts.database, present(shop, 'The shop')), lease, signal)
    return null
  },
})

async function refreshShop(
  parts: MirrorParts,
  scope: ShopScope,
  lease: TaskLease,
  signal: AbortSignal,
): Promise<void> {
  const begun = await beginRefresh(scope, lease)
  if (!begun) return
  const { log } = parts
  const { shop } = scope
  try {
    const result = await refresh(scope, begun, parts.storefront.wholeCatalog(shop), signal)
    log.info('the catalog is mirrored', { shop, matchable: result.matchable })
    await parts.refreshed(scope, result).catch((error: unknown) => {
      log.warn('the follow-up of a catalog refresh failed', { shop, ...errorFields(error) })
    })
  } catch (error) {
    // An interrupted refresh keeps the platform's operation, and the next run continues with it.
    if (signal.aborted || error instanceof LeaseLost) throw error
    await recordFailure(scope, begun, error)
    log.warn('a catalog could not be mirrored', { shop, ...errorFields(error) })
  }
}

function recordFailure(scope: ShopScope, begun: Refresh, error: unknown): Promise<void> {
  // An error between this server and its database has no meaning for the merchant.
  const reason = error instanceof PortError ? error.texts.message : ERRORS.internal.message
  return failRefresh(scope, begun, reason)
}
