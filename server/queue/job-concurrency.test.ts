import { expect, test } from 'vitest'
import { BYTES, createJobConcurrency, FINISH, MESSAGE, ofShop } from './job-concurrency.ts'

const bytesOf = (shop: number) => [BYTES, ofShop(BYTES, shop)]

test('one shop gets half of the slots for bytes, all shops together get all, and an ended job frees its slot', () => {
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

test('a single slot is available to any shop', () => {
  const concurrency = createJobConcurrency(1)
  const only = concurrency.enter(bytesOf(1))
  expect(concurrency.full().sort()).toEqual([BYTES, ofShop(BYTES, 1)])
  only()
  expect(concurrency.full()).toEqual([])
})

test('messages and finalization have their own slots, and leave some to quick changes', () => {
  const concurrency = createJobConcurrency(4)
  let taken = 0
  for (const flags of [bytesOf(1), bytesOf(2), [FINISH], [MESSAGE]])
    for (; !flags.some((flag) => concurrency.full().includes(flag)); taken++)
      concurrency.enter(flags)
  expect(concurrency.full()).toEqual(expect.arrayContaining([BYTES, FINISH, MESSAGE]))
  expect(taken).toBeLessThan(concurrency.places)
})
