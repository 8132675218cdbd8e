// Which units of the lines of an order with a balance are paid. An order consists of agreements: the
// purchase, and each edit. What was received pays them in their order, so a purchase that was paid
// stays paid when an edit leaves a balance.
import { PortError, sayPlain } from '../../plugins/contract/index.ts'
import type { AdminRequest, PlatformPage } from './admin-api.ts'
import { ORDER_PAYMENT } from './operations.ts'

export const CHANGED = sayPlain('The order changed while it was read')

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
  sales: PlatformPage<Sale>
}
interface OrderPayment {
  updatedAt: string
  totalReceivedSet: Money
  agreements: PlatformPage<Agreement>
}

/** A query of a size costs less than the maximum of 1,000 points. */
const MANY_AGREEMENTS = { agreements: 4, sales: 50 }
const MANY_SALES = { agreements: 1, sales: 200 }
const pointsOf = ({ agreements, sales }: typeof MANY_SALES) => 5 + agreements * (3 + sales * 4)
/** Half of the smallest unit of most currencies: amounts are decimal fractions. */
const TOLERANCE = 0.005

/** Refunds and returns are followed by the lines' quantities. */
const ADDS = ['ORDER', 'ORDER_EDIT']

/** Units by the platform's id of their line. */
export type PaidUnits = Readonly<Record<string, number>>

/**
 * The paid ones of the units that each line has now: those of all agreements that are paid whole,
 * without those that a later agreement added. A line without paid units is absent.
 * @param lines their units are those that are neither refunded nor removed.
 */
export function paidUnitsOf(
  totalReceivedSet: Money,
  agreements: readonly { reason: string; sales: { nodes: readonly Sale[] } }[],
  lines: readonly { id: string; quantity: number }[],
): PaidUnits {
  const received = Number(totalReceivedSet.shopMoney.amount)
  const [paid, owed] = [new Map<string, number>(), new Map<string, number>()]
  let due = 0
  let isPaid = true
  for (const { reason, sales } of agreements) {
    if (!ADDS.includes(reason)) continue
    due += sales.nodes.reduce((sum, { totalAmount: of }) => sum + Number(of.shopMoney.amount), 0)
    isPaid &&= due <= received + TOLERANCE
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
  request: AdminRequest,
  order: { id: string; updated_at: Date; lines: readonly { id: string; quantity: number }[] },
  signal: AbortSignal,
): Promise<PaidUnits> {
  const read = async (
    size: typeof MANY_SALES,
    after: string | null,
    salesAfter: string | null = null,
  ) => {
    const variables = { id: order.id, ...size, after, salesAfter }
    const found = await request<{ order: OrderPayment | null }>(
      ORDER_PAYMENT,
      variables,
      pointsOf(size),
      signal,
    )
    if (!found.order || +new Date(found.order.updatedAt) !== +order.updated_at)
      throw new PortError('storefront_unavailable', CHANGED, true)
    return found.order
  }
  const agreements: Agreement[] = []
  for (let after: string | null = null; ;) {
    let found: OrderPayment = await read(MANY_AGREEMENTS, after)
    if (found.agreements.nodes.some(({ sales }) => sales.pageInfo.hasNextPage))
      found = await withAllSales((salesAfter) => read(MANY_SALES, after, salesAfter))
    agreements.push(...found.agreements.nodes)
    const { pageInfo } = found.agreements
    if (!pageInfo.hasNextPage) return paidUnitsOf(found.totalReceivedSet, agreements, order.lines)
    after = pageInfo.endCursor
  }
}

/** One agreement with all of its sales. */
async function withAllSales(
  read: (salesAfter: string | null) => Promise<OrderPayment>,
): Promise<OrderPayment> {
  const first = await read(null)
  const [agreement] = first.agreements.nodes
  let page = agreement?.sales.pageInfo
  while (agreement && page?.hasNextPage) {
    const more: Agreement | undefined = (await read(page.endCursor)).agreements.nodes[0]
    agreement.sales.nodes.push(...(more?.sales.nodes ?? []))
    page = more?.sales.pageInfo
  }
  return first
}
