import { expect, test } from 'vitest'
import { requestedBy, requestedText } from './labels.ts'

const order = (n: number) => `gid://shopify/Order/${n}`

test('names customers and orders by their numbers', () => {
  expect(requestedBy({ customer_id: 'gid://shopify/Customer/7' })).toBe('Customer 7')
  expect(requestedBy({ customer_id: null })).toBe('A customer without an account')
  const ids = Array.from({ length: 7 }, (_, n) => order(n + 1))
  const all = 'All data that is stored about them'
  expect(requestedText({ order_ids: [] })).toBe(all)
  expect(requestedText({ order_ids: ids.slice(0, 2) })).toBe(`${all}, and the orders 1 and 2`)
  expect(requestedText({ order_ids: ids })).toContain('4, 5, and 2 more orders')
})
