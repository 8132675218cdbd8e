import { expect, test } from 'vitest'
import { placeQuery, readItemsPlace, readOperationsPlace, writePlace } from './operations.ts'

test('an address is read and written back the same', () => {
  const history = '?status=partial&kind=import&page=3&cursor=abc'
  expect(writePlace(readOperationsPlace(history))).toBe(history)
  const items = '?status=failed&page=2&cursor=abc'
  expect(writePlace(readItemsPlace(items))).toBe(items)
})

test('what makes no sense in an address is left out', () => {
  expect(writePlace(readOperationsPlace('?status=pending&kind=all&page=4'))).toBe('')
  expect(writePlace(readItemsPlace('?status=constructor&kind=import'))).toBe('')
})

test('the API is asked without the page’s number', () => {
  expect(placeQuery(readItemsPlace('?status=failed&page=2&cursor=abc'), 50)).toEqual({
    status: 'failed',
    cursor: 'abc',
    limit: 50,
  })
})
