// The first download of a blob on each day has its bytes hashed beside the sending, one blob after another: a damaged one
// is found by its first buyer at the latest. Nothing of it is awaited by a download.
import { checkBlob, claimForToday, type CheckParts } from '../files/blob-checks.ts'
import { errorFields } from '../log.ts'
import { whereIs, type Target } from './targets.ts'

export interface DailyChecks {
  /** It is being downloaded. */
  note(target: Target): void
  /** Resolves when all that was noted has been looked at. */
  idle(): Promise<void>
  close(): Promise<void>
}

const DAY_MS = 24 * 60 * 60 * 1000
/** Of memory alone: the rows tell what was read today. */
const MOST_SEEN = 100_000
const MOST_WAITING = 10_000

/** `damaged`: called when one was found, whose file is written by then. */
export function createDailyChecks(parts: CheckParts, damaged: () => void): DailyChecks {
  const { database, log, clock } = parts
  const stop = new AbortController()
  let day = 0
  let seen = new Set<string>()
  let waiting: Target[] = []
  let running: Promise<void> | null = null

  async function checkWaiting(): Promise<void> {
    while (waiting.length > 0 && !stop.signal.aborted) {
      const targets = waiting
      waiting = []
      const blobs = await claimForToday(database.pool, targets.map(whereIs), clock())
      for (const blob of blobs) {
        if (stop.signal.aborted) return
        const verdict = await checkBlob(parts, blob, stop.signal).catch((error: unknown) => {
          if (!stop.signal.aborted) log.warn('a blob could not be checked', { ...blob, ...errorFields(error) })
        })
        if (verdict === 'damaged') damaged()
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
    note: (target) => {
      const today = Math.floor(clock().getTime() / DAY_MS)
      if (today !== day || seen.size >= MOST_SEEN) seen = new Set()
      day = today
      if (seen.has(target.blob) || waiting.length >= MOST_WAITING || stop.signal.aborted) return
      seen.add(target.blob)
      waiting.push(target)
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
