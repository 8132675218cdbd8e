import { describe, expect, test } from 'vitest'
import { durationText } from '../messages/duration.ts'
import { dayText, momentText, remainingText, trashedText } from './time.ts'

describe('durations have their two largest units', () => {
  test.each([
    [0, 'under 1 s'],
    [0.9, 'under 1 s'],
    [1.2, '1 s'],
    [59.6, '1 min'],
    [75, '1 min 15 s'],
    [3600, '1 h'],
    [3605, '1 h'],
    [7380, '2 h 3 min'],
    [90_061, '1 d 1 h'],
  ])('%d s is %s', (seconds, text) => expect(durationText(seconds)).toBe(text))
})

describe('the remaining time is rounded to its accuracy', () => {
  test.each([
    [null, 'calculating the time left'],
    [0, 'a few seconds left'],
    [12, 'about 15 s left'],
    [56, 'about 1 min left'],
    [61, 'about 2 min left'],
    [3600, 'about 1 h left'],
  ])('%s', (seconds, text) => expect(remainingText(seconds)).toBe(text))
})

test('a day is the same in every time zone', () => {
  expect(dayText('2026-09-29', 'en-GB')).toBe('29 Sept 2026')
  expect(dayText('nonsense')).toBe('nonsense')
})

test('a time has its date and hour', () => {
  expect(momentText('2026-09-29T12:05:00Z', 'en-GB')).toMatch(
    /^29 Sept 2026, \d\d:05$|^30 Sept 2026, \d\d:05$/,
  )
})

test('the clock is formatted alike with a weekday and without', () => {
  const at = (weekday: boolean) =>
    momentText('2026-12-01T07:14:00Z', 'en-US', { timeZone: 'UTC', weekday })
  expect([at(false), at(true)]).toEqual(['Dec 1, 2026, 7:14 AM', 'Tue, Dec 1, 2026, 7:14 AM'])
})

test.each([
  ['2026-09-29T12:00:00Z', '7 days left'],
  ['2026-09-29T12:00:01Z', '7 days left'],
  ['2026-10-05T11:00:00Z', '2 days left'],
  ['2026-10-05T13:00:00Z', '1 day left'],
  ['2026-10-06T13:00:00Z', 'Deleted today'],
])('a file deleted on 29 September at 12:00 has, at %s, %s', (now, left) => {
  expect(trashedText('2026-09-29T12:00:00Z', new Date(now)).left).toBe(left)
})
