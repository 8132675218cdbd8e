// Records downloads: time, address and agent for files with tracking, the count for files with
// notifications, and for all files the counts of a file's day and of a shop's month. They are
// written in batches after the responses, so that no download waits for them.
import type pg from 'pg'
import { isDatabaseUnavailable } from '../../core/db/error-classes.ts'
import { inBatches } from '../../core/db/sweep-batches.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { Client } from '../../http/clients.ts'
import { plainArray, type FileTarget } from './targets.ts'
import { singleFlight } from '../../core/single-flight.ts'

export interface DownloadRecord {
  target: FileTarget
  /** Null: from the file's public address. */
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
const INSERT = `
  insert into downloads (shop_id, file_id, link_id, address, agent, at)
  select g.shop_id, g.file_id, g.link_id, ($5::text[])[g.client], ($6::text[])[g.client],
    to_timestamp(g.at_ms / 1000)
  from unnest($1::integer[], $2::uuid[], $3::uuid[], $4::integer[], $7::float8[])
    as g (shop_id, file_id, link_id, client, at_ms)`

// Ordered, because two processes that write the same files in different orders could deadlock. The
// join drops files that were purged meanwhile: their foreign key would make the whole statement
// fail.
const UNREPORTED = `
  insert into download_notices as n (shop_id, file_id, untold)
  select g.shop_id, g.file_id, count(*) from unnest($1::integer[], $2::uuid[]) as g
    (shop_id, file_id)
  join files f on f.shop_id = g.shop_id and f.id = g.file_id
  group by g.shop_id, g.file_id order by g.shop_id, g.file_id
  on conflict (shop_id, file_id) do update set untold = n.untold + excluded.untold`

// The join drops shops that have gone meanwhile.
const DAYS = `
  with given as (
    select g.* from unnest($1::integer[], $2::date[], $3::uuid[], $4::bigint[])
      as g (shop_id, day, file_id, downloads)
    join shops s on s.id = g.shop_id and s.uninstalled_at is null
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

/**
 * @param parts.notify called when downloads were written that a shop wants to be notified of.
 * @param parts.used called with the links that were used: some may be used up. Called again with
 * the same links if the database was unavailable.
 */
export function createRecorder(parts: {
  pool: pg.Pool
  notify(): Promise<unknown>
  used(links: readonly UsedLink[]): Promise<unknown>
  log: Logger
}): Recorder {
  const { pool, notify, log } = parts
  const waiting: DownloadRecord[] = []
  let used = new Map<string, UsedLink>()
  let days = new Map<string, FileDay>()
  let lost = 0
  let count = 0
  let timer: NodeJS.Timeout | null = null

  const write = async () => {
    if (timer) clearTimeout(timer)
    timer = null
    while (waiting.length > 0) await writeSome(waiting.splice(0, ROWS))
    if (lost > 0)
      log.warn('downloads were not recorded because the database was too slow', { downloads: lost })
    lost = 0
    await writeDays()
    await reportUsed()
  }
  async function reportUsed(): Promise<void> {
    const links = [...used.values()]
    used = new Map()
    if (links.length === 0) return
    await parts.used(links).catch((error: unknown) => {
      // Any other error would come back with each retry.
      if (isDatabaseUnavailable(error)) for (const one of links) used.set(one.link, one)
      throw error
    })
  }
  async function writeSome(downloads: readonly DownloadRecord[]): Promise<void> {
    const tracked = downloads.filter(({ target }) => target.tracked)
    const notified = downloads.filter(({ target }) => target.notified)
    if (tracked.length > 0)
      await pool.query({ name: 'delivery_record', text: INSERT, values: keptColumns(tracked) })
    if (notified.length === 0) return
    await pool.query({ name: 'delivery_notices', text: UNREPORTED, values: fileColumns(notified) })
    await notify()
  }
  async function writeDays(): Promise<void> {
    const counts = [...days.values()]
    if (counts.length === 0) return
    days = new Map()
    for (let at = 0; at < counts.length; at += ROWS) {
      const part = counts.slice(at, at + ROWS)
      const columns = [
        plainArray(part.map(({ shop }) => shop)),
        plainArray(part.map(({ day }) => day)),
        plainArray(part.map(({ file }) => file)),
        plainArray(part.map(({ downloads }) => downloads)),
      ]
      await pool
        .query({ name: 'delivery_days', text: DAYS, values: columns })
        .catch((error: unknown) => {
          for (const one of counts.slice(at)) countDay(days, one)
          throw error
        })
    }
  }
  const schedule = (ms: number) => {
    timer ??= setTimeout(() => void flush(), ms).unref()
  }
  const flush = singleFlight(() =>
    write().catch((error: unknown) => {
      log.warn('downloads were not recorded', errorFields(error))
      // The rest must not wait for the next download, which may be hours away.
      if (waiting.length > 0 || days.size > 0 || used.size > 0) schedule(RETRY_MS)
    }),
  )
  return {
    record: (download) => {
      count++
      const { link, target, at } = download
      const day = at.toISOString().slice(0, 10)
      countDay(days, { shop: target.shop, day, file: target.file, downloads: 1 })
      schedule(FLUSH_MS)
      if (link !== null && used.size < MAX_WAITING) used.set(link, { shop: target.shop, link })
      if (!target.tracked && !target.notified) return
      if (waiting.length >= MAX_WAITING) return void lost++
      waiting.push(download)
    },
    count: () => count,
    flush,
  }
}

interface FileDay {
  shop: number
  /** `2026-11-26`, in UTC. */
  day: string
  file: string
  downloads: number
}

function countDay(days: Map<string, FileDay>, one: FileDay): void {
  const key = `${one.shop}/${one.day}/${one.file}`
  const downloads = (days.get(key)?.downloads ?? 0) + one.downloads
  days.set(key, { ...one, downloads })
}

const fileColumns = (downloads: readonly DownloadRecord[]): string[] => [
  plainArray(downloads.map(({ target }) => target.shop)),
  plainArray(downloads.map(({ target }) => target.file)),
]

function keptColumns(downloads: readonly DownloadRecord[]): unknown[] {
  const clients = new Map<Client, number>()
  for (const { client } of downloads)
    if (!clients.has(client)) clients.set(client, clients.size + 1)
  return [
    ...fileColumns(downloads),
    plainArray(downloads.map(({ link }) => link ?? 'null')),
    plainArray(downloads.map(({ client }) => clients.get(client)!)),
    [...clients.keys()].map(({ address }) => address),
    [...clients.keys()].map(({ agent }) => agent),
    plainArray(downloads.map(({ at }) => at.getTime())),
  ]
}

/** A file may be deleted between a download and its record; records this old are checked for it. */
const ORPHANS_HOURS = 24

/**
 * Deletes records and counts older than 13 months and records of deleted files, of all shops;
 * returns the number of records.
 */
export async function sweepDownloads(pool: pg.Pool, now: Date): Promise<number> {
  const orphans = await pool.query(
    `delete from downloads d where at > $1::timestamptz - $2 * interval '1 hour'
       and not exists (select from files f where f.shop_id = d.shop_id and f.id = d.file_id)`,
    [now, ORPHANS_HOURS],
  )
  const old = await inBatches(SWEEP_BATCH, (limit) =>
    pool.query(
      `delete from downloads where (shop_id, file_id, id) in (
         select shop_id, file_id, id from downloads
           where at < $1::timestamptz - $2 * interval '1 month'
         limit $3 for update skip locked)`,
      [now, KEPT_MONTHS, limit],
    ),
  )
  await pool.query(`delete from file_days where day < $1::timestamptz - $2 * interval '1 month'`, [
    now,
    KEPT_MONTHS,
  ])
  return (orphans.rowCount ?? 0) + old
}
