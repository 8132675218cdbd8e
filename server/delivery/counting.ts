// Every statement of the hot path that decides whether a link may be used, and what became of one that may not. It holds a pool, not a shop's
// scope: a key alone says which shop it is about.
import type pg from 'pg'
import type { LinkFacts } from '../files/links.ts'
import type { Logger } from '../log.ts'
import { hashKey } from '../secrets.ts'
import { BATCH, createBatch, STATEMENTS } from './batch.ts'
import { standingOf } from './known.ts'
import { createRecentLinks } from './recent.ts'
import { createSessions, openSessions, type Sessions } from './sessions.ts'
import { joinSites } from './referrers.ts'
import {
  bytesArray,
  openQuery,
  SITE_ALLOWED,
  TARGET,
  TARGET_LENGTH,
  TARGET_NAMES,
  targetOf,
  unseen,
  type Target,
} from './targets.ts'

export interface LinkTarget extends Target {
  link: string
}

/** A link as it stands, whether or not it may be used. Its facts are those of the file, or of a pack that has no such. */
export interface KnownLink extends LinkFacts {
  shop: number
  link: string
  /** Null: a pack's link. */
  target: LinkTarget | null
  /** It may be deleted by now. */
  pack: { name: string } | null
  shopName: string
  shopDomain: string
  uninstalled: boolean
  /** It came with a pack that its file is no longer in, or whose own link was revoked. */
  out: boolean
  /** Sites that may lead to the file; none: any. */
  referrers: readonly string[]
  /** When its holder asked the shop for more, last. */
  asked_at: Date | null
  /** This client's session lives and has bytes left. */
  session: boolean
}

// One statement is the whole decision, for all the requests that came meanwhile: whoever waits for a link's row has its
// conditions checked again on what the other left, so exactly the limit is served, however many processes ask. Rows are
// locked in one order, or two processes could each wait for the other; the limits of one keep the planner from ever starting
// at the files. A client's counted request opens its session. A link under a pack's is ruled by that one: it lives as long as
// it and works while its file is in that pack.
const KEYS = unseen('$1::bytea[]')
const NOW = unseen('$3::timestamptz')
const COUNT = `
  with asked as (
    select * from unnest(${KEYS}, ${unseen('$2::bytea[]')}, ${unseen('$4::text[]')})
      with ordinality as a (key_hash, client, sites, place)
  ), allowed as (
    select l.* from links l
    where l.key_hash = any(${KEYS}::bytea[])
      and l.revoked_at is null
      and (l.expires_at is null or l.expires_at > ${NOW} or l.parent_id is not null)
      and (l.download_limit is null or l.downloads < l.download_limit)
    order by l.id
    for no key update
  ), fitting as (
    select ${TARGET}, l.id as link_id, l.expires_at, a.place, a.client, l.download_limit - l.downloads as free,
      case when l.parent_id is null and f.allowed_referrers = '{}' then f.row_version end as row_version,
      row_number() over (partition by l.id order by a.place) as turn
    from allowed l
    join asked a on a.key_hash = l.key_hash
    cross join lateral (
      select *, xmin as row_version from files where shop_id = l.shop_id and id = l.file_id limit 1) f
    cross join lateral (
      select * from versions where shop_id = f.shop_id and file_id = f.id and number = f.version limit 1) v
    cross join lateral (select * from shops where id = l.shop_id limit 1) s
    left join lateral (
      select * from links where shop_id = l.shop_id and id = l.parent_id and revoked_at is null
        and (expires_at is null or expires_at > ${NOW}) limit 1) p on true
    where not v.damaged and f.deleted_at is null and f.mapping_state <> 'unmapped' and s.uninstalled_at is null
      and (l.parent_id is null or p.pack_id = f.pack_id) and ${SITE_ALLOWED}
  ), granted as (
    select * from fitting where free is null or turn <= free
  ), counted as (
    update links l set downloads = l.downloads + g.times, served = l.served + g.times, last_download_at = ${NOW}
    from (select shop_id, link_id, count(*)::integer as times from granted group by shop_id, link_id) g
    where l.shop_id = g.shop_id and l.id = g.link_id
  ), session as (
    ${openSessions('granted', NOW)}
  )
  select ${TARGET_NAMES}, link_id, place, row_version, free - turn, extract(epoch from expires_at)::float8 * 1000
  from granted`

const LOOK_UP = `
  select ${TARGET}, l.shop_id, l.id, coalesce(k.name, l.pack_name), s.name, s.domain, s.uninstalled_at is not null,
    l.parent_id is not null and (p.revoked_at is not null or p.pack_id is distinct from f.pack_id),
    f.allowed_referrers, l.asked_at,
    exists (select from download_sessions d
      where d.link_id = l.id and d.client = $2 and d.expires_at > $3 and d.bytes_left > 0),
    l.revoked_at, case when l.parent_id is null then l.expires_at else p.expires_at end, l.download_limit, l.downloads,
    f.deleted_at, coalesce(f.mapping_state, 'never')
  from links l
  join shops s on s.id = l.shop_id
  left join files f on f.shop_id = l.shop_id and f.id = l.file_id
  left join versions v on v.shop_id = f.shop_id and v.file_id = f.id and v.number = f.version
  left join packs k on k.shop_id = l.shop_id and k.id = l.pack_id
  left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
  where l.key_hash = $1`

const GIVE_BACK = `
  with link as (
    update links set downloads = greatest(downloads - 1, 0), served = greatest(served - 1, 0)
    where shop_id = $1 and id = $2 returning shop_id, id
  )
  delete from download_sessions d using link l where d.shop_id = l.shop_id and d.link_id = l.id and d.client = $3`

/** Who asks for a link's file, and when. */
export interface Asker {
  key: string
  client: Buffer
  /** As `sitesOf` gives them. */
  sites: readonly string[] | null
  now: Date
}

export interface Counting extends Sessions {
  /** Counts a download and opens the client's session; null where the link does not allow it. */
  count(asker: Asker): Promise<LinkTarget | null>
  /** Null: no link has this key. */
  lookUp(asker: Asker): Promise<KnownLink | null>
  /** A counted download that could not be served was none. */
  giveBack(target: LinkTarget, asker: Asker): Promise<void>
  /** Something may have been changed: nothing that was found before is relied on. */
  doubt(): void
  /** Writes the counts that are not written; false where some can't be now. */
  settle(): Promise<boolean>
}

export function createCounting(pool: pg.Pool, log: Logger): Counting {
  const query = openQuery(pool)
  const recent = createRecentLinks(query, log)
  const countAll = async (asked: readonly Asker[]): Promise<(LinkTarget | null)[]> => {
    const since = performance.now()
    const keys = asked.map(({ key }) => hashKey(key))
    const clients = bytesArray(asked.map(({ client }) => client))
    const sites = asked.map((asker) => joinSites(asker.sites))
    const { rows } = await query('count', COUNT, [bytesArray(keys), clients, asked.at(-1)!.now, sites])
    const targets = asked.map((): LinkTarget | null => null)
    for (const row of rows) {
      const [link, place, rowVersion, left, expiresMs] = row.slice(TARGET_LENGTH) as CountedRow
      const target = linkTargetOf(row, link)
      const at = place - 1
      targets[at] = target
      const standing = standingOf(left, expiresMs)
      if (rowVersion !== null)
        recent.note({ key: asked[at]!.key, keyHash: keys[at]!, target, rowVersion, standing, since })
    }
    return targets
  }
  const countWhole = createBatch(countAll, BATCH, STATEMENTS)
  return {
    ...createSessions(query),
    count: async (asker) => (await recent.count(asker)) ?? countWhole(asker),
    lookUp: async ({ key, client, now }) => {
      await recent.settle(key)
      const { rows } = await query('look_up', LOOK_UP, [hashKey(key), client, now])
      return rows[0] ? knownLink(rows[0]) : null
    },
    giveBack: async (target, { client }) => {
      await recent.settle()
      await query('give_back', GIVE_BACK, [target.shop, target.link, client])
    },
    doubt: () => recent.doubt(),
    settle: async () => {
      await recent.settle()
      return recent.isSettled()
    },
  }
}

type CountedRow = [
  link: string,
  place: number,
  rowVersion: string | null,
  left: number | null,
  expiresMs: number | null,
]

const linkTargetOf = (row: readonly unknown[], link: unknown): LinkTarget => ({
  ...targetOf(row),
  link: link as string,
})

type KnownRow = [
  ...[shop: number, link: string, packName: string | null],
  ...[shopName: string, shopDomain: string, uninstalled: boolean, out: boolean],
  ...[referrers: string[] | null, asked_at: Date | null, session: boolean],
  ...[revoked_at: Date | null, expires_at: Date | null, download_limit: number | null, downloads: number],
  ...[deleted_at: Date | null, mapping_state: string],
]

function knownLink(row: readonly unknown[]): KnownLink {
  const [shop, link, packName, shopName, shopDomain, uninstalled, out, referrers, asked_at, session, ...facts] =
    row.slice(TARGET_LENGTH) as KnownRow
  const [revoked_at, expires_at, download_limit, downloads, deleted_at, mapping_state] = facts
  return {
    ...{ revoked_at, expires_at, download_limit, downloads, deleted_at, mapping_state },
    ...{ shop, link, shopName, shopDomain, uninstalled, out, asked_at, session },
    referrers: referrers ?? [],
    target: packName === null ? linkTargetOf(row, link) : null,
    pack: packName === null ? null : { name: packName },
  }
}
