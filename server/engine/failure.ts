// The engine's failure policy: which failed items are tried again by themselves, and when.
import { MAX_ATTEMPTS } from './claim.ts'

const BACKOFF_MS = [1_000, 5_000]
// An origin that kept us waiting this long will not do better in a few seconds; Retry Failed still may.
const PATIENCE_SECONDS = 20

/**
 * Milliseconds until the next attempt of an item whose failure could pass, or null when it has failed for good.
 * @param attempt the attempt that just failed, from 1
 * @param seconds how long that attempt took
 */
export function retryDelay(attempt: number, seconds: number): number | null {
  if (attempt >= MAX_ATTEMPTS || seconds > PATIENCE_SECONDS) return null
  return BACKOFF_MS[attempt - 1] ?? BACKOFF_MS.at(-1)!
}
