// The platform's cost throttle, obeyed: a leaky bucket of points that every query of this app and
// shop draws from. The platform says after each query what is left; between two answers we reckon
// on ourselves.
import { setTimeout as delay } from 'node:timers/promises'

/** As the platform reports it: points, and points a second. */
export interface ThrottleStatus {
  maximumAvailable: number
  currentlyAvailable: number
  restoreRate: number
}

export interface Throttle {
  /** Waits until the bucket has that many points, first come first served, and takes them. */
  take(points: number, signal: AbortSignal): Promise<void>
  /**
   * The query that took `points` has ended. `status`: what the platform said, null when it did not
   * answer.
   */
  ended(points: number, status: ThrottleStatus | null): void
}

// Where the platform says that nothing is restored, we look again now and then.
const LONGEST_WAIT_MS = 30_000

export function createThrottle(): Throttle {
  // Until the first answer we know nothing, so we ask.
  let status: ThrottleStatus = {
    maximumAvailable: Infinity,
    currentlyAvailable: Infinity,
    restoreRate: 50,
  }
  let at = performance.now()
  let underway = 0
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
      // A query dearer than the whole bucket is the platform's to refuse.
      const missing = Math.min(points, status.maximumAvailable) - available()
      if (missing <= 0) break
      const ms = Math.min(Math.ceil((missing / status.restoreRate) * 1000), LONGEST_WAIT_MS)
      await delay(ms, undefined, { signal }).catch(() => {})
    }
    set(available() - points)
    underway += points
  }

  return {
    take: (points, signal) => {
      const mine = turn.then(() => wait(points, signal))
      turn = mine.catch(() => {})
      return mine
    },
    ended: (points, now) => {
      underway -= points
      if (now === null) return
      status = now
      // What others have underway may or may not be in the platform's figure: counting it is the
      // careful side.
      set(now.currentlyAvailable - underway)
    },
  }
}
