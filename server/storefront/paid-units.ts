// Which units of the lines of an order with a balance are paid. An order consists of agreements: the
// purchase, and each edit. What was received pays them in their order, so a purchase that was paid
// stays paid when an edit leaves a balance.
import { PortError } from '../../plugins/contract.ts'
import type { AdminRequest } from './admin-api.ts'
import { ORDER_PAYMENT } from './operations.ts'

interface Money {
  shopMoney: { amount: string }
}
interface Sale {
  /** `ORDER` adds units, `RETURN` removes them, `UPDATE` changes their price. */
  actionType: string
  /** The sign of removed units is not documented. */
  quantity: number | null
  totalAmount: Money
  lineItem?: { id: string } | null
}
interface Agreement {
  reason: string
  sales: { nodes: Sale[]; pageInfo: { hasNextPage: boolean } }
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

/** Units by the platform's id of their line. */
export type PaidUnits = Readonly<Record<string, number>>

/**
 * The paid ones of the units that each line has now: those of all agreements that are paid whole,
 * without those that a later agreement added. An agreement with more sales than one query reads, and
 * those after it, count as unpaid. A line without paid units is absent.
 * @param lines their units are those that are neither refunded nor removed.
 */
export function paidUnitsOf(
  { totalReceivedSet, agreements }: Pick<OrderPayment, 'totalReceivedSet' | 'agreements'>,
  lines: readonly { id: string; quantity: number }[],
): PaidUnits {
  const received = Number(totalReceivedSet.shopMoney.amount)
  const [paid, owed] = [new Map<string, number>(), new Map<string, number>()]
  let due = 0
  let isPaid = true
  for (const { reason, sales } of agreements.nodes) {
    if (!ADDS.includes(reason)) continue
    due += sales.nodes.reduce((sum, { totalAmount: of }) => sum + Number(of.shopMoney.amount), 0)
    isPaid &&= !sales.pageInfo.hasNextPage && due <= received + TOLERANCE
    for (const sale of sales.nodes) addUnits(isPaid ? paid : owed, sale)
  }
  const units = lines.map(({ id, quantity }) => {
    const left = quantity - Math.max(0, owed.get(id) ?? 0)
    return [id, Math.min(paid.get(id) ?? 0, left)] as const
  })
  return Object.fromEntries(units.filter(([, count]) => count > 0))
}

function addUnits(to: Map<string, number>, { actionType, quantity, lineItem }: Sale): void {
  if (!lineItem || quantity === null || !['ORDER', 'RETURN'].includes(actionType)) return
  const units = actionType === 'ORDER' ? quantity : -Math.abs(quantity)
  to.set(lineItem.id, (to.get(lineItem.id) ?? 0) + units)
}

/**
 * Throws `PortError`, also if the order changed since it was read.
 * @param order with the platform's id.
 */
export async function readPaidUnits(
  shop: number,
  request: AdminRequest,
  order: { id: string; updated_at: Date; lines: readonly { id: string; quantity: number }[] },
  signal: AbortSignal,
): Promise<PaidUnits> {
  const variables = { id: order.id, agreements: AGREEMENTS, sales: SALES }
  const found = await request<{ order: OrderPayment | null }>(
    ...[shop, ORDER_PAYMENT, variables, POINTS, signal],
  )
  if (!found.order || +new Date(found.order.updatedAt) !== +order.updated_at)
    throw new PortError('storefront_unavailable', 'The order changed while it was read', true)
  return paidUnitsOf(found.order, order.lines)
}
