// Reads a product that the platform reported as changed and writes it into the mirror, so that a
// changed SKU is known within seconds and not only after the next refresh.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Storefront } from '../storefront.ts'
import type { ApplyChange } from '../apply-changes.ts'
import { readMirror, type RefreshResult } from './mirror-lease.ts'
import { swapProduct } from './staging.ts'

/**
 * A running refresh may have read the product before it changed, and would write the old rows: read
 * it again after the refresh.
 */
const AFTER_REFRESH_MS = 10_000

/** What follows a change of the mirror. */
export type Refreshed = (scope: ShopScope, refreshed: RefreshResult) => Promise<unknown>

export const applyProduct =
  (storefront: Pick<Storefront, 'product'>, onRefreshed: Refreshed): ApplyChange =>
  async (scope, { subject }, signal) => {
    const rows = await storefront.product(scope.shop, subject, signal)
    const refreshed = await swapProduct(scope, subject, rows)
    if (refreshed.changed) await onRefreshed(scope, refreshed)
    const mirror = await readMirror(scope)
    return mirror?.refreshing ? AFTER_REFRESH_MS : null
  }
