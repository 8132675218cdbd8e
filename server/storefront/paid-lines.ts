// Which lines of an order with a balance are paid. An order consists of agreements: the purchase, and
// each edit. What was received pays them in their order, so a purchase that was paid stays paid when
// an edit leaves a balance.
import { PortError } from '../../plugins/contract.ts'
import type { AdminRequest } from './admin-api.ts'
import { ORDER_PAYMENT } from './operations.ts'

interface Money {
  shopMoney: { amount: string }
}
interface Agreement {
  reason: string
  sales: {
    nodes: { totalAmount: Money; lineItem?: { id: string } | null }[]
    pageInfo: { hasNextPage: boolean }
  }
}
interface OrderPayment {
  updatedAt: string
  totalReceivedSet: Money
  agreements: { nodes: Agreement[] }
}

/** A query of them costs less than the maximum of 1,000 points. */
const AGREEMENTS = 4
const SALES = 50
const POINTS = 5 + AGREEMENTS * (3 + SALES * 4)
/** Half of the smallest unit of most currencies: amounts are decimal fractions. */
const TOLERANCE = 0.005

/** Refunds and returns are followed by the lines' quantities. */
const ADDS = ['ORDER', 'ORDER_EDIT']

/**
 * Ids of the lines of all agreements that are paid whole. An agreement with more sales than one
 * query reads, and those after it, count as unpaid.
 */
export function paidLinesOf({ totalReceivedSet, agreements }: OrderPayment): string[] {
  const received = Number(totalReceivedSet.shopMoney.amount)
  const paid: string[] = []
  let due = 0
  for (const { reason, sales } of agreements.nodes) {
    if (!ADDS.includes(reason)) continue
    due += sales.nodes.reduce((sum, { totalAmount: of }) => sum + Number(of.shopMoney.amount), 0)
    if (sales.pageInfo.hasNextPage || due > received + TOLERANCE) break
    paid.push(...sales.nodes.flatMap(({ lineItem }) => lineItem?.id ?? []))
  }
  return paid
}

/**
 * Throws `PortError`, also if the order changed since it was read.
 * @param order the platform's id.
 */
export async function readPaidLines(
  shop: number,
  request: AdminRequest,
  order: { id: string; updated_at: Date },
  signal: AbortSignal,
): Promise<string[]> {
  const variables = { id: order.id, agreements: AGREEMENTS, sales: SALES }
  const found = await request<{ order: OrderPayment | null }>(
    ...[shop, ORDER_PAYMENT, variables, POINTS, signal],
  )
  if (!found.order || +new Date(found.order.updatedAt) !== +order.updated_at)
    throw new PortError('storefront_unavailable', 'The order changed while it was read', true)
  return paidLinesOf(found.order)
}
