// Evaluates and describes the cron line of a schedule: five fields, in the shop's time zone.
import { type Text, say } from '../../../plugins/texts.ts'
import { Cron } from 'croner'
import { present } from '../../core/present.ts'

/** A line with more fixed times of day than this is evaluated as one pattern. */
const MAX_TIMES = 24
const FIELD = /^[0-9A-Za-z*/,#-]+$/

/** The problem of a cron line, or null. */
export function cronProblem(cron: string): Text | null {
  const fields = fieldsOf(cron)
  if (fields.length !== 5)
    return say(
      'A cron line has five fields: minute, hour, day of the month, month, day of the week',
    )
  if (!fields.every((field) => FIELD.test(field)))
    return say('A field has only numbers, names, and * / , - L #')
  try {
    return nextRuns(cron, 'UTC', new Date(0), 1).length > 0 ? null : say('This day never comes')
  } catch (error) {
    return say('This is not a cron line: {reason}', { reason: reasonOf(error) })
  }
}

const fieldsOf = (cron: string): string[] => cron.trim().split(/\s+/)
const reasonOf = (error: unknown) =>
  String(error instanceof Error ? error.message : error).replace(/^CronPattern: /, '')

/**
 * Computes the next `count` runs after a moment. A time of day occurs once a day, also when clocks
 * change: a skipped time runs when the clocks have skipped it, a repeated time runs the first time.
 * `*` in the hour counts real hours.
 */
export function nextRuns(cron: string, timeZone: string, after: Date, count: number): Date[] {
  const lines = fixedTimes(cron).map((line) => {
    const times = new Cron(line, { timezone: timeZone, paused: true, mode: '5-part' })
    return { times, next: times.nextRun(after) }
  })
  const runs: Date[] = []
  while (runs.length < count) {
    const coming = lines.flatMap(({ next }) => next?.getTime() ?? [])
    if (coming.length === 0) break
    const first = new Date(Math.min(...coming))
    runs.push(first)
    for (const line of lines)
      if (line.next?.getTime() === first.getTime()) line.next = line.times.nextRun(first)
  }
  return runs
}

/**
 * Splits a line with several fixed times a day into lines with one each: croner handles clock
 * changes in this way only for those.
 */
function fixedTimes(cron: string): string[] {
  const [minute = '', hour = '', ...days] = fieldsOf(cron)
  const minutes = numbersOf(minute)
  const hours = numbersOf(hour)
  if (!minutes?.length || !hours?.length || minutes.length * hours.length > MAX_TIMES)
    return [fieldsOf(cron).join(' ')]
  return hours.flatMap((h) => minutes.map((m) => [m, h, ...days].join(' ')))
}

/** The numbers of a field: `1,3-5` → 1, 3, 4, 5; null: it is no list of numbers. */
function numbersOf(field: string): number[] | null {
  const parts = field.split(',').map((part) => /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part))
  if (!parts.every((part) => part !== null)) return null
  return parts.flatMap(([, from, to]) =>
    Array.from(
      { length: Math.max(0, Number(to ?? from) - Number(from) + 1) },
      (_, n) => Number(from) + n,
    ),
  )
}

const DAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
]
const SHORT = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/**
 * Describes a cron line: `0 2 1 * *` → `Monthly on the 1st at 02:00`; one without a short
 * description is returned unchanged.
 */
export function scheduleText(cron: string): string {
  const [minute, hour, day, month, weekday] = fieldsOf(cron) as [
    string,
    string,
    string,
    string,
    string,
  ]
  const line = fieldsOf(cron).join(' ')
  if (month !== '*') return line
  if (day === '*' && weekday === '*') return dailyText(minute, hour) ?? line
  const time = timeOf(minute, hour)
  if (!time) return line
  if (day === '*') return weeklyText(weekday, time) ?? line
  return weekday === '*' ? (monthlyText(day, time) ?? line) : line
}

function dailyText(minute: string, hour: string): string | null {
  const time = timeOf(minute, hour)
  if (time) return `Daily at ${time}`
  if (hour === '*') {
    if (minute === '*') return 'Every minute'
    const every = stepOf(minute, 60)
    if (every) return `Every ${every} minutes`
    if (/^\d{1,2}$/.test(minute))
      return Number(minute) === 0 ? 'Every hour' : `Every hour, ${Number(minute)} minutes past`
  }
  const hours = stepOf(hour, 24)
  return hours && /^0{1,2}$/.test(minute) ? `Every ${hours} hours` : null
}

/** The step, if it divides an hour or a day evenly. */
function stepOf(field: string, whole: number): number | null {
  const every = Number(/^\*\/(\d{1,2})$/.exec(field)?.[1] ?? 0)
  return every > 1 && whole % every === 0 ? every : null
}

function timeOf(minute: string, hour: string): string | null {
  const times = numbersOf(hour)?.flatMap((h) =>
    (numbersOf(minute) ?? []).map((m) =>
      [h, m].map((part) => String(part).padStart(2, '0')).join(':'),
    ),
  )
  return times && times.length > 0 && times.length <= 4 ? listed(times) : null
}

function weeklyText(weekday: string, time: string): string | null {
  const spelled = weekday.toLowerCase().replace(/[a-z]{3}/g, (name) => String(SHORT.indexOf(name)))
  if (spelled === '1-5') return `Monday to Friday at ${time}`
  const days = numbersOf(spelled)
  return days && days.length > 0
    ? `Weekly on ${listed(days.map((day) => present(DAYS[day], `Day ${day}`)))} at ${time}`
    : null
}

function monthlyText(day: string, time: string): string | null {
  if (day === 'L') return `Monthly on the last day at ${time}`
  const days = numbersOf(day)
  return days && days.length <= 4 ? `Monthly on the ${listed(days.map(ordinal))} at ${time}` : null
}

const listed = (words: readonly string[]) => new Intl.ListFormat('en').format(words)

function ordinal(number: number): string {
  const ending = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' }
  return `${number}${ending[new Intl.PluralRules('en', { type: 'ordinal' }).select(number)]}`
}
