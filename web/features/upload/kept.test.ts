import { afterEach, expect, test, vi } from 'vitest'
import { NOTHING_FOR_ALL } from './for-all.ts'
import {
  createMemory,
  keepBatches,
  keepForAll,
  type KeptFile,
  readBatches,
  readForAll,
  readKept,
} from './kept.ts'

const HOUR = 3_600_000
const file: KeptFile = {
  id: 'a',
  filename: 'a.pdf',
  folder: '',
  size: 3,
  on_conflict: 'error',
  batch: 'batch_1',
}

/**
 * A store like the browser's, with space for this many characters; returns a function that counts
 * the writes.
 */
function storeOf(room: number): () => number {
  const store = new Map<string, string>()
  let written = 0
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => store.get(key) ?? null,
    removeItem: (key: string) => store.delete(key),
    setItem: (key: string, text: string) => {
      if (text.length > room) throw new DOMException('full', 'QuotaExceededError')
      store.set(key, text)
      written += 1
    },
  })
  return () => written
}
afterEach(() => vi.unstubAllGlobals())

test('the current batch is stored if its files change, or every hour; it is kept for a day', () => {
  const written = storeOf(1000)
  let now = 10 * HOUR
  const memory = createMemory('shop', () => now)
  for (let redraw = 0; redraw < 4; redraw++) expect(memory([file])).toBe(true)
  expect(written()).toBe(1)
  now += HOUR
  memory([file])
  memory([file, { ...file, id: 'b' }])
  expect(written()).toBe(3)
  expect(readKept('shop', now + 23 * HOUR)).toHaveLength(2)
  expect(readKept('shop', now + 25 * HOUR)).toEqual([])
  memory([])
  expect(readKept('shop', now)).toEqual([])
})

test('a full store is reported, and outdated values are removed from it', () => {
  storeOf(300)
  const memory = createMemory('shop', () => 0)
  const many = Array.from({ length: 10 }, (_, n) => ({ ...file, id: `${n}` }))
  expect([memory([file]), memory(many), memory(many)]).toEqual([true, false, false])
  expect(readKept('shop', 0)).toEqual([])
  expect(memory([file])).toBe(true)
})

test('unfinished imports are found again, for a day', () => {
  storeOf(1000)
  keepBatches('shop', ['batch_1', 'batch_2'], HOUR)
  expect(readBatches('shop', 24 * HOUR)).toEqual(['batch_1', 'batch_2'])
  expect(readBatches('other', 24 * HOUR)).toEqual([])
  expect(readBatches('shop', 26 * HOUR)).toEqual([])
  keepBatches('shop', [], 2 * HOUR)
  expect(readBatches('shop', 2 * HOUR)).toEqual([])
})

test('what is chosen for all files is kept for a day', () => {
  storeOf(1000)
  const choices = { ...NOTHING_FOR_ALL, tags: ['spring'], expiry_days: '9' }
  expect(readForAll('shop', HOUR)).toEqual(NOTHING_FOR_ALL)
  keepForAll('shop', choices, HOUR)
  expect(readForAll('shop', 24 * HOUR)).toEqual(choices)
  expect(readForAll('other', 24 * HOUR)).toEqual(NOTHING_FOR_ALL)
  expect(readForAll('shop', 26 * HOUR)).toEqual(NOTHING_FOR_ALL)
})
