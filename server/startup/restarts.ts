// When a process that ended is started again, and whether its reason needs a line in the log.

export interface Restart {
  pauseMs: number
  /** Does the reason differ from the last one, so that it has to be logged? */
  isNew: boolean
}

export interface Restarts {
  /** @param servedMs for how long it had served; null: it never became ready. */
  after(servedMs: number | null, reason: string): Restart
}

/** A process that ends earlier would probably end again. */
const EARLY_MS = 5000
const PAUSE_MS = { early: 500, late: 50 }
const FAILED_MS = { first: 1000, most: 30_000 }

export function createRestarts(): Restarts {
  let failures = 0
  let last: string | null = null
  return {
    after: (servedMs, reason) => {
      if (servedMs !== null) {
        failures = 0
        last = null
        return { pauseMs: servedMs < EARLY_MS ? PAUSE_MS.early : PAUSE_MS.late, isNew: true }
      }
      const isNew = reason !== last
      if (isNew) failures = 0
      last = reason
      return { pauseMs: Math.min(FAILED_MS.first * 2 ** failures++, FAILED_MS.most), isNew }
    },
  }
}
