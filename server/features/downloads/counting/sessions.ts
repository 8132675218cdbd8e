// Download sessions: a counted download allows its buyer to continue it uncounted for a while, if
// it is interrupted. The statements that count also open the session. This module keeps the
// session's record while a transfer runs, and at its end.
// What one download is: docs/decisions/0051.
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { isDatabaseUnavailable } from '../../../core/db/error-classes.ts'
import { inBatches } from '../../../core/db/sweep-batches.ts'
import { errorFields, type Logger } from '../../../core/log.ts'
import { createQueryBatcher } from '../../../core/lazy.ts'
import type { Client } from '../../../core/client-address.ts'
import { bytesArray, plainArray, type Query } from '../targets.ts'
import type { CountedWrites } from '../counted-writes.ts'
import { PieceBudget } from './session-budget.ts'
import { recordIn, restartIn, SESSION_SIZES, spendFrom, type SessionTable } from './session-sql.ts'
import type { FileTransfer } from './file-transfer.ts'

/** A session, by the client that opened it. */
export interface SessionKey {
  shop: number
  link: string
  client: Buffer
}

/** A session that a request may continue. */
export interface FoundSession {
  client: Buffer
  /** Its client, its successor or its network asks: else the request has an offset that was sent. */
  isKnown: boolean
  /** Does it owe its buyer bytes of a counted copy? */
  owes: boolean
  bytesLeft: number
  /** The hash of the version that it sent; null: that is fixed otherwise, or not known. */
  version: string | null
}

export type FoundColumns = [
  client: Buffer,
  by: number,
  owes: boolean,
  bytesLeft: number,
  version: Buffer | null,
]

/** From the columns of `findSession` (session-sql.ts), if it has found one. */
export const foundSession = ([
  client,
  by,
  owes,
  bytesLeft,
  version,
]: FoundColumns): FoundSession => ({
  client,
  isKnown: by < 2,
  owes,
  bytesLeft,
  version: version?.toString('hex') ?? null,
})

/** Returns whether a request for the whole file can be answered from this session, uncounted. */
export const mayRestart = (session: FoundSession | null, size: number): session is FoundSession =>
  session !== null && session.owes && session.isKnown && session.bytesLeft >= size

/** What a transfer sends. */
export interface SentPart {
  /** The size of the whole file. */
  size: number
  start: number
  length: number
}

interface CountedHooks {
  confirmed(): void
  /** Takes back the count, with the session. */
  undo(): Promise<void>
}

export interface SessionAsker {
  /** The key of the link. */
  key: string
  client: Client
  now: Date
}

/** How often the progress of running transfers is written: it confirms that their process lives. */
const PROGRESS_MS = 1000

/** The pause before the end of a transfer is recorded again: the database may be down. */
const RETRY_MS = 200
/** How long a request waits for ends that cannot be recorded. */
const SETTLE_MS = 5000

/** What `recordIn` (session-sql.ts) writes about one transfer. */
interface SessionEntry {
  session: SessionKey
  refund: number
  most: number
  ended: number
  missing: number
  sentTo: number
}

interface RunningTransfer {
  session: SessionKey
  asker: SessionAsker
  start: number
  response: ServerResponse | null
  /** What the socket had sent before this response. */
  before: number
  recorded: PromiseWithResolvers<void>
}

interface SessionParts {
  query: Query
  writes: CountedWrites
  log: Logger
  clock: () => Date
}

export class DownloadSessions {
  readonly #table: SessionTable
  readonly #parts: SessionParts
  readonly #write: (entry: SessionEntry) => Promise<void>
  readonly #running = new Set<RunningTransfer>()
  /** They have ended, or their connection has closed, and that is not recorded yet. */
  readonly #closing = new Set<RunningTransfer>()
  #timer: NodeJS.Timeout | null = null
  /** When ends are given up that cannot be recorded, by performance.now(). */
  #until = Infinity

  constructor(table: SessionTable, parts: SessionParts) {
    this.#table = table
    this.#parts = parts
    this.#write = createQueryBatcher((entries: readonly SessionEntry[]) => this.#writeAll(entries))
  }

  /** The transfer of a download that was just counted, with its session. */
  counted(
    session: SessionKey,
    asker: SessionAsker,
    part: SentPart,
    hooks: CountedHooks,
  ): FileTransfer {
    const running = this.#start(session, asker, part)
    return {
      allowance: null,
      opened: (response) => this.#follow(running, response),
      confirmed: hooks.confirmed,
      undo: () => hooks.undo().finally(() => this.#stop(running)),
      end: (sent) => this.#end(running, part, { ended: 1, missing: part.size - sent, sent }),
    }
  }

  /** Sends a whole copy again; null: another request did so, or the session has ended. */
  async restart(
    session: SessionKey,
    asker: SessionAsker,
    part: SentPart,
  ): Promise<FileTransfer | null> {
    const { rowCount } = await this.#ask('restart', restartIn, session, asker, part.size)
    if (rowCount === 0) return null
    // If this fails, nothing renews the lease that the statement above has taken: it expires.
    const budget = await this.#openBudget(session, asker, part, () => Promise.resolve(false))
    const running = this.#start(session, asker, part)
    const end = (sent: number, budget: PieceBudget | null) =>
      this.#end(running, part, { ended: 1, missing: part.size - sent, sent, budget })
    if (!budget) return end(0, null).then(() => null)
    return {
      allowance: budget,
      opened: (response) => this.#follow(running, response),
      confirmed() {},
      undo: () => end(0, budget),
      end: (sent) => end(sent, budget),
    }
  }

  /**
   * Sends a later part; null: the session has ended or is used up.
   * @param more counts one more download when the session is used up; null: it is not allowed.
   */
  async part(
    session: SessionKey,
    asker: SessionAsker,
    part: SentPart,
    more: () => Promise<FileTransfer | null> = () => Promise.resolve(null),
  ): Promise<FileTransfer | null> {
    let counted: FileTransfer | null = null
    const budget = await this.#openBudget(session, asker, part, async () => {
      counted = await more()
      return counted !== null
    })
    if (!budget) return null
    const running = this.#start(session, asker, part)
    const end = async (sent: number) => {
      await this.#end(running, part, { ended: 0, missing: -sent, sent, budget })
      // The rest of a copy was counted as a separate copy.
      await counted?.end(part.size)
    }
    return {
      allowance: budget,
      opened: (response) => this.#follow(running, response),
      confirmed() {},
      undo: () => end(0),
      end,
    }
  }

  /**
   * Waits until the ends of transfers by this key to this client's network are recorded; some seconds
   * if the database is down.
   */
  async settle({ key, client }: SessionAsker): Promise<void> {
    if (this.#closing.size === 0) return
    const those = [...this.#closing].filter(
      ({ asker }) => asker.key === key && asker.client.network.equals(client.network),
    )
    if (those.length === 0) return
    const recorded = Promise.all(those.map(({ recorded }) => recorded.promise))
    const late = new AbortController()
    const pause = delay(SETTLE_MS, undefined, { signal: late.signal, ref: false }).catch(() => {})
    await Promise.race([recorded, pause])
    late.abort()
  }

  /**
   * Resolves when no transfer runs and all are recorded.
   * @param ms how long it tries to record those that have ended.
   */
  async close(ms: number): Promise<void> {
    this.#until = performance.now() + ms
    await Promise.all([...this.#running].map(({ recorded }) => recorded.promise))
  }

  #openBudget(
    session: SessionKey,
    asker: SessionAsker,
    { size, length }: SentPart,
    more: () => Promise<boolean>,
  ): Promise<PieceBudget | null> {
    const spend = async (bytes: number) =>
      (await this.#ask('spend', spendFrom, session, asker, bytes)).rowCount === 1
    return PieceBudget.open({ size, length, spend, more })
  }

  #ask(
    name: string,
    text: (table: SessionTable) => string,
    { shop, link, client }: SessionKey,
    asker: SessionAsker,
    bytes: number,
  ) {
    const values = [shop, link, client, asker.now, asker.client.hash, asker.client.network, bytes]
    return this.#parts.query(`${this.#table}_${name}`, text(this.#table), values)
  }

  #start(session: SessionKey, asker: SessionAsker, { start }: SentPart): RunningTransfer {
    const recorded = Promise.withResolvers<void>()
    const running = { session, asker, start, response: null, before: 0, recorded }
    this.#running.add(running)
    this.#schedule()
    return running
  }

  #follow(running: RunningTransfer, response: ServerResponse): void {
    running.response = response
    running.before = response.socket?.bytesWritten ?? 0
    response.once('close', () => {
      if (this.#running.has(running)) this.#closing.add(running)
    })
  }

  async #end(
    running: RunningTransfer,
    { size }: SentPart,
    end: { ended: number; missing: number; sent: number; budget?: PieceBudget | null },
  ): Promise<void> {
    this.#closing.add(running)
    const { session, start } = running
    const { ended, missing, sent, budget = null } = end
    const refund = budget?.unsent(sent) ?? 0
    const entry = { session, refund, most: size * SESSION_SIZES, ended, missing }
    await this.#recordEnd({ ...entry, sentTo: start + sent })
    this.#stop(running)
  }

  /**
   * Until the end of a whole copy is recorded it seems to have broken off: its buyer would get the next
   * one uncounted.
   */
  async #recordEnd(entry: SessionEntry): Promise<void> {
    for (;;) {
      try {
        return await this.#write(entry)
      } catch (error) {
        this.#parts.log.warn('the end of a download was not recorded', errorFields(error))
        if (!isDatabaseUnavailable(error) || performance.now() > this.#until) return
        await delay(RETRY_MS)
      }
    }
  }

  #stop(running: RunningTransfer): void {
    this.#running.delete(running)
    this.#closing.delete(running)
    running.recorded.resolve()
  }

  #schedule(): void {
    if (this.#timer || this.#running.size === 0) return
    this.#timer = setTimeout(() => {
      void this.#writeProgress().finally(() => {
        this.#timer = null
        this.#schedule()
      })
    }, PROGRESS_MS).unref()
  }

  async #writeProgress(): Promise<void> {
    const entries = [...this.#running].map((running): SessionEntry => ({
      session: running.session,
      refund: 0,
      most: 0,
      ended: 0,
      missing: 0,
      sentTo: running.start + sentBytes(running),
    }))
    // Downloads continue while the database is down.
    await Promise.all(entries.map(this.#write)).catch((error: unknown) =>
      this.#parts.log.warn('the progress of downloads was not recorded', errorFields(error)),
    )
  }

  async #writeAll(entries: readonly SessionEntry[]): Promise<undefined[]> {
    const column = (read: (entry: SessionEntry) => number | string) => plainArray(entries.map(read))
    await this.#parts.writes.behind(`${this.#table}_record`, recordIn(this.#table), [
      this.#parts.clock(),
      column(({ session }) => session.shop),
      column(({ session }) => session.link),
      bytesArray(entries.map(({ session }) => session.client)),
      column(({ refund }) => refund),
      column(({ most }) => most),
      column(({ ended }) => ended),
      column(({ missing }) => missing),
      column(({ sentTo }) => sentTo),
    ])
    return entries.map(() => undefined)
  }
}

const sentBytes = ({ response, before }: RunningTransfer): number =>
  Math.max((response?.socket?.bytesWritten ?? before) - before, 0)

/**
 * How long an expired session is kept: a slow client may still be receiving a part that it asked
 * for in time.
 */
const KEPT_HOURS = 12

const SWEEP_BATCH = 10_000

/**
 * Deletes the sessions of all shops that expired 12 hours ago, and returns their number.
 * @param batch how many one statement deletes; tests set fewer.
 */
export async function sweepSessions(
  pool: pg.Pool,
  now: Date,
  batch = SWEEP_BATCH,
): Promise<number> {
  let swept = 0
  for (const table of ['download_sessions', 'archive_sessions'])
    // A locked session is being renewed: waiting for it while holding others could deadlock.
    swept += await inBatches(batch, (limit) =>
      pool.query(
        `delete from ${table} where (link_id, client) in (
           select link_id, client
             from ${table} where expires_at <= $1::timestamptz - $2 * interval '1 hour'
           limit $3 for update skip locked)`,
        [now, KEPT_HOURS, limit],
      ),
    )
  return swept
}
