import { expect, test } from 'vitest'
import { movedTo, placeAt } from './order.ts'

test('an element moves to a place, and stays where there is none', () => {
  const list = ['a', 'b', 'c']
  expect(movedTo(list, 1, 0)).toEqual(['b', 'a', 'c'])
  expect(movedTo(list, 0, 2)).toEqual(['b', 'c', 'a'])
  for (const [from, to] of [
    [0, -1],
    [2, 3],
    [1, 1],
    [5, 0],
  ] as const)
    expect(movedTo(list, from, to)).toBe(list)
})

test('a dragged row gets the place of the row whose middle it has passed', () => {
  const rows = [0, 10, 20].map((top) => ({ top, bottom: top + 10 }))
  const places = (from: number) => [-5, 5, 8, 15, 18, 25, 90].map((y) => placeAt(rows, from, y))
  expect(places(0)).toEqual([0, 0, 0, 1, 1, 2, 2])
  expect(places(2)).toEqual([0, 0, 1, 1, 2, 2, 2])
})
