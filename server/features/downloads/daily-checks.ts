// The first download of a blob on each day checks its bytes: while this process sends them, or, if
// it sends only a part or another server sends them, afterwards. Blobs are read one after another,
// and downloads do not wait.
import { checkBlob, claimForToday, type BlobCheckParts } from '../../files/blob-checks.ts'
import { errorFields } from '../../core/log.ts'
import { blobFields, type FileTarget } from './targets.ts'

export interface DailyChecks {
  /** Queues the check of a blob that is being downloaded, unless it was checked today. */
  enqueue(target: FileTarget): void
  /** True once a day for each blob: the caller checks it, and reports the result. */
  begin(target: FileTarget): boolean
  /** The result of a check that `begin` allowed: `unknown` if it did not reach the end. */
  end(target: FileTarget, result: 'whole' | 'damaged' | 'unknown'): void
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
  let passed: FileTarget[] = []
  const reported = new Map<string, FileTarget>()
  let running: Promise<void> | null = null

  async function checkWaiting(): Promise<void> {
    while (waiting.length + reported.size + passed.length > 0 && !stop.signal.aborted) {
      const targets = waiting
      const whole = passed
      waiting = []
      passed = []
      // Only records that they were checked.
      if (whole.length > 0) await claimForToday(database.pool, whole.map(blobFields), clock())
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

  const begin = ({ blob }: FileTarget): boolean => {
    const today = Math.floor(clock().getTime() / DAY_MS)
    if (today !== day || seen.size >= MAX_SEEN) seen = new Set()
    day = today
    if (seen.has(blob) || waiting.length >= MAX_WAITING || stop.signal.aborted) return false
    seen.add(blob)
    return true
  }
  const queue = (target: FileTarget) => {
    waiting.push(target)
    start()
  }
  const report = (target: FileTarget) => {
    if (reported.size >= MAX_WAITING || stop.signal.aborted) return
    reported.set(target.blob, target)
    start()
  }

  return {
    begin,
    end: (target, result) => {
      if (result === 'damaged') return report(target)
      if (result === 'unknown') return queue(target)
      passed.push(target)
      start()
    },
    enqueue: (target) => {
      if (begin(target)) queue(target)
    },
    report,
    idle: async () => {
      while (running) await running
    },
    close: async () => {
      stop.abort()
      await running
    },
  }
}
