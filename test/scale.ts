// The two sizes of a test that repeats: small in npm test, full in npm run test:soak; and its
// random numbers, which come from the run's seed.
import { inject } from 'vitest'

/** How often, or on how many: the second in npm run test:soak. */
export const sized = <T>(small: T, full: T): T => (inject('soak') ? full : small)

/**
 * A promised time: exact in npm run test:soak, whose machine is quiet; in npm test twenty times as
 * long, which a busy machine keeps and something that hangs does not.
 */
export const promisedMs = (ms: number): number => sized(20 * ms, ms)

/**
 * Random whole numbers from `low` up to, not including, `high`. The same seed and name repeat them;
 * the timing of other processes is not repeated. The seed is printed, and set by SEED.
 */
export function randomOf(name: string): (low: number, high: number) => number {
  let state = inject('seed')
  for (const letter of name) state = Math.imul(state ^ letter.codePointAt(0)!, 0x01000193)
  return (low, high) => low + Math.floor(next() * (high - low))
  /** mulberry32: short, and good enough to choose moments by. */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
