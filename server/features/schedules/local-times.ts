// Moments of local times, also of those that a change of the clocks skips or repeats.
import { aheadAt } from '../../../plugins/contract.ts'

const HOUR_MS = 3_600_000
/** No zone has been further ahead of UTC, or behind it, than this. */
const FURTHEST_MS = 16 * HOUR_MS
const MINUTE_MS = 60_000

/** A local time: the milliseconds of the moment at which clocks in UTC show it. */
export type LocalTime = number

export const localTimeAt = (moment: number, timeZone: string): LocalTime =>
  moment + aheadAt(moment, timeZone)

/**
 * The moments at which clocks of the zone show a local time, the first one first: two if the clocks repeat it.
 * If they skip it: none, and `skippedUntil` is the moment after the change.
 */
export function momentsOf(
  local: LocalTime,
  timeZone: string,
): { moments: number[]; skippedUntil: number | null } {
  const [from, to] = [local - FURTHEST_MS, local + FURTHEST_MS]
  const [before, after] = [aheadAt(from, timeZone), aheadAt(to, timeZone)]
  const moments = [...new Set([before, after])]
    .filter((ahead) => aheadAt(local - ahead, timeZone) === ahead)
    .map((ahead) => local - ahead)
    .sort((one, other) => one - other)
  const skippedUntil = moments.length === 0 ? changeBetween(from, to, timeZone) : null
  return { moments, skippedUntil }
}

/** The moment of the clocks’ change between two moments. */
function changeBetween(from: number, to: number, timeZone: string): number {
  const before = aheadAt(from, timeZone)
  let [low, high] = [Math.floor(from / MINUTE_MS), Math.ceil(to / MINUTE_MS)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (aheadAt(middle * MINUTE_MS, timeZone) === before) low = middle
    else high = middle
  }
  return high * MINUTE_MS
}
