import { expect, test } from 'vitest'
import { contentOf, isModified, stateOf } from './saved-view.ts'
import { readFilesUrlState, writeFilesUrlState } from './url-state.ts'
import { type SavedView } from '../../shell/views/view-calls.ts'

const ID = 'saved_0123456789abcdef0123456789abcdef'
const view: SavedView = {
  id: ID,
  list: 'files' as const,
  query: '',
  name: 'Large',
  filter: {
    search: 'sea chart',
    name_contains: 'guide',
    type: ['pdf', 'image'],
    mapped: false,
    larger_than: 100,
    uploaded_after: '2026-01-31T10:00:00Z',
    storage: 'backup',
    backed_up: true,
    tags_none: ['marked'],
    any: [{ name_like: 'A-*' }, { linked: false }],
  },
  sort: '-downloads',
  columns: ['size', 'pack'],
  files_is_exact: true,
  rows: 0,
  rows_is_exact: true,
  files: 3,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
}

test('a view is opened as an address, which is saved as the same view', () => {
  const address = writeFilesUrlState(stateOf(view))
  const state = readFilesUrlState(address)
  expect(state).toMatchObject({ search: 'sea chart', contains: 'guide', view: ID })
  expect(contentOf(state, ['size', 'pack'])).toEqual({
    filter: view.filter,
    sort: view.sort,
    columns: view.columns,
  })
  expect(isModified(state, view)).toBe(false)
})

test('a view is modified by its filter, order or columns, not by a page', () => {
  const state = stateOf(view)
  expect(
    isModified({ ...state, page: 3, cursor: 'x', rows: 100, search: 'sea chart ' }, view),
  ).toBe(false)
  expect(isModified({ ...state, type: ['image', 'pdf'] }, view)).toBe(false)
  expect(isModified({ ...state, columns: ['name', 'pack', 'size'] }, view)).toBe(false)
  expect(isModified({ ...state, sort: 'filename' }, view)).toBe(true)
  expect(isModified({ ...state, mapped: null }, view)).toBe(true)
  expect(isModified({ ...state, columns: ['name', 'size'] }, view)).toBe(true)
})

test('a view without further columns is not one with those of the browser', () => {
  const none = { ...view, columns: [] }
  expect(stateOf(none).columns).toEqual(['name'])
  expect(stateOf({ ...view, columns: null }).columns).toEqual([])
  expect(isModified(stateOf({ ...view, columns: null }), none)).toBe(true)
})
