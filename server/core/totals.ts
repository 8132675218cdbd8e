// What this process has counted since its start: code of every layer adds to these totals, and
// /metrics reports them. Labels are fixed words, never the name of a shop, a file or a person.

/** Sums by label. */
export interface RunningTotals {
  add(label: string, amount?: number): void
  read(): ReadonlyMap<string, number>
}

export function createTotals(): RunningTotals {
  const sums = new Map<string, number>()
  return {
    add: (label, amount = 1) => void sums.set(label, (sums.get(label) ?? 0) + amount),
    read: () => sums,
  }
}

/** Requests for a token that the platform refused or did not answer, by its code. */
export const tokenFailures = createTotals()

/** How often a connection was not free immediately, and for how many seconds, by pool. */
export const poolWaits = { count: createTotals(), seconds: createTotals() }

/** Sweeps of the upkeep by name: how many ended or failed, and how long they took. */
export const sweeps = {
  ended: createTotals(),
  failed: createTotals(),
  seconds: createTotals(),
}

/** Blobs whose bytes were found missing, damaged or were restored, by what was found. */
export const blobFindings = createTotals()
