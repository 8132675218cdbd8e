import { expect, test } from 'vitest'
import {
  activationsText,
  badLines,
  isRunningOut,
  keyName,
  licenceCounts,
  licenceState,
  termTexts,
} from './labels.ts'

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
  expect(activationsText({ activations: 2, activation_limit: 3 })).toBe('2 of 3')
  expect(activationsText({ activations: 2, activation_limit: null })).toBe('2')
})

test('a list that generates its keys does not run out', () => {
  expect(licenceState({ left: null })).toEqual({ text: 'Generates keys', tone: 'success' })
  expect(licenceCounts({ left: null, given: 1 })).toBe('1 given')
  expect([null, 11, 10].map((left) => isRunningOut({ left, given: 1 }))).toEqual([
    false,
    false,
    true,
  ])
  expect(isRunningOut({ left: 0, given: 0 })).toBe(false)
})

test('terms and keys have names', () => {
  const about = { id: '', name: '', left: null, given: 0, created_at: '' }
  const generate = { pattern: 'XXXX', prefix: 'A-', checksum: true }
  const terms = { expiry_days: 1, activation_limit: 3, revoke_on_refund: true }
  expect(termTexts({ ...about, ...terms, generate }).map(([, value]) => value)).toEqual([
    'A-XXXX, with a check character',
    '1 day after the sale',
    '3 for each key',
    'Revoke the keys of refunded units',
  ])
  expect(keyName({ key: 'A-1', order_name: '#1' })).toBe('A-1')
  expect(keyName({ key: null, order_name: '#1' })).toBe('the key of #1')
})

test('lines count from 1, and a problem of the whole file has none', () => {
  const detail = { param: 'keys', code: 'invalid_value', message: 'Too long' }
  expect(badLines([{ ...detail, index: 1 }, { ...detail }])).toEqual([
    { line: 2, message: 'Too long' },
  ])
})
