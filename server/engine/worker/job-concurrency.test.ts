import { expect, test } from 'vitest'
import { BYTES, createLanes, FINISH, MESSAGE, ofShop } from './job-concurrency.ts'

const bytesOf = (shop: number) => [BYTES, ofShop(BYTES, shop)]

test('one shop has half of the places for bytes, all shops have all of them, and what ends makes room', () => {
  const lanes = createLanes(4)
  const first = lanes.enter(bytesOf(1))
  lanes.enter(bytesOf(1))
  expect(lanes.full()).toEqual([ofShop(BYTES, 1)])
  lanes.enter(bytesOf(2))
  lanes.enter(bytesOf(3))
  expect(lanes.full().sort()).toEqual([BYTES, ofShop(BYTES, 1)])
  first()
  expect(lanes.full()).toEqual([])
})

test('where there is one place it is anybody’s', () => {
  const lanes = createLanes(1)
  const only = lanes.enter(bytesOf(1))
  expect(lanes.full().sort()).toEqual([BYTES, ofShop(BYTES, 1)])
  only()
  expect(lanes.full()).toEqual([])
})

test('messages and endings have places of their own, and leave some to quick changes', () => {
  const lanes = createLanes(4)
  let taken = 0
  for (const flags of [bytesOf(1), bytesOf(2), [FINISH], [MESSAGE]])
    for (; !flags.some((flag) => lanes.full().includes(flag)); taken++) lanes.enter(flags)
  expect(lanes.full()).toEqual(expect.arrayContaining([BYTES, FINISH, MESSAGE]))
  expect(taken).toBeLessThan(lanes.places)
})
