// The date of a file in a name, in the shop's time zone.

const TOKENS = ['YYYY', 'YY', 'MM', 'M', 'DD', 'D', 'HH', 'mm', 'ss'] as const
type Token = (typeof TOKENS)[number]
export const KNOWN_TOKENS = TOKENS.join(', ')
/** A letter, once or several times. */
const RUN = /(\p{L})\1*/gu

/**
 * Whether every letter of the format has a meaning: others would appear unchanged in every name.
 */
export function isDateFormat(format: string): boolean {
  const runs = format.match(RUN) ?? []
  return runs.length > 0 && runs.every((run) => TOKENS.includes(run as Token))
}

/** Returns the function that writes a time in this format. */
export function dateWriter(format: string, timeZone: string): (time: Date) => string {
  const clock = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  return (time) => {
    const parts = Object.fromEntries(
      clock.formatToParts(time).map(({ type, value }) => [type, value]),
    )
    const { year = '', month = '', day = '', hour = '', minute = '', second = '' } = parts
    const values: Record<Token, string> = {
      YYYY: year.padStart(4, '0'),
      YY: year.slice(-2),
      MM: month,
      M: String(Number(month)),
      DD: day,
      D: String(Number(day)),
      HH: hour,
      mm: minute,
      ss: second,
    }
    return format.replace(RUN, (run) => values[run as Token])
  }
}

/** Parses the database's format: `2026-01-31 12:00:00.123456+00`. */
export const timeOf = (text: string): Date =>
  // oxfmt-ignore
  new Date(text.replace(' ', 'T').replace(/([+-]\d\d)(\d\d)?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`))
