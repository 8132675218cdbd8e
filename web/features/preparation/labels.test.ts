import { expect, test } from 'vitest'
import { badLines, licenceCounts, licenceState } from './labels.ts'

test.each([
  [0, 'No keys left', 'critical'],
  [1, 'Few keys left', 'warning'],
  [10, 'Few keys left', 'warning'],
  [11, 'Ready', 'success'],
])('%i keys: %s', (left, text, tone) => {
  expect(licenceState({ left })).toEqual({ text, tone })
})

test('counts are formatted', () => {
  expect(licenceCounts({ left: 1, given: 2000 })).toBe('1 key left · 2,000 given')
})

test('lines count from 1, and a problem of the whole file has none', () => {
  const detail = { param: 'keys', code: 'invalid_value', message: 'Too long' }
  expect(badLines([{ ...detail, index: 1 }, { ...detail }])).toEqual([
    { line: 2, message: 'Too long' },
  ])
})
