import { expect, test } from 'vitest'
import { paidUnitsOf } from './paid-units.ts'

const money = (amount: number) => ({ shopMoney: { amount: amount.toFixed(2) } })
type Sale = [line: string | null, amount: number, units?: number]
/** Units below zero are returned; none: the price changes. */
const agreement = (reason: string, sales: readonly Sale[], more = false) => ({
  reason,
  sales: {
    nodes: sales.map(([id, amount, units = 1]) => ({
      actionType: units === 0 ? 'UPDATE' : units < 0 ? 'RETURN' : 'ORDER',
      ...{ quantity: units, totalAmount: money(amount) },
      ...(id === null ? {} : { lineItem: { id } }),
    })),
    pageInfo: { hasNextPage: more },
  },
})
type Units = Record<string, number>
const paid = (received: number, now: Units, ...agreements: ReturnType<typeof agreement>[]) =>
  paidUnitsOf(
    { totalReceivedSet: money(received), agreements: { nodes: agreements } },
    Object.entries(now).map(([id, quantity]) => ({ id, quantity })),
  )

// With shipping, which has no line.
const purchase = agreement('ORDER', [
  ['a', 19.99],
  ['b', 10.01],
  [null, 4.9],
])
const [a, b] = [1, 1]

test('a purchase that was paid stays paid when an edit leaves a balance', () => {
  expect(paid(34.9, { a, b, c: 1 }, purchase, agreement('ORDER_EDIT', [['c', 20]]))).toEqual({
    ...{ a, b },
  })
})
test('a deposit pays nothing', () => {
  expect(paid(10, { a, b }, purchase)).toEqual({})
  expect(paid(34.89, { a, b }, purchase)).toEqual({})
})
test('edits are paid in their order', () => {
  const edits = [agreement('ORDER_EDIT', [['c', 20]]), agreement('ORDER_EDIT', [['d', 5]])]
  expect(paid(54.9, { a, b, c: 1, d: 1 }, purchase, ...edits)).toEqual({ a, b, c: 1 })
  // An edit that removes something makes room.
  const swap = agreement('ORDER_EDIT', [
    ['b', -10.01, -1],
    ['e', 10.01],
  ])
  expect(paid(34.9, { a, b: 0, e: 1 }, purchase, swap)).toEqual({ a, e: 1 })
})
test('units that an unpaid edit adds to a line are not paid', () => {
  const three = agreement('ORDER', [['a', 30, 3]])
  const more = agreement('ORDER_EDIT', [['a', 20, 2]])
  expect(paid(30, { a: 5 }, three, more)).toEqual({ a: 3 })
  expect(paid(50, { a: 5 }, three, more)).toEqual({ a: 5 })
  expect(paid(30, { a: 5 }, three, agreement('ORDER_EDIT', [['a', 5, 0]]), more)).toEqual({ a: 3 })
})
test('a refund takes its units from those that are paid', () => {
  const three = agreement('ORDER', [['a', 30, 3]])
  const refund = agreement('REFUND', [['a', -10, -1]])
  expect(paid(30, { a: 3 }, three, refund, agreement('ORDER_EDIT', [['a', 10]]))).toEqual({ a: 2 })
  const all = agreement('REFUND', [['a', -30, -3]])
  expect(paid(30, { a: 1 }, three, all, agreement('ORDER_EDIT', [['a', 40]]))).toEqual({})
})
test('a sum that is not known whole pays nothing', () => {
  expect(paid(1000, { a }, agreement('ORDER', [['a', 1]], true))).toEqual({})
})
