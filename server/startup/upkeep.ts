// Upkeep across shops, hourly in every worker: what has run out is removed. Each sweep may run in several at once.
import { sweepCsvUploads } from '../channels/csv/uploads.ts'
import type { FinishParts } from '../channels/upload/finish.ts'
import { sweepUploads } from '../channels/upload/upload.ts'
import type { Database } from '../db/database.ts'
import { sweepSessions } from '../delivery/counting.ts'
import { sweepOperations } from '../engine/retention.ts'
import { sweepTrash } from '../files/trash.ts'
import { errorFields, type Logger } from '../log.ts'
import type { BlobStore } from '../store/store.ts'

const EVERY_MS = 60 * 60 * 1000
/** An import may take hours between a blob's rename and its row; no single file's last step does. */
const ORPHAN_MS = 60 * 60 * 1000

export function startUpkeep(
  database: Database,
  stores: ReadonlyMap<string, BlobStore>,
  log: Logger,
  clock: () => Date,
  uploads: FinishParts,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  const sweepAll = async () => {
    await database.pool.query(`delete from idempotency_keys where created_at < now() - interval '24 hours'`)
    await database.pool.query(`delete from rate_limits where expire < extract(epoch from now()) * 1000`)
    await sweepSessions(database.pool, clock())
    await sweepCsvUploads(database.pool)
    const purged = await sweepTrash(database.pool, clock())
    if (purged > 0) log.info('removed files whose time in the trash was over', { files: purged })
    const unfinished = await sweepUploads({ ...uploads, log }, database)
    if (unfinished > 0) log.info('removed uploads that nobody finished', { uploads: unfinished })
    await sweepOperations(database.pool, clock())
    for (const [location, store] of stores) {
      const removed = await store.sweep(ORPHAN_MS, (shop, hashes) => knownBlobs(database, location, shop, hashes))
      if (removed > 0) log.info('removed blobs that no file ever had', { location, removed })
    }
  }
  const run = () => {
    running = running.then(sweepAll).catch((error: unknown) => log.warn('upkeep failed', errorFields(error)))
  }
  run()
  const timer = setInterval(run, EVERY_MS)
  return async () => {
    clearInterval(timer)
    await running
  }
}

async function knownBlobs(
  database: Database,
  location: string,
  shop: number,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await database.pool.query<{ hash: string }>(
    `select encode(hash, 'hex') as hash from blob_locations
     where shop_id = $1 and location = $2 and hash = any(select decode(h, 'hex') from unnest($3::text[]) h)`,
    [shop, location, hashes],
  )
  return new Set(rows.map(({ hash }) => hash))
}
