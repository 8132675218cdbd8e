// Checks a shop's quotas in the transaction that admits files. Far below the quotas this process
// reuses the usage for a minute. Near them, and always for small quotas, the shop's admissions run
// one after another and each reads the usage again, so that concurrent ones cannot exceed a quota.
import { say, type AnyText } from '../../plugins/contract/index.ts'
import { type ShopScope, lockUntilCommit } from '../core/db/for-shop.ts'
import { AppError, type ErrorCode } from '../core/errors.ts'
import type { PlanFeature, PlanLimits } from '../core/configuration/plan-list.ts'
import { SHOP_ZONE } from './days.ts'
import { readCounts } from './file-counts.ts'

export interface ShopQuotas {
  /** The maximum number of files, trash excluded. */
  shop_files: number
  /**
   * The maximum of bytes that are kept (`StorageUsage`), including files in the trash and copies in
   * other locations. With bytes that are removed within a day it may be twice as much: room is free
   * as soon as files are purged, but requests that are refused, or that delete what they add, cannot
   * fill the disk.
   */
  shop_storage_bytes: number
}

export interface QuotaRequest {
  /** The name of a new file; null: the bytes become a version of an existing file. */
  newName: string | null
  bytes: number
  /** An existing file of this name only gets new bytes. */
  overwrites: boolean
  /** Which copy it is; absent: its hash is not known yet. A copy that is stored counts once. */
  copy?: StoredCopy
  /** The bytes count already (`StagedBlob.reserved`). */
  reserved?: boolean
  /** The copy takes the place of one in another location, which nothing needs then. */
  moved?: boolean
}

export interface StoredCopy {
  hash: string
  location: string
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
  const { shop_files, shop_storage_bytes } = limitsOf(plan, quotas)
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
  const copies = await copiesOf(tx, wanted)
  return wanted.map((request) => {
    const { newName, overwrites, copy } = request
    const isNew = newName !== null && !(overwrites && existing.has(newName))
    if (isNew && usage.files + 1 > shop_files) return refusalOf('files', plan, shop_files)
    const adds = addedBytes(request, copies)
    if (adds.kept > 0 && usage.bytes + adds.kept > shop_storage_bytes)
      return refusalOf('storage_bytes', plan, shop_storage_bytes)
    const stored = adds.kept + adds.leaving
    if (stored > 0 && usage.bytes + usage.leaving + stored > 2 * shop_storage_bytes) return LEAVING
    usage.files += isNew ? 1 : 0
    usage.bytes += adds.kept
    usage.leaving += adds.leaving
    if (newName !== null) existing.add(newName)
    if (copy) copies.set(keyOf(copy), 'kept')
    return null
  })
}

/** The shop's limits: those of its plan, or of the installation if they are lower. */
const limitsOf = (plan: ShopPlan | null, quotas: Partial<ShopQuotas>): ShopQuotas => ({
  shop_files: Math.min(quotas.shop_files ?? Infinity, plan?.limits.files ?? Infinity),
  shop_storage_bytes: Math.min(
    quotas.shop_storage_bytes ?? Infinity,
    plan?.limits.storage_bytes ?? Infinity,
  ),
})

/** How many bytes the shop may store in all; null: any number. */
export async function storageLimit(
  scope: ShopScope,
  quotas: Partial<ShopQuotas>,
): Promise<number | null> {
  const { shop_storage_bytes } = limitsOf(await readShopPlan(scope), quotas)
  return shop_storage_bytes === Infinity ? null : shop_storage_bytes
}

/**
 * How many bytes the shop may store in addition; `Infinity` far below its limit. Less than none if
 * its limit was lowered.
 */
export async function freeBytes(scope: ShopScope, quotas: Partial<ShopQuotas>): Promise<number> {
  const { shop_storage_bytes } = limitsOf(await readShopPlan(scope), quotas)
  if (shop_storage_bytes === Infinity) return Infinity
  const known = await cachedUsage(scope)
  if (known.bytes + known.leaving + NEAR.bytes < shop_storage_bytes) return Infinity
  const { bytes, leaving } = await usageOfShop(scope)
  return Math.min(shop_storage_bytes - bytes, 2 * shop_storage_bytes - bytes - leaving)
}

/** How a copy counts now; absent: it is not stored. */
type CopyState = 'kept' | 'leaving'
const keyOf = ({ hash, location }: StoredCopy): string => `${location}/${hash}`

async function copiesOf(
  tx: ShopScope,
  wanted: readonly QuotaRequest[],
): Promise<Map<string, CopyState>> {
  const copies = wanted.flatMap(({ copy }) => copy ?? [])
  if (copies.length === 0) return new Map()
  const rows = await tx.query<StoredCopy & { leaving: boolean }>(
    `select g.hash, g.location, b.unneeded_since is not null as leaving
     from jsonb_to_recordset(:copies::jsonb) as g(hash text, location text)
       join blob_locations b on b.shop_id = :shop and b.hash = decode(g.hash, 'hex')
         and b.location = g.location`,
    { copies: JSON.stringify(copies.map(({ hash, location }) => ({ hash, location }))) },
  )
  return new Map(rows.map((row) => [keyOf(row), row.leaving ? 'leaving' : 'kept']))
}

function addedBytes(
  { bytes, copy, reserved = false, moved = false }: QuotaRequest,
  copies: ReadonlyMap<string, CopyState>,
): { kept: number; leaving: number } {
  const state = copy && copies.get(keyOf(copy))
  if (reserved || state === 'kept') return { kept: 0, leaving: 0 }
  if (moved) return { kept: 0, leaving: state === 'leaving' ? 0 : bytes }
  return { kept: bytes, leaving: state === 'leaving' ? -bytes : 0 }
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
      'The plan “{plan}” allows {size} of storage: delete files or backups permanently, or choose another plan under Settings, Plan',
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
  /**
   * Of all copies that something names, in every storage location, and of what is not a copy yet:
   * files that arrive in the drop folder, and uploads from their announcement to their import.
   */
  bytes: number
  /** Copies that nothing names any more, or that were refused: a sweep removes them after a day. */
  leaving: number
}

/** SQL: bytes beside the stored copies, and the copies that are being removed. */
const OTHERS = `select
  (select coalesce(sum(e.size_bytes), 0) from drop_entries e
    where e.shop_id = :shop and e.kind = 'file' and e.hash is null)::bigint
  + (select coalesce(sum(u.size_bytes), 0) from uploads u
      where u.shop_id = :shop and u.status in ('uploading', 'received') and not exists (
        select from items i where i.shop_id = u.shop_id and i.operation_id = u.operation_id
          and i.position = u.position and i.status = 'done'))::bigint as arriving,
  (select coalesce(sum(b.size_bytes), 0) from blob_locations l
    join blobs b on b.shop_id = l.shop_id and b.hash = l.hash
    where l.shop_id = :shop and l.unneeded_since is not null)::bigint as leaving`

/** What the shop stores; copies from the kept counts. */
export async function usageOfShop(scope: ShopScope): Promise<StorageUsage> {
  const counts = await readCounts(scope, ['all', 'stored'])
  const of = (kind: string) => counts.find((one) => one.kind === kind)
  const { arriving, leaving } = await scope.one<{ arriving: number; leaving: number }>(OTHERS)
  return {
    files: of('all')?.files ?? 0,
    bytes: (of('stored')?.bytes ?? 0) - leaving + arriving,
    leaving,
  }
}
