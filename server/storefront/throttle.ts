// Obeys the platform's cost throttle: a leaky bucket of points from which every query of this app
// and shop draws. The platform reports the remaining points after each query; between two answers
// they are estimated here.
import { setTimeout as delay } from 'node:timers/promises'

/** The state of the bucket as the platform reports it: points, and points per second. */
export interface ThrottleStatus {
  maximumAvailable: number
  currentlyAvailable: number
  restoreRate: number
}

export interface Throttle {
  /** Waits until the bucket has that many points, in the order of the calls, and takes them. */
  take(points: number, signal: AbortSignal): Promise<void>
  /**
   * Ends the query that took `points`. `status`: the platform's report, null if it did not answer.
   */
  ended(points: number, status: ThrottleStatus | null): void
}

// The longest wait: the platform may report that nothing is restored.
const MAX_WAIT_MS = 30_000

export function createThrottle(): Throttle {
  // Until the first answer the status is unknown, and queries do not wait.
  let status: ThrottleStatus = {
    maximumAvailable: Infinity,
    currentlyAvailable: Infinity,
    restoreRate: 50,
  }
  let at = performance.now()
  let running = 0
  let turn: Promise<unknown> = Promise.resolve()

  const available = () =>
    Math.min(
      status.maximumAvailable,
      status.currentlyAvailable + ((performance.now() - at) / 1000) * status.restoreRate,
    )
  const set = (points: number) => {
    status = { ...status, currentlyAvailable: points }
    at = performance.now()
  }
  const wait = async (points: number, signal: AbortSignal) => {
    while (true) {
      signal.throwIfAborted()
      // A query that costs more than the whole bucket is sent, and the platform refuses it.
      const missing = Math.min(points, status.maximumAvailable) - available()
      if (missing <= 0) break
      const ms = Math.min(Math.ceil((missing / status.restoreRate) * 1000), MAX_WAIT_MS)
      await delay(ms, undefined, { signal }).catch(() => {})
    }
    set(available() - points)
    running += points
  }

  return {
    take: (points, signal) => {
      const mine = turn.then(() => wait(points, signal))
      turn = mine.catch(() => {})
      return mine
    },
    ended: (points, now) => {
      running -= points
      if (now === null) return
      status = now
      // The platform's figure may or may not include the queries that are still running:
      // subtracting them is the safe side.
      set(now.currentlyAvailable - running)
    },
  }
}
