// Evaluates and describes the cron line of a schedule: five fields, in the shop's time zone.
import { Cron } from 'croner'
import { type Text, say } from '../../../plugins/contract/text.ts'
import { aheadAt } from '../../../plugins/contract/index.ts'
import { present } from '../../core/lazy.ts'

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

/** Clocks are changed by at most a day. */
const LONGEST_CHANGE_MS = 25 * 3_600_000

/** The local time before the first one whose run may be after the moment. */
function beginning(after: number, timeZone: string): Date {
  const local = localTimeAt(after, timeZone)
  const change = [-LONGEST_CHANGE_MS, LONGEST_CHANGE_MS].some(
    (ms) => localTimeAt(after + ms, timeZone) !== local + ms,
  )
  return new Date(change ? local - LONGEST_CHANGE_MS : local)
}

/**
 * Computes the next `count` runs after a moment: one for each local time of the line. A local time that clocks
 * skip runs when they have skipped it: one run, also for several times. One that they repeat runs the first
 * time. `*` in the hour counts real hours: nothing is made up for, and repeated times run again.
 */
export function nextRuns(cron: string, timeZone: string, after: Date, count: number): Date[] {
  const hourly = /^\*(\/1)?$/.test(fieldsOf(cron)[1] ?? '')
  // The line is read with clocks that never change.
  const line = new Cron(fieldsOf(cron).join(' '), { timezone: 'UTC', paused: true, mode: '5-part' })
  const begin = beginning(after.getTime(), timeZone)
  const found = new Set<number>()
  const runsUntil = (until: number) =>
    [...found].filter((run) => run <= until).sort((one, other) => one - other)
  for (let local = line.nextRun(begin); local; local = line.nextRun(local)) {
    const { moments, skippedUntil } = momentsOf(local.getTime(), timeZone)
    const once = hourly ? moments : [moments[0] ?? skippedUntil]
    for (const run of once) if (run !== null && run > after.getTime()) found.add(run)
    // The runs of later local times are not before the first one of this.
    const runs = found.size < count ? [] : runsUntil(moments[0] ?? -Infinity)
    if (runs.length >= count) return runs.slice(0, count).map((run) => new Date(run))
  }
  return runsUntil(Infinity).map((run) => new Date(run))
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

// Moments of local times, also of those that a change of the clocks skips or repeats.

const HOUR_MS = 3_600_000
/** No zone has been further ahead of UTC, or behind it, than this. */
const FURTHEST_MS = 16 * HOUR_MS
const MINUTE_MS = 60_000

/** A local time: the milliseconds of the moment at which clocks in UTC show it. */
export type LocalTime = number

const localTimeAt = (moment: number, timeZone: string): LocalTime =>
  moment + aheadAt(moment, timeZone)

/**
 * The moments at which clocks of the zone show a local time, the first one first: two if the clocks repeat it.
 * If they skip it: none, and `skippedUntil` is the moment after the change.
 */
function momentsOf(
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
