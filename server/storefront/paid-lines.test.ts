import { expect, test } from 'vitest'
import { paidLinesOf } from './paid-lines.ts'

const money = (amount: number) => ({ shopMoney: { amount: amount.toFixed(2) } })
const agreement = (reason: string, sales: readonly [string | null, number][], more = false) => ({
  reason,
  sales: {
    nodes: sales.map(([id, amount]) => ({
      totalAmount: money(amount),
      ...(id === null ? {} : { lineItem: { id } }),
    })),
    pageInfo: { hasNextPage: more },
  },
})
const paid = (received: number, ...agreements: ReturnType<typeof agreement>[]) =>
  paidLinesOf({
    updatedAt: '2026-10-01T12:00:00Z',
    totalReceivedSet: money(received),
    agreements: { nodes: agreements },
  })

// With shipping, which has no line.
const purchase = agreement('ORDER', [
  ['a', 19.99],
  ['b', 10.01],
  [null, 4.9],
])

test('a purchase that was paid stays paid when an edit leaves a balance', () => {
  expect(paid(34.9, purchase, agreement('ORDER_EDIT', [['c', 20]]))).toEqual(['a', 'b'])
})
test('a deposit pays nothing', () => {
  expect(paid(10, purchase)).toEqual([])
  expect(paid(34.89, purchase)).toEqual([])
})
test('edits are paid in their order', () => {
  const edits = [agreement('ORDER_EDIT', [['c', 20]]), agreement('ORDER_EDIT', [['d', 5]])]
  expect(paid(54.9, purchase, ...edits)).toEqual(['a', 'b', 'c'])
  // An edit that removes something makes room.
  expect(
    paid(
      34.9,
      purchase,
      agreement('ORDER_EDIT', [
        ['b', -10.01],
        ['e', 10.01],
      ]),
    ),
  ).toEqual(['a', 'b', 'b', 'e'])
})
test('a refund changes nothing: the quantities of the lines follow it', () => {
  const refund = agreement('REFUND', [['a', -19.99]])
  expect(paid(34.9, purchase, refund, agreement('ORDER_EDIT', [['c', 20]]))).toEqual(['a', 'b'])
})
test('a sum that is not known whole pays nothing', () => {
  expect(paid(1000, agreement('ORDER', [['a', 1]], true))).toEqual([])
})
