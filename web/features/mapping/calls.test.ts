import { expect, test } from 'vitest'
import { isClear } from './calls.ts'

const candidate = (product_id: string, score: number, variant_id: string | null = null) => ({
  product_id,
  score,
  variant_id,
  product_title: product_id,
  sku: null,
  image: null,
  variant_title: null,
  method: 'title' as const,
  reason: '',
})

test('a file has a clear match if no other product has the same score', () => {
  expect(isClear({ candidates: [] })).toBe(false)
  expect(isClear({ candidates: [candidate('a', 0.9)] })).toBe(true)
  expect(isClear({ candidates: [candidate('a', 0.9), candidate('b', 0.9)] })).toBe(false)
  expect(
    isClear({
      candidates: [candidate('a', 0.9), candidate('a', 0.9, 'blue'), candidate('b', 0.89)],
    }),
  ).toBe(true)
})
