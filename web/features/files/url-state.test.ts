import { describe, expect, test } from 'vitest'
import {
  FILES_STATE,
  filesQuery,
  filterOf,
  inTrash,
  isNarrowed,
  listOf,
  rangeText,
  readFilesUrlState,
  trashAddress,
  withoutFilters,
  writeFilesUrlState,
} from './url-state.ts'

const FULL =
  '?search=sea+chart&tags=course%2C2026&type=pdf%2Cimage&mapped=false&larger_than=1048576&smaller_than=5242880' +
  '&uploaded_after=2026-01-01&uploaded_before=2026-02-01&older_than_days=365&not_downloaded_for_days=180&pack=pack_0123456789abcdef0123456789abcdef&deleted=true&sort=filename&page=3&cursor=abc'

test('an address is read and written back the same', () => {
  expect(writeFilesUrlState(readFilesUrlState(FULL))).toBe(FULL)
  expect(writeFilesUrlState(readFilesUrlState(''))).toBe('')
})

describe('invalid values in an address are ignored', () => {
  test.each([
    '?sort=colour',
    '?sort=toString',
    '?mapped=perhaps',
    '?larger_than=-1&smaller_than=1e9',
    '?uploaded_after=yesterday',
    '?tags=,,&type=,',
    '?older_than_days=0&not_downloaded_for_days=1.5&deleted=false',
    '?page=7',
    '?pack=summer',
    '?page=-1&cursor=',
    '?shop=a.example&host=b&embedded=1',
  ])('%s', (search) => expect(writeFilesUrlState(readFilesUrlState(search))).toBe(''))

  test('a cursor without a page is at least on the second', () =>
    expect(readFilesUrlState('?cursor=abc')).toMatchObject({ page: 2, cursor: 'abc' }))
})

test('the API request has no page number', () => {
  const query = filesQuery(readFilesUrlState('?search=+knots+&page=2&cursor=abc&mapped=true'))
  expect(query).toMatchObject({
    search: 'knots',
    cursor: 'abc',
    mapped: true,
    sort: '-created_at',
    limit: 50,
  })
  expect(query).not.toHaveProperty('page')
})

test('another page or order is the same list, another filter is not', () => {
  const list = listOf(readFilesUrlState('?search=a&tags=b'))
  expect(listOf(readFilesUrlState('?search=a+&tags=b&sort=filename&page=4&cursor=abc'))).toBe(list)
  expect(listOf(readFilesUrlState('?search=a&tags=c'))).not.toBe(list)
})

test('an order or a page does not narrow the list; a search or a filter does', () => {
  expect(isNarrowed(readFilesUrlState('?sort=filename&page=2&cursor=abc'))).toBe(false)
  expect(isNarrowed(readFilesUrlState('?search=++'))).toBe(false)
  expect(isNarrowed(readFilesUrlState('?search=a'))).toBe(true)
  expect(isNarrowed(readFilesUrlState('?mapped=false'))).toBe(true)
  expect(writeFilesUrlState(withoutFilters(readFilesUrlState(FULL)))).toBe(
    '?deleted=true&sort=filename',
  )
})

describe('the range', () => {
  test.each([
    [1, 0, 0, '0 files'],
    [1, 1, 1, '1 file'],
    [1, 50, 50, '50 files'],
    [1, 50, 1234, '1–50 of 1,234 files'],
    [25, 34, 1234, '1,201–1,234 of 1,234 files'],
  ])('page %d with %d of %d', (page, shown, total, text) =>
    expect(rangeText(page, shown, total)).toBe(text),
  )
})

test('the selection of an operation only names filters that are set', () => {
  expect(filterOf(readFilesUrlState('?sort=filename&page=2&cursor=a'))).toEqual({})
  expect(
    filterOf(readFilesUrlState('?search=+a+&tags=x&mapped=false&larger_than=0&deleted=true')),
  ).toEqual({
    search: 'a',
    tags: ['x'],
    mapped: false,
    larger_than: 0,
    deleted: true,
  })
})

test.each([
  ['?deleted=true', '/trash'],
  ['?deleted=true&search=tide&sort=filename', '/trash?search=tide&sort=filename'],
  ['?deleted=true&page=3&cursor=abc', '/trash?page=3&cursor=abc'],
  ['?search=tide', null],
  ['', null],
])('/files%s leads to %s', (search, to) => {
  expect(trashAddress(readFilesUrlState(search))).toBe(to)
})

test('the address of the trash says nothing about the trash', () => {
  const { read, write } = inTrash(FILES_STATE)
  expect(read('?search=tide')).toMatchObject({ deleted: true, search: 'tide' })
  expect(write(read('?search=tide'))).toBe('?search=tide')
})

test.each([
  'x',
  '[]',
  '{}',
  '{"any":"x"}',
  '{"any":[null]}',
  '{"tags_none":"a"}',
  '{"mapped":true}',
])('further conditions that are none are left out: %s', (more) => {
  const state = readFilesUrlState(`?${new URLSearchParams({ more })}`)
  expect([state.more, filterOf(state)]).toEqual(['', {}])
})
