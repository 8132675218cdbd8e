// When a scheduled task runs, in plain forms and as a cron line, and how its other parts read.
import { type Notify } from '../client/schedules.ts'
import { type JsonSchema } from '../client/workflows.ts'
import { momentText } from './time.ts'
import { optionPlace, segments } from './workflow.ts'

export type Every = 'hour' | 'day' | 'week' | 'month' | 'cron'

/** All forms at once, so that nothing is lost while one goes from one to another. */
export interface When {
  every: Every
  /** Of the hour, 0 to 59. */
  minute: string
  /** HH:MM */
  time: string
  /** 0 is Sunday. */
  days: number[]
  /** 1 to 31, or `L`, the last. */
  day: string
  cron: string
}

const START: When = {
  every: 'day',
  minute: '0',
  time: '03:00',
  days: [1],
  day: '1',
  cron: '0 3 * * *',
}

export const EVERY: Record<Every, string> = {
  hour: 'Every hour',
  day: 'Every day',
  week: 'Every week',
  month: 'Every month',
  cron: 'By a cron line',
}

/** Monday first. */
export const WEEK: readonly (readonly [number, string])[] = [
  [1, 'Monday'],
  [2, 'Tuesday'],
  [3, 'Wednesday'],
  [4, 'Thursday'],
  [5, 'Friday'],
  [6, 'Saturday'],
  [0, 'Sunday'],
]

/** `0 2 1 * *`. An unfinished form gives the empty string. */
export function cronOf({ every, minute, time, days, day, cron }: When): string {
  if (every === 'cron') return cron.trim()
  if (every === 'hour') return isWithin(minute, 0, 59) ? `${Number(minute)} * * * *` : ''
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(time) ?? []
  if (hours === undefined) return ''
  const at = `${Number(minutes)} ${Number(hours)}`
  if (every === 'day') return `${at} * * *`
  if (every === 'week')
    return days.length === 0 ? '' : `${at} * * ${[...days].sort((a, b) => a - b).join(',')}`
  return day === 'L' || isWithin(day, 1, 31) ? `${at} ${day} * *` : ''
}

/** The plain form that says the same; the cron line itself where there is none. */
export function whenOf(cron: string): When {
  const when: When = { ...START, cron }
  const [minute = '', hour = '', day = '', month = '', week = '', more] = cron.trim().split(/\s+/)
  if (more !== undefined || month !== '*' || !isWithin(minute, 0, 59))
    return { ...when, every: 'cron' }
  if (hour === '*' && day === '*' && week === '*') return { ...when, every: 'hour', minute }
  if (!isWithin(hour, 0, 23)) return { ...when, every: 'cron' }
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (day === '*' && week === '*') return { ...when, every: 'day', time }
  if (day === '*' && /^[0-6](,[0-6])*$/.test(week))
    return { ...when, every: 'week', time, days: [...new Set(week.split(',').map(Number))] }
  if (week === '*' && (day === 'L' || isWithin(day, 1, 31)))
    return { ...when, every: 'month', time, day }
  return { ...when, every: 'cron' }
}

function isWithin(text: string, from: number, to: number): boolean {
  return /^\d{1,2}$/.test(text) && Number(text) >= from && Number(text) <= to
}

export const NOTIFY: Record<Notify, string> = {
  always: 'After every run',
  errors: 'Only when something failed',
  never: 'Never',
}

/** `Tue, 1 Dec 2026, 2:00`, as the clocks in that zone show it. */
export const runText = (iso: string, timeZone: string | undefined, locale?: string): string =>
  momentText(iso, locale, { timeZone, weekday: true })

/** `America/New York` */
export const zoneText = (zone: string): string => zone.replaceAll('_', ' ')

const PLACES: Record<string, string> = {
  name: 'Name',
  cron: 'When',
  action: 'What',
  workflow: 'What',
  filter: 'Which files',
  notify: 'Notification',
  cap: 'Delete at most',
}

/** A place in the form, in words: `options.rules[0].tags` → `What, Rules, 1, Tags`. */
export function schedulePlace(param: string, schema: JsonSchema | undefined): string {
  const [part = '', ...path] = segments(param)
  return part === 'options'
    ? ['What', ...optionPlace(path, schema)].join(', ')
    : (PLACES[part] ?? '')
}
