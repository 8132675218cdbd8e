// Download counts that are written after the response, several downloads of a link as one row. A
// killed process loses the counts that it has not written, so only links without a limit are
// counted here.
import { setTimeout as delay } from 'node:timers/promises'
import { errorFields, type Logger } from '../../../core/log.ts'
import { singleFlight } from '../../../core/single-flight.ts'
import type { LinkTarget } from '../targets.ts'

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
