import { expect, test } from 'vitest'
import { tileAfter } from './tile-moves.ts'

/** Two full lines and one of two tiles. */
const GRID = { tiles: 10, columns: 4, rightToLeft: false }

test.each([
  ['ArrowRight', 3, 4],
  ['ArrowRight', 9, 9],
  ['ArrowLeft', 4, 3],
  ['ArrowLeft', 0, 0],
  ['ArrowDown', 1, 5],
  // No tile is below it: the last one is the nearest.
  ['ArrowDown', 7, 9],
  ['ArrowDown', 8, 8],
  ['ArrowUp', 9, 5],
  ['ArrowUp', 2, 2],
  ['Home', 6, 0],
  ['End', 6, 9],
  ['Enter', 6, null],
  ['a', 6, null],
])('%s on tile %i leads to %s', (key, at, to) => {
  expect(tileAfter(key, at, GRID)).toBe(to)
})

test('left and right change places where text runs from right to left', () => {
  const mirrored = { ...GRID, rightToLeft: true }
  expect([tileAfter('ArrowLeft', 1, mirrored), tileAfter('ArrowRight', 1, mirrored)]).toEqual([
    2, 0,
  ])
})

test('a single line has nothing above or below it', () => {
  const line = { tiles: 3, columns: 3, rightToLeft: false }
  expect([tileAfter('ArrowDown', 1, line), tileAfter('ArrowUp', 1, line)]).toEqual([1, 1])
})
