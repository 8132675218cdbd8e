// A day is one of the shop: the day of a moment in its time zone.

/** The day of a moment in the time zone: `2026-01-31`. */
export const dayAt = (moment: Date, timeZone: string): string =>
  new Date(moment.getTime() + aheadAt(moment.getTime(), timeZone)).toISOString().slice(0, 10)

/** By zone: making a format takes much longer than using it. There are some 450 zones. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const kept = formats.get(timeZone)
  if (kept) return kept
  const made = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  formats.set(timeZone, made)
  return made
}

/** How far the zone's clocks are ahead of UTC at a moment, in milliseconds. */
export function aheadAt(moment: number, timeZone: string): number {
  const parts = formatOf(timeZone).formatToParts(moment)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /([+-])(\d+):(\d+)(?::(\d+))?/.exec(name) ?? []
  const ahead = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -ahead : ahead
}

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
