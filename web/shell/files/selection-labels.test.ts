import { expect, test } from 'vitest'
import { allOf, selectionText } from './selection-labels.ts'

const text = (all: boolean, count: number, onPage: number, filter = {}) =>
  selectionText({ all, count, onPage, filter }, 'en')

test('a selection beyond the page is described', () => {
  expect(text(false, 3, 3)).toBeNull()
  expect(text(false, 62, 50)).toBe('62 files are selected, 12 of them on other pages')
  expect(text(false, 2, 0)).toBe('2 files are selected, all on other pages')
  expect(text(false, 1, 0)).toBe('1 file is selected, on another page')
  expect(text(true, 48_213, 50)).toBe('All 48,213 files are selected')
  expect(text(true, 48_213, 50, { type: ['pdf'], tags: ['a', 'b'] })).toBe(
    'All 48,213 files that match are selected: type PDF; tagged a and b',
  )
})

test('a dialog about all matching files describes the filter', () => {
  expect(allOf({}, 1200, 'en')).toBe(
    'All files. 1,200 files now; the list is fixed when the operation starts.',
  )
  expect(allOf({ mapped: false }, 1, 'en')).toBe(
    'All files with: not mapped to a product. 1 file now; the list is fixed when the operation starts.',
  )
})
