// Links of packs: one key opens the pack's current files, each with its own link under the pack's
// link. These links are created when a buyer first opens the pack's link. They count separately and
// expire with the pack's link.
import type { FileSettings, LinkTerms } from '../../../../plugins/contract/index.ts'
import { AppError } from '../../../core/errors.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { hashKey, type Secrets } from '../../../core/secrets.ts'
import { VERSION_SHA256 } from '../../../files/digests.ts'
import { readShop } from '../../../files/shop-settings.ts'
import { hasNoPicture } from '../../previews/kept.ts'
import { LINK_COLUMNS, linkOf, type Link, type LinkRow, laterReleaseOf, askOf } from './links.ts'
import { linksInLockOrder } from './changes.ts'
import { orderedIds } from './creation.ts'

export interface NewPackLink extends LinkTerms {
  /** A bare UUID. */
  pack_id: string
}

/**
 * Creates a link to a pack. Absent terms are the shop's import defaults, and those of views what each
 * file says; the limits apply to each file in it. Throws `pack_not_found`.
 */
export async function createPackLink(
  scope: ShopScope,
  secrets: Secrets,
  wanted: NewPackLink,
  now: Date,
): Promise<Link> {
  const { settings } = await readShop(scope)
  const { expiry_days = settings.expiry_days, download_limit = settings.download_limit } = wanted
  const { view_limit = null, view_days = null } = wanted
  const [id] = orderedIds(now, 1) as [string]
  const [row] = await scope.query<LinkRow>(
    `with made as (
       insert into links (shop_id, id, pack_id, key_hash, email, expires_at, download_limit,
         created_at, ask_for, view_limit, view_expires_at)
       select :shop, :id, id, :hash, :email,
         :now::timestamptz + :days::integer * interval '24 hours', :limit, :now, :asked, :views,
         :now::timestamptz + :viewDays::integer * interval '24 hours'
       from packs where shop_id = :shop and id = :pack
       returning *
     )
     select ${LINK_COLUMNS} from made l
     join packs p on p.shop_id = l.shop_id and p.id = l.pack_id
     left join files f on f.shop_id = l.shop_id and f.id = l.file_id`,
    {
      id,
      pack: wanted.pack_id,
      hash: hashKey(secrets.linkKey(id, 0)),
      email: wanted.email ?? null,
      now,
      asked: wanted.ask_for ?? null,
      days: expiry_days,
      limit: download_limit,
      views: view_limit,
      viewDays: view_days,
    },
  )
  if (!row) throw new AppError('pack_not_found', { param: 'pack_id' })
  return linkOf(row, secrets, now)
}

/** A file as its pack's link shows it. */
export interface PackFile {
  filename: string
  content_type: string
  view: FileSettings['view']
  buyer_text: string | null
  size_bytes: number
  /** Null: not computed yet. */
  sha256: string | null
  /** It has no preview. */
  unpictured: boolean
  /** The buyer's secret for this file alone. */
  key: string
  download_limit: number | null
  downloads: number
  view_limit: number | null
  views: number
  /** When it can be viewed no longer; null: always. */
  views_end_at: Date | null
  /** The views have an end of their own. */
  own_view_end: boolean
  /** Null: it is available. */
  available_at: Date | null
  /** It expires this many hours after its first use, or has expired then. */
  use_hours: number | null
  use_ends_at: Date | null
  /** What it asks for (`askOf`). */
  asks: string
}

interface PackFileRow extends Omit<PackFile, 'key'> {
  file_id: string
  /** The file's link under the pack's link; null if there is none yet. */
  link_id: string | null
  rotation: number
  key_hash: Buffer | null
  /** The file's link has the terms of the pack's link. */
  has_pack_terms: boolean
}

/**
 * The files of a pack's link (a bare UUID), in the pack's order: only files that can be downloaded,
 * without those whose own link was revoked. Opening counts nothing.
 */
export async function openPackLink(
  scope: ShopScope,
  secrets: Secrets,
  link: string,
  now: Date,
): Promise<readonly PackFile[]> {
  const seen = await listFiles(scope, link)
  const ready = seen.every(({ link_id, has_pack_terms }) => link_id !== null && has_pack_terms)
  if (!ready) await ensurePackLinks(scope, secrets, link, seen, now)
  return (ready ? seen : await listFiles(scope, link)).flatMap((row) =>
    row.link_id === null ? [] : [presented(row, keyOf(secrets, row.link_id, row))],
  )
}

const keyOf = (secrets: Secrets, link: string, { rotation, key_hash }: PackFileRow): string =>
  secrets.linkKey(link, rotation, key_hash ?? undefined)

const presented = (
  { filename, content_type, view, buyer_text, size_bytes, sha256, unpictured, ...own }: PackFileRow,
  key: string,
): PackFile => ({
  filename,
  content_type,
  view,
  buyer_text,
  size_bytes,
  sha256,
  unpictured,
  key,
  download_limit: own.download_limit,
  downloads: own.downloads,
  view_limit: own.view_limit,
  views: own.views,
  views_end_at: own.views_end_at,
  own_view_end: own.own_view_end,
  available_at: own.available_at,
  use_hours: own.use_hours,
  use_ends_at: own.use_ends_at,
  asks: own.asks,
})

/** SQL: when a file of the pack's link `p` can be viewed no longer through its own link `l`. */
export const packViewsEnd = (l: string, p: string): string =>
  `least(${p}.expires_at, ${l}.view_expires_at, ${l}.use_ends_at)`

const listFiles = (scope: ShopScope, link: string): Promise<PackFileRow[]> =>
  scope.query<PackFileRow>(
    `select f.id as file_id, f.filename, f.content_type, f.view, f.buyer_text, f.size_bytes,
       ${VERSION_SHA256} as sha256, ${hasNoPicture('v.shop_id', 'v.hash')} as unpictured,
       c.id as link_id,
       coalesce(c.rotation, 0) as rotation, c.key_hash, c.download_limit, coalesce(c.downloads, 0) as downloads,
       c.view_limit, coalesce(c.views, 0) as views, c.view_expires_at is not null as own_view_end,
       ${packViewsEnd('c', 'l')} as views_end_at,
       c.available_at, c.use_hours, c.use_ends_at, ${askOf('c', 'l')} as asks,
       c.expires_at is not distinct from l.expires_at
         and c.download_limit is not distinct from l.download_limit
         and c.email is not distinct from l.email as has_pack_terms
     from links l
     join pack_files k on k.shop_id = l.shop_id and k.pack_id = l.pack_id
     join files f on f.shop_id = k.shop_id and f.id = k.file_id
     join versions v on v.shop_id = f.shop_id and v.file_id = f.id and v.number = f.version
     left join links c on c.shop_id = l.shop_id and c.parent_id = l.id and c.file_id = f.id
     where l.shop_id = :shop and l.id = :link and f.deleted_at is null
       and f.mapping_state <> 'unmapped'
       and c.revoked_at is null
     order by k.position, f.id`,
    { link },
  )

/**
 * Creates the missing links and updates the others to the terms of the pack's link, in one
 * statement. For concurrent visitors, links are created once.
 */
async function ensurePackLinks(
  scope: ShopScope,
  secrets: Secrets,
  link: string,
  seen: readonly PackFileRow[],
  now: Date,
): Promise<void> {
  const files = seen.filter(({ link_id }) => link_id === null).map(({ file_id }) => file_id)
  const ids = orderedIds(now, files.length)
  await scope.query(
    `with pack as (
       select * from links where shop_id = :shop and id = :link
     ), made as (
       insert into links (shop_id, id, file_id, parent_id, key_hash, email, expires_at,
         download_limit, created_at, available_at, use_hours, view_limit, view_expires_at)
       select :shop, w.id, f.id, pack.id, w.key_hash, pack.email, pack.expires_at,
         pack.download_limit, :now, r.available_at, f.first_use_hours,
         coalesce(pack.view_limit, f.view_limit), coalesce(pack.view_expires_at,
           coalesce(r.available_at, :now::timestamptz) + f.view_days * interval '24 hours')
       from pack cross join unnest(:ids::uuid[], :files::uuid[], :hashes::bytea[]) as w (id,
         file_id, key_hash)
       join files f on f.shop_id = :shop and f.id = w.file_id
       join shops s on s.id = :shop
       cross join lateral (select
         ${laterReleaseOf('pack.created_at', ':now::timestamptz')} as available_at) r
       on conflict (shop_id, parent_id, file_id) where parent_id is not null do nothing
     ), held as (
       ${linksInLockOrder(`parent_id = :link
         and exists (select from pack where (links.email, links.expires_at, links.download_limit)
         is distinct from (pack.email, pack.expires_at, pack.download_limit))`)}
     )
     update links c set email = pack.email, expires_at = pack.expires_at,
       download_limit = pack.download_limit
     from pack, held where c.shop_id = :shop and c.id = held.id`,
    { link, ids, files, hashes: ids.map((id) => hashKey(secrets.linkKey(id, 0))), now },
  )
}
