// The statements about links whose file is known. What was found of a file is true for as long as its row is the one that it was, and PostgreSQL
// says by which transaction a row was written (xmin): so they count, and find nothing anew.
import type { LinkTarget } from './counting.ts'
import { openSessions } from './sessions.ts'
import { bytesArray, plainArray, unseen, type Query } from './targets.ts'

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
  /** How many downloads are left at least; Infinity: it has no limit. */
  left: number
  /** By the clock; Infinity: never. */
  expiresMs: number
}

/** What became of a link's downloads. */
export interface Outcome {
  counted: boolean
  /** Null: it is not what it was, has gone, or could not be looked at. */
  standing: Standing | null
  /** Someone else holds its row: it was left alone. */
  busy: boolean
}

const NOW = unseen('$9::timestamptz')

// Links are locked in the order of their ids, in which they are asked; nobody waits for one that is held, with others in hand. Looks of a single
// row each keep the planner from reading tables through.
const count = (allowed: string) => `
  with asked as (
    select * from unnest(${unseen('$1::integer[]')}, ${unseen('$2::uuid[]')}, ${unseen('$3::bytea[]')},
      ${unseen('$4::xid[]')}, ${unseen('$5::integer[]')})
      with ordinality as a (shop_id, link_id, key_hash, row_version, times, place)
  ), held as (
    select a.place, a.times, l.shop_id, l.id, l.downloads, l.download_limit, l.expires_at,
      l.key_hash = a.key_hash and l.revoked_at is null and (l.expires_at is null or l.expires_at > ${NOW})
      and (select xmin from files where shop_id = l.shop_id and id = l.file_id) is not distinct from a.row_version
      and l.shop_id <> all(array(
        select id from shops where id = any(${unseen('$1::integer[]')}::integer[]) and uninstalled_at is not null)) as stands
    from asked a cross join lateral (
      select * from links where shop_id = a.shop_id and id = a.link_id limit 1 for no key update skip locked) l
  ), counted as (
    update links l set downloads = l.downloads + h.times, served = l.served + h.times, last_download_at = ${NOW}
    from held h
    where l.shop_id = h.shop_id and l.id = h.id and ${allowed}
    returning h.shop_id, h.id as link_id, h.place
  ), opened as (
    select c.shop_id, c.link_id, o.client, o.size_bytes
    from unnest(${unseen('$6::integer[]')}, ${unseen('$7::bytea[]')}, ${unseen('$8::bigint[]')})
      as o (place, client, size_bytes)
    join counted c on c.place = o.place
  ), session as (
    ${openSessions('opened', NOW)}
  )
  select a.place, c.place is not null, coalesce(h.stands, false), h.download_limit - h.downloads - h.times,
    extract(epoch from h.expires_at)::float8 * 1000,
    h.place is null and exists (select from links where shop_id = a.shop_id and id = a.link_id)
  from asked a left join held h on h.place = a.place left join counted c on c.place = a.place`

const IF_ALLOWED = count('h.stands and (h.download_limit is null or h.downloads + h.times <= h.download_limit)')
const ALWAYS = count('true')

type Row = [...[place: number, counted: boolean, stands: boolean, left: number | null], ...[expiresMs: number | null, busy: boolean]] // prettier-ignore

export interface KnownCounting {
  /** Counts where all of a link's downloads are allowed, and opens their clients' sessions. */
  count(downloads: readonly Downloads[], now: Date): Promise<readonly Outcome[]>
  /** Counts wherever the link is there. */
  write(downloads: readonly Downloads[], now: Date): Promise<readonly Outcome[]>
}

export function createKnownCounting(query: Query): KnownCounting {
  const ask = async (name: string, text: string, downloads: readonly Downloads[], now: Date) => {
    const links = downloads.toSorted((a, b) => (a.known.target.link < b.known.target.link ? -1 : 1))
    const opened = links.flatMap(({ clients, known }, at) => clients.map((client) => ({ at, client, known })))
    const { rows } = await query(name, text, [
      plainArray(links.map(({ known }) => known.target.shop)),
      plainArray(links.map(({ known }) => known.target.link)),
      bytesArray(links.map(({ known }) => known.keyHash)),
      plainArray(links.map(({ known }) => known.rowVersion)),
      plainArray(links.map(({ times }) => times)),
      plainArray(opened.map(({ at }) => at + 1)),
      bytesArray(opened.map(({ client }) => client)),
      plainArray(opened.map(({ known }) => known.target.size)),
      now,
    ])
    const outcomes = new Map((rows as Row[]).map((row) => [links[row[0] - 1], outcomeOf(row)]))
    return downloads.map((link) => outcomes.get(link)!)
  }
  return {
    count: (downloads, now) => ask('count_known', IF_ALLOWED, downloads, now),
    write: (downloads, now) => ask('write_known', ALWAYS, downloads, now),
  }
}

/** As the statements give it: null is none. */
export const standingOf = (left: number | null, expiresMs: number | null): Standing => ({
  left: left ?? Infinity,
  expiresMs: expiresMs ?? Infinity,
})

const outcomeOf = ([, counted, stands, left, expiresMs, busy]: Row): Outcome => ({
  counted,
  standing: stands ? standingOf(left, expiresMs) : null,
  busy,
})
