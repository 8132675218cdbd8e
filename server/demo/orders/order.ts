// An order of the demo shop, and its changes: paid, refunded, edited, cancelled, judged, fulfilled.
// Plain data, so that it can be stored as JSON.

export interface DemoLine {
  id: number
  /** The keys by which rows of the catalog are found. */
  productId: number
  variantId: number
  title: string
  sku: string
  quantity: number
  currentQuantity: number
  fulfilled: number
  /** Where it is sent from: the lines of one location are one fulfilment order. Absent: 0. */
  location?: number | undefined
  /** The bundle that it is a component of. */
  bundle?: { id: number; title: string; quantity: number; productId: number; variantId: number }
  /** Was the line added by an edit, and not paid yet? */
  owed?: boolean
  /** Units that an edit added to the line, and that are not paid yet. */
  owedUnits?: number
}

export interface DemoFulfilment {
  id: number
  notified: boolean
  tracking: { company: string | null; url: string | null } | null
  /** The numbers of its lines. */
  lines: readonly number[]
}

export type Recommendation = 'ACCEPT' | 'CANCEL' | 'INVESTIGATE' | 'NONE'

/** A customer's account, as far as it was changed. */
export interface DemoCustomer {
  id: number
  tags: readonly string[]
  updatedAt: string
}

export interface DemoOrder {
  id: number
  name: string
  confirmationNumber: string
  /**
   * The customer's address; null: only a phone number was given, or the order was placed at a till.
   */
  email: string | null
  phone?: string | null
  locale: string | null
  /** The customer's name; absent: none was given. */
  customerName?: string | undefined
  /** Null: a guest, who has no account. */
  customerId: number | null
  createdAt: string
  updatedAt: string
  cancelledAt: string | null
  financialStatus: string
  /** Was only half of it paid when it was placed? */
  deposit?: boolean
  /** Where it was placed. */
  source?: string
  recommendation: Recommendation
  lines: DemoLine[]
  tags: string[]
  metafields: { namespace: string; key: string; type: string; value: string }[]
  fulfilments: DemoFulfilment[]
  /** Are its lines on hold, or not assigned to a location yet? */
  delayed?: 'held' | 'unassigned'
}

/** Units to refund or to add, by a line's SKU or id. */
export interface LineChange {
  sku?: string
  id?: string
  quantity: number
}

/** A request that the order's state does not allow. The message is for the caller. */
export class OrderProblem extends Error {}

/** Pays what is owed. */
export function pay(order: DemoOrder): void {
  if (order.cancelledAt !== null) throw new OrderProblem('The order was cancelled')
  for (const line of order.lines) [line.owed, line.owedUnits] = [false, 0]
  order.deposit = false
  const refunded = order.lines.some((line) => line.currentQuantity < line.quantity)
  order.financialStatus = refunded ? 'PARTIALLY_REFUNDED' : 'PAID'
}

export const isFullyPaid = ({ financialStatus, deposit = false, lines }: DemoOrder): boolean =>
  !deposit &&
  !['PENDING', 'AUTHORIZED', 'EXPIRED', 'VOIDED'].includes(financialStatus) &&
  !lines.some((line) => owedOf(line) > 0 && line.currentQuantity > 0)

/** Units of the line that are not paid yet. */
export const owedOf = ({ owed = false, owedUnits = 0, quantity }: DemoLine): number =>
  owed ? quantity : owedUnits

/** Refunds units; without `lines` all of them. */
export function refund(order: DemoOrder, lines: readonly LineChange[] | null): void {
  if (order.cancelledAt !== null) throw new OrderProblem('The order was cancelled')
  if (lines === null) for (const line of order.lines) line.currentQuantity = 0
  else for (const change of lines) take(lineOf(order, change), change.quantity)
  const left = order.lines.some(({ currentQuantity }) => currentQuantity > 0)
  order.financialStatus = left ? 'PARTIALLY_REFUNDED' : 'REFUNDED'
}

export function cancel(order: DemoOrder, now: Date): void {
  if (order.cancelledAt !== null) throw new OrderProblem('The order was cancelled before')
  for (const line of order.lines) line.currentQuantity = 0
  order.cancelledAt = now.toISOString()
  order.financialStatus = 'REFUNDED'
}

export interface OrderEdit {
  /** Sets the quantity of these if the order has them, and adds the others. */
  lines: readonly DemoLine[]
  /** Does what `lines` adds leave a balance? */
  unpaid: boolean
  /** Adds these, which leaves a balance. */
  add: readonly DemoLine[]
}

export function edit(order: DemoOrder, { lines, unpaid, add }: OrderEdit): void {
  if (order.cancelledAt !== null) throw new OrderProblem('The order was cancelled')
  for (const line of lines) {
    const there = order.lines.find(({ variantId }) => variantId === line.variantId)
    if (!there) order.lines.push({ ...line, owed: unpaid })
    else setUnits(there, line.quantity, unpaid)
  }
  for (const line of add) order.lines.push({ ...line, owed: true })
  const owes = order.lines.some((line) => owedOf(line) > 0)
  const isPaid = ['PAID', 'PARTIALLY_REFUNDED'].includes(order.financialStatus)
  if (owes && isPaid) order.financialStatus = 'PARTIALLY_PAID'
}

function setUnits(line: DemoLine, units: number, unpaid: boolean): void {
  const added = Math.max(0, units - line.currentQuantity)
  line.currentQuantity = units
  if (!unpaid || line.owed) return
  line.quantity += added
  line.owedUnits = (line.owedUnits ?? 0) + added
}

export const locationOf = ({ location = 0 }: DemoLine): number => location

/** Fulfils units of lines of one location; returns what was wrong, or null. */
export function fulfil(
  order: DemoOrder,
  location: number,
  lines: readonly { id: number; quantity: number }[],
  about: Omit<DemoFulfilment, 'id' | 'lines'>,
): string | null {
  const fulfilled: { line: DemoLine; quantity: number }[] = []
  for (const { id, quantity } of lines) {
    const line = order.lines.find((one) => one.id === id && locationOf(one) === location)
    if (!line || quantity < 1 || quantity > line.currentQuantity - line.fulfilled)
      return 'Fulfillment order does not exist or has no such quantity to fulfill.'
    fulfilled.push({ line, quantity })
  }
  for (const { line, quantity } of fulfilled) line.fulfilled += quantity
  order.fulfilments.push({
    id: order.id * 100 + order.fulfilments.length + 1,
    ...about,
    lines: fulfilled.map(({ line }) => line.id),
  })
  return null
}

const take = (line: DemoLine, quantity: number) => {
  if (quantity > line.currentQuantity)
    throw new OrderProblem(`${line.sku} has ${line.currentQuantity} left to refund`)
  line.currentQuantity -= quantity
}

function lineOf(order: DemoOrder, { sku, id }: LineChange): DemoLine {
  const line = order.lines.find((one) =>
    id === undefined ? one.sku === sku : id.endsWith(`/${one.id}`) || id === String(one.id),
  )
  if (!line) throw new OrderProblem(`The order has no line ${sku ?? id}`)
  return line
}
