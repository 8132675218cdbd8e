// The differences between npm test and npm run test:soak: the two sizes of tests that repeat, tests
// that only run in soak, and random numbers from the run's seed.
import { describe, inject, test } from 'vitest'

/** The number of repetitions or items: `full` in npm run test:soak, else `small`. */
export const sized = <T>(small: T, full: T): T => (inject('soak') ? full : small)

/**
 * The cases of a matrix: in npm run test:soak all of them, in npm test those that are chosen, which
 * have each kind of fault once: each page in one language, each row with one column.
 */
export const someOf = <T>(
  all: readonly T[],
  isChosen: (one: T, at: number) => boolean,
): readonly T[] => (inject('soak') ? all : all.filter(isChosen))

/** The cases of tests that only run in npm run test:soak: `soakTest` for `test.each`. */
export const soakCases = <T>(all: readonly T[]): readonly T[] => someOf(all, () => false)

/**
 * A test that only runs in npm run test:soak: it covers another path of what the other tests of its
 * file show, and costs seconds of a server and a browser.
 */
export function soakTest(name: string, run: () => Promise<unknown> | void, timeout?: number): void {
  if (inject('soak')) test(name, run, timeout)
}

/** A group of such tests: Vitest fails where a group has no test. */
export function soakDescribe(name: string, define: () => void): void {
  if (inject('soak')) describe(name, define)
}

/**
 * A promised time: exact in npm run test:soak, whose machine is idle; in npm test twenty times as
 * long, which still detects a hang on a busy machine.
 */
export const promisedMs = (ms: number): number => sized(20 * ms, ms)

/**
 * Random integers from `low` up to, but not including, `high`. The same seed and name repeat them;
 * the timing of other processes is not repeated. The seed is printed, and set by SEED.
 */
export function randomOf(name: string): (low: number, high: number) => number {
  let state = inject('seed')
  for (const letter of name) state = Math.imul(state ^ letter.codePointAt(0)!, 0x01000193)
  return (low, high) => low + Math.floor(next() * (high - low))
  /** mulberry32: short, and sufficient for choosing moments. */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
