// Lets attempts to sign in begin only as long as they may all fail: concurrent attempts cannot be
// more than the limit of failures. Others wait for them.
import type { RateLimit } from '../../core/db/rate-limits.ts'

export interface GuessGate {
  /**
   * Waits until the attempt may begin, and returns a function for its end; null: too many have
   * failed. A failure must be counted before the end.
   */
  enter(key: string): Promise<(() => void) | null>
}

interface Entry {
  running: number
  /** How many attempts have ended, to notice one that ended during a query. */
  ended: number
  waiting: (() => void)[]
}

/**
 * Creates the gate of this process: other processes see its failures, and not its running attempts.
 */
export function createGuessGate(failures: Pick<RateLimit, 'consumed'>, max: number): GuessGate {
  const entries = new Map<string, Entry>()
  const end = (key: string, entry: Entry) => {
    entry.running--
    entry.ended++
    for (const wake of entry.waiting.splice(0)) wake()
    if (entry.running === 0 && entries.get(key) === entry) entries.delete(key)
  }
  return {
    enter: async (key) => {
      while (true) {
        const entry = entries.get(key) ?? { running: 0, ended: 0, waiting: [] }
        entries.set(key, entry)
        const { ended } = entry
        const failed = await failures.consumed(key)
        if (entries.get(key) !== entry || entry.ended !== ended) continue
        if (failed >= max) {
          if (entry.running === 0) entries.delete(key)
          return null
        }
        if (failed + entry.running < max) {
          entry.running++
          return () => end(key, entry)
        }
        await new Promise<void>((resolve) => void entry.waiting.push(resolve))
      }
    },
  }
}
