// Decides whether a link may be used and counts the download, in one statement for all requests
// that arrive together. It uses the pool instead of a shop's scope, because only the link's key
// determines the shop.
import type { LinkFacts } from '../links/model/links.ts'
import { hashKey } from '../../core/secrets.ts'
import type { PageLook, Looks } from './look.ts'
import { SMALL_FILE_BYTES, type LinkCache } from './link-cache.ts'
import { BATCH_SIZE, CONCURRENT_STATEMENTS, createQueryBatcher } from '../../core/query-batcher.ts'
import { joinSites } from './referrers.ts'
import { createDownloadSessions, openSessions, type DownloadSessions } from './sessions.ts'
import {
  bytesArray,
  opaque,
  IN_PARENT,
  LINK_BYTES,
  siteAllowed,
  TARGET,
  TARGET_LENGTH,
  TARGET_NAMES,
  fileTargetOf,
  type Asker,
  type LinkTarget,
  type Query,
} from './targets.ts'

/**
 * `delayed`: its workflow failed, and the shop was notified. `withdrawn`: for a reason that is not
 * in this list.
 */
export type DeliveryBlock =
  | 'held'
  | 'preparing'
  | 'delayed'
  | 'refused'
  | 'cancelled'
  | 'refunded'
  | 'withdrawn'

/**
 * A link's state, whether or not it may be used. `deleted_at` and `mapping_state` are those of its
 * file; a pack's link has no file.
 */
export interface KnownLink extends LinkFacts {
  shop: number
  link: string
  /** Null: a pack's or a delivery's link. */
  target: LinkTarget | null
  /** The pack's name, also after the pack was deleted, or the order's. Null: a file's link. */
  pack: { name: string } | null
  shopName: string
  shopDomain: string
  /** How the shop's pages look. */
  look: PageLook
  uninstalled: boolean
  /** The delivery whose page it is, a bare UUID. Null: any other link. */
  delivery: string | null
  /** Why its delivery is not ready. Null: it is ready, or the link belongs to no delivery. */
  blocked: DeliveryBlock | null
  /** The language of the delivery's buyer. */
  locale: string | null
  /** It belongs to a pack's link that was revoked, or to a pack that its file has left. */
  out: boolean
  /** The sites that may lead to the file; empty: any. */
  referrers: readonly string[]
  /** When its holder last asked the shop for more. */
  asked_at: Date | null
  /** This client's session is open and has bytes left. */
  session: boolean
}

const KEYS = opaque('$1::bytea[]')
const NOW = opaque('$3::timestamptz')
const USABLE = `l.key_hash = any(${KEYS}::bytea[]) and l.revoked_at is null
      and (l.expires_at is null or l.expires_at > ${NOW} or l.parent_id is not null and not l.paid)`
// A link with a limit is locked and counted here. The lock makes the limit exact across processes:
// after a wait PostgreSQL checks the conditions again on the row that the other transaction left.
// Rows are locked in id order, or two processes could deadlock. A link without a limit is only
// read: its count is written later (link-cache.ts), so that the download does not wait for a
// commit. A link that belongs to a pack's link has that link's expiry, and works while its file is
// in that pack. One that belongs to a delivery has its own expiry, and works while the delivery is
// ready. The limits of one keep the planner from starting at the files.
const decide = (lock: 'wait' | 'skip locked') => `
  with asked as (
    select * from unnest(${KEYS}, ${opaque('$2::bytea[]')}, ${opaque('$4::text[]')})
      with ordinality as a (key_hash, client, sites, place)
  ), limited as (
    select l.* from links l where ${USABLE} and l.downloads < l.download_limit
    order by l.id for no key update ${lock === 'wait' ? '' : lock}
  ), allowed as (
    select * from limited union all select l.* from links l
      where ${USABLE} and l.download_limit is null
  ), fitting as (
    select ${TARGET}, l.id as link_id, l.expires_at, a.place, a.client,
      l.download_limit - l.downloads as free,
      l.parent_id is null and f.allowed_referrers = '{}' as same_for_all,
      row_number() over (partition by l.id order by a.place) as turn
    from allowed l
    join asked a on a.key_hash = l.key_hash
    cross join lateral (select * from files where shop_id = l.shop_id and id = l.file_id limit 1) f
    cross join ${LINK_BYTES}
    cross join lateral (select * from shops where id = l.shop_id limit 1) s
    left join lateral (
      select * from links where shop_id = l.shop_id and id = l.parent_id and revoked_at is null
        and (expires_at is null or expires_at > ${NOW}) limit 1) p on true
    where not v.damaged and f.deleted_at is null and s.uninstalled_at is null
      and (f.mapping_state <> 'unmapped' or l.paid and s.keep_paid)
        and ${IN_PARENT} and ${siteAllowed('a.sites')}
  ), granted as (
    select * from fitting where free is null or turn <= free
  ), counted as (
    update links l set downloads = l.downloads + g.times, served = l.served + g.times,
      last_download_at = ${NOW}
    from (
      select shop_id, link_id, count(*)::integer as times from granted where free is not null
      group by shop_id, link_id) g
    where l.shop_id = g.shop_id and l.id = g.link_id
  ), resumable as (
    select * from granted where free is not null or size_bytes > ${SMALL_FILE_BYTES}
  ), session as (
    ${openSessions('resumable', NOW)}
  )
  select ${TARGET_NAMES}, link_id, place, free is not null, same_for_all,
    extract(epoch from expires_at)::float8 * 1000
  from granted`
const DECIDE_UNLOCKED = decide('skip locked')
const DECIDE = decide('wait')

const BLOCKED = `case
    when d.revoked_at is not null then 'refused'
    when d.withdrawn_at is not null and o.cancelled_at is not null then 'cancelled'
    when d.withdrawn_at is not null and o.financial_status in ('REFUNDED', 'PARTIALLY_REFUNDED')
      then 'refunded'
    when d.withdrawn_at is not null then 'withdrawn'
    when d.held_by <> 'workflow' then 'held'
    when d.held_by is not null then (
      select case r.status when 'failed' then 'delayed' else 'preparing' end from delivery_runs r
      where r.shop_id = d.shop_id and r.delivery_id = d.id)
  end`
const LOOK_UP = `
  select ${TARGET}, l.shop_id, l.id,
    coalesce(k.name, l.pack_name, case when l.delivery_id is not null then o.name end), s.name,
    s.domain, s.uninstalled_at is not null,
    l.parent_id is not null
      and (p.revoked_at is not null or not l.paid and p.pack_id is distinct from f.pack_id),
    f.allowed_referrers, l.asked_at,
    exists (select from download_sessions d
      where d.link_id = l.id and d.client = $2 and d.expires_at > $3 and d.bytes_left > 0),
    l.delivery_id, ${BLOCKED}, o.locale,
    l.revoked_at, case when l.parent_id is null or l.paid then l.expires_at else p.expires_at end,
    l.download_limit,
    l.downloads, f.deleted_at, case when l.paid and s.keep_paid then 'never'
      else coalesce(f.mapping_state, 'never') end
  from links l
  join shops s on s.id = l.shop_id
  left join files f on f.shop_id = l.shop_id and f.id = l.file_id
  left join ${LINK_BYTES} on true
  left join packs k on k.shop_id = l.shop_id and k.id = l.pack_id
  left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
  left join deliveries d on d.shop_id = l.shop_id and d.id = coalesce(l.delivery_id, p.delivery_id)
  left join orders o on o.shop_id = d.shop_id and o.id = d.order_id
  where l.key_hash = $1`

const REVERT_COUNT = `
  with link as (
    update links set downloads = greatest(downloads - 1, 0), served = greatest(served - 1, 0)
    where shop_id = $1 and id = $2 returning shop_id, id
  )
  delete from download_sessions d using link l where d.shop_id = l.shop_id and d.link_id = l.id
    and d.client = $3`

export interface LinkCounter extends DownloadSessions {
  /** Counts a download and opens the client's session; null if the link does not allow it. */
  count(asker: Asker): Promise<LinkTarget | null>
  /** Null: no link has this key. */
  lookUp(asker: Asker): Promise<KnownLink | null>
  /** Takes back the count of a download whose bytes could not be read. */
  revertCount(target: LinkTarget, asker: Asker): Promise<void>
}

export function createCounting(query: Query, cache: LinkCache, looks: Looks): LinkCounter {
  const createDecision = (name: string, text: string) =>
    createQueryBatcher(
      async (asked: readonly Asker[]): Promise<(LinkTarget | null)[]> => {
        const since = performance.now()
        const clients = bytesArray(asked.map(({ client }) => client))
        const sites = asked.map((asker) => joinSites(asker.sites))
        const keys = bytesArray(asked.map(({ key }) => hashKey(key)))
        const { rows } = await query(name, text, [keys, clients, asked.at(-1)!.now, sites])
        const targets = asked.map((): LinkTarget | null => null)
        for (const row of rows) {
          const [link, place, counted, sameForAll, expiresMs] = row.slice(
            TARGET_LENGTH,
          ) as DecidedRow
          const target = linkTargetOf(row, link)
          targets[place - 1] = target
          if (!counted)
            cache.countAllowed(asked[place - 1]!, target, sameForAll ? { expiresMs, since } : null)
        }
        return targets
      },
      BATCH_SIZE,
      CONCURRENT_STATEMENTS,
    )
  // A link that another transaction holds must not delay the other links of its batch: the first
  // statement skips locked rows, and what it did not grant is decided by the second, which waits.
  const decideUnlocked = createDecision('decide_unlocked', DECIDE_UNLOCKED)
  const decideWaiting = createDecision('decide', DECIDE)
  return {
    ...createDownloadSessions(query),
    count: async (asker) =>
      cache.count(asker) ?? (await decideUnlocked(asker)) ?? decideWaiting(asker),
    lookUp: async ({ key, client, now }) => {
      if (cache.hasPending(key)) await cache.flush()
      const { rows } = await query('look_up', LOOK_UP, [hashKey(key), client, now])
      if (!rows[0]) return null
      const link = linkRow(rows[0])
      return { ...link, look: await looks.of(link.shop) }
    },
    revertCount: async (target, { client }) => {
      await cache.flush()
      await query('revert_count', REVERT_COUNT, [target.shop, target.link, client])
    },
  }
}

type DecidedRow = [
  link: string,
  place: number,
  counted: boolean,
  sameForAll: boolean,
  expiresMs: number | null,
]

const linkTargetOf = (row: readonly unknown[], link: unknown): LinkTarget => ({
  ...fileTargetOf(row),
  link: link as string,
})

type KnownRow = [
  ...[shop: number, link: string, packName: string | null],
  ...[shopName: string, shopDomain: string, uninstalled: boolean, out: boolean],
  ...[referrers: string[] | null, asked_at: Date | null, session: boolean],
  ...[delivery: string | null, blocked: DeliveryBlock | null, locale: string | null],
  ...[
    revoked_at: Date | null,
    expires_at: Date | null,
    download_limit: number | null,
    downloads: number,
  ],
  ...[deleted_at: Date | null, mapping_state: string],
]

function linkRow(row: readonly unknown[]): Omit<KnownLink, 'look'> {
  const [
    shop,
    link,
    packName,
    shopName,
    shopDomain,
    uninstalled,
    out,
    referrers,
    asked_at,
    session,
    delivery,
    blocked,
    locale,
    ...facts
  ] = row.slice(TARGET_LENGTH) as KnownRow
  const [revoked_at, expires_at, download_limit, downloads, deleted_at, mapping_state] = facts
  return {
    ...{ revoked_at, expires_at, download_limit, downloads, deleted_at, mapping_state },
    ...{ shop, link, shopName, shopDomain, uninstalled, out, asked_at, session },
    ...{ delivery, blocked, locale },
    referrers: referrers ?? [],
    target: packName === null ? linkTargetOf(row, link) : null,
    pack: packName === null ? null : { name: packName },
  }
}
