// What npm test and npm run test:soak do not share: the two sizes of a test that repeats, and the
// tests of soak alone. And random numbers, which come from the run's seed.
import { inject, test } from 'vitest'

/** How often, or on how many: the second in npm run test:soak. */
export const sized = <T>(small: T, full: T): T => (inject('soak') ? full : small)

/**
 * A test that npm run test:soak alone runs: another path through what the other tests of its file
 * show, where each path costs seconds of a server and a browser.
 */
export function soakTest(name: string, run: () => Promise<unknown>, timeout?: number): void {
  if (inject('soak')) test(name, run, timeout)
}

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
