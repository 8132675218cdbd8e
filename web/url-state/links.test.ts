import { expect, test } from 'vitest'
import { readLinksUrlState, writeLinksUrlState } from './links.ts'

test('the place among links survives its way through the address', () => {
  const place = { search: 'guide', status: 'expired', page: 3, cursor: 'abc' } as const
  expect(readLinksUrlState(writeLinksUrlState(place))).toEqual(place)
})

test('what the address says wrongly is as if it were not said', () => {
  expect(readLinksUrlState('?status=nonsense&page=-1')).toEqual({
    search: '',
    status: '',
    page: 1,
    cursor: '',
  })
})
