// Texts about scheduled tasks: their times as simple forms and as cron lines.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { type NotifySetting } from './calls.ts'
import { type JsonSchema } from '../../shell/client/workflows.ts'
import { andText } from '../../shell/labels/list.ts'
import { momentText } from '../../shell/labels/time.ts'
import { optionPlace, segments } from '../plugins/step-labels.ts'
import { t } from '../../shell/messages/t.ts'

export type Recurrence = 'hour' | 'day' | 'week' | 'month' | 'cron'

/** The values of all forms, so that switching between them loses nothing. */
export interface RunTimes {
  every: Recurrence
  /** The minute of the hour, 0 to 59. */
  minute: string
  /** HH:MM */
  time: string
  /** 0 is Sunday. */
  days: number[]
  /** 1 to 31, or `L`, the last. */
  day: string
  cron: string
}

const START: RunTimes = {
  every: 'day',
  minute: '0',
  time: '03:00',
  days: [1],
  day: '1',
  cron: '0 3 * * *',
}

export const EVERY: Record<Recurrence, string> = {
  hour: t('Every hour'),
  day: t('Every day'),
  week: t('Every week'),
  month: t('Every month'),
  cron: t('By a cron expression'),
}

/** Monday first. */
export const WEEK: readonly (readonly [number, string])[] = [
  [1, t('Monday')],
  [2, t('Tuesday')],
  [3, t('Wednesday')],
  [4, t('Thursday')],
  [5, t('Friday')],
  [6, t('Saturday')],
  [0, t('Sunday')],
]

/** `0 2 1 * *`. An incomplete form gives the empty string. */
export function cronOf({ every, minute, time, days, day, cron }: RunTimes): string {
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

/** The simple form with the same meaning; the cron line itself if there is none. */
export function whenOf(cron: string): RunTimes {
  const when: RunTimes = { ...START, cron }
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

/**
 * `Monthly on the 1st at 02:00`; `other`: the server's description, if no simple form has the same
 * meaning.
 */
export function cronText(cron: string, other: string): string {
  const { every, minute, time, days, day } = whenOf(cron)
  switch (every) {
    case 'hour':
      return t(
        '{minute, plural, =0 {Every hour} one {Every hour, # minutes past} other {Every hour, # minutes past}}',
        { minute: Number(minute) },
      )
    case 'day':
      return t('Daily at {time}', { time })
    case 'week':
      return t('Weekly on {days} at {time}', { days: andText(days.map(weekday)), time })
    case 'month':
      return day === 'L'
        ? t('Monthly on the last day at {time}', { time })
        : t(
            'Monthly on the {day, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} at {time}',
            { day: Number(day), time },
          )
    case 'cron':
      return other
  }
}

const weekday = (number: number): string => WEEK.find(([day]) => day === number)?.[1] ?? ''

function isWithin(text: string, from: number, to: number): boolean {
  return /^\d{1,2}$/.test(text) && Number(text) >= from && Number(text) <= to
}

export const NOTIFY: Record<NotifySetting, string> = {
  always: t('After every run'),
  errors: t('Only when something failed'),
  never: t('Never'),
}

/** `Tue, 1 Dec 2026, 2:00`, in that time zone. */
export const runText = (iso: string, timeZone: string | undefined, locale?: string): string =>
  momentText(iso, locale, { timeZone, weekday: true })

/** `America/New York` */
export const zoneText = (zone: string): string => zone.replaceAll('_', ' ')

const PLACES: Record<string, string> = {
  name: t('Name'),
  cron: t('When'),
  action: t('What'),
  workflow: t('What'),
  filter: t('Which files'),
  notify: t('Notification'),
  cap: t('Delete at most'),
}

/** A place in the form, in words: `options.rules[0].tags` → `What, Rules, 1, Tags`. */
export function schedulePlace(param: string, schema: JsonSchema | undefined): string {
  const [part = '', ...path] = segments(param)
  return part === 'options'
    ? [PLACES.action!, ...optionPlace(path, schema)].join(', ')
    : (ownValue(PLACES, part) ?? '')
}
