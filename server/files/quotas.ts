// Checks a shop's quotas in the transaction that admits files. Far below the quotas this process
// reuses the usage for a minute. Near them, and always for small quotas, the shop's admissions run
// one after another and each reads the usage again, so that concurrent ones cannot exceed a quota.
import { say, type AnyText } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { lockUntilCommit } from '../core/db/transaction-lock.ts'
import { AppError, type ErrorCode } from '../core/errors.ts'
import type { PlanFeature, PlanLimits } from '../core/configuration/plan-list.ts'
import { SHOP_ZONE } from './days.ts'
import { readCounts } from './file-counts.ts'

export interface ShopQuotas {
  /** The maximum number of files, trash excluded. */
  shop_files: number
  /**
   * The maximum of bytes that are kept (`StorageUsage`), including files in the trash. With bytes that are
   * removed within a day it may be twice as much: room is free as soon as files are deleted, but
   * requests that are refused, or that delete what they add, cannot fill the disk.
   */
  shop_storage_bytes: number
}

export interface QuotaRequest {
  /** The name of a new file; null: the bytes become a version of an existing file. */
  newName: string | null
  bytes: number
  /** An existing file of this name only gets new bytes. */
  overwrites: boolean
}

/**
 * The distance to a quota within which usage is counted: more than others can admit in a minute.
 */
const NEAR = { files: 20_000, bytes: 200 * 1024 ** 3 }
const KEPT_MS = 60_000
const MAX_KEPT = 10_000
const counted = new Map<number, StorageUsage & { until: number }>()

export interface QuotaRefusal {
  code: ErrorCode
  message: AnyText
}

/** Returns for each admission, in order, null or the quota that refuses it. */
export async function refusedByQuota(
  tx: ShopScope,
  wanted: readonly QuotaRequest[],
  quotas: Partial<ShopQuotas>,
): Promise<(QuotaRefusal | null)[]> {
  if (wanted.length === 0) return []
  const plan = await readShopPlan(tx)
  const shop_files = Math.min(quotas.shop_files ?? Infinity, plan?.limits.files ?? Infinity)
  const shop_storage_bytes = Math.min(
    quotas.shop_storage_bytes ?? Infinity,
    plan?.limits.storage_bytes ?? Infinity,
  )
  if (shop_files === Infinity && shop_storage_bytes === Infinity) return wanted.map(() => null)
  const total = { files: wanted.length, bytes: wanted.reduce((sum, { bytes }) => sum + bytes, 0) }
  const isFar = ({ files, bytes, leaving }: StorageUsage) =>
    files + total.files + NEAR.files < shop_files &&
    bytes + leaving + total.bytes + NEAR.bytes < shop_storage_bytes
  const known = await cachedUsage(tx)
  if (isFar(known)) {
    known.files += total.files
    known.bytes += total.bytes
    return wanted.map(() => null)
  }
  // An advisory lock: a quota counts rows, some of which do not exist yet.
  await lockUntilCommit(tx, 'quota of files')
  const usage = await usageOfShop(tx)
  const existing = await namesOf(tx, wanted)
  return wanted.map(({ newName, bytes, overwrites }) => {
    const isNew = newName !== null && !(overwrites && existing.has(newName))
    if (isNew && usage.files + 1 > shop_files) return refusalOf('files', plan, shop_files)
    if (usage.bytes + bytes > shop_storage_bytes)
      return refusalOf('storage_bytes', plan, shop_storage_bytes)
    if (usage.bytes + usage.leaving + bytes > 2 * shop_storage_bytes) return LEAVING
    usage.files += isNew ? 1 : 0
    usage.bytes += bytes
    if (newName !== null) existing.add(newName)
    return null
  })
}

const LEAVING: QuotaRefusal = {
  code: 'storage_quota',
  message: say(
    'Much was deleted, replaced or refused today, and its bytes are removed within a day: try again tomorrow',
  ),
}

const QUOTAS = { files: 'file_quota', storage_bytes: 'storage_quota' } as const

/** The plan's limit, or the installation's own quota if that is lower. */
function refusalOf(what: keyof typeof QUOTAS, plan: ShopPlan | null, limit: number): QuotaRefusal {
  if (plan?.limits[what] === limit)
    return { code: 'plan_limit', message: planText[what](plan.title, limit) }
  return { code: QUOTAS[what], message: new AppError(QUOTAS[what]).message }
}

async function cachedUsage(tx: ShopScope): Promise<StorageUsage> {
  const kept = counted.get(tx.shop)
  if (kept && kept.until > performance.now()) return kept
  if (counted.size >= MAX_KEPT) counted.clear()
  const usage = { ...(await usageOfShop(tx)), until: performance.now() + KEPT_MS }
  counted.set(tx.shop, usage)
  return usage
}

async function namesOf(tx: ShopScope, wanted: readonly QuotaRequest[]): Promise<Set<string>> {
  const names = wanted.flatMap(({ newName, overwrites }) =>
    overwrites && newName !== null ? [newName] : [],
  )
  if (names.length === 0) return new Set()
  const rows = await tx.query<{ name_key: string }>(
    `select name_key from files where shop_id = :shop and deleted_at is null
      and name_key = any(:names::text[])`,
    { names },
  )
  return new Set(rows.map(({ name_key }) => name_key))
}

// The limits of a shop's plan, if the operator has plans (app.config.ts). Without a row there is no
// plan and no limit.

interface ShopPlan {
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

const planText = {
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

/** Downloads of this calendar month of the shop, of tracked and other files. */
export async function downloadsOfMonth(scope: ShopScope): Promise<number> {
  const [row] = await scope.query<{ downloads: number }>(
    `select downloads from shop_downloads
     where shop_id = :shop and month = date_trunc('month', now() at time zone ${SHOP_ZONE})::date`,
  )
  return row?.downloads ?? 0
}

interface StorageUsage {
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
