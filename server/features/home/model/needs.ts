// What needs the merchant, each with its number, and the first steps of a new shop.
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { BLOCKED_DELIVERIES, STATUS_SQL } from '../../orders/entitlement.ts'
import { ASKED_PRODUCTS } from '../../orders/new-files.ts'
import { UNFILED_PRODUCTS } from '../../orders/unfiled-products.ts'

/** A count is exact up to this number. */
export const MAX_COUNTED = 1000

// SQL of the rows that need somebody. Each is counted up to the bound.
const NEEDS = {
  // A delivery whose workflow prepares its files needs nobody, unless the workflow failed.
  held: `from deliveries d where d.shop_id = :shop and d.held_by is not null and ${STATUS_SQL} = 'held'
    and (d.held_by <> 'workflow' or exists (select from delivery_runs r
      where r.shop_id = d.shop_id and r.delivery_id = d.id and r.status = 'failed'))`,
  asked: `from deliveries d where d.shop_id = :shop and d.ask is not null
    and ${STATUS_SQL} in ('ready', 'held')`,
  blocked: `from ${BLOCKED_DELIVERIES}`,
  unreachable: `from deliveries d join orders o on o.shop_id = d.shop_id and o.id = d.order_id
    where d.shop_id = :shop and o.email is null and d.email is null and d.texted_at is null
      and ${STATUS_SQL} = 'ready'`,
  bounced: `from deliveries d where d.shop_id = :shop and ${STATUS_SQL} = 'ready'
    and d.bounced_at is not null`,
  unfiled_products: `from ${UNFILED_PRODUCTS}`,
  new_files: `from ${ASKED_PRODUCTS}`,
  unmapped: `from files where shop_id = :shop and deleted_at is null
    and mapping_state <> 'mapped'`,
  failed_imports: `from operations where shop_id = :shop and kind = 'import'
    and created_at > now() - interval '7 days' and failed > 0
    and status in ('failed', 'partial')`,
  connections: `from connections where shop_id = :shop and state <> 'ready'`,
  licence_lists: `from licence_lists l where l.shop_id = :shop and l.deleted_at is null
    and l.warned_at is not null`,
  damaged: `from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
    and v.number = f.version and v.damaged
    where f.shop_id = :shop and f.deleted_at is null`,
} as const
export type Need = keyof typeof NEEDS

/** The place in the admin page where somebody can act. */
export const NEED_PAGES: Readonly<Record<Need, string>> = {
  held: '/deliveries?status=held',
  asked: '/deliveries?status=ready',
  blocked: '/deliveries?status=blocked',
  unreachable: '/deliveries?status=unreachable',
  bounced: '/deliveries?status=unreachable',
  unfiled_products: '/deliveries/products-without-files',
  new_files: '/deliveries/new-files',
  unmapped: '/files?mapped=false',
  failed_imports: '/operations?kind=import',
  connections: '/import/connections',
  licence_lists: '/settings/licences',
  damaged: '/notices',
}
export const NEED_NAMES = Object.keys(NEEDS) as readonly Need[]

/** Reads the needs in the order of their importance, without those that are 0. */
export async function readNeeds(scope: ShopScope): Promise<{ need: Need; count: number }[]> {
  const counts = await scope.query<{ need: Need; count: number }>(
    Object.entries(NEEDS)
      .map(
        ([need, rows]) => `select '${need}' as need,
          (select count(*) from (select 1 ${rows} limit ${MAX_COUNTED + 1}) r)::int as count`,
      )
      .join(' union all '),
  )
  return counts.filter(({ count }) => count > 0)
}

export interface FirstSteps {
  imported: boolean
  mapped: boolean
  ordered: boolean
  downloaded: boolean
  branded: boolean
}

/** Reads which first steps are done, from what has happened in the shop. */
export async function readFirstSteps(scope: ShopScope): Promise<FirstSteps> {
  const row = await scope.one<FirstSteps>(
    `select exists (select from files where shop_id = :shop) as imported,
       exists (select from mappings where shop_id = :shop) as mapped,
       exists (select from deliveries where shop_id = :shop) as ordered,
       exists (select from file_days where shop_id = :shop) as downloaded,
       exists (select from buyer_pages where shop_id = :shop) as branded`,
  )
  return row
}
