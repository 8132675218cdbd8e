// How many jobs of a kind one process works on at once. Downloads wait for others' servers, and
// mail for others' mail servers: neither may take all of the places that changes and endings need,
// nor one shop's downloads those of every other shop.

/** A job's flags say what it counts as: by the name, and by the name and the shop. */
export const BYTES = 'bytes'
export const FINISH = 'finish'
export const MESSAGE = 'message'
export const ofShop = (flag: string, shop: number) => `${flag}:${shop}`

const FINISHES = 2
/** As many as server/notify/outbox.ts sends concurrently: a job without a turn is queued again. */
const MESSAGES = 6
/** Batches that are one transaction are quick: what the others leave is enough for them. */
const QUICK = 2

export interface JobConcurrency {
  /** All jobs at once. */
  places: number
  /** Flags of jobs that have to wait. */
  full(): string[]
  /** Takes a place; gives it back when called. None of the flags may be full. */
  enter(flags: readonly string[]): () => void
}

/**
 * @param batches that read and write bytes, or wait for the outside; at most half of them for one
 * shop
 */
export function createJobConcurrency(batches: number): JobConcurrency {
  const inside = new Map<string, number>()
  const isFull = (flag: string) => (inside.get(flag) ?? 0) >= mostOf(flag, batches)
  const count = (flags: readonly string[], by: 1 | -1) => {
    for (const flag of flags) {
      const now = (inside.get(flag) ?? 0) + by
      if (now === 0) inside.delete(flag)
      else inside.set(flag, now)
    }
  }
  return {
    places: batches + FINISHES + MESSAGES + QUICK,
    full: () => [...inside.keys()].filter(isFull),
    enter: (flags) => {
      count(flags, 1)
      return () => count(flags, -1)
    },
  }
}

function mostOf(flag: string, batches: number): number {
  if (flag === BYTES) return batches
  if (flag === FINISH) return FINISHES
  if (flag === MESSAGE) return MESSAGES
  return Math.ceil(batches / 2)
}
