// Buyers' links: created for many files in one statement, read with their keys, changed and
// revoked; and the status of each.
import { randomBytes } from 'node:crypto'
import { AppError, type ErrorDetail } from '../errors.ts'
import type { Bindings, ShopScope } from '../db/for-shop.ts'
import { hashKey, type Secrets } from '../secrets.ts'

/** Withdrawn: the file is in the trash, or lost its last product. */
export const LINK_STATUSES = ['active', 'expired', 'exhausted', 'revoked', 'withdrawn'] as const
export type LinkStatus = (typeof LINK_STATUSES)[number]

/** Absent: the file's own setting. `null`: never expires, unlimited. */
export interface LinkTerms {
  expiry_days?: number | null | undefined
  download_limit?: number | null | undefined
}

export interface LinksWanted extends LinkTerms {
  /** Bare UUIDs; one link is created for each, in this order. */
  file_ids: readonly string[]
  email?: string | null | undefined
  /** Terms of single files; they override the common ones. */
  per_file?:
    readonly ({ file_id: string; email?: string | null | undefined } & LinkTerms)[] | undefined
  /** The operation that creates them, a bare UUID. */
  operation?: string | undefined
}

/**
 * A link of a file, or of a pack: when a buyer opens a pack's link, its files get their own links
 * under it. The link of a deleted pack has neither id.
 */
export interface Link {
  /** A bare UUID, like the other two. */
  id: string
  file_id: string | null
  pack_id: string | null
  /** The name of the file or the pack. */
  name: string
  /** The buyer's secret: show it only to callers with `links:write`. */
  key: string
  email: string | null
  expires_at: Date | null
  download_limit: number | null
  downloads: number
  status: LinkStatus
  created_at: Date
}

/** The facts that decide a link's status. Dates, or other values that compare like dates. */
export interface LinkFacts {
  revoked_at: Date | null
  expires_at: Date | null
  download_limit: number | null
  downloads: number
  deleted_at: Date | null
  mapping_state: string
}

/** A link as returned by a query with LINK_COLUMNS. */
export interface LinkRow extends LinkFacts {
  created_at: Date
  id: string
  file_id: string | null
  pack_id: string | null
  name: string
  rotation: number
  email: string | null
}

/** Of a link `l` and its file `f`: a paid link keeps working when its file loses its products. */
export const MAPPING_STATE = `case when l.paid and (select keep_paid from shops where id = l.shop_id) then 'never'
  else coalesce(f.mapping_state, 'never') end`

/** Of a row `l` with its file `f` or its pack `p`, as LINK_TABLES joins them. */
export const LINK_COLUMNS = `l.id, l.file_id, l.pack_id, coalesce(f.filename, p.name, l.pack_name) as name, l.rotation, l.email, l.revoked_at,
  l.expires_at, l.download_limit, l.downloads, l.created_at, f.deleted_at, ${MAPPING_STATE} as mapping_state`
export const LINK_TABLES = `links l
  left join files f on f.shop_id = l.shop_id and f.id = l.file_id
  left join packs p on p.shop_id = l.shop_id and p.id = l.pack_id`

export function linkStatus(link: LinkFacts, now: Date): LinkStatus {
  if (link.revoked_at) return 'revoked'
  if (link.deleted_at || link.mapping_state === 'unmapped') return 'withdrawn'
  if (link.expires_at && link.expires_at <= now) return 'expired'
  if (link.download_limit !== null && link.downloads >= link.download_limit) return 'exhausted'
  return 'active'
}

// All or none: `found` is compared as a whole, so that one unknown file leaves no link behind.
// Files are found by their ids instead of a join: one walk along the index instead of one through
// the table.
const MAKE = `
  with wanted as (
    select * from unnest(:files::uuid[], :ids::uuid[], :hashes::bytea[], :days::integer[], :ownDays::boolean[],
      :limits::integer[], :ownLimits::boolean[], :emails::text[])
      as w (file_id, id, key_hash, days, own_days, download_limit, own_limit, email)
  ), there as materialized (
    select id, expiry_days, download_limit from files
    where shop_id = :shop and id = any((select :files::uuid[])::uuid[]) and deleted_at is null
  ), found as (
    select w.id, w.file_id, w.key_hash, w.email, case when own_days then f.expiry_days else w.days end as days,
      case when own_limit then f.download_limit else w.download_limit end as download_limit
    from wanted w join there f on f.id = w.file_id
  )
  insert into links (shop_id, id, file_id, key_hash, email, expires_at, download_limit, operation_id, created_at)
  select :shop, id, file_id, key_hash, email, :now::timestamptz + days * interval '24 hours', download_limit,
    :operation::uuid, :now
  from found where (select count(*) from found) = (select count(*) from wanted)
  returning id`

/**
 * Creates a link for each file, all or none, and gives their ids in the order given. Days are 24
 * hours. Throws `validation_failed`, which names every file that is unknown or in the trash.
 */
export async function makeLinks(
  scope: ShopScope,
  secrets: Secrets,
  wanted: LinksWanted,
  now: Date,
): Promise<readonly string[]> {
  if (wanted.file_ids.length === 0) return []
  const own = new Map(wanted.per_file?.map((terms) => [terms.file_id, terms]))
  const common = defined({ ...termsOf(wanted) })
  const terms: OwnTerms[] = wanted.file_ids.map((file) => ({
    ...common,
    ...defined(termsOf(own.get(file) ?? {})),
  }))
  const ids = orderedIds(now, wanted.file_ids.length)
  const rows = await scope.query(MAKE, {
    files: wanted.file_ids,
    ids,
    hashes: ids.map((id) => hashKey(secrets.linkKey(id, 0))),
    days: terms.map(({ expiry_days }) => expiry_days ?? null),
    ownDays: terms.map(({ expiry_days }) => expiry_days === undefined),
    limits: terms.map(({ download_limit }) => download_limit ?? null),
    ownLimits: terms.map(({ download_limit }) => download_limit === undefined),
    emails: terms.map(({ email }) => email ?? null),
    operation: wanted.operation ?? null,
    now,
  })
  if (rows.length < wanted.file_ids.length) await refuseUnknown(scope, wanted.file_ids)
  return ids
}

/** The same; gives the links themselves. */
export async function createLinks(
  scope: ShopScope,
  secrets: Secrets,
  wanted: LinksWanted,
  now: Date,
): Promise<readonly Link[]> {
  return readLinks(scope, secrets, await makeLinks(scope, secrets, wanted, now), now)
}

type OwnTerms = LinkTerms & { email?: string | null | undefined }
const termsOf = ({ expiry_days, download_limit, email }: OwnTerms): OwnTerms => ({
  expiry_days,
  download_limit,
  email,
})

async function refuseUnknown(scope: ShopScope, fileIds: readonly string[]): Promise<void> {
  const details = await unknownFiles(scope, fileIds)
  // No file is missing now: one was restored from the trash between the two statements.
  if (details.length === 0) throw new AppError('conflict')
  throw new AppError('validation_failed', { param: 'file_ids', details })
}

/** A problem for each file that does not exist or is in the trash. */
export async function unknownFiles(
  scope: ShopScope,
  fileIds: readonly string[],
): Promise<ErrorDetail[]> {
  const rows = await scope.query<{ id: string }>(
    'select id from files where shop_id = :shop and id = any(:fileIds::uuid[]) and deleted_at is null',
    { fileIds },
  )
  const known = new Set(rows.map(({ id }) => id))
  return fileIds.flatMap((id, index): ErrorDetail[] =>
    known.has(id)
      ? []
      : [{ index, param: 'file_ids', code: 'not_found', message: 'There is no such file' }],
  )
}

/**
 * Revokes links (bare UUIDs). Idempotent: unknown and revoked links are ignored. Revoking a pack's
 * link revokes those of its files.
 */
export async function revokeLinks(tx: ShopScope, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    `with held as (${linksInLockOrder('(id = any(:ids::uuid[]) or parent_id = any(:ids::uuid[])) and revoked_at is null')})
     update links l set revoked_at = now() from held where l.shop_id = :shop and l.id = held.id`,
    { ids },
  )
}

/**
 * Locks links in the order in which downloads lock them, because two transactions that lock them in
 * different orders would deadlock.
 */
export const linksInLockOrder = (condition: string): string =>
  `select id from links where shop_id = :shop and ${condition} order by id for no key update`

/**
 * Makes the link valid for this many days from now, or for ever (null); for a pack's link also
 * those of its files.
 */
export const extendLink = (
  tx: ShopScope,
  id: string,
  days: number | null,
  now: Date,
): Promise<void> =>
  changeLink(tx, id, `expires_at = :now::timestamptz + :days::int * interval '24 hours'`, {
    days,
    now,
  })

/** Sets the number of downloads to 0; for a pack's link also those of its files. */
export const resetLink = (tx: ShopScope, id: string): Promise<void> =>
  changeLink(tx, id, 'downloads = 0', {})

/** Throws `not_found`, and `conflict` for a revoked link, which stays revoked. */
async function changeLink(
  tx: ShopScope,
  id: string,
  set: string,
  bindings: Bindings,
): Promise<void> {
  const changed = await tx.query<{ id: string }>(
    `with held as (${linksInLockOrder('(id = :id or parent_id = :id) and revoked_at is null')})
     update links l set ${set} from held where l.shop_id = :shop and l.id = held.id returning l.id`,
    { ...bindings, id },
  )
  if (changed.some((link) => link.id === id)) return
  const [known] = await tx.query('select from links where shop_id = :shop and id = :id', { id })
  if (!known) throw new AppError('not_found')
  throw new AppError('conflict', { message: 'A link that was revoked stays so: make a new one' })
}

/** The existing links of `ids` (bare UUIDs), in that order. */
export async function readLinks(
  scope: ShopScope,
  secrets: Secrets,
  ids: readonly string[],
  now: Date,
): Promise<readonly Link[]> {
  if (ids.length === 0) return []
  const rows = await scope.query<LinkRow>(
    `select ${LINK_COLUMNS} from ${LINK_TABLES} where l.shop_id = :shop and l.id = any(:ids::uuid[])`,
    { ids },
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => (found.has(id) ? [linkOf(found.get(id)!, secrets, now)] : []))
}

export function linkOf(row: LinkRow, secrets: Secrets, now: Date): Link {
  const { id, file_id, pack_id, name, email, expires_at, download_limit, downloads, created_at } =
    row
  const key = secrets.linkKey(id, row.rotation)
  const status = linkStatus(row, now)
  return {
    id,
    file_id,
    pack_id,
    name,
    key,
    email,
    expires_at,
    download_limit,
    downloads,
    status,
    created_at,
  }
}

/** The address that a buyer opens. */
export const linkAddress = (baseUrl: string, key: string): string =>
  `${baseUrl}/download?key=${key}`

/** Without its undefined properties, so that spreading it overrides nothing. */
const defined = (object: object = {}) =>
  Object.fromEntries(Object.entries(object).filter(([, v]) => v !== undefined))

/**
 * Ascending UUIDv7s of one moment. Created here because a key is derived from its link's id before
 * the row exists.
 */
export function orderedIds(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const bytes = randomBytes(16)
    // Twelve bits number the ids of one millisecond.
    bytes.writeUIntBE(now.getTime() + (at >> 12), 0, 6)
    bytes.writeUInt16BE(0x7000 | (at & 0xfff), 6)
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  })
}
