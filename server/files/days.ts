// Finds the beginning of a day: a date without a time is a day in the shop's time zone.
import { aheadAt } from '../../plugins/contract/index.ts'

/**
 * The moment at which a day (`2026-01-31`) begins in the time zone; where its clocks skip midnight,
 * the first moment after it.
 */
export function beginningOf(day: string, timeZone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const guess = midnight - aheadAt(midnight, timeZone)
  // The two differ if the clocks change around midnight; the later one is within the day.
  return new Date(Math.max(guess, midnight - aheadAt(guess, timeZone)))
}

/** SQL: the time zone of the row `shop` of shops. */
export const zoneOf = (shop: string): string => `coalesce(${shop}.settings ->> 'time_zone', 'UTC')`

/** SQL: the time zone of the shop of the statement. */
export const SHOP_ZONE = `(select ${zoneOf('z')} from shops z where z.id = :shop)`

/** SQL: the day of a moment in the time zone of the shop, as `dayAt` gives it. */
export const shopDay = (moment: string): string =>
  `to_char(${moment} at time zone ${SHOP_ZONE}, 'YYYY-MM-DD')`
