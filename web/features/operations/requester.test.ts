import { expect, test } from 'vitest'
import { requesterText } from './use-requester.ts'

test('a person is “You” or another one, never a number', () => {
  expect(requesterText('user 1', 'user 1')).toBe('You')
  expect(requesterText('user 12', 'user 1')).toBe('Another staff member')
  expect(requesterText('user 1', undefined)).toBe('')
})

test('API keys and scheduled tasks have their names', () => {
  expect(requesterText('Nightly sync', 'user 1')).toBe('Nightly sync')
  expect(requesterText('user of the shop', 'user 1')).toBe('user of the shop')
  expect(requesterText('schedule Clean up', 'user 1')).toBe('Scheduled task: Clean up')
  expect(requesterText('catalog refresh', 'user 1')).toBe('Catalog update')
})

test('syncs and the drop folder’s imports say what started them', () => {
  expect(requesterText('connection Manuals', 'user 1')).toBe('Cloud connection: Manuals')
  expect(requesterText('Drop folder', 'user 1')).toBe('Drop folder')
  expect(requesterText('constructor', 'user 1')).toBe('constructor')
})
