import { expect, test } from 'vitest'
import { readLinksUrlState, writeLinksUrlState } from './url-state.ts'

test('the position among links survives the address', () => {
  const place = { search: 'guide', status: 'expired', page: 3, cursor: 'abc' } as const
  expect(readLinksUrlState(writeLinksUrlState(place))).toEqual(place)
})

test('invalid values in the address are ignored', () => {
  expect(readLinksUrlState('?status=nonsense&page=-1')).toEqual({
    search: '',
    status: '',
    page: 1,
    cursor: '',
  })
})
