// Records downloads: time, address and agent for files with tracking, the count for files with
// notifications, and for all files the counts of a file's day and of a shop's month. They are
// written in batches after the responses, so that no download waits for them.
import type pg from 'pg'
import { isDatabaseUnavailable } from '../../core/db/error-classes.ts'
import { CLOCKS_APART_MS, dropMonths, firstIdAt, makeMonths } from '../../core/db/month-parts.ts'
import { inBatches } from '../../core/db/sweep-batches.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { Client } from '../../core/client-address.ts'
import { markBatch, type CountedWrite } from './counted-writes.ts'
import { plainArray, type FileTarget } from './targets.ts'
import { zoneOf } from '../../files/days.ts'
import { singleFlight } from '../../core/lazy.ts'

export interface DownloadRecord {
  target: FileTarget
  /** The link that was used; null for a download from the file's public address. */
  link: string | null
  client: Client
  at: Date
}

export interface Recorder {
  /** Queues a record; never throws. */
  record(download: DownloadRecord): void
  /** The number of calls of `record`. */
  count(): number
  /** Writes the queue; failures are logged. */
  flush(): Promise<void>
}

const FLUSH_MS = 400
/** The pause after a failed write: the database may be down. */
const RETRY_MS = 1000
const ROWS = 1000
/** The longest queue while the database is down; further records are dropped. */
const MAX_WAITING = 20_000
const KEPT_MONTHS = 13
const SWEEP_BATCH = 10_000

// A client's address and agent are sent once, for all of its downloads.
// Downloads have no foreign key: upkeep deletes a row whose file is gone (docs/decisions/0024).
const INSERT = `
  with marked as (${markBatch(7)})
  insert into downloads (shop_id, file_id, link_id, address, agent, at)
  select g.shop_id, g.file_id, g.link_id, ($5::text[])[g.client], ($6::text[])[g.client],
    to_timestamp(g.at_ms / 1000)
  from unnest($1::integer[], $2::uuid[], $3::uuid[], $4::integer[], $7::float8[])
    as g (shop_id, file_id, link_id, client, at_ms)`

// Ordered, because two processes that write the same files in different orders could deadlock. The
// join drops files that were purged meanwhile: their foreign key would make the whole statement
// fail.
const UNREPORTED = `
  with marked as (${markBatch(2)})
  insert into download_notices as n (shop_id, file_id, untold)
  select g.shop_id, g.file_id, count(*) from unnest($1::integer[], $2::uuid[]) as g
    (shop_id, file_id)
  join files f on f.shop_id = g.shop_id and f.id = g.file_id
  group by g.shop_id, g.file_id order by g.shop_id, g.file_id
  on conflict (shop_id, file_id) do update set untold = n.untold + excluded.untold`

// The join drops shops that have gone meanwhile. A day is one of the shop.
const DAYS = `
  with marked as (${markBatch(4)}), given as (
    select g.shop_id, (to_timestamp(g.at_ms / 1000) at time zone ${zoneOf('s')})::date as day,
      g.file_id, sum(g.downloads) as downloads
    from unnest($1::integer[], $2::float8[], $3::uuid[], $4::bigint[])
      as g (shop_id, at_ms, file_id, downloads)
    join shops s on s.id = g.shop_id and s.uninstalled_at is null
    group by 1, 2, 3
  ), months as (
    insert into shop_downloads as n (shop_id, month, downloads)
    select shop_id, date_trunc('month', day)::date, sum(downloads) from given group by 1, 2
    order by 1, 2
    on conflict (shop_id, month) do update set downloads = n.downloads + excluded.downloads
  )
  insert into file_days as n (shop_id, day, file_id, downloads)
  select shop_id, day, file_id, downloads from given order by 1, 2, 3
  on conflict (shop_id, day, file_id) do update set downloads = n.downloads + excluded.downloads`

/** A link through which a file was downloaded. */
export interface UsedLink {
  shop: number
  link: string
}

interface RecorderParts {
  write: CountedWrite
  /** Called when downloads were written that a shop wants to be notified of. */
  notify(): Promise<unknown>
  /**
   * Called with the links that were used: some may be used up. Called again with the same links if
   * the database was unavailable.
   */
  used(links: readonly UsedLink[]): Promise<unknown>
  log: Logger
}

export const createRecorder = (parts: RecorderParts): Recorder => new WaitingRecords(parts)

class WaitingRecords implements Recorder {
  readonly flush = singleFlight(() => this.#writeOrRetry())
  readonly #parts: RecorderParts
  readonly #tracked: DownloadRecord[] = []
  readonly #notified: DownloadRecord[] = []
  #used = new Map<string, UsedLink>()
  #days = new Map<string, FileDay>()
  #lost = 0
  #count = 0
  #timer: NodeJS.Timeout | null = null

  constructor(parts: RecorderParts) {
    this.#parts = parts
  }

  record(download: DownloadRecord): void {
    this.#count++
    const { link, target, at } = download
    const quarter = at.getTime() - (at.getTime() % QUARTER_MS)
    countDay(this.#days, { shop: target.shop, quarter, file: target.file, downloads: 1 })
    this.#schedule(FLUSH_MS)
    if (link !== null && this.#used.size < MAX_WAITING)
      this.#used.set(link, { shop: target.shop, link })
    if (target.tracked) this.#keep(this.#tracked, download)
    if (target.notified) this.#keep(this.#notified, download)
  }

  #keep(queue: DownloadRecord[], download: DownloadRecord): void {
    if (queue.length < MAX_WAITING) queue.push(download)
    else this.#lost++
  }

  count(): number {
    return this.#count
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), ms).unref()
  }

  async #writeOrRetry(): Promise<void> {
    try {
      await this.#write()
    } catch (error) {
      this.#parts.log.warn('downloads were not recorded', errorFields(error))
      // The rest must not wait for the next download, which may be hours away.
      const queues = [this.#tracked, this.#notified].filter(({ length }) => length > 0)
      if (queues.length > 0 || this.#days.size > 0 || this.#used.size > 0) this.#schedule(RETRY_MS)
    }
  }

  async #write(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const { write, notify } = this.#parts
    await writeQueue(this.#tracked, (rows) => write('record', INSERT, keptColumns(rows)))
    const isNotified = this.#notified.length > 0
    await writeQueue(this.#notified, (rows) => write('notices', UNREPORTED, fileColumns(rows)))
    if (isNotified) await notify()
    if (this.#lost > 0)
      this.#parts.log.warn('downloads were not recorded because the database was too slow', {
        downloads: this.#lost,
      })
    this.#lost = 0
    await this.#writeDays()
    await this.#reportUsed()
  }

  async #writeDays(): Promise<void> {
    const counts = [...this.#days.values()]
    if (counts.length === 0) return
    this.#days = new Map()
    for (let at = 0; at < counts.length; at += ROWS) {
      const part = counts.slice(at, at + ROWS)
      const values = [
        plainArray(part.map(({ shop }) => shop)),
        plainArray(part.map(({ quarter }) => quarter)),
        plainArray(part.map(({ file }) => file)),
        plainArray(part.map(({ downloads }) => downloads)),
      ]
      try {
        await this.#parts.write('days', DAYS, values)
      } catch (error) {
        for (const one of counts.slice(at)) countDay(this.#days, one)
        throw error
      }
    }
  }

  async #reportUsed(): Promise<void> {
    const links = [...this.#used.values()]
    this.#used = new Map()
    if (links.length === 0) return
    try {
      await this.#parts.used(links)
    } catch (error) {
      // Any other error would come back with each retry.
      if (isDatabaseUnavailable(error)) for (const one of links) this.#used.set(one.link, one)
      throw error
    }
  }
}

/** Removes from the queue what is written, or cannot be. */
async function writeQueue(
  queue: DownloadRecord[],
  write: (rows: readonly DownloadRecord[]) => Promise<unknown>,
): Promise<void> {
  while (queue.length > 0) {
    const rows = queue.slice(0, ROWS)
    try {
      await write(rows)
    } catch (error) {
      // Any other error would come back with each retry.
      if (!isDatabaseUnavailable(error)) queue.splice(0, rows.length)
      throw error
    }
    queue.splice(0, rows.length)
  }
}

const QUARTER_MS = 15 * 60 * 1000

interface FileDay {
  shop: number
  /** When the quarter of an hour begins, in milliseconds: no time zone divides one. */
  quarter: number
  file: string
  downloads: number
}

function countDay(days: Map<string, FileDay>, one: FileDay): void {
  const key = `${one.shop}/${one.quarter}/${one.file}`
  const downloads = (days.get(key)?.downloads ?? 0) + one.downloads
  days.set(key, { ...one, downloads })
}

const fileColumns = (downloads: readonly DownloadRecord[]): string[] => [
  plainArray(downloads.map(({ target }) => target.shop)),
  plainArray(downloads.map(({ target }) => target.file)),
]

function keptColumns(downloads: readonly DownloadRecord[]): unknown[] {
  const clients = new Map<Client, number>()
  const numberOf = (client: Client): number => {
    const number = clients.get(client) ?? clients.size + 1
    clients.set(client, number)
    return number
  }
  return [
    ...fileColumns(downloads),
    plainArray(downloads.map(({ link }) => link ?? 'null')),
    plainArray(downloads.map(({ client }) => numberOf(client))),
    [...clients.keys()].map(({ address }) => address),
    [...clients.keys()].map(({ agent }) => agent),
    plainArray(downloads.map(({ at }) => at.getTime())),
  ]
}

/** A file may be deleted between a download and its record; records this old are checked for it. */
const ORPHANS_HOURS = 24

/**
 * Deletes records, refused downloads and counts older than 13 months, and records of deleted files, of all shops;
 * returns the number of records, without those of whole months, which are dropped. Makes the months
 * that begin soon.
 */
export async function sweepDownloads(pool: pg.Pool, now: Date): Promise<number> {
  let orphans = 0
  for (let hour = 0; hour < ORPHANS_HOURS; hour++) orphans += await sweepOrphans(pool, now, hour)
  await pool.query(
    `delete from refused_downloads where at < $1::timestamptz - $2 * interval '1 month'`,
    [now, KEPT_MONTHS],
  )
  await pool.query(
    `delete from link_openings where at < $1::timestamptz - $2 * interval '1 month'`,
    [now, KEPT_MONTHS],
  )
  await pool.query(`delete from file_views where at < $1::timestamptz - $2 * interval '1 month'`, [
    now,
    KEPT_MONTHS,
  ])
  await pool.query(`delete from file_days where day < $1::timestamptz - $2 * interval '1 month'`, [
    now,
    KEPT_MONTHS,
  ])
  return orphans + (await sweepMonths(pool, now))
}

/**
 * A month is dropped 13 months after its end. Rows without a month are deleted in batches: those from before
 * the table was divided.
 */
async function sweepMonths(pool: pg.Pool, now: Date): Promise<number> {
  await makeMonths(pool, 'downloads', now)
  await dropMonths(pool, 'downloads', { now, kept: KEPT_MONTHS })
  let deleted = 0
  for (const part of ['downloads_before', 'downloads_later'])
    deleted += await inBatches(SWEEP_BATCH, (limit) =>
      pool.query(
        `delete from ${part} where (shop_id, file_id, id) in (
           select shop_id, file_id, id from ${part}
             where at < $1::timestamptz - $2 * interval '1 month'
           limit $3 for update skip locked)`,
        [now, KEPT_MONTHS, limit],
      ),
    )
  return deleted
}

/**
 * Deletes the records of one hour whose files are gone. Each file is looked up once: the planner
 * would compare all records with all files. A record is not older than its id, so older months are not read.
 */
async function sweepOrphans(pool: pg.Pool, now: Date, hoursAgo: number): Promise<number> {
  const since = +now - (ORPHANS_HOURS + 1) * 60 * 60 * 1000
  // The last hour has no end: clocks of other machines may be ahead.
  const { rowCount } = await pool.query(
    `with hour as materialized (
       select distinct shop_id, file_id from downloads
       where at > $1::timestamptz - ($2::int + 1) * interval '1 hour'
         and ($2::int = 0 or at <= $1::timestamptz - $2 * interval '1 hour') and id >= $3
     ), gone as materialized (
       select h.shop_id, h.file_id from hour h
       left join lateral (select 1 as present from files f
         where f.shop_id = h.shop_id and f.id = h.file_id limit 1) f on true
       where f.present is null
     )
     delete from downloads d using gone g where d.shop_id = g.shop_id and d.file_id = g.file_id
       and d.at > $1::timestamptz - ${ORPHANS_HOURS} * interval '1 hour' and d.id >= $3`,
    [now, hoursAgo, firstIdAt(new Date(since - CLOCKS_APART_MS))],
  )
  return rowCount ?? 0
}
