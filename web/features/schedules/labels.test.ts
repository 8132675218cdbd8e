import { scheduleText } from '../../../server/features/schedules/times.ts'
import { describe, expect, test } from 'vitest'
import { cronText, cronOf, runText, whenOf, type RunTimes } from './labels.ts'

describe('a cron line that a plain form can express', () => {
  test.each([
    ['0 2 1 * *', { every: 'month', day: '1', time: '02:00' }],
    ['0 3 * * *', { every: 'day', time: '03:00' }],
    ['15 * * * *', { every: 'hour', minute: '15' }],
    ['30 23 * * 1,4', { every: 'week', days: [1, 4], time: '23:30' }],
    ['5 0 L * *', { every: 'month', day: 'L', time: '00:05' }],
  ])('%s', (cron, form) => {
    expect(whenOf(cron)).toMatchObject(form)
    expect(cronOf(whenOf(cron))).toBe(cron)
  })
})

test.each([
  '*/5 * * * *',
  '0 2 1 1 *',
  '0 2 1 * 1',
  '0 2-4 * * *',
  '0 0 2 1 * *',
  '0 25 * * *',
  'nonsense',
  '',
])('any other is shown unchanged: "%s"', (cron) => {
  expect(whenOf(cron).every).toBe('cron')
  expect(cronOf(whenOf(cron))).toBe(cron)
})

test('days of the week are in order, in any order of selection', () => {
  expect(cronOf({ ...whenOf('0 3 * * 1'), days: [5, 0, 2] })).toBe('0 3 * * 0,2,5')
})

const unfinished: Partial<RunTimes>[] = [
  { every: 'week', days: [] },
  { every: 'hour', minute: '60' },
  { every: 'day', time: '' },
]
test.each(unfinished)('an incomplete form has no description: %o', (part) =>
  expect(cronOf({ ...whenOf('0 3 * * *'), ...part })).toBe(''),
)

test('a run is shown in the shop’s time zone', () => {
  expect(runText('2026-12-01T07:00:00Z', 'America/New_York', 'en-GB')).toBe(
    'Tue, 1 Dec 2026, 02:00',
  )
})

test.each([
  '0 * * * *',
  '5 * * * *',
  '30 2 * * *',
  '0 3 * * 1,4',
  '0 2 1 * *',
  '0 2 23 * *',
  '0 2 L * *',
  '*/5 1 * 2 *',
])('%s reads as the server describes it', (cron) =>
  expect(cronText(cron, scheduleText(cron))).toBe(scheduleText(cron)),
)
