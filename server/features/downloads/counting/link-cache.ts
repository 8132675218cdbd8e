// Links without a limit: their downloads are counted write-behind, and for a moment after the
// database has allowed one the next are served from memory. A link with a limit never comes here:
// each of its downloads is decided and counted in PostgreSQL before the first byte leaves, so a
// killed process loses no count of it. docs/decisions/0026.
import type { Logger } from '../../../core/log.ts'
import { present } from '../../../core/present.ts'
import { openSessions, SESSION_SIZES } from './session-sql.ts'
import {
  bytesArray,
  opaque,
  plainArray,
  type Asker,
  type LinkTarget,
  type Query,
} from '../targets.ts'
import { createTtlCache } from '../../../core/ttl-cache.ts'
import { WriteBehindCounter, type PendingCount } from './write-behind-counter.ts'

/** A link that has ended must stop within a second, even if no notification arrives. */
const TTL_MS = 800
/**
 * Larger files are fetched in parts, in a session that every process must see immediately: they are
 * not cached.
 */
export const SMALL_FILE_BYTES = 256 * 1024

/** When the database has allowed a link. */
export interface LinkDecision {
  /** When the link expires, by the clock; null: never. */
  expiresMs: number | null
  /** When the decision was asked for, by performance.now(). */
  since: number
}

export interface LinkCache {
  /** Counts a download of a cached link and gives its file. Null: the database must decide. */
  count(asker: Asker): LinkTarget | null
  /**
   * Counts a download that the database has allowed.
   * @param decision caches the link; null if the decision holds for this request only.
   */
  countAllowed(asker: Asker, target: LinkTarget, decision: LinkDecision | null): void
  /** Drops the links of one shop, or of all shops: the database decides their next downloads. */
  invalidate(shop?: number): void
  /** Has the link with this key downloads that are not written yet? */
  hasPending(key: string): boolean
  /** Writes the pending counts; false if some cannot be written now. */
  flush(): Promise<boolean>
}

interface CachedLink extends LinkDecision {
  target: LinkTarget
}

export function createLinkCache(query: Query, log: Logger): LinkCache {
  const cached = createTtlCache<CachedLink>(TTL_MS)
  const counter = new WriteBehindCounter((counts, at) => writeCounts(query, counts, at), log)
  const invalidated = { all: 0, byShop: new Map<number, number>() }

  // A decision asked for before an invalidation may predate the change, even if it is answered
  // later.
  const isCurrent = ({ since, target }: CachedLink) =>
    since > invalidated.all && since > (invalidated.byShop.get(target.shop) ?? 0)

  return {
    count: ({ key, client, now }) => {
      const link = cached.get(key)
      if (!link || !isCurrent(link)) return null
      if (link.expiresMs !== null && now.getTime() >= link.expiresMs) return null
      counter.add(key, link.target, client.hash, now)
      return link.target
    },
    countAllowed: ({ key, client, now }, target, decision) => {
      const small = target.size <= SMALL_FILE_BYTES
      // The session of a large file is open already, and parts of it may have been paid from it.
      counter.add(key, target, small ? client.hash : null, now)
      if (small && decision) cached.set(key, { ...decision, target }, decision.since)
    },
    invalidate: (shop) => {
      if (shop === undefined) invalidated.all = performance.now()
      else invalidated.byShop.set(shop, performance.now())
    },
    hasPending: (key) => counter.has(key),
    flush: async () => {
      await counter.flush()
      return counter.isEmpty()
    },
  }
}

const NOW = opaque('$7::timestamptz')
// Links are locked in id order, the order of every other statement that locks several, so that two
// of them cannot deadlock. Locked links are skipped: waiting for one would delay the counts of all.
// Limits of one keep the planner from scanning the table.
const WRITE = `
  with asked as (
    select * from unnest(${opaque('$1::integer[]')}, ${opaque('$2::uuid[]')},
      ${opaque('$3::integer[]')})
      with ordinality as a (shop_id, link_id, times, place)
  ), held as (
    select a.place, a.times, l.shop_id, l.id
    from asked a cross join lateral (
      select * from links where shop_id = a.shop_id and id = a.link_id
        limit 1 for no key update skip locked) l
  ), counted as (
    update links l set downloads = l.downloads + h.times, served = l.served + h.times,
      last_download_at = ${NOW}
    from held h where l.shop_id = h.shop_id and l.id = h.id
  ), opened as (
    select distinct h.shop_id, h.id as link_id, o.client, null::bytea as network,
      o.size_bytes * ${SESSION_SIZES} as bytes_left, 0 as open, decode(o.hash, 'hex') as hash
    from unnest(${opaque('$4::integer[]')}, ${opaque('$5::bytea[]')}, ${opaque('$6::bigint[]')},
      ${opaque('$8::text[]')}) as o (place, client, size_bytes, hash)
    join held h on h.place = o.place
  ), session as (
    ${openSessions('download_sessions', 'opened', NOW, ['hash'])}
  )
  select a.place from asked a
  where not exists (select from held h where h.place = a.place)
    and exists (select from links where shop_id = a.shop_id and id = a.link_id)`

/**
 * Adds the counts and opens their clients' sessions. Returns the counts whose links are locked;
 * deleted links are ignored.
 */
async function writeCounts(
  query: Query,
  counts: readonly PendingCount[],
  now: Date,
): Promise<readonly PendingCount[]> {
  const ordered = counts.toSorted((a, b) => (a.target.link < b.target.link ? -1 : 1))
  const sessions = ordered.flatMap(({ clients, target }, at) =>
    clients.map((client) => ({ at, client, target })),
  )
  const { rows } = await query('write_counts', WRITE, [
    plainArray(ordered.map(({ target }) => target.shop)),
    plainArray(ordered.map(({ target }) => target.link)),
    plainArray(ordered.map(({ times }) => times)),
    plainArray(sessions.map(({ at }) => at + 1)),
    bytesArray(sessions.map(({ client }) => client)),
    plainArray(sessions.map(({ target }) => target.size)),
    now,
    plainArray(sessions.map(({ target }) => target.hash)),
  ])
  return rows.map(([place]) =>
    present(ordered[(place as number) - 1], 'The count of a locked link'),
  )
}
