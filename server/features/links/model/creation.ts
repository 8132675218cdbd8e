// Creates buyers' links: one for each of many files, in one statement, with their terms.
import { randomBytes } from 'node:crypto'
import { say, type LinkTerms } from '../../../../plugins/contract/index.ts'
import { AppError, type ErrorDetail } from '../../../core/errors.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { uuidOfHex } from '../../../core/ids.ts'
import { hashKey, type Secrets } from '../../../core/secrets.ts'
import { readLinks, type Link, laterReleaseOf } from './links.ts'

export interface NewLinks extends LinkTerms {
  /** Bare UUIDs; one link is created for each, in this order. */
  file_ids: readonly string[]
  /** Terms of single files; they override the common ones. */
  per_file?: readonly (LinkTerms & { file_id: string })[] | undefined
  /** The operation that creates them, a bare UUID. */
  operation?: string | undefined
}

// All or none: `found` is compared as a whole, so that one unknown file leaves no link behind.
// Files are found by their ids instead of a join: one walk along the index instead of one through
// the table.
const CREATE = `
  with wanted as (
    select * from unnest(:files::uuid[], :ids::uuid[], :hashes::bytea[], :days::integer[],
      :ownDays::boolean[], :limits::integer[], :ownLimits::boolean[], :views::integer[],
      :ownViews::boolean[], :viewDays::integer[], :ownViewDays::boolean[], :emails::text[],
      :asks::text[])
      as w (file_id, id, key_hash, days, own_days, download_limit, own_limit, view_limit, own_views,
        view_days, own_view_days, email, ask_for)
  ), existing as materialized (
    select f.id, f.expiry_days, f.download_limit, f.view_limit, f.view_days, f.first_use_hours,
      ${laterReleaseOf(':now::timestamptz', ':now::timestamptz')} as available_at
    from files f join shops s on s.id = :shop
    where f.shop_id = :shop and f.id = any((select :files::uuid[])::uuid[])
      and f.deleted_at is null
  ), found as (
    select w.id, w.file_id, w.key_hash, w.email, w.ask_for, f.available_at, f.first_use_hours,
      case when own_days then f.expiry_days else w.days end as days,
      case when own_limit then f.download_limit else w.download_limit end as download_limit,
      case when own_views then f.view_limit else w.view_limit end as view_limit,
      case when own_view_days then f.view_days else w.view_days end as view_days
    from wanted w join existing f on f.id = w.file_id
  )
  insert into links (shop_id, id, file_id, key_hash, email, expires_at, download_limit,
    operation_id, created_at, available_at, use_hours, ask_for, view_limit, view_expires_at)
  select :shop, id, file_id, key_hash, email,
    coalesce(available_at, :now::timestamptz) + days * interval '24 hours',
    download_limit, :operation::uuid, :now, available_at, first_use_hours, ask_for, view_limit,
    coalesce(available_at, :now::timestamptz) + view_days * interval '24 hours'
  from found where (select count(*) from found) = (select count(*) from wanted)
  returning id`

/**
 * Creates a link for each file, all or none, and returns their ids in the order given. Days are 24
 * hours. Throws `validation_failed`, which names every file that is unknown or in the trash.
 */
export async function makeLinks(
  scope: ShopScope,
  secrets: Secrets,
  wanted: NewLinks,
  now: Date,
): Promise<readonly string[]> {
  if (wanted.file_ids.length === 0) return []
  const own = new Map(wanted.per_file?.map((terms) => [terms.file_id, terms]))
  const common = defined({ ...termsOf(wanted) })
  const terms: LinkTerms[] = wanted.file_ids.map((file) => ({
    ...common,
    ...defined(termsOf(own.get(file) ?? {})),
  }))
  const ids = orderedIds(now, wanted.file_ids.length)
  const rows = await scope.query(CREATE, {
    files: wanted.file_ids,
    ids,
    hashes: ids.map((id) => hashKey(secrets.linkKey(id, 0))),
    days: terms.map(({ expiry_days }) => expiry_days ?? null),
    ownDays: terms.map(({ expiry_days }) => expiry_days === undefined),
    limits: terms.map(({ download_limit }) => download_limit ?? null),
    ownLimits: terms.map(({ download_limit }) => download_limit === undefined),
    views: terms.map(({ view_limit }) => view_limit ?? null),
    ownViews: terms.map(({ view_limit }) => view_limit === undefined),
    viewDays: terms.map(({ view_days }) => view_days ?? null),
    ownViewDays: terms.map(({ view_days }) => view_days === undefined),
    emails: terms.map(({ email }) => email ?? null),
    asks: terms.map(({ ask_for: asked }) => asked ?? null),
    operation: wanted.operation ?? null,
    now,
  })
  if (rows.length < wanted.file_ids.length) await refuseUnknown(scope, wanted.file_ids)
  return ids
}

/** The same as `makeLinks`, but returns the links. */
export async function createLinks(
  scope: ShopScope,
  secrets: Secrets,
  wanted: NewLinks,
  now: Date,
): Promise<readonly Link[]> {
  return readLinks(scope, secrets, await makeLinks(scope, secrets, wanted, now), now)
}

const termsOf = (terms: LinkTerms): LinkTerms => ({
  expiry_days: terms.expiry_days,
  download_limit: terms.download_limit,
  view_limit: terms.view_limit,
  view_days: terms.view_days,
  email: terms.email,
  ask_for: terms.ask_for,
})

async function refuseUnknown(scope: ShopScope, fileIds: readonly string[]): Promise<void> {
  const details = await unknownFiles(scope, fileIds)
  // No file is missing now: one was restored from the trash between the two statements.
  if (details.length === 0) throw new AppError('conflict')
  throw new AppError('validation_failed', { param: 'file_ids', details })
}

/**
 * A problem for each file that does not exist or is in the trash.
 * @param fileIds bare UUIDs; undefined: that id is malformed.
 */
export async function unknownFiles(
  scope: ShopScope,
  fileIds: readonly (string | undefined)[],
): Promise<ErrorDetail[]> {
  const given = fileIds.filter((id) => id !== undefined)
  if (given.length === 0) return []
  const rows = await scope.query<{ id: string }>(
    `select id from files where shop_id = :shop and id = any(:fileIds::uuid[])
      and deleted_at is null`,
    { fileIds: given },
  )
  const known = new Set(rows.map(({ id }) => id))
  return fileIds.flatMap((id, index): ErrorDetail[] =>
    id === undefined || known.has(id)
      ? []
      : [{ index, param: 'file_ids', code: 'not_found', message: say('There is no such file') }],
  )
}

/**
 * Removes undefined properties, so that spreading the object does not override others with them.
 */
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
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
    return uuidOfHex(bytes.toString('hex'))
  })
}
