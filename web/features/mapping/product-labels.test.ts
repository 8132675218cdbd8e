import { expect, test } from 'vitest'
import { type Mirror } from './calls.ts'
import { mirrorText } from './product-labels.ts'

const ready: Mirror = {
  status: 'ready',
  products: 1204,
  progress: null,
  refreshed_at: '2026-09-29T12:05:00Z',
  error: null,
}
const text = (part: Partial<Mirror>) => mirrorText({ ...ready, ...part }, 'en-GB')

test('shows the number of products, their age, and the error of the last refresh', () => {
  expect(text({})).toMatch(/^1,204 products, as of 29 Sept? 2026, \d\d:05\.$/)
  expect(text({ status: 'never', refreshed_at: null })).toBe('The products have not been read yet.')
  expect(text({ status: 'refreshing', progress: 900 })).toBe(
    'Reading the products: 900 rows so far.',
  )
  expect(text({ status: 'failed', error: 'The platform did not answer' })).toMatch(
    /^The products could not be read: The platform did not answer\. 1,204 products, as of/,
  )
})
