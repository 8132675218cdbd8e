// Keeps the mirrors of all shops current: a background task refreshes each one when it is due, or
// when the shop asks for it.
import { setTimeout as delay } from 'node:timers/promises'
import { PortError } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { ERRORS } from '../../core/errors.ts'
import { LeaseLost, type BackgroundTask, type TaskLease } from '../../core/queue/background.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { present } from '../../core/lazy.ts'
import type { Storefront } from '../storefront.ts'
import type { CatalogRow, WholeCatalog } from '../whole-catalog.ts'
import {
  beginRefresh,
  DUE_MIRRORS,
  failRefresh,
  REFRESH_MIRROR,
  type Refresh,
  type RefreshResult,
  recordRefreshProgress,
} from './mirror-lease.ts'
import { clearStaged, stage, swap } from './staging.ts'

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

// One refresh of one shop's mirror: the platform collects the catalog, and its rows are staged and
// then swapped in.

const ROW_BATCH = 1000
const MIN_POLL_MS = 50
const MAX_POLL_MS = 10_000

/**
 * Reads the catalog and swaps the mirror. Throws `PortError` if the platform fails, `LeaseLost` if
 * another run has taken over, and the signal's reason.
 */
async function refresh(
  scope: ShopScope,
  begun: Refresh,
  catalog: WholeCatalog,
  signal: AbortSignal,
): Promise<RefreshResult> {
  const { url, objects } = await awaitCatalog(scope, begun, catalog, signal)
  // If it fails after this, the next refresh starts a new operation of the platform, since the
  // address expires.
  await clearStaged(scope)
  const read = url === null ? 0 : await readInto(scope, begun, catalog.rows(url, signal))
  if (read !== objects)
    throw new Error(`The storefront announced ${objects} rows of its catalog and sent ${read}`)
  return swap(scope, begun, read)
}

async function awaitCatalog(
  scope: ShopScope,
  begun: Refresh,
  catalog: WholeCatalog,
  signal: AbortSignal,
) {
  let operation = begun.bulk_operation
  let wait = MIN_POLL_MS
  while (true) {
    if (operation === null) {
      operation = await catalog.begin(signal)
      await recordRefreshProgress(scope, begun, { bulk_operation: operation })
    }
    const state = await catalog.progress(operation, signal)
    if (state.status === 'complete') return state
    if (state.status === 'gone') {
      operation = null
      continue
    }
    await recordRefreshProgress(scope, begun, { objects: state.objects })
    await delay(wait, undefined, { signal })
    wait = Math.min(wait * 1.5, MAX_POLL_MS)
  }
}

/** Stages the rows of an address, and returns their number. */
async function readInto(
  scope: ShopScope,
  begun: Refresh,
  rows: AsyncIterable<CatalogRow>,
): Promise<number> {
  let read = 0
  let batch: CatalogRow[] = []
  const put = async () => {
    await stage(scope, begun, batch)
    read += batch.length
    batch = []
    await recordRefreshProgress(scope, begun, { objects: read })
  }
  for await (const row of rows) {
    batch.push(row)
    if (batch.length === ROW_BATCH) await put()
  }
  await put()
  return read
}
