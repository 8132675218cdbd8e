// Fills a shop's mirror with the products that a test names, with the code of a refresh.
import type { ShopScope } from '../server/core/db/for-shop.ts'
import { leaseOf, type TaskLease } from '../server/core/queue/background.ts'
import { stage, swap } from '../server/storefront/mirror/staging.ts'
import { mirrorTask, type MirrorParts } from '../server/storefront/mirror/mirror.ts'
import { REFRESH_MIRROR, type RefreshResult } from '../server/storefront/mirror/mirror-lease.ts'
import { openTestWorker } from './background.ts'
import type { CatalogRow } from '../server/storefront/whole-catalog.ts'

export interface MadeProduct {
  title: string
  /**
   * SKUs of the variants in order; null: a variant without one. Absent: one variant without a SKU.
   */
  skus?: readonly (string | null)[]
  tags?: readonly string[]
}

const ROWS_PER_STATEMENT = 2000

/** The id of the n-th product, from 1; the ids of its variants begin with the same number. */
export const productId = (n: number): string => `gid://shopify/Product/${n}`
export const variantId = (n: number, variant: number): string =>
  `gid://shopify/ProductVariant/${n * 1000 + variant}`

/** Replaces the mirror's products with these. */
export async function fillMirror(
  scope: ShopScope,
  products: readonly MadeProduct[],
): Promise<RefreshResult> {
  const begun = { lease: await takeMirror(scope), bulk_operation: null }
  const rows = products.flatMap((product, at) => rowsOf(product, at + 1))
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT)
    await stage(scope, begun, rows.slice(from, from + ROWS_PER_STATEMENT))
  return swap(scope, begun, rows.length)
}

/** Takes the lease of a refresh that no task runs. */
async function takeMirror(scope: ShopScope): Promise<TaskLease> {
  const key = String(scope.shop)
  await scope.query('insert into catalog_mirrors (shop_id) values (:shop) on conflict do nothing')
  const [row] = await scope.query<{ lease: number }>(
    `insert into background_tasks (task, key, shop_id, lease)
       values (:task, :key, :shop, nextval('leases'))
     on conflict (task, key) do update set lease = excluded.lease returning lease`,
    { task: REFRESH_MIRROR.name, key },
  )
  return leaseOf(REFRESH_MIRROR.name, key, row!.lease)
}

/** Checks all mirrors as a worker does, and refreshes those that are due. Returns their number. */
export async function refreshDue(parts: MirrorParts, signal: AbortSignal): Promise<number> {
  let done = 0
  const count: MirrorParts['refreshed'] = (...result) => {
    done++
    return parts.refreshed(...result)
  }
  const task = mirrorTask({ ...parts, refreshed: count })
  const worker = await openTestWorker(parts.database, [task], { signal, log: parts.log })
  await worker.runWanted(task)
  return done
}

/** The barcode of a variant with such a SKU. */
export const barcodeOf = (sku: string): string =>
  `40${Buffer.from(sku).toString('hex').replaceAll(/\D/g, '').slice(0, 11)}`

function rowsOf({ title, skus = [null], tags = [] }: MadeProduct, n: number): CatalogRow[] {
  const id = productId(n)
  const look = {
    handle: `product-${n}`,
    status: 'ACTIVE',
    image_url: `https://cdn.example.com/${n}.png`,
  }
  return [
    { kind: 'product', id, title, ...look, tags: [...tags] },
    ...skus.map((sku, at): CatalogRow => {
      const variant = {
        id: variantId(n, at + 1),
        product_id: id,
        title: `Variant ${at + 1}`,
        position: at + 1,
      }
      return { kind: 'variant', ...variant, sku, barcode: sku && barcodeOf(sku) }
    }),
  ]
}
