// Counts a download of all files of a delivery or a pack: one statement counts every file that has
// downloads left and opens a session, which fixes what the ZIP file contains. A client that resumes
// it gets the rest of that same file even if counts and versions changed meanwhile, and is not
// charged.
import type { Client } from '../../../core/client-address.ts'
import { DOWNLOADABLE } from '../../../files/view-kinds.ts'
import { PAID_ORDER } from '../../links/model/delivery-links.ts'
import { askOf, tagAllows } from '../../links/model/links.ts'
import type { Recorder } from '../record.ts'
import {
  LINK_BYTES_OF,
  TARGET,
  TARGET_LENGTH,
  TARGET_NAMES,
  fileTargetOf,
  siteAllowed,
  type LinkTarget,
  type Query,
  joinSites,
} from '../targets.ts'
import type { ZipEntry } from '../zip.ts'
import { markBatch, type CountedWrites } from '../counted-writes.ts'
import {
  findSession,
  openSessions,
  revertCounts,
  runningSession,
  SESSION_SIZES,
} from './session-sql.ts'
import {
  foundSession,
  mayRestart,
  type FoundColumns,
  type FoundSession,
  type SentPart,
  type DownloadSessions,
} from './sessions.ts'
import type { FileTransfer } from './file-transfer.ts'
import { isInPack } from '../../../files/pack-places.ts'

export interface ArchiveEntry extends LinkTarget, ZipEntry {}

/** A request for all files of a delivery or a pack: its page's link and the client. */
export interface ArchiveAsker {
  shop: number
  link: string
  key: string
  client: Client
  /** From `sitesOf` (referrers.ts). */
  sites: readonly string[] | null
  now: Date
  /** As for a file's link (`Asker`). */
  offset: number | null
  later: boolean
  /** What its files may ask for (`askOf`): `nothing`, and what the request has the answers of. */
  opened: readonly string[]
}

/** An upper bound for the ZIP file's own records. */
const OVERHEAD_BYTES = 16 * 1024 * 1024

// The conditions of a single file's download (link-decisions.ts), for all files of one page.
const fitting = (sites: string, opened: string) => `
  select ${TARGET}, c.id as link_id, b.crc32, row_number() over (order by ${PAID_ORDER}) as place
  from held c
  join links l on l.shop_id = c.shop_id and l.id = c.parent_id and l.revoked_at is null
    and (l.expires_at is null or l.expires_at > $3)
  join shops s on s.id = c.shop_id and s.uninstalled_at is null
  join files f on f.shop_id = c.shop_id and f.id = c.file_id and f.deleted_at is null
    and ${DOWNLOADABLE} and ${tagAllows('c')}
    and (f.mapping_state <> 'unmapped' or c.paid and s.keep_paid)
    and ${askOf('c', 'l')} = any(${opened})
    and (c.paid or ${isInPack('l.shop_id', 'l.pack_id', 'f.id')} and ${siteAllowed(sites)})
  join ${LINK_BYTES_OF('c')} on not v.damaged
  join blobs b on b.shop_id = v.shop_id and b.hash = v.hash`
const USABLE = `shop_id = $1 and parent_id = $2 and revoked_at is null
  and (expires_at is null or expires_at > $3 or not paid)
  and (use_ends_at is null or use_ends_at > $3) and (available_at is null or available_at <= $3)
  and (download_limit is null or downloads < download_limit)`

const PLAN = `
  with held as (select * from links where ${USABLE}), fitting as (${fitting('$4::text', '$5::text[]')})
  select ${TARGET_NAMES}, link_id, crc32 from fitting order by place`

// Links are locked in id order, as every statement does that locks several. All or nothing: an
// entry without its checksum could not be written.
const CHARGE = `
  with held as (
    select * from links where ${USABLE} order by id for no key update
  ), fitting as (${fitting('$5::text', '$7::text[]')}), granted as (
    select * from fitting where not exists (select from fitting where crc32 is null)
  ), counted as (
    update links l set downloads = l.downloads + 1, served = l.served + 1, last_download_at = $3,
      first_used_at = coalesce(l.first_used_at, $3)
    from granted g where l.shop_id = g.shop_id and l.id = g.link_id
  ), opened as (
    select $1::integer as shop_id, $2::uuid as link_id, $4::bytea as client, $6::bytea as network,
      sum(size_bytes) * ${SESSION_SIZES} + ${OVERHEAD_BYTES} as bytes_left, 1 as open,
      jsonb_agg(to_jsonb(g) order by place) as entries
    from granted g having count(*) > 0
  ), session as (
    ${openSessions('archive_sessions', 'opened', '$3::timestamptz', ['entries'])}
  ), marked as (
    ${markBatch(7, 'granted')}
  )
  select ${TARGET_NAMES}, link_id, crc32 from granted order by place`

/** SQL: were the bytes of the row found damaged since it was written? */
const isDamaged = (e: string) =>
  ['versions', 'prepared_files']
    .map(
      (table) => `exists (select from ${table} t where t.shop_id = $1 and t.damaged
        and t.hash = decode(${e}.hash, 'hex') and t.location = ${e}.location)`,
    )
    .join(' or ')

const REQUEST = {
  link: '$2',
  client: '$3',
  now: '$4::timestamptz',
  network: '$5',
  offset: '$6::bigint',
  whole: '$7::boolean',
  shared: 'true',
}
const SESSION = `
  select ${TARGET_NAMES}, link_id, crc32, client, found_by, owes, bytes_left, version from (
    select e.shop_id, e.file_id, e.filename, e.content_type, e.location, e.hash, e.size_bytes,
      e.modified_ms, e.download_tracking, e.download_notification, e.view, e.sha256, e.link_id,
      e.crc32, e.place, ${isDamaged('e')} as damaged, n.* from (${findSession('archive_sessions', REQUEST)}) n
    join archive_sessions a on a.link_id = $2 and a.client = n.client,
    jsonb_to_recordset(a.entries) as e (
      shop_id int, file_id uuid, filename text, content_type text, location text, hash text,
      size_bytes bigint, modified_ms float8, download_tracking boolean,
      download_notification boolean, view text, damaged boolean, sha256 text, link_id uuid, crc32 bigint, place int)
    where a.shop_id = $1 and not exists (
        select from jsonb_to_recordset(a.entries) as w (link_id uuid, file_id uuid)
        left join links l on l.shop_id = $1 and l.id = w.link_id and l.revoked_at is null
        left join files f on f.shop_id = $1 and f.id = w.file_id and f.deleted_at is null
        left join links p on p.shop_id = $1 and p.id = l.parent_id
        where l.id is null or f.id is null or ${askOf('l', 'p')} <> all($8::text[]))) kept
  order by place`
const RUNS = `select ${runningSession('archive_sessions', { link: '$1', now: '$2::timestamptz', network: '$3', offset: '$4::bigint' })}`

const REVERT_COUNT = revertCounts('archive_sessions')

const STORE_CHECKSUM = `update blobs set crc32 = $3 where shop_id = $1 and hash = decode($2, 'hex')`

export type PlannedEntry = Omit<ArchiveEntry, 'crc32'> & { crc32: number | null }

/** A ZIP file that may be continued. */
export interface BegunArchive {
  entries: readonly ArchiveEntry[]
  session: FoundSession
}

export interface ArchiveCounter {
  /** The files that a download would contain now; `crc32` is null where it is not known yet. */
  plan(asker: ArchiveAsker): Promise<readonly PlannedEntry[]>
  /** Counts every file that has downloads left. Empty: there is none, or a checksum is missing. */
  charge(asker: ArchiveAsker): Promise<readonly ArchiveEntry[]>
  /** The transfer of a ZIP file that was counted. */
  begin(asker: ArchiveAsker, entries: readonly ArchiveEntry[], part: SentPart): FileTransfer
  /** Takes back the count of files that cannot be sent. */
  revertCount(asker: ArchiveAsker, entries: readonly ArchiveEntry[]): Promise<void>
  /**
   * The ZIP file of the session that the client may continue; null: there is none, it has expired,
   * or one of the files was withdrawn since.
   */
  session(asker: ArchiveAsker): Promise<BegunArchive | null>
  /** Is a transfer running that this request may continue once it has ended? */
  isRunning(asker: ArchiveAsker): Promise<boolean>
  /**
   * Sends a later part, or the whole file if its buyer is owed it. `used_up`: the session has too
   * few bytes left. Null: the request starts a download.
   */
  resume(
    asker: ArchiveAsker,
    begun: BegunArchive,
    part: SentPart,
  ): Promise<FileTransfer | 'used_up' | null>
  storeChecksum(shop: number, hash: string, crc32: number): Promise<void>
}

export function createArchiveCounter(parts: {
  query: Query
  writes: CountedWrites
  sessions: DownloadSessions
  recorder: Pick<Recorder, 'record'>
}): ArchiveCounter {
  const { query, writes, sessions, recorder } = parts
  const revertCount = async (
    { shop, link, client }: ArchiveAsker,
    entries: readonly ArchiveEntry[],
  ) => {
    const links = entries.map((entry) => entry.link)
    await query('archive_revert_count', REVERT_COUNT, [shop, link, links, client.hash])
  }
  return {
    revertCount,
    plan: async ({ shop, link, sites, now, opened }) => {
      const values = [shop, link, now, joinSites(sites), opened]
      return (await query('archive_plan', PLAN, values)).rows.map(entryOf)
    },
    charge: async ({ shop, link, client, sites, now, opened }) => {
      const values = [shop, link, now, client.hash, joinSites(sites), client.network, opened]
      const rows = await writes.forRequest('archive_charge', CHARGE, values)
      return rows.map((row) => entryOf(row) as ArchiveEntry)
    },
    begin: (asker, entries, part) => {
      const { shop, link, client, now } = asker
      return sessions.counted({ shop, link, client: client.hash }, asker, part, {
        confirmed: () => {
          for (const target of entries)
            recorder.record({ target, link: target.link, client, at: now })
        },
        undo: () => revertCount(asker, entries),
      })
    },
    session: async (asker) => {
      await sessions.settle(asker)
      const { shop, link, client, now, offset, later, opened } = asker
      const values = [shop, link, client.hash, now, client.network, offset, !later, opened]
      const { rows } = await query('archive_session', SESSION, values)
      if (!rows[0]) return null
      const session = foundSession(rows[0].slice(TARGET_LENGTH + 2) as FoundColumns)
      return { session, entries: rows.map((row) => entryOf(row) as ArchiveEntry) }
    },
    isRunning: async ({ link, client, now, offset }) => {
      const { rows } = await query('archive_runs', RUNS, [link, now, client.network, offset])
      return rows[0]?.[0] === true
    },
    resume: async (asker, { session }, part) => {
      const key = { shop: asker.shop, link: asker.link, client: session.client }
      if (part.start > 0) return (await sessions.part(key, asker, part)) ?? 'used_up'
      return mayRestart(session, part.size) ? sessions.restart(key, asker, part) : null
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
