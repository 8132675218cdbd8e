// Links without a limit: their downloads are counted write-behind, and for a moment after the
// database has allowed one the next are served from memory. A link with a limit never comes here:
// each of its downloads is decided and counted in PostgreSQL before the first byte leaves, so a
// killed process loses no count of it. docs/decisions/0026.
import { setTimeout as delay } from 'node:timers/promises'
import { type Logger, errorFields } from '../../../core/log.ts'
import { present, createTtlCache, singleFlight } from '../../../core/lazy.ts'
import { bytesArray, opaque, plainArray, type Asker, type LinkTarget } from '../targets.ts'
import { markBatch, type CountedWrites } from '../counted-writes.ts'
import { openSessions, SESSION_SIZES } from './session-sql.ts'

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

export function createLinkCache(writes: CountedWrites, log: Logger): LinkCache {
  const cached = createTtlCache<CachedLink>(TTL_MS)
  const counter = new WriteBehindCounter((counts, at) => writeCounts(writes, counts, at), log)
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
  ), marked as (
    ${markBatch(8, 'held')}
  )
  select a.place from asked a
  where not exists (select from held h where h.place = a.place)
    and exists (select from links where shop_id = a.shop_id and id = a.link_id)`

/**
 * Adds the counts and opens their clients' sessions. Returns the counts whose links are locked;
 * deleted links are ignored.
 */
async function writeCounts(
  writes: CountedWrites,
  counts: readonly PendingCount[],
  now: Date,
): Promise<readonly PendingCount[]> {
  const ordered = counts.toSorted((a, b) => (a.target.link < b.target.link ? -1 : 1))
  const sessions = ordered.flatMap(({ clients, target }, at) =>
    clients.map((client) => ({ at, client, target })),
  )
  const rows = await writes.behind('write_counts', WRITE, [
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

// Download counts that are written after the response, several downloads of a link as one row. A
// killed process loses the counts that it has not written, so only links without a limit are
// counted here.

/** The downloads of one link that are not written yet. */
export interface PendingCount {
  /** The key of the latest of them. */
  key: string
  target: LinkTarget
  times: number
  /** The hashes of the clients whose sessions the write opens. */
  clients: readonly Buffer[]
}

const FLUSH_MS = 400
/** The pause after a failed write: the database may be down. */
const RETRY_MS = 1000
/** How many links one statement writes: it locks all of them, and other processes' counts wait. */
const LINKS_PER_STATEMENT = 200
/**
 * A download locks its link for about a millisecond, so the counts of locked links are retried
 * after this pause, before the next flush.
 */
const LOCKED_RETRY_MS = 10
const LOCKED_RETRIES = 10

/** Stores counts and returns those whose links are locked. */
type CountWriter = (counts: readonly PendingCount[], at: Date) => Promise<readonly PendingCount[]>

export class WriteBehindCounter {
  /**
   * Writes the pending counts. Resolves even if some cannot be written now; those are retried.
   */
  readonly flush = singleFlight(() => this.#writeAll())
  readonly #write: CountWriter
  readonly #log: Logger
  /** By link id: a link whose key was exchanged keeps one entry. */
  readonly #pending = new Map<string, Omit<PendingCount, 'clients'> & { clients: Set<Buffer> }>()
  #pendingKeys = new Set<string>()
  #keysInFlight = new Set<string>()
  #latest = new Date(0)
  #timer: NodeJS.Timeout | null = null

  constructor(write: CountWriter, log: Logger) {
    this.#write = write
    this.#log = log
  }

  /** @param client the hash of the client whose session the write opens; null: none. */
  add(key: string, target: LinkTarget, client: Buffer | null, at: Date): void {
    this.#latest = at
    this.#merge({ key, target, times: 1, clients: client ? [client] : [] })
    this.#schedule(FLUSH_MS)
  }

  /** Is a count of the link with this key not written yet? */
  has(key: string): boolean {
    return this.#pendingKeys.has(key) || this.#keysInFlight.has(key)
  }

  isEmpty(): boolean {
    return this.#pending.size === 0
  }

  #merge({ key, target, times, clients }: PendingCount): void {
    this.#pendingKeys.add(key)
    const entry = this.#pending.get(target.link)
    if (!entry) {
      this.#pending.set(target.link, { key, target, times, clients: new Set(clients) })
      return
    }
    Object.assign(entry, { key, target, times: entry.times + times })
    for (const client of clients) entry.clients.add(client)
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), ms).unref()
  }

  async #writeAll(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const counts = [...this.#pending.values()].map((entry): PendingCount => ({
      ...entry,
      clients: [...entry.clients],
    }))
    this.#pending.clear()
    this.#keysInFlight = this.#pendingKeys
    this.#pendingKeys = new Set()
    let pause = FLUSH_MS
    try {
      await this.#writeWithRetries(counts)
    } catch (error) {
      this.#log.warn('downloads that were served are not counted yet', {
        links: counts.length,
        ...errorFields(error),
      })
      pause = RETRY_MS
    }
    counts.forEach((count) => this.#merge(count))
    if (counts.length > 0) this.#schedule(pause)
    this.#keysInFlight = new Set()
  }

  async #writeWithRetries(counts: PendingCount[]): Promise<void> {
    for (let retry = 0; counts.length > 0 && retry <= LOCKED_RETRIES; retry++) {
      if (retry > 0) await delay(LOCKED_RETRY_MS)
      await this.#writeOnce(counts)
    }
  }

  /**
   * Removes from `counts` what was written; locked links stay, and everything that is left when a
   * statement fails.
   */
  async #writeOnce(counts: PendingCount[]): Promise<void> {
    for (let left = counts.length; left > 0; left -= LINKS_PER_STATEMENT) {
      const part = counts.slice(0, Math.min(LINKS_PER_STATEMENT, left))
      const locked = await this.#write(part, this.#latest)
      counts.splice(0, part.length)
      counts.push(...locked)
    }
  }
}
