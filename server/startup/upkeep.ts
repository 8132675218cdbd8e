// Upkeep across shops, hourly in every worker: what has run out is removed. Each sweep may run in several at once.
import { sweepCsvUploads } from '../channels/csv/uploads.ts'
import type { FinishParts } from '../channels/upload/finish.ts'
import { sweepUploads } from '../channels/upload/upload.ts'
import type { Database } from '../db/database.ts'
import { sweepSessions } from '../delivery/sessions.ts'
import { sweepDownloads } from '../delivery/record.ts'
import { sweepOperations } from '../engine/operations/retention.ts'
import { stagedBlobs } from '../engine/operations/staged-blobs.ts'
import { scrubBlobs } from '../files/blob-checks.ts'
import { knownBlobs, sweepBlobs, sweepVersions } from '../files/blobs.ts'
import { sweepTrash } from '../files/trash.ts'
import { errorFields, type Logger } from '../log.ts'
import { tellDownloads } from '../notify/downloads.ts'
import type { BlobStore } from '../store/store.ts'

const EVERY_MS = 60 * 60 * 1000
/** A blob may be so old without a row: from its last byte to its row stand the last steps of one file, and no pause. */
const ORPHAN_MS = 60 * 60 * 1000

export function startUpkeep(
  database: Database,
  stores: ReadonlyMap<string, BlobStore>,
  log: Logger,
  clock: () => Date,
  uploads: FinishParts,
): () => Promise<void> {
  const { pool } = database
  const stop = new AbortController()
  const tell = async (what: string, sweep: Promise<number>, fields = {}) => {
    const removed = await sweep
    if (removed > 0) log.info(`removed ${what}`, { removed, ...fields })
  }
  const sweeps: (() => Promise<unknown>)[] = [
    () => pool.query(`delete from idempotency_keys where created_at < now() - interval '24 hours'`),
    () => pool.query(`delete from rate_limits where expire < extract(epoch from now()) * 1000`),
    () => sweepSessions(pool, clock()),
    () => sweepDownloads(pool, clock()),
    () => tellDownloads(database, clock()),
    () => sweepCsvUploads(pool),
    () => tell('files whose time in the trash was over', sweepTrash(pool, clock())),
    () => tell('uploads that nobody finished', sweepUploads({ ...uploads, log }, database)),
    () => sweepOperations(pool, clock()),
    () => tell('versions whose time was over', sweepVersions(pool, clock())),
    () => tell('blobs that nothing needed any more', sweepBlobs(pool, clock())),
    ...[...stores].map(([location, store]) => () => {
      const sweep = () => store.sweep(ORPHAN_MS, knownIn(pool, location, stop.signal))
      return tell('bytes that belong to nothing', alone(pool, `sweep of ${location}`, sweep), { location })
    }),
  ]
  // Last: it reads gigabytes, and nothing waits for it.
  const checks = { database, stores, log, clock }
  sweeps.push(() => alone(pool, 'scrub of blobs', () => scrubBlobs(checks, stop.signal)))
  const sweepAll = async () => {
    for (const sweep of sweeps) {
      if (stop.signal.aborted) return
      // A location that does not answer holds up nothing else.
      await sweep().catch((error: unknown) => {
        if (!stop.signal.aborted) log.warn('upkeep failed', errorFields(error))
      })
    }
  }
  let running = sweepAll()
  const timer = setInterval(() => {
    running = running.then(sweepAll)
  }, EVERY_MS)
  return async () => {
    clearInterval(timer)
    stop.abort()
    await running
  }
}

/** Not while another process is at the same: a location is listed whole, and some ask money for that. */
async function alone(pool: Database['pool'], name: string, work: () => Promise<number>): Promise<number> {
  const client = await pool.connect()
  let broken = true
  try {
    const { rows } = await client.query<{ ours: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as ours',
      [name],
    )
    const result = rows[0]!.ours ? await work() : 0
    if (rows[0]!.ours) await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name])
    broken = false
    return result
  } finally {
    // Where it is not known to be let go, the lock goes with its connection.
    client.release(broken)
  }
}

/**
 * Says which bytes a location must keep. Rows are asked once more in the end: what was staged when they were asked first may be a file's by
 * the time that items are. Rejects once `signal` is aborted, so that a sweep of millions ends soon.
 */
export function knownIn(
  pool: Database['pool'],
  location: string,
  signal?: AbortSignal,
): Parameters<BlobStore['sweep']>[1] {
  return async (shop, hashes) => {
    signal?.throwIfAborted()
    const known = await knownBlobs(pool, location, shop, hashes)
    const rest = () => hashes.filter((hash) => !known.has(hash))
    for (const ask of [stagedBlobs, knownBlobs])
      if (rest().length > 0) for (const hash of await ask(pool, location, shop, rest())) known.add(hash)
    return known
  }
}
