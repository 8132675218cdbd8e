// Counts a download of all files of a delivery or a pack: one statement counts every file that has
// downloads left and opens a session, which fixes what the ZIP file contains. A client that resumes
// it gets the rest of that same file even if counts and versions changed meanwhile, and is not
// charged.
import { PAID_ORDER } from '../links/model/delivery-links.ts'
import { joinSites } from './referrers.ts'
import {
  LINK_BYTES_OF,
  TARGET,
  TARGET_LENGTH,
  TARGET_NAMES,
  fileTargetOf,
  siteAllowed,
  type LinkTarget,
  type Query,
} from './targets.ts'
import type { ZipEntry } from './zip.ts'

export interface ArchiveEntry extends LinkTarget, ZipEntry {}

/** A request for all files of a delivery or a pack: its page's link and the client. */
export interface ArchiveAsker {
  shop: number
  link: string
  client: Buffer
  /** From `sitesOf` (referrers.ts). */
  sites: readonly string[] | null
  now: Date
}

const SESSION_MINUTES = 30
const SESSION_SIZES = 2
/** An upper bound for the ZIP file's own records. */
const OVERHEAD_BYTES = 16 * 1024 * 1024

// The conditions of a single file's download (counting.ts), for all files of one page.
const fitting = (sites: string) => `
  select ${TARGET}, c.id as link_id, b.crc32, row_number() over (order by ${PAID_ORDER}) as place
  from held c
  join links l on l.shop_id = c.shop_id and l.id = c.parent_id and l.revoked_at is null
    and (l.expires_at is null or l.expires_at > $3)
  join shops s on s.id = c.shop_id and s.uninstalled_at is null
  join files f on f.shop_id = c.shop_id and f.id = c.file_id and f.deleted_at is null
    and (f.mapping_state <> 'unmapped' or c.paid and s.keep_paid)
    and (c.paid or f.pack_id = l.pack_id and ${siteAllowed(sites)})
  join ${LINK_BYTES_OF('c')} on not v.damaged
  join blobs b on b.shop_id = v.shop_id and b.hash = v.hash`
const USABLE = `shop_id = $1 and parent_id = $2 and revoked_at is null
  and (expires_at is null or expires_at > $3 or not paid)
  and (download_limit is null or downloads < download_limit)`

const PLAN = `
  with held as (select * from links where ${USABLE}), fitting as (${fitting('$4::text')})
  select ${TARGET_NAMES}, link_id, crc32 from fitting order by place`

// Links are locked in id order, as every statement does that locks several. All or nothing: an
// entry without its checksum could not be written.
const CHARGE = `
  with held as (
    select * from links where ${USABLE} order by id for no key update
  ), fitting as (${fitting('$5::text')}), granted as (
    select * from fitting where not exists (select from fitting where crc32 is null)
  ), counted as (
    update links l set downloads = l.downloads + 1, served = l.served + 1, last_download_at = $3
    from granted g where l.shop_id = g.shop_id and l.id = g.link_id
  ), session as (
    insert into archive_sessions as a (shop_id, link_id, client, entries, expires_at, bytes_left)
    select $1, $2, $4, jsonb_agg(to_jsonb(g) order by place),
      $3::timestamptz + interval '${SESSION_MINUTES} minutes',
      sum(size_bytes) * ${SESSION_SIZES} + ${OVERHEAD_BYTES}
    from granted g having count(*) > 0
    on conflict (link_id, client) do update
      set entries = excluded.entries, expires_at = excluded.expires_at,
        bytes_left = excluded.bytes_left
  )
  select ${TARGET_NAMES}, link_id, crc32 from granted order by place`

const SESSION = `
  select ${TARGET_NAMES}, link_id, crc32 from (
    select e.* from archive_sessions a, jsonb_to_recordset(a.entries) as e (
      shop_id int, file_id uuid, filename text, content_type text, location text, hash text,
      size_bytes bigint, modified_ms float8, download_tracking boolean,
      download_notification boolean, damaged boolean, link_id uuid, crc32 bigint, place int)
    where a.shop_id = $1 and a.link_id = $2 and a.client = $3 and a.expires_at > $4
      and a.bytes_left > 0 and not exists (
        select from jsonb_to_recordset(a.entries) as w (link_id uuid, file_id uuid)
        left join links l on l.shop_id = $1 and l.id = w.link_id and l.revoked_at is null
        left join files f on f.shop_id = $1 and f.id = w.file_id and f.deleted_at is null
        where l.id is null or f.id is null)) kept
  order by place`

const SPEND = `
  update archive_sessions set bytes_left = bytes_left - $5
  where shop_id = $1 and link_id = $2 and client = $3 and expires_at > $4 and bytes_left >= $5`
const REFUND = `
  update archive_sessions set bytes_left = bytes_left + $4 where shop_id = $1 and link_id = $2
    and client = $3`

const REVERT_COUNT = `
  with held as (
    select id from links where shop_id = $1 and id = any($3::uuid[]) order by id for no key update
  ), returned as (
    update links l set downloads = greatest(l.downloads - 1, 0), served = greatest(l.served - 1, 0)
    from held where l.shop_id = $1 and l.id = held.id
  )
  delete from archive_sessions where shop_id = $1 and link_id = $2 and client = $4`

const STORE_CHECKSUM = `update blobs set crc32 = $3 where shop_id = $1 and hash = decode($2, 'hex')`

export interface ArchiveCounting {
  /** The files that a download would contain now; `crc32` is null where it is not known yet. */
  plan(asker: ArchiveAsker): Promise<readonly PlannedEntry[]>
  /** Counts every file that has downloads left. Empty: there is none, or a checksum is missing. */
  charge(asker: ArchiveAsker): Promise<readonly ArchiveEntry[]>
  /**
   * The files of this client's open session; null: it has none, it has expired, or one of the files
   * was withdrawn since.
   */
  session(asker: ArchiveAsker): Promise<readonly ArchiveEntry[] | null>
  spend(asker: ArchiveAsker, bytes: number): Promise<boolean>
  refund(asker: ArchiveAsker, bytes: number): Promise<void>
  revertCount(asker: ArchiveAsker, entries: readonly ArchiveEntry[]): Promise<void>
  storeChecksum(shop: number, hash: string, crc32: number): Promise<void>
}

export type PlannedEntry = Omit<ArchiveEntry, 'crc32'> & { crc32: number | null }

export function createArchiveCounting(query: Query): ArchiveCounting {
  const place = ({ shop, link, client }: ArchiveAsker) => [shop, link, client]
  return {
    plan: async ({ shop, link, sites, now }) =>
      (await query('archive_plan', PLAN, [shop, link, now, joinSites(sites)])).rows.map(entryOf),
    charge: async ({ shop, link, client, sites, now }) => {
      const values = [shop, link, now, client, joinSites(sites)]
      const { rows } = await query('archive_charge', CHARGE, values)
      return rows.map((row) => entryOf(row) as ArchiveEntry)
    },
    session: async (asker) => {
      const { rows } = await query('archive_session', SESSION, [...place(asker), asker.now])
      return rows.length === 0 ? null : rows.map((row) => entryOf(row) as ArchiveEntry)
    },
    spend: async (asker, bytes) =>
      (await query('archive_spend', SPEND, [...place(asker), asker.now, bytes])).rowCount === 1,
    refund: async (asker, bytes) => {
      await query('archive_refund', REFUND, [...place(asker), bytes])
    },
    revertCount: async ({ shop, link, client }, entries) => {
      const links = entries.map((entry) => entry.link)
      await query('archive_revert_count', REVERT_COUNT, [shop, link, links, client])
    },
    storeChecksum: async (shop, hash, crc32) => {
      await query('archive_store_checksum', STORE_CHECKSUM, [shop, hash, crc32])
    },
  }
}

function entryOf(row: readonly unknown[]): PlannedEntry {
  const [link, crc32] = row.slice(TARGET_LENGTH) as [string, number | null]
  return { ...fileTargetOf(row), link, crc32 }
}
