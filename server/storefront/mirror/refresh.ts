// One refresh of one shop's mirror: the platform collects the catalog, and its rows are staged and
// then swapped in.
import { setTimeout as delay } from 'node:timers/promises'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { CatalogRow, WholeCatalog } from '../whole-catalog.ts'
import { clearStaged, stage, swap } from './staging.ts'
import { recordRefreshProgress, type Refresh, type RefreshResult } from './mirror-lease.ts'

const ROW_BATCH = 1000
const MIN_POLL_MS = 50
const MAX_POLL_MS = 10_000

/**
 * Reads the catalog and swaps the mirror. Throws `PortError` if the platform fails, `LeaseLost` if
 * another run has taken over, and the signal's reason.
 */
export async function refresh(
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
