import { expect, test } from 'vitest'
import { resultTitle } from './labels.ts'

test('the title of a move says how it ended', () => {
  expect(resultTitle('files', 'running')).toBe('Moving files')
  expect(resultTitle('buyers', 'paused')).toBe('Moving buyers')
  expect(resultTitle('files', 'success')).toBe('Files are moved')
  expect(resultTitle('buyers', 'partial')).toBe('Not all buyers could be moved')
  expect(resultTitle('files', 'failed')).toBe('The move failed')
  expect(resultTitle('files', 'cancelled')).toBe('The move was cancelled')
  expect(resultTitle('buyers', 'undone')).toBe('This move was undone')
})
