// The statements about links whose file is known. What was found of a file is true for as long as its row is the one that it was, and PostgreSQL
// says by which transaction a row was written (xmin): so they count, and find nothing anew.
import type { LinkTarget } from './counting.ts'
import { openSessions } from './sessions.ts'
import { unseen, type Query } from './targets.ts'

/** A link of no pack's, whose file lets all sites in. */
export interface Known {
  key: string
  keyHash: Buffer
  target: LinkTarget
  /** Of the file's row. */
  rowVersion: string
}

/** Downloads of one link. */
export interface Downloads<Link extends Known = Known> {
  known: Link
  times: number
  clients: readonly Buffer[]
}

/** That of a link which was found as it was known. */
export interface Standing {
  /** It has no limit. */
  unlimited: boolean
  /** By the clock; Infinity: never. */
  expiresMs: number
}

const NOW = unseen('$9::timestamptz')

// Of a link `l` that is asked for as `a`. What is asked of other tables is asked row by row, which keeps the planner from reading the links through.
const STANDS = `l.key_hash = a.key_hash and l.revoked_at is null and (l.expires_at is null or l.expires_at > ${NOW})
      and (select xmin from files where shop_id = l.shop_id and id = l.file_id) is not distinct from a.row_version
      and (select uninstalled_at from shops where id = l.shop_id) is null`

// Links are locked as they come: in the order of their ids.
const count = (allowed: string, stands: string) => `
  with asked as (
    select * from unnest(${unseen('$1::integer[]')}, ${unseen('$2::uuid[]')}, ${unseen('$3::bytea[]')},
      ${unseen('$4::xid[]')}, ${unseen('$5::integer[]')})
      with ordinality as a (shop_id, link_id, key_hash, row_version, times, place)
  ), counted as (
    update links l set downloads = l.downloads + a.times, served = l.served + a.times, last_download_at = ${NOW}
    from asked a
    where l.shop_id = a.shop_id and l.id = a.link_id and ${allowed}
    returning a.shop_id, a.link_id, a.place, ${stands} as stands, l.download_limit is null as unlimited,
      extract(epoch from l.expires_at)::float8 * 1000 as expires_ms
  ), opened as (
    select c.shop_id, c.link_id, o.client, o.size_bytes
    from unnest(${unseen('$6::integer[]')}, ${unseen('$7::bytea[]')}, ${unseen('$8::bigint[]')})
      as o (place, client, size_bytes)
    join counted c on c.place = o.place
  ), session as (
    ${openSessions('opened', NOW)}
  )
  select place, unlimited, expires_ms from counted where stands`

const LIMIT = '(l.download_limit is null or l.downloads + a.times <= l.download_limit)'
const IF_ALLOWED = count(`${STANDS} and ${LIMIT}`, 'true')
const ALWAYS = count('true', STANDS)

type Row = [place: number, unlimited: boolean, expiresMs: number | null]

export interface KnownCounting {
  /** Counts where all of a link's downloads are allowed, and opens their clients' sessions. Null: it counted none of them. */
  count(downloads: readonly Downloads[], now: Date): Promise<readonly (Standing | null)[]>
  /** Counts in any case. Null: the link is no longer what it was, or has gone. */
  write(downloads: readonly Downloads[], now: Date): Promise<readonly (Standing | null)[]>
}

export function createKnownCounting(query: Query): KnownCounting {
  const ask = async (name: string, text: string, downloads: readonly Downloads[], now: Date) => {
    const links = downloads.toSorted((a, b) => (a.known.target.link < b.known.target.link ? -1 : 1))
    const opened = links.flatMap(({ clients, known }, at) => clients.map((client) => ({ at, client, known })))
    const { rows } = await query(name, text, [
      links.map(({ known }) => known.target.shop),
      links.map(({ known }) => known.target.link),
      links.map(({ known }) => known.keyHash),
      links.map(({ known }) => known.rowVersion),
      links.map(({ times }) => times),
      opened.map(({ at }) => at + 1),
      opened.map(({ client }) => client),
      opened.map(({ known }) => known.target.size),
      now,
    ])
    const standings = new Map(
      (rows as Row[]).map(([place, unlimited, expiresMs]) => [
        links[place - 1],
        { unlimited, expiresMs: expiresMs ?? Infinity },
      ]),
    )
    return downloads.map((link) => standings.get(link) ?? null)
  }
  return {
    count: (downloads, now) => ask('count_known', IF_ALLOWED, downloads, now),
    write: (downloads, now) => ask('write_known', ALWAYS, downloads, now),
  }
}
