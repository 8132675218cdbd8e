// The first download of a blob on each day queues a check of its bytes. Blobs are checked one after
// another, and downloads do not wait. So a damaged blob is found after one download at the latest.
import { checkBlob, claimForToday, type BlobCheckParts } from '../files/blob-checks.ts'
import { errorFields } from '../log.ts'
import { blobFields, type FileTarget } from './targets.ts'

export interface DailyChecks {
  /** Queues the check of a blob that is being downloaded. */
  enqueue(target: FileTarget): void
  /** Checks a blob immediately, because its bytes were missing when they were needed. */
  report(target: FileTarget): void
  /** Resolves when the queue is empty. */
  idle(): Promise<void>
  close(): Promise<void>
}

const DAY_MS = 24 * 60 * 60 * 1000
/** Limits memory only: the rows record what was checked today. */
const MAX_SEEN = 100_000
const MAX_WAITING = 10_000

/** @param onDamaged called after the damage was recorded. */
export function createDailyChecks(
  parts: BlobCheckParts,
  onDamaged: (blob: { shop: number }) => void,
): DailyChecks {
  const { database, log, clock } = parts
  const stop = new AbortController()
  let day = 0
  let seen = new Set<string>()
  let waiting: FileTarget[] = []
  const reported = new Map<string, FileTarget>()
  let running: Promise<void> | null = null

  async function checkWaiting(): Promise<void> {
    while (waiting.length + reported.size > 0 && !stop.signal.aborted) {
      const targets = waiting
      waiting = []
      const missing = [...reported.values()].map(blobFields)
      reported.clear()
      const due = await claimForToday(database.pool, targets.map(blobFields), clock())
      for (const blob of [...missing, ...due]) {
        if (stop.signal.aborted) return
        const verdict = await checkBlob(parts, blob, stop.signal).catch((error: unknown) => {
          if (!stop.signal.aborted)
            log.warn('a blob could not be checked', { ...blob, ...errorFields(error) })
        })
        if (verdict === 'damaged') onDamaged(blob)
      }
    }
  }

  const start = () => {
    running ??= checkWaiting()
      .catch((error: unknown) => log.warn('blobs could not be checked', errorFields(error)))
      .finally(() => {
        running = null
      })
  }

  return {
    enqueue: (target) => {
      const today = Math.floor(clock().getTime() / DAY_MS)
      if (today !== day || seen.size >= MAX_SEEN) seen = new Set()
      day = today
      if (seen.has(target.blob) || waiting.length >= MAX_WAITING || stop.signal.aborted) return
      seen.add(target.blob)
      waiting.push(target)
      start()
    },
    report: (target) => {
      if (reported.size >= MAX_WAITING || stop.signal.aborted) return
      reported.set(target.blob, target)
      start()
    },
    idle: async () => {
      while (running) await running
    },
    close: async () => {
      stop.abort()
      await running
    },
  }
}
