import { expect, test } from 'vitest'
import { BYTES, createJobConcurrency, FINISH, MESSAGE, ofShop } from './job-concurrency.ts'

const bytesOf = (shop: number) => [BYTES, ofShop(BYTES, shop)]

test('one shop has half of the places for bytes, all shops have all of them, and what ends makes room', () => {
  const concurrency = createJobConcurrency(4)
  const first = concurrency.enter(bytesOf(1))
  concurrency.enter(bytesOf(1))
  expect(concurrency.full()).toEqual([ofShop(BYTES, 1)])
  concurrency.enter(bytesOf(2))
  concurrency.enter(bytesOf(3))
  expect(concurrency.full().sort()).toEqual([BYTES, ofShop(BYTES, 1)])
  first()
  expect(concurrency.full()).toEqual([])
})

test('where there is one place it is anybody’s', () => {
  const concurrency = createJobConcurrency(1)
  const only = concurrency.enter(bytesOf(1))
  expect(concurrency.full().sort()).toEqual([BYTES, ofShop(BYTES, 1)])
  only()
  expect(concurrency.full()).toEqual([])
})

test('messages and endings have places of their own, and leave some to quick changes', () => {
  const concurrency = createJobConcurrency(4)
  let taken = 0
  for (const flags of [bytesOf(1), bytesOf(2), [FINISH], [MESSAGE]])
    for (; !flags.some((flag) => concurrency.full().includes(flag)); taken++)
      concurrency.enter(flags)
  expect(concurrency.full()).toEqual(expect.arrayContaining([BYTES, FINISH, MESSAGE]))
  expect(taken).toBeLessThan(concurrency.places)
})
