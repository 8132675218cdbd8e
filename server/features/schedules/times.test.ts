import { describe, expect, test } from 'vitest'
import { english } from '../../../plugins/contract/index.ts'
import { cronProblem, nextRuns, scheduleText } from './times.ts'

const runs = (cron: string, zone: string, after: string, count = 3) =>
  nextRuns(cron, zone, new Date(after), count).map((run) => run.toISOString().slice(0, 16))

describe('next runs', () => {
  test('are in the shop’s time zone', () => {
    expect(runs('0 2 1 * *', 'UTC', '2026-01-15T00:00:00Z', 2)).toEqual([
      '2026-02-01T02:00',
      '2026-03-01T02:00',
    ])
    expect(runs('0 3 * * *', 'Asia/Tokyo', '2026-01-15T00:00:00Z', 1)).toEqual(['2026-01-15T18:00'])
    expect(runs('30 8 * * MON', 'Europe/Berlin', '2026-07-01T00:00:00Z', 1)).toEqual([
      '2026-07-06T06:30',
    ])
  })

  test('a run that is due at this very moment is past', () => {
    expect(runs('0 3 * * *', 'UTC', '2026-01-15T03:00:00Z', 1)).toEqual(['2026-01-16T03:00'])
    expect(runs('0 3 * * *', 'UTC', '2026-01-15T02:59:59.999Z', 1)).toEqual(['2026-01-15T03:00'])
  })

  // New York, 8 March 2026: 02:00 to 03:00 did not exist.
  test.each([
    ['30 2 * * *', ['2026-03-08T07:00', '2026-03-09T06:30']],
    ['15,45 2 * * *', ['2026-03-08T07:00', '2026-03-09T06:15', '2026-03-09T06:45']],
    ['0 2,14 * * *', ['2026-03-08T07:00', '2026-03-08T18:00', '2026-03-09T06:00']],
    ['0 * * * *', ['2026-03-08T06:00', '2026-03-08T07:00', '2026-03-08T08:00']],
  ])('%s is made up for if the clocks skip it', (cron, expected) => {
    const after = cron.startsWith('0 *') ? '2026-03-08T05:30:00Z' : '2026-03-08T05:00:00Z'
    expect(runs(cron, 'America/New_York', after, expected.length)).toEqual(expected)
  })

  // New York, 1 November 2026: 01:00 to 02:00 occurred twice.
  test.each([
    ['30 1 * * *', ['2026-11-01T05:30', '2026-11-02T06:30']],
    ['15,45 1 * * *', ['2026-11-01T05:15', '2026-11-01T05:45', '2026-11-02T06:15']],
    ['0 1,13 * * *', ['2026-11-01T05:00', '2026-11-01T18:00', '2026-11-02T06:00']],
    ['0 * * * *', ['2026-11-01T05:00', '2026-11-01T06:00', '2026-11-01T07:00']],
  ])('%s runs once if it occurs twice', (cron, expected) => {
    expect(runs(cron, 'America/New_York', '2026-11-01T04:30:00Z', expected.length)).toEqual(
      expected,
    )
  })

  // Berlin: 29 March 2026 had no 02:00 to 03:00, 25 October has it twice.
  test.each([
    ['0 */2 * * *', '2026-03-28T23:00', ['2026-03-29T01:00', '2026-03-29T02:00']],
    ['*/10 2 * * *', '2026-03-28T12:00', ['2026-03-29T01:00', '2026-03-30T00:00']],
    ['0 */2 * * *', '2026-10-24T23:00', ['2026-10-25T00:00', '2026-10-25T03:00']],
    [
      '*/20 2 * * *',
      '2026-10-24T23:00',
      ['2026-10-25T00:00', '2026-10-25T00:20', '2026-10-25T00:40', '2026-10-26T01:00'],
    ],
    ['*/30 * * * *', '2026-10-25T00:00', ['2026-10-25T00:30', '2026-10-25T01:00']],
    ['5 * * * *', '2026-03-29T00:00', ['2026-03-29T00:05', '2026-03-29T01:05']],
  ])('%s after %s with steps', (cron, after, expected) => {
    expect(runs(cron, 'Europe/Berlin', `${after}Z`, expected.length)).toEqual(expected)
  })

  // Half an hour in Lord Howe, at midnight in Beirut and Santiago, a whole day in Apia.
  test.each([
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T12:00', ['2026-10-03T15:30']],
    [
      'Australia/Lord_Howe',
      '45 1 * * *',
      '2026-04-04T00:00',
      ['2026-04-04T14:45', '2026-04-05T15:15'],
    ],
    ['Asia/Beirut', '0 0 * * *', '2026-03-28T12:00', ['2026-03-28T22:00', '2026-03-29T21:00']],
    [
      'America/Santiago',
      '30 23 * * *',
      '2026-04-04T12:00',
      ['2026-04-05T02:30', '2026-04-06T03:30'],
    ],
    ['Pacific/Apia', '0 8,9 * * *', '2011-12-29T20:00', ['2011-12-30T10:00', '2011-12-30T18:00']],
  ])('in %s, %s after %s', (zone, cron, after, expected) => {
    expect(runs(cron, zone, `${after}Z`, expected.length)).toEqual(expected)
  })

  test('a run in the first of two equal hours is not repeated in the second', () => {
    expect(runs('30 1 * * *', 'America/New_York', '2026-11-01T06:10:00Z', 1)).toEqual([
      '2026-11-02T06:30',
    ])
  })
})

describe('a cron line', () => {
  test.each([
    '0 2 1 * *',
    '*/15 * * * *',
    '0 9-17 * * 1-5',
    '30 8 * * MON,thu',
    '0 0 L * *',
    '  0  3 * * * ',
  ])('%s is accepted', (cron) => expect(cronProblem(cron)).toBeNull())

  test.each([
    ['', 'five fields'],
    ['0 2 * *', 'five fields'],
    ['0 0 2 * * *', 'five fields'],
    ['@daily', 'five fields'],
    ['61 2 * * *', 'not a cron line'],
    ['5-1 2 * * *', 'not a cron line'],
    ['? 2 * * *', 'A field has only'],
    ['0 2 30 2 *', 'never comes'],
    ['$(reboot) 2 * * *', 'A field has only'],
  ])('%s is refused with a reason', (cron, why) =>
    expect(english(cronProblem(cron) ?? '')).toContain(why),
  )
})

test.each([
  ['0 2 1 * *', 'Monthly on the 1st at 02:00'],
  ['0 2 2,3,22 * *', 'Monthly on the 2nd, 3rd, and 22nd at 02:00'],
  ['0 2 L * *', 'Monthly on the last day at 02:00'],
  ['0 3 * * *', 'Daily at 03:00'],
  ['30 8,20 * * *', 'Daily at 08:30 and 20:30'],
  ['0 * * * *', 'Every hour'],
  ['15 * * * *', 'Every hour, 15 minutes past'],
  ['*/15 * * * *', 'Every 15 minutes'],
  ['* * * * *', 'Every minute'],
  ['0 */6 * * *', 'Every 6 hours'],
  ['30 8 * * 1', 'Weekly on Monday at 08:30'],
  ['30 8 * * MON,thu', 'Weekly on Monday and Thursday at 08:30'],
  ['30 8 * * 7', 'Weekly on Sunday at 08:30'],
  ['0 9 * * 1-5', 'Monday to Friday at 09:00'],
  // Not at equal intervals: the count restarts every hour.
  ['*/7 * * * *', '*/7 * * * *'],
  ['0 2 1 6 *', '0 2 1 6 *'],
  ['0 2 1 * 1', '0 2 1 * 1'],
  ['0  2 *  6 * ', '0 2 * 6 *'],
])('%s is described as: %s', (cron, words) => expect(scheduleText(cron)).toBe(words))
