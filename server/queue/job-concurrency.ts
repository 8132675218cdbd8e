// How many jobs of a kind one process runs concurrently. Downloads wait for remote servers, and
// mail for mail servers: neither may take all places that changes and finalizations need, and one
// shop's downloads must not block those of other shops.

/** A job's flags: the limits that it counts for, by its kind, and by its kind and shop. */
export const BYTES = 'bytes'
/** Batches of imports whose caller waits for each file, and that move no bytes. */
export const PROMPT = 'prompt'
export const FINISH = 'finish'
export const MESSAGE = 'message'
export const ofShop = (flag: string, shop: number) => `${flag}:${shop}`

const PROMPTS = 4
const FINISHES = 2
/**
 * Four mails, and the others for posts, whose jobs end before the receiver answers
 * (server/notify/deliver.ts).
 */
const MESSAGES = 8
/** Batches of one transaction are short: the remaining places are enough for them. */
const QUICK = 2

export interface JobConcurrency {
  /** All concurrent jobs. */
  places: number
  /** Flags of jobs that have to wait. */
  full(): string[]
  /** Takes a place. Call the result to release it. None of the flags may be full. */
  enter(flags: readonly string[]): () => void
}

/**
 * @param batches concurrent batches that use bytes or external systems; at most half of them for
 *   one shop
 */
export function createJobConcurrency(batches: number): JobConcurrency {
  const inside = new Map<string, number>()
  const isFull = (flag: string) => (inside.get(flag) ?? 0) >= limitOf(flag, batches)
  const count = (flags: readonly string[], by: 1 | -1) => {
    for (const flag of flags) {
      const now = (inside.get(flag) ?? 0) + by
      if (now === 0) inside.delete(flag)
      else inside.set(flag, now)
    }
  }
  return {
    places: batches + PROMPTS + FINISHES + MESSAGES + QUICK,
    full: () => [...inside.keys()].filter(isFull),
    enter: (flags) => {
      count(flags, 1)
      return () => count(flags, -1)
    },
  }
}

function limitOf(flag: string, batches: number): number {
  if (flag === BYTES) return batches
  if (flag === PROMPT) return PROMPTS
  if (flag === FINISH) return FINISHES
  if (flag === MESSAGE) return MESSAGES
  return Math.ceil((flag.startsWith(PROMPT) ? PROMPTS : batches) / 2)
}
