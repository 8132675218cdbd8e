// The limits of a shop's plan, if the operator has plans (app.config.ts). Without a row there is no
// plan and no limit.
import { say } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import { readCounts } from './file-counts.ts'
import type { PlanFeature, PlanLimits } from '../core/configuration/plan-list.ts'

export interface ShopPlan {
  plan: string | null
  title: string
  limits: PlanLimits
  features: readonly PlanFeature[]
  trial_ends_at: Date | null
  ends: boolean
  read_at: Date
}

/** The shop's plan; null: the operator has none, or the shop's plan was not read yet. */
export const readShopPlan = (scope: ShopScope): Promise<ShopPlan | null> =>
  scope.first<ShopPlan>(
    `select plan, title, limits, features, trial_ends_at, ends, read_at from shop_plans
     where shop_id = :shop`,
  )

export const planText = {
  files: (plan: string, limit: number) =>
    say(
      'The plan “{plan}” allows {limit} files: delete files that are not needed, or choose another plan under Settings, Plan',
      { plan, limit },
    ),
  storage_bytes: (plan: string, limit: number) =>
    say(
      'The plan “{plan}” allows {size} of storage: delete files or old versions, or choose another plan under Settings, Plan',
      { plan, size: gigabytes(limit) },
    ),
}

const gigabytes = (bytes: number): string =>
  `${(bytes / 1024 ** 3).toLocaleString('en', { maximumFractionDigits: 3 })} GB`

/** Throws `plan_limit` if the month's downloads are used up. Existing links keep working. */
export async function requireDownloads(scope: ShopScope): Promise<void> {
  const plan = await readShopPlan(scope)
  const limit = plan?.limits.monthly_downloads ?? null
  if (plan === null || limit === null || (await downloadsOfMonth(scope)) < limit) return
  throw new AppError('plan_limit', {
    message: say(
      'The plan “{plan}” allows {limit} downloads a month, and they are used up: create links next month, or choose another plan under Settings, Plan. Existing links keep working',
      { plan: plan.title, limit },
    ),
  })
}

/** Throws `plan_limit` if the shop's plan lacks the feature. */
export async function requireFeature(scope: ShopScope, feature: PlanFeature): Promise<void> {
  const plan = await readShopPlan(scope)
  if (plan === null || plan.features.includes(feature)) return
  throw new AppError('plan_limit', {
    message: say(
      'The plan “{plan}” does not include {feature}: choose another plan under Settings, Plan',
      { plan: plan.title, feature },
    ),
  })
}

/** Downloads of this calendar month, in UTC, of tracked and other files. */
export async function downloadsOfMonth(scope: ShopScope): Promise<number> {
  const [row] = await scope.query<{ downloads: number }>(
    `select downloads from shop_downloads
     where shop_id = :shop and month = date_trunc('month', now(), 'UTC')::date`,
  )
  return row?.downloads ?? 0
}

export interface StorageUsage {
  /** Outside the trash. */
  files: number
  /** Of all kept versions, documents of operations, and imported files of the drop folder. */
  bytes: number
  /** Bytes that nothing names any more, or that were refused: a sweep removes them after a day. */
  leaving: number
}

/** SQL: what is kept for a while beside versions. */
const OTHERS = `select
  (select coalesce(sum(size_bytes), 0) from artifacts where shop_id = :shop)::bigint
  + (select coalesce(sum(size_bytes), 0) from drop_entries e
      where e.shop_id = :shop and e.state = 'processed' and not exists (
        select from versions v where v.shop_id = e.shop_id and v.hash = e.hash
          and v.location = e.location))::bigint as kept,
  (select coalesce(sum(b.size_bytes), 0) from blob_locations l
    join blobs b on b.shop_id = l.shop_id and b.hash = l.hash
    where l.shop_id = :shop and l.unneeded_since is not null)::bigint as leaving`

/** What the shop stores; versions from the kept counts. */
export async function usageOfShop(scope: ShopScope): Promise<StorageUsage> {
  const counts = await readCounts(scope, ['all', 'versions'])
  const of = (kind: string) => counts.find((one) => one.kind === kind)
  const { kept, leaving } = await scope.one<{ kept: number; leaving: number }>(OTHERS)
  return { files: of('all')?.files ?? 0, bytes: (of('versions')?.bytes ?? 0) + kept, leaving }
}
