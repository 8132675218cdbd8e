import { expect, test } from 'vitest'
import { moveBy } from './order.ts'

test('a file moves up or down by one place, and stays at the ends', () => {
  expect(moveBy(['a', 'b', 'c'], 1, -1)).toEqual(['b', 'a', 'c'])
  expect(moveBy(['a', 'b', 'c'], 1, 1)).toEqual(['a', 'c', 'b'])
  expect(moveBy(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c'])
  expect(moveBy(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'b', 'c'])
})
