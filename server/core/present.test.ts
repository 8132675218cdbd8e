import { expect, test } from 'vitest'
import { elementAt, firstOf, lastOf, present, zip } from './lazy.ts'

test('a value that is there is given, and an absent one is named', () => {
  expect(present(0, 'count')).toBe(0)
  expect(() => present(null, 'The shop')).toThrow('The shop is missing')
})

test('elements of a list: the first, the last, and the one at an index', () => {
  expect([firstOf(['a', 'b']), lastOf(['a', 'b']), elementAt(['a', 'b'], 1)]).toEqual([
    'a',
    'b',
    'b',
  ])
  expect(elementAt([undefined], 0)).toBeUndefined()
  expect(() => firstOf([])).toThrow('empty')
  expect(() => elementAt(['a'], 1)).toThrow('no element 1')
  expect(() => elementAt(['a'], -1)).toThrow('no element -1')
})

test('only lists of the same length have pairs', () => {
  expect(zip([1, 2], ['a', null])).toEqual([
    [1, 'a'],
    [2, null],
  ])
  expect(() => zip([1], [])).toThrow('1 and 0 elements')
})
