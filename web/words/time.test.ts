import { describe, expect, test } from 'vitest'
import { dayText, durationText, momentText, remainingText } from './time.ts'

describe('durations say their two largest parts', () => {
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

describe('the time left is no finer than is known', () => {
  test.each([
    [null, 'working out the time left'],
    [0, 'a few seconds left'],
    [12, 'about 15 s left'],
    [56, 'about 1 min left'],
    [61, 'about 2 min left'],
    [3600, 'about 1 h left'],
  ])('%s', (seconds, text) => expect(remainingText(seconds)).toBe(text))
})

test('a day is the same day in every time zone', () => {
  expect(dayText('2026-09-29', 'en-GB')).toBe('29 Sept 2026')
  expect(dayText('nonsense')).toBe('nonsense')
})

test('a moment has its date and time', () => {
  expect(momentText('2026-09-29T12:05:00Z', 'en-GB')).toMatch(/^29 Sept 2026, \d\d:05$|^30 Sept 2026, \d\d:05$/)
})
