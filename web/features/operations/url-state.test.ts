import { expect, test } from 'vitest'
import {
  EVERY_OPERATION,
  isNarrowed,
  operationsQuery,
  readItemsUrlState,
  readOperationsUrlState,
  writeOperationsUrlState,
} from './url-state.ts'

test('an address is read and written back the same', () => {
  const history =
    '?status=partial&kind=import&action=stamp-files&channel=api&requested_by=Ann+Lee&schedule_id=schedule_1' +
    '&search=del&from=2026-01-01&to=2026-02-28&page=3&cursor=abc'
  expect(writeOperationsUrlState(readOperationsUrlState(history))).toBe(history)
  for (const items of ['?status=failed&search=a+b&page=2&cursor=abc', '?warned=true'])
    expect(writeOperationsUrlState(readItemsUrlState(items))).toBe(items)
})

test('invalid values in an address are ignored', () => {
  expect(
    writeOperationsUrlState(
      readOperationsUrlState('?status=pending&kind=all&page=4&from=today&action=a%20b'),
    ),
  ).toBe('')
  expect(writeOperationsUrlState(readItemsUrlState('?status=constructor&kind=import'))).toBe('')
})

test('the API request has no page number', () => {
  expect(operationsQuery(readItemsUrlState('?status=failed&page=2&cursor=abc'), 50)).toEqual({
    status: 'failed',
    warned: null,
    step: '',
    step_result: null,
    error: '',
    search: '',
    cursor: 'abc',
    limit: 50,
  })
})

test('days begin and end in the reader’s time zone', () => {
  const query = operationsQuery(readOperationsUrlState('?from=2026-03-01&to=2026-03-31'), 25)
  expect(query.from).toBe(new Date(2026, 2, 1).toISOString())
  expect(query.to).toBe(new Date(2026, 3, 1).toISOString())
  expect(operationsQuery(EVERY_OPERATION, 25)).toMatchObject({ from: '', to: '', limit: 25 })
})

test('a page does not narrow the list; a search or a filter does', () => {
  expect(isNarrowed(readOperationsUrlState('?cursor=abc&page=2&search=+'))).toBe(false)
  expect(isNarrowed(readOperationsUrlState('?from=2026-03-01'))).toBe(true)
  expect(isNarrowed(readItemsUrlState('?search=a'))).toBe(true)
})
