// What needs the merchant, each with its number, and the first steps of a new shop.
import type { ShopScope } from '../../../core/db/for-shop.ts'
import type { ErrorCode } from '../../../core/errors.ts'
import { toPublicId } from '../../../core/ids.ts'
import { BLOCKED_DELIVERIES, STATUS_SQL, UNFILED_PRODUCTS } from '../../orders/entitlement.ts'
import { WAITING } from '../../mapping/model/reviews.ts'
import { ASKED_PRODUCTS } from '../../orders/new-files.ts'

/** A count is exact up to this number. */
export const MAX_COUNTED = 1000

// SQL of the rows that need somebody. Each is counted up to the bound.
const NEEDS = {
  // A delivery whose workflow prepares its files needs nobody, unless the workflow failed.
  held: `from deliveries d where d.shop_id = :shop and d.held_by is not null and ${STATUS_SQL} = 'held'
    and (d.held_by <> 'workflow' or exists (select from delivery_runs r
      where r.shop_id = d.shop_id and r.delivery_id = d.id and r.status = 'failed'))`,
  asked_runs: `from operations o where o.shop_id = :shop and o.question is not null
    and o.status = 'previewed' and o.finished_at is null and o.continue_at is not null`,
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
  reviews: `from ${WAITING} r`,
  unmapped: `from files where shop_id = :shop and deleted_at is null
    and mapping_state <> 'mapped'`,
  connections: `from connections where shop_id = :shop and state <> 'ready'`,
  licence_lists: `from licence_lists l where l.shop_id = :shop and l.deleted_at is null
    and l.warned_at is not null`,
  quarantined: `from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
    and v.number = f.version and v.quarantine is not null and v.quarantined
    where f.shop_id = :shop and f.deleted_at is null`,
  damaged: `from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
    and v.number = f.version and v.bytes_damaged
    where f.shop_id = :shop and f.deleted_at is null`,
} as const
type CountedNeed = keyof typeof NEEDS
/** Imports of the last days, a row for each cause. */
const IMPORT_NEEDS = ['stopped_imports', 'failed_imports'] as const
type ImportNeed = (typeof IMPORT_NEEDS)[number]
export type Need = CountedNeed | ImportNeed

export interface FoundNeed {
  need: Need
  count: number
  /** The place in the admin page where somebody can act. */
  page: string
  /** The code of the error; null: the need has none. */
  cause: ErrorCode | null
}

const NEED_PAGES: Readonly<Record<CountedNeed, string>> = {
  held: '/deliveries?status=held',
  asked_runs: '/operations?waiting=true&status=previewed',
  asked: '/deliveries?status=ready',
  blocked: '/deliveries?status=blocked',
  unreachable: '/deliveries?status=unreachable',
  bounced: '/deliveries?status=unreachable',
  unfiled_products: '/deliveries/products-without-files',
  new_files: '/deliveries/new-files',
  reviews: '/reviews',
  unmapped: '/files?mapped=false',
  connections: '/import/connections',
  licence_lists: '/settings/licences',
  quarantined: '/files?quarantined=true',
  damaged: '/notices',
}

/** In the order of their importance. */
export const NEED_NAMES: readonly Need[] = Object.keys(NEEDS).flatMap((need) =>
  // What an import could not read matters more than what it read.
  need === 'reviews' ? [...IMPORT_NEEDS, need] : [need as Need],
)

/** Reads the needs in the order of their importance, without those that are 0. */
export async function readNeeds(scope: ShopScope): Promise<FoundNeed[]> {
  const [counts, imports] = await Promise.all([
    scope.query<{ need: CountedNeed; count: number }>(
      Object.entries(NEEDS)
        .map(
          ([need, rows]) => `select '${need}' as need,
          (select count(*) from (select 1 ${rows} limit ${MAX_COUNTED + 1}) r)::int as count`,
        )
        .join(' union all '),
    ),
    readFailedImports(scope),
  ])
  const found = [
    ...imports,
    ...counts
      .filter(({ count }) => count > 0)
      .map((one) => ({ ...one, page: NEED_PAGES[one.need], cause: null })),
  ]
  return found.toSorted((a, b) => NEED_NAMES.indexOf(a.need) - NEED_NAMES.indexOf(b.need))
}

/** Causes of failed imports that are listed, each with one line. */
const MAX_CAUSES = 5

/** What an operation keeps of its failures when it ends: its items are not read. */
const FAILED_IMPORTS = `
  select need, cause, least(sum(files), ${MAX_COUNTED + 1})::int as count,
    count(*)::int as imports, (array_agg(id order by id desc))[1] as newest
  from (
    select o.id, c.need, c.cause, c.files from operations o cross join lateral (
      select 'failed_imports' as need, f.key as cause, f.value::int as files
      from jsonb_each_text(o.failure_causes) f
      union all
      select 'stopped_imports', o.stopped ->> 'code', 1 where o.stopped is not null
    ) c
    where o.shop_id = :shop and o.kind = 'import' and o.created_at > now() - interval '7 days'
      and o.status in ('failed', 'partial')
  ) found group by need, cause order by need desc, count(*) desc, sum(files) desc, cause
  limit ${MAX_CAUSES}`

async function readFailedImports(scope: ShopScope): Promise<FoundNeed[]> {
  const rows = await scope.query<{
    need: ImportNeed
    cause: ErrorCode
    count: number
    imports: number
    newest: string
  }>(FAILED_IMPORTS)
  return rows.map(({ need, cause, count, imports, newest }) => ({
    need,
    cause,
    count,
    page: importPage(need, cause, imports === 1 ? toPublicId('import', newest) : null),
  }))
}

/** The only import with this cause and its failed files, or the imports with it. */
function importPage(need: ImportNeed, cause: string, only: string | null): string {
  if (only === null) return `/operations?kind=import&error=${cause}`
  return need === 'stopped_imports'
    ? `/operations/${only}`
    : `/operations/${only}?status=failed&error=${cause}`
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
