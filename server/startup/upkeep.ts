// Upkeep across shops: removes what has expired. The hourly upkeep runs in one worker at a time. In
// large installations what reads every row of a shop takes turns: each shop once a day, in the hour
// that its number gives. The scrub is divided, so that several workers share it.
import type { Database } from '../core/db/database.ts'
import type { BackgroundTask } from '../core/queue/background.ts'
import { stagedBlobs, sweepOperations } from '../engine/retention.ts'
import { SCRUB_PARTS, scrubBlobs } from '../files/blob-checks.ts'
import { knownBlobs, sweepBlobs, sweepVersions } from '../files/blobs.ts'
import { sweepCounts } from '../files/file-counts.ts'
import { sweepTrash } from '../files/trash.ts'
import { errorFields, type Logger } from '../core/log.ts'
import type { BlobStore } from '../core/store/store.ts'
import { logRemoved } from '../core/removed.ts'
import { sweepBlobsInTurn } from '../core/shop-turns.ts'
import { sweeps } from '../core/totals.ts'

const EVERY_MS = 60 * 60 * 1000
/**
 * A blob without a row may be this old: its row is written within the last steps of one file,
 * without a pause.
 */
export const ORPHAN_MS = 60 * 60 * 1000

export interface UpkeepParts {
  database: Database
  stores: ReadonlyMap<string, BlobStore>
  /** What features remove, by the name that metrics show. */
  ofFeatures: Readonly<Record<string, () => Promise<unknown>>>
  clock: () => Date
  log: Logger
}

/**
 * The hourly upkeep. It also runs when a worker starts, for installations that run only minutes a
 * day.
 */
export const upkeepTask = (parts: UpkeepParts): BackgroundTask => ({
  name: 'upkeep',
  concurrency: 1,
  atStart: true,
  run: async ({ signal }) => {
    for (const [name, sweep] of Object.entries(sweepsOf(parts, signal))) {
      signal.throwIfAborted()
      // A sweep that fails, because its storage location does not answer, must not prevent the
      // others.
      await measured(name, sweep).catch((error: unknown) => {
        if (!signal.aborted) parts.log.warn('upkeep failed', { sweep: name, ...errorFields(error) })
      })
    }
    signal.throwIfAborted()
    return EVERY_MS
  },
})

/**
 * The scrub is a separate task: it reads gigabytes, and the other sweeps must not wait for it. Each
 * part is a separate job, so that the workers share them; a process reads one part at a time.
 */
export const scrubTask = (parts: Omit<UpkeepParts, 'ofFeatures'>): BackgroundTask => ({
  name: 'scrub-blobs',
  concurrency: 1,
  wanted: `select null::int as shop_id, part::text as key, now() as due_at
    from generate_series(0, ${SCRUB_PARTS - 1}) part`,
  run: async ({ key, signal }) => {
    await measured('scrub', () => scrubBlobs(parts, signal, Number(key)))
    signal.throwIfAborted()
    return EVERY_MS
  },
})

/** Counts the sweep and its duration. */
async function measured(name: string, sweep: () => Promise<unknown>): Promise<void> {
  const begun = performance.now()
  for (const totals of Object.values(sweeps)) totals.add(name, 0)
  try {
    await sweep()
    sweeps.ended.add(name)
  } catch (error) {
    sweeps.failed.add(name)
    throw error
  } finally {
    sweeps.seconds.add(name, (performance.now() - begun) / 1000)
  }
}

/** The sweeps, by the name that metrics show. */
function sweepsOf(
  { database, stores, ofFeatures, clock, log }: UpkeepParts,
  signal: AbortSignal,
): Readonly<Record<string, () => Promise<unknown>>> {
  const { pool } = database
  const inTurn = (name: string, sweep: (shops: number[] | undefined) => Promise<number>) =>
    sweepBlobsInTurn(pool, name, clock(), sweep)
  return {
    idempotency_keys: () =>
      pool.query(`delete from idempotency_keys where created_at < now() - interval '24 hours'`),
    rate_limits: () =>
      pool.query(`delete from rate_limits where expire < extract(epoch from now()) * 1000`),
    webhooks: () =>
      pool.query(`delete from webhooks where received_at < now() - interval '7 days'`),
    ...ofFeatures,
    trash: () => logRemoved(log, 'files past their time in the trash', sweepTrash(pool, clock())),
    operations: () => sweepOperations(pool, clock()),
    versions: () => logRemoved(log, 'expired versions', sweepVersions(pool, clock())),
    blobs: () =>
      logRemoved(
        log,
        'unused blobs',
        inTurn('blobs', (shops) => sweepBlobs(pool, clock(), shops)),
      ),
    file_counts: () => sweepCounts(database, clock(), { log, signal }),
    ...Object.fromEntries(
      [...stores].map(([location, store]) => [
        `bytes_${location}`,
        () => {
          const removed = inTurn(`bytes_${location}`, (shops) =>
            store.sweep(ORPHAN_MS, knownIn(pool, location, signal), shops),
          )
          return logRemoved(log, 'orphaned bytes', removed, { location })
        },
      ]),
    ),
  }
}

/**
 * Lists the bytes that a location must keep. Files are read again after items, because staged bytes
 * may become a file's in between. Rejects when `signal` is aborted, so that a sweep of millions
 * ends soon.
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
      if (rest().length > 0)
        for (const hash of await ask(pool, location, shop, rest())) known.add(hash)
    return known
  }
}
