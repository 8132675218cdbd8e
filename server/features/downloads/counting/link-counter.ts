// Decides whether a link may be used and counts the download, in one statement for all requests
// that arrive together. It uses the pool instead of a shop's scope, because only the link's key
// determines the shop.
import type { LinkFacts } from '../../links/model/links.ts'
import {
  BATCH_SIZE,
  CONCURRENT_STATEMENTS,
  createQueryBatcher,
} from '../../../core/query-batcher.ts'
import { lastOf, present } from '../../../core/present.ts'
import { hashKey } from '../../../core/secrets.ts'
import type { ByteRange } from '../../../core/store/store.ts'
import type { Client } from '../../../http/clients.ts'
import { isProbe } from '../../../http/conditions.ts'
import type { PageLook, Looks } from '../look.ts'
import type { Recorder } from '../record.ts'
import { joinSites } from '../referrers.ts'
import {
  bytesArray,
  opaque,
  plainArray,
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
} from '../targets.ts'
import { SMALL_FILE_BYTES, type LinkCache } from './link-cache.ts'
import { findSession, openSessions, owes, runningSession, SESSION_SIZES } from './session-sql.ts'
import {
  foundSession,
  mayRestart,
  type FoundColumns,
  type FoundSession,
  type DownloadSessions,
} from './sessions.ts'
import { UNCOUNTED, type Transfer } from './transfer.ts'

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
  /** The session that this request may continue; null: none. */
  session: FoundSession | null
  /** It is used up, and a transfer is running that this request may continue once it has ended. */
  running: boolean
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
// ready. The limits of one keep the planner from starting at the files. A request whose network is
// owed a copy is not granted: it is answered from its session (`continueOrCount`).
const decide = (lock: 'wait' | 'skip locked') => `
  with asked as (
    select * from unnest(${KEYS}, ${opaque('$2::bytea[]')}, ${opaque('$4::text[]')},
      ${opaque('$5::bytea[]')}, ${opaque('$6::boolean[]')})
      with ordinality as a (key_hash, client, sites, network, forced, place)
  ), limited as (
    select l.* from links l where ${USABLE} and l.downloads < l.download_limit
    order by l.id for no key update ${lock === 'wait' ? '' : lock}
  ), allowed as (
    select * from limited union all select l.* from links l
      where ${USABLE} and l.download_limit is null
  ), fitting as (
    select ${TARGET}, l.id as link_id, l.expires_at, a.place, a.client, a.network,
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
      and (l.download_limit is null or a.forced or not exists (
        select from download_sessions d where d.link_id = l.id and d.network = a.network
          and d.expires_at > ${NOW} and d.bytes_left >= v.size_bytes and ${owes(NOW)}))
  ), granted as (
    select * from fitting where free is null or turn <= free
  ), counted as (
    update links l set downloads = l.downloads + g.times, served = l.served + g.times,
      last_download_at = ${NOW}
    from (
      select shop_id, link_id, count(*)::integer as times from granted where free is not null
      group by shop_id, link_id) g
    where l.shop_id = g.shop_id and l.id = g.link_id
  ), opened as (
    select shop_id, link_id, client, case when free is not null then network end as network,
      size_bytes * ${SESSION_SIZES} as bytes_left, count(free)::integer as open
    from granted where free is not null or size_bytes > ${SMALL_FILE_BYTES}
    group by 1, 2, 3, 4, 5
  ), session as (
    ${openSessions('download_sessions', 'opened', NOW)}
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
const REQUEST = {
  ...{ link: 'l.id', client: '$2', now: '$3::timestamptz', network: '$4', offset: '$5::bigint' },
  ...{ whole: '$6::boolean', shared: 'l.download_limit is not null' },
}
const LOOK_UP = `
  select ${TARGET}, l.shop_id, l.id,
    coalesce(k.name, l.pack_name, case when l.delivery_id is not null then o.name end), s.name,
    s.domain, s.uninstalled_at is not null,
    l.parent_id is not null
      and (p.revoked_at is not null or not l.paid and p.pack_id is distinct from f.pack_id),
    f.allowed_referrers, l.asked_at,
    n.client, n.found_by, n.owes, n.bytes_left,
    l.downloads >= l.download_limit and ${runningSession('download_sessions', REQUEST)},
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
  left join lateral (${findSession('download_sessions', REQUEST)}) n on true
  where l.key_hash = $1`

const OWED = `
  select encode(l.key_hash, 'hex') from links l
  join files f on f.shop_id = l.shop_id and f.id = l.file_id
  join download_sessions d on d.link_id = l.id and d.network = $3 and d.expires_at > $4
    and d.bytes_left >= f.size_bytes and ${owes('$4')}
  where l.shop_id = $1 and l.parent_id = $2
  union all select null from archive_sessions d
  where d.link_id = $2 and d.network = $3 and d.expires_at > $4 and d.bytes_left > 0
    and ${owes('$4')}`

const REVERT_COUNT = `
  with link as (
    update links set downloads = greatest(downloads - 1, 0), served = greatest(served - 1, 0)
    where shop_id = $1 and id = $2 returning shop_id, id
  )
  delete from download_sessions d using link l where d.shop_id = l.shop_id and d.link_id = l.id
    and d.client = $3`

/** A download that may be sent. */
export interface LinkDownload {
  target: LinkTarget
  /** Null: the whole file. */
  range: ByteRange | null
  transfer: Transfer
}

export interface LinkCounter {
  /**
   * Counts a download of the whole file. Null: the link does not allow it, or the buyer is owed a
   * copy that was counted before (`continueOrCount`).
   */
  count(asker: Asker): Promise<LinkDownload | null>
  /** Null: no link has this key. */
  lookUp(asker: Asker): Promise<KnownLink | null>
  /**
   * Continues a counted download, or counts a new one; null if the link allows neither. The range is
   * that of the file which the link had when it was looked up.
   */
  continueOrCount(
    asker: Asker,
    link: KnownLink & { target: LinkTarget },
    range: ByteRange | null,
  ): Promise<LinkDownload | null>
  /** What this client is owed of a page's files. */
  owedBy(page: Pick<KnownLink, 'shop' | 'link'>, client: Client, now: Date): Promise<OwedCopies>
}

/** The copies under a page's link that broke off and may be fetched again. */
export interface OwedCopies {
  /** The hashes of the files' keys, in hexadecimal. */
  keys: ReadonlySet<string>
  /** The ZIP file of all files. */
  archive: boolean
}

/** Can the whole file be sent from the link's session, without a count? */
export const isOwed = ({ session, target }: KnownLink): boolean =>
  target !== null && mayRestart(session, target.size)

interface Decision {
  target: LinkTarget
  /** It was counted in the database, and its session is open. */
  limited: boolean
}

interface LinkCounterParts {
  query: Query
  cache: LinkCache
  looks: Looks
  sessions: DownloadSessions
  recorder: Pick<Recorder, 'record'>
}

export function createLinkCounter(parts: LinkCounterParts): LinkCounter {
  const { query, cache, looks, sessions } = parts
  const decide = createDecisions(query, cache)

  async function decideFor(asker: Asker, forced: boolean): Promise<Decision | null> {
    const cached = cache.count(asker)
    return cached ? { target: cached, limited: false } : decide({ asker, forced })
  }

  /** The transfer of a download that was counted. */
  function begin(
    { target, limited }: Decision,
    asker: Asker,
    range: ByteRange | null,
  ): LinkDownload {
    const { client, now } = asker
    const hooks = {
      confirmed: () => parts.recorder.record({ target, link: target.link, client, at: now }),
      undo: async () => {
        await cache.flush()
        await query('revert_count', REVERT_COUNT, [target.shop, target.link, client.hash])
      },
    }
    const transfer = limited
      ? sessions.counted(sessionOf(target, client.hash), client, partOf(target, range), hooks)
      : { ...UNCOUNTED, ...hooks }
    return { target, range, transfer }
  }

  /** One more download for a part whose session is used up. */
  async function countMore(asker: Asker, old: LinkTarget): Promise<Transfer | null> {
    const decision = await decideFor(asker, true)
    if (!decision) return null
    const { target, transfer } = begin(decision, asker, null)
    // The file has a new version: the old bytes cannot be completed.
    if (target.hash !== old.hash) return transfer.undo().then(() => null)
    transfer.confirmed()
    return transfer
  }

  async function continueSession(
    asker: Asker,
    { session, target }: KnownLink & { target: LinkTarget },
    range: ByteRange | null,
  ): Promise<Transfer | null> {
    if (!session) return null
    const key = sessionOf(target, session.client)
    const part = partOf(target, range)
    if (part.start > 0) return sessions.part(key, asker, part, () => countMore(asker, target))
    return mayRestart(session, target.size) ? sessions.restart(key, asker, part) : null
  }

  return {
    count: async (asker) => {
      await sessions.settle(asker.client)
      const decision = await decideFor(asker, false)
      return decision && begin(decision, asker, null)
    },
    lookUp: async (asker) => {
      const { key, client, now, offset = null, later = false } = asker
      if (cache.hasPending(key)) await cache.flush()
      const values = [hashKey(key), client.hash, now, client.network, offset, !later]
      const { rows } = await query('look_up', LOOK_UP, values)
      if (!rows[0]) return null
      const link = linkRow(rows[0])
      return { ...link, look: await looks.of(link.shop) }
    },
    owedBy: async ({ shop, link }, { network }, now) => {
      const { rows } = await query('owed', OWED, [shop, link, network, now])
      const keys = rows.map(([key]) => key as string | null)
      return { keys: new Set(keys.filter((key) => key !== null)), archive: keys.includes(null) }
    },
    continueOrCount: async (asker, link, range) => {
      const { target } = link
      if (isProbe(range, target.size)) return { target, range, transfer: UNCOUNTED }
      const transfer = await continueSession(asker, link, range)
      if (transfer) return { target, range, transfer }
      const decision = await decideFor(asker, true)
      // A part of a new version does not continue the client's copy: send the whole file.
      const same = decision?.target.hash === target.hash
      return decision && begin(decision, asker, same ? range : null)
    },
  }
}

const sessionOf = ({ shop, link }: LinkTarget, client: Buffer) => ({ shop, link, client })
const partOf = ({ size }: LinkTarget, range: ByteRange | null) => {
  const { start, end } = range ?? { start: 0, end: size - 1 }
  return { size, start, length: end - start + 1 }
}

interface Question {
  asker: Asker
  /** Counts also if the buyer is owed a copy. */
  forced: boolean
}

/** Decides and counts. */
function createDecisions(query: Query, cache: LinkCache) {
  const createDecision = (name: string, text: string) =>
    createQueryBatcher(
      async (asked: readonly Question[]): Promise<(Decision | null)[]> => {
        const since = performance.now()
        const askers = asked.map(({ asker }) => asker)
        const { rows } = await query(name, text, [
          bytesArray(askers.map(({ key }) => hashKey(key))),
          bytesArray(askers.map(({ client }) => client.hash)),
          lastOf(askers).now,
          askers.map(({ sites }) => joinSites(sites)),
          bytesArray(askers.map(({ client }) => client.network)),
          plainArray(asked.map(({ forced }) => String(forced))),
        ])
        const decisions = asked.map((): Decision | null => null)
        for (const row of rows) {
          const columns = row.slice(TARGET_LENGTH) as DecidedRow
          const [link, place, limited, sameForAll, expiresMs] = columns
          const target = linkTargetOf(row, link)
          decisions[place - 1] = { target, limited }
          const asker = present(askers[place - 1], 'The request that was decided')
          if (!limited) cache.countAllowed(asker, target, sameForAll ? { expiresMs, since } : null)
        }
        return decisions
      },
      BATCH_SIZE,
      CONCURRENT_STATEMENTS,
    )
  // A link that another transaction holds must not delay the other links of its batch: the first
  // statement skips locked rows, and what it did not grant is decided by the second, which waits.
  const unlocked = createDecision('decide_unlocked', DECIDE_UNLOCKED)
  const waiting = createDecision('decide', DECIDE)
  return async (question: Question) => (await unlocked(question)) ?? waiting(question)
}

type DecidedRow = [
  link: string,
  place: number,
  limited: boolean,
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
  ...[referrers: string[] | null, asked_at: Date | null, ...FoundColumns, running: boolean | null],
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
    client,
    foundBy,
    owesBytes,
    bytesLeft,
    running,
    delivery,
    blocked,
    locale,
    ...facts
  ] = row.slice(TARGET_LENGTH) as KnownRow
  const [revoked_at, expires_at, download_limit, downloads, deleted_at, mapping_state] = facts
  return {
    ...{ revoked_at, expires_at, download_limit, downloads, deleted_at, mapping_state },
    ...{ shop, link, shopName, shopDomain, uninstalled, out, asked_at },
    session: foundSession([client, foundBy, owesBytes, bytesLeft]),
    running: running === true,
    ...{ delivery, blocked, locale },
    referrers: referrers ?? [],
    target: packName === null ? linkTargetOf(row, link) : null,
    pack: packName === null ? null : { name: packName },
  }
}
