// How many jobs of a kind one process runs concurrently. Downloads wait for remote servers, and
// mail for mail servers: neither may take all places that changes and finalizations need, and one
// shop's downloads must not block those of other shops.
import { plainLimits, waitingLimits, type PlaceLimits } from './places.ts'

/** A job's flag: the kind whose limits it counts for. */
export const BYTES = 'bytes'
/** The flag of batches of imports whose caller waits for each file, and that move no bytes. */
export const PROMPT = 'prompt'
export const FINISH = 'finish'
export const MESSAGE = 'message'

const PROMPTS = 4
const FINISHES = 2
/**
 * Four mails, and the others for posts, whose jobs end before the receiver answers
 * (server/features/messages/deliver.ts).
 */
const MESSAGES = 8
/** Batches of one transaction are short: the remaining places are enough for them. */
export const QUICK_PLACES = 2

/** @param batches concurrent batches that use bytes or external systems */
export const jobLimits = (batches: number): ReadonlyMap<string, PlaceLimits> =>
  new Map([
    [BYTES, waitingLimits(batches)],
    [PROMPT, waitingLimits(PROMPTS)],
    [FINISH, plainLimits(FINISHES)],
    [MESSAGE, plainLimits(MESSAGES)],
  ])
