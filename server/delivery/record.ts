// What is kept of downloads: when, from where and with what, of files whose tracking is on; and how many there were that the
// shop wants to be told of. Written many at a time after the answers, so that no download waits for it.
import type pg from 'pg'
import { errorFields, type Logger } from '../log.ts'
import type { Client } from './clients.ts'
import { plainArray, type Target } from './targets.ts'
import { takeTurns } from './turns.ts'

export interface Downloaded {
  target: Target
  /** Null: from its public address. */
  link: string | null
  client: Client
  at: Date
}

export interface Recorder {
  /** Returns at once, and never throws. */
  note(download: Downloaded): void
  /** How many it was told of. */
  noted(): number
  /** Writes what is waiting. */
  settle(): Promise<void>
}

const EVERY_MS = 400
const ROWS = 1000
/** While the database is away: more than this is not kept. */
const MOST_WAITING = 20_000
const KEPT_MONTHS = 13
const SWEPT_AT_ONCE = 10_000

// Of a client who took many, what it is goes along once.
const INSERT = `
  insert into downloads (shop_id, file_id, link_id, address, agent, at)
  select g.shop_id, g.file_id, g.link_id, ($5::text[])[g.client], ($6::text[])[g.client], to_timestamp(g.at_ms / 1000)
  from unnest($1::integer[], $2::uuid[], $3::uuid[], $4::integer[], $7::float8[])
    as g (shop_id, file_id, link_id, client, at_ms)`

// In one order: two processes may do this for the same files. Joined with those: one that was purged in between must not make the others fail.
const UNTOLD = `
  insert into download_notices as n (shop_id, file_id, untold)
  select g.shop_id, g.file_id, count(*) from unnest($1::integer[], $2::uuid[]) as g (shop_id, file_id)
  join files f on f.shop_id = g.shop_id and f.id = g.file_id
  group by g.shop_id, g.file_id order by g.shop_id, g.file_id
  on conflict (shop_id, file_id) do update set untold = n.untold + excluded.untold`

/** `tell`: called when there are downloads that a shop wants to be told of. */
export function createRecorder(parts: { pool: pg.Pool; tell(): Promise<unknown>; log: Logger }): Recorder {
  const { pool, tell, log } = parts
  const waiting: Downloaded[] = []
  let lost = 0
  let noted = 0
  let timer: NodeJS.Timeout | null = null

  const write = async () => {
    if (timer) clearTimeout(timer)
    timer = null
    while (waiting.length > 0) await writeSome(waiting.splice(0, ROWS))
    if (lost > 0) log.warn('downloads were not kept, since the database did not keep up', { downloads: lost })
    lost = 0
  }
  async function writeSome(downloads: readonly Downloaded[]): Promise<void> {
    const tracked = downloads.filter(({ target }) => target.tracked)
    const told = downloads.filter(({ target }) => target.told)
    if (tracked.length > 0) await pool.query({ name: 'delivery_record', text: INSERT, values: keptColumns(tracked) })
    if (told.length === 0) return
    await pool.query({ name: 'delivery_untold', text: UNTOLD, values: fileColumns(told) })
    await tell()
  }
  const start = takeTurns(() =>
    write().catch((error: unknown) => log.warn('downloads were not kept', errorFields(error))),
  )
  return {
    note: (download) => {
      noted++
      if (!download.target.tracked && !download.target.told) return
      if (waiting.length >= MOST_WAITING) return void lost++
      waiting.push(download)
      timer ??= setTimeout(() => void start(), EVERY_MS)
    },
    noted: () => noted,
    settle: start,
  }
}

const fileColumns = (downloads: readonly Downloaded[]): string[] => [
  plainArray(downloads.map(({ target }) => target.shop)),
  plainArray(downloads.map(({ target }) => target.file)),
]

function keptColumns(downloads: readonly Downloaded[]): unknown[] {
  const clients = new Map<Client, number>()
  for (const { client } of downloads) if (!clients.has(client)) clients.set(client, clients.size + 1)
  return [
    ...fileColumns(downloads),
    plainArray(downloads.map(({ link }) => link ?? 'null')),
    plainArray(downloads.map(({ client }) => clients.get(client)!)),
    [...clients.keys()].map(({ address }) => address),
    [...clients.keys()].map(({ agent }) => agent),
    plainArray(downloads.map(({ at }) => at.getTime())),
  ]
}

/** Upkeep is hourly, where workers run. */
const ORPHANS_HOURS = 24

/** Deletes what is older than thirteen months, and what was written while its file was deleted, of all shops, and gives how many there were. */
export async function sweepDownloads(pool: pg.Pool, now: Date): Promise<number> {
  const orphans = await pool.query(
    `delete from downloads d where at > $1::timestamptz - $2 * interval '1 hour'
       and not exists (select from files f where f.shop_id = d.shop_id and f.id = d.file_id)`,
    [now, ORPHANS_HOURS],
  )
  let swept = orphans.rowCount ?? 0
  while (true) {
    const { rowCount } = await pool.query(
      `delete from downloads where (shop_id, file_id, id) in (
         select shop_id, file_id, id from downloads where at < $1::timestamptz - $2 * interval '1 month'
         limit $3 for update skip locked)`,
      [now, KEPT_MONTHS, SWEPT_AT_ONCE],
    )
    swept += rowCount ?? 0
    if ((rowCount ?? 0) < SWEPT_AT_ONCE) return swept
  }
}
