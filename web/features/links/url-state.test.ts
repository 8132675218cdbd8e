import { expect, test } from 'vitest'
import { LINKS_STATE } from './url-state.ts'

test('the position among links survives the address', () => {
  const place = { search: 'guide', status: 'expired', page: 3, cursor: 'abc', view: '' } as const
  expect(LINKS_STATE.read(LINKS_STATE.write(place))).toEqual(place)
})

test('invalid values in the address are ignored', () => {
  expect(LINKS_STATE.read('?status=nonsense&page=-1')).toEqual({
    search: '',
    status: '',
    page: 1,
    cursor: '',
    view: '',
  })
})
