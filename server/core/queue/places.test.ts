import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BYTES, FINISH, jobLimits, MESSAGE, QUICK_PLACES } from './queue.ts'
import { createPlaces, ofShop, ofSmall, plainLimits, waitingLimits, type Places } from './places.ts'

const SLOW_MS = 5000
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const open = (batches: number) => createPlaces(jobLimits(batches), SLOW_MS)
const bytesOf = (shop: number) => [BYTES, ofShop(BYTES, shop)]
/** Enters as often as places are free. */
function fill(places: Places, flags: readonly string[]): (() => void)[] {
  const left: (() => void)[] = []
  while (!flags.some((flag) => places.full().includes(flag))) left.push(places.enter(flags))
  return left
}

test('one shop gets half of the places, all shops together get all, and an ended job frees its place', () => {
  const places = open(4)
  const [first] = fill(places, bytesOf(1))
  expect(places.full()).toEqual([ofShop(BYTES, 1)])
  places.enter(bytesOf(2))
  places.enter(bytesOf(3))
  expect(places.full().sort()).toEqual([BYTES, ofShop(BYTES, 1)])
  first!()
  expect(places.full()).toEqual([])
})

test('the more shops have work, the fewer places has one of them', () => {
  const places = open(8)
  const large = fill(places, bytesOf(1))
  expect(large).toHaveLength(4)
  const others = [2, 3, 4, 5].map((shop) => places.enter(bytesOf(shop)))
  large.forEach((leave) => leave())
  // Five shops share eight places.
  const less = fill(places, bytesOf(1))
  expect(less).toHaveLength(2)
  // A shop whose job has just ended is about to queue the next one.
  others.forEach((leave) => leave())
  less.forEach((leave) => leave())
  expect(fill(places, bytesOf(1))).toHaveLength(2)
})

test('beside its large operations a shop has one place for small ones', () => {
  const places = open(8)
  const small = [BYTES, ofSmall(BYTES, 1)]
  const large = fill(places, bytesOf(1))
  expect(large).toHaveLength(4)
  const [only, ...more] = fill(places, small)
  expect(more).toEqual([])
  expect(places.full().sort()).toEqual([ofShop(BYTES, 1), ofSmall(BYTES, 1)])
  // Small ones alone have as many as any, and count for the shop.
  only!()
  large.forEach((leave) => leave())
  expect(fill(places, small)).toHaveLength(5)
  expect(places.full()).toContain(ofShop(BYTES, 1))
  // The places of all shops remain the limit.
  for (const shop of [2, 3, 4]) places.enter(bytesOf(shop))
  expect(places.full()).toContain(BYTES)
})

test('a shop whose jobs take long keeps the place for small ones', () => {
  const places = open(4)
  const slow = fill(places, bytesOf(1))
  vi.advanceTimersByTime(SLOW_MS)
  expect(slow).toHaveLength(2)
  expect(fill(places, [BYTES, ofSmall(BYTES, 1)])).toHaveLength(1)
})

test('a single place is available to any shop', () => {
  const places = open(1)
  const [only] = fill(places, bytesOf(1))
  expect(places.full().sort()).toEqual([BYTES, ofShop(BYTES, 1)])
  only!()
  expect(places.full()).toEqual([])
})

test('messages and finalization have their own places, and leave some to quick changes', () => {
  const places = open(4)
  for (const flags of [bytesOf(1), bytesOf(2), [FINISH], [MESSAGE]]) fill(places, flags)
  expect(places.full()).toEqual(expect.arrayContaining([BYTES, FINISH, MESSAGE]))
  expect(places.enter(['quick'])).not.toThrow()
  expect(QUICK_PLACES).toBeGreaterThan(0)
})

test('jobs that take long leave the usual places to other shops, and so do the next ones of their shop', () => {
  const places = open(4)
  const slow = [1, 2].flatMap((shop) => fill(places, bytesOf(shop)))
  expect(slow).toHaveLength(4)
  expect(places.full()).toContain(BYTES)
  vi.advanceTimersByTime(SLOW_MS)
  // The shops have no more places than before.
  expect(places.full().sort()).toEqual([ofShop(BYTES, 1), ofShop(BYTES, 2)])
  slow.forEach((leave) => leave())
  for (const shop of [1, 2]) expect(fill(places, bytesOf(shop))).toHaveLength(2)
  expect(places.full()).not.toContain(BYTES)
  expect(fill(places, bytesOf(3))).toHaveLength(2)
  expect(fill(places, bytesOf(4))).toHaveLength(2)
})

test('a shop is no longer slow after a quick job', () => {
  const places = open(2)
  const leave = places.enter(bytesOf(1))
  vi.advanceTimersByTime(SLOW_MS)
  leave()
  places.enter(bytesOf(1))()
  expect([places.enter(bytesOf(2)), places.enter(bytesOf(3))]).toHaveLength(2)
  expect(places.full()).toContain(BYTES)
})

test('a kind without slow places has no slow shops', () => {
  const places = createPlaces(new Map([['sweep', plainLimits(2)]]), SLOW_MS)
  const flags = ['sweep', ofShop('sweep', 1)]
  const leave = places.enter(flags)
  vi.advanceTimersByTime(SLOW_MS)
  leave()
  expect(places.full()).toEqual([])
  expect(fill(places, flags)).toHaveLength(2)
})

test('more slow jobs than slow places keep the usual ones, until a slow place is free', () => {
  const places = open(2)
  const { slowPlaces } = waitingLimits(2)
  const shops = Array.from({ length: slowPlaces + 2 }, (_, n) => n)
  const leaves = shops.map((shop, n) => {
    if (n % 2 === 0) vi.advanceTimersByTime(SLOW_MS)
    return places.enter(bytesOf(shop))
  })
  vi.advanceTimersByTime(SLOW_MS)
  expect(places.full()).toContain(BYTES)
  // The next job of a shop that was slow waits for a slow place.
  leaves[0]!()
  vi.advanceTimersByTime(SLOW_MS)
  expect(places.full()).not.toContain(BYTES)
  expect(places.full()).toContain(ofShop(BYTES, 0))
})
