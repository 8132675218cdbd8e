// The orders of a shop on the platform: many are read in one query, and marked with their
// delivery's state.
import { randomInt } from 'node:crypto'
import { PortError } from '../../plugins/contract/index.ts'
import type { AdminRequest, PlatformPage } from './admin-api.ts'
import { QueryFailure } from './platform-failures.ts'
import { CHANGED_ORDERS, ORDERS_BY_ID, ORDERS_COUNT, PAST_ORDERS } from './operations.ts'
import { CHANGED, readPaidUnits, type PaidUnits } from './paid-units.ts'
import { createOrderMarks, type OrderMarks } from './order-marks.ts'

export interface PlatformLine {
  id: string
  title: string
  sku: string | null
  /** The units that were ordered, without refunded and removed ones. */
  quantity: number
  requires_shipping: boolean
  product_id: string | null
  variant_id: string | null
  /** The bundle that it is a component of; null: none. */
  bundle: LineBundle | null
}

export interface LineBundle {
  /** The platform's id of this bundle in the order: its components share it. */
  id: string
  /** Bundles ordered. */
  quantity: number
  product_id: string | null
  variant_id: string | null
}

/** An order as the platform has it now. */
export interface PlatformOrder {
  id: string
  name: string
  email: string | null
  /** The phone number as the platform has it; null: it was not asked for, or there is none. */
  phone: string | null
  locale: string | null
  confirmation_number: string | null
  created_at: Date
  updated_at: Date
  cancelled_at: Date | null
  /**
   * The status for display: an edited order with a balance is `PARTIALLY_PAID`, even if it was
   * paid.
   */
  financial_status: string | null
  /** Has at least the order's total been received, edits included? */
  fully_paid: boolean
  /**
   * If an edit left a balance: the units that what was received pays. Otherwise empty, because the
   * order's status decides.
   */
  paid_units: PaidUnits
  recommendation: string
  customer_id: string | null
  /** The customer's name; null: there is no account, or the app may not read names. */
  customer_name: string | null
  lines: readonly PlatformLine[]
}

export interface ChangedOrder {
  id: string
  updated_at: Date
}

/** A page of orders, in the order in which they were placed. */
export interface PastOrdersPage {
  /** A `PortError`: this order changed while it was read. */
  orders: readonly (PlatformOrder | PortError)[]
  /** Their ids. */
  ids: readonly string[]
  /** The next page begins after it; null: there is none. */
  cursor: string | null
}

export interface OrderReading {
  signal: AbortSignal
  /** Reads phone numbers too, if the platform lets this app have them. */
  phones?: boolean
}

/** Every method throws `PortError`. */
export interface LiveOrders extends OrderMarks {
  /**
   * The result of each order, in the order given. Null: the platform has no such order (any more).
   * An error: this order could not be read, while the others could.
   */
  read(
    ids: readonly string[],
    reading: OrderReading,
  ): Promise<readonly (PlatformOrder | PortError | null)[]>
  /** The orders with this name or confirmation number: usually one. */
  find(text: string, reading: OrderReading): Promise<readonly (PlatformOrder | PortError)[]>
  /** Orders that changed since then, oldest change first. */
  changedSince(since: Date, signal: AbortSignal): AsyncIterable<readonly ChangedOrder[]>
  /** How many orders were placed since then. */
  countPlaced(since: Date, signal: AbortSignal): Promise<number>
  /** A page of the orders that were placed since then, oldest first. */
  placedSince(since: Date, cursor: string | null, reading: OrderReading): Promise<PastOrdersPage>
}

interface LineNode {
  id: string
  title: string
  sku: string | null
  currentQuantity: number
  requiresShipping: boolean
  product: { id: string } | null
  variant: { id: string } | null
  lineItemGroup: {
    id: string
    quantity: number
    productId: string | null
    variantId: string | null
  } | null
}
interface OrderNode {
  id: string
  name: string
  email: string | null
  phone?: string | null
  customerLocale: string | null
  confirmationNumber: string | null
  createdAt: string
  updatedAt: string
  cancelledAt: string | null
  displayFinancialStatus: string | null
  fullyPaid: boolean
  risk: { recommendation: string }
  customer: { id: string } | null
  namedCustomer: { displayName?: string | null } | null
  lineItems: PlatformPage<LineNode>
}

/** A query of a full group costs less than the maximum of 1,000 points. */
export const ORDERS_PER_QUERY = 38
const LINES_PER_QUERY = 5
const LINE_POINTS = 4
const ORDER_POINTS = 6
const LINES_PER_PAGE = 100
const ORDERS_PER_PAGE = 100

const COUNT_POINTS = 10

const placedQuery = (since: Date): string => `created_at:>='${since.toISOString()}'`

/** Orders of one name that are read: an order may have the name of another one. */
const MOST_FOUND = 10

/** In quotes, nothing of a text is syntax of the search but these two characters. */
const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
const namedQuery = (text: string): string =>
  [
    `name:${quoted(text)}`,
    `name:${quoted(`#${text}`)}`,
    `confirmation_number:${quoted(text)}`,
  ].join(' OR ')

/** The search may find other spellings. People leave out the `#` with which most names begin. */
const isNamed = (
  { name, confirmationNumber }: Pick<OrderNode, 'name' | 'confirmationNumber'>,
  text: string,
): boolean => {
  const plain = (one: string) => one.trim().replace(/^#/, '').toLowerCase()
  return plain(name) === plain(text) || confirmationNumber?.toUpperCase() === text.toUpperCase()
}

const pointsOf = (orders: number, lines: number) => orders * (ORDER_POINTS + lines * LINE_POINTS)

type Ask = (
  ids: readonly string[],
  lines: number,
  after: string | null,
  reading: OrderReading,
) => Promise<(OrderNode | null)[]>

export function createOrders(request: AdminRequest): LiveOrders {
  const ask: Ask = async (ids, lines, after, reading) => {
    const { signal, phones = false } = reading
    const { nodes } = await request<{ nodes: (Partial<OrderNode> | null)[] }>(
      ORDERS_BY_ID,
      { ids, lines, after, phones },
      pointsOf(ids.length, lines),
      signal,
    )
    // A node of another type has none of the fields.
    return nodes.map((node) => (node?.id === undefined ? null : (node as OrderNode)))
  }
  const whole = async (node: OrderNode, reading: OrderReading) => {
    const order = await wholeOrder(ask, node, reading)
    return order instanceof PortError ? order : withPaidUnits(request, order, reading.signal)
  }
  const wholes = async (nodes: readonly OrderNode[], reading: OrderReading) => {
    const read: (PlatformOrder | PortError)[] = []
    for (const node of nodes) read.push(await whole(node, reading))
    return read
  }
  return {
    ...createOrderMarks(request),
    read: async (ids, reading) => {
      const read: (PlatformOrder | PortError | null)[] = []
      for (let at = 0; at < ids.length; at += ORDERS_PER_QUERY) {
        const nodes = await askGroup(ask, ids.slice(at, at + ORDERS_PER_QUERY), reading)
        for (const node of nodes)
          read.push(node instanceof PortError ? node : node && (await whole(node, reading)))
      }
      return read
    },
    find: async (text, reading) => wholes(await namedNodes(request, text, reading), reading),
    changedSince: (since, signal) => changedOrders(request, since, signal),
    countPlaced: async (since, signal) => {
      const query = placedQuery(since)
      const { ordersCount } = await request<{ ordersCount: { count: number } | null }>(
        ORDERS_COUNT,
        { query },
        COUNT_POINTS,
        signal,
      )
      return ordersCount?.count ?? 0
    },
    placedSince: async (since, page, reading) => {
      const asked = { query: placedQuery(since), first: ORDERS_PER_QUERY, page }
      const { nodes, pageInfo } = await searchOrders(request, asked, reading)
      return {
        orders: await wholes(nodes, reading),
        ids: nodes.map(({ id }) => id),
        cursor: pageInfo.hasNextPage ? pageInfo.endCursor : null,
      }
    },
  }
}

/** A page of the orders that a search finds, each with its first lines. */
async function searchOrders(
  request: AdminRequest,
  asked: { query: string; first: number; page: string | null },
  { signal, phones = false }: OrderReading,
): Promise<PlatformPage<OrderNode>> {
  const { orders } = await request<{ orders: PlatformPage<OrderNode> }>(
    PAST_ORDERS,
    { ...asked, lines: LINES_PER_QUERY, after: null, phones },
    pointsOf(asked.first, LINES_PER_QUERY) + 2,
    signal,
  )
  return orders
}

async function namedNodes(
  request: AdminRequest,
  text: string,
  reading: OrderReading,
): Promise<OrderNode[]> {
  const asked = { query: namedQuery(text), first: MOST_FOUND, page: null }
  const { nodes } = await searchOrders(request, asked, reading)
  return nodes.filter((node) => isNamed(node, text))
}

/** After so many failures without an answer, the platform fails on every query. */
const MAX_FAILED_ALONE = 3

/**
 * The orders of one group. If the platform fails on their query, they are asked for one by one, because
 * one order may be the reason: it must not delay the others.
 */
async function askGroup(
  ask: Ask,
  ids: readonly string[],
  reading: OrderReading,
): Promise<(OrderNode | PortError | null)[]> {
  try {
    return await ask(ids, LINES_PER_QUERY, null, reading)
  } catch (error) {
    if (!(error instanceof QueryFailure)) throw error
    if (ids.length === 1) return [error]
  }
  const nodes = new Map<string, OrderNode | PortError | null>()
  let isAnswered = false
  // From a random one: otherwise a few such orders at the beginning would delay the others each time.
  const first = randomInt(ids.length)
  for (const id of [...ids.slice(first), ...ids.slice(0, first)]) {
    const [node = null] = await askGroup(ask, [id], reading)
    nodes.set(id, node)
    isAnswered ||= !(node instanceof PortError)
    if (!isAnswered && node instanceof PortError && nodes.size === MAX_FAILED_ALONE) throw node
  }
  return ids.map((id) => nodes.get(id) ?? null)
}

/** The order with the rest of its lines. */
async function wholeOrder(
  ask: Ask,
  node: OrderNode,
  reading: OrderReading,
): Promise<PlatformOrder | PortError> {
  const lines = [...node.lineItems.nodes]
  try {
    for (let page = node.lineItems.pageInfo; page.hasNextPage;) {
      const [next] = await ask([node.id], LINES_PER_PAGE, page.endCursor, reading)
      // All pages of an order must show the same state: it is read again if it has changed.
      if (next?.updatedAt !== node.updatedAt) return changed()
      lines.push(...next.lineItems.nodes)
      page = next.lineItems.pageInfo
    }
  } catch (error) {
    if (error instanceof PortError) return error
    throw error
  }
  return orderOf(node, lines)
}

/** Statuses of orders that may have a balance although their purchase was paid. */
const BALANCES = ['PARTIALLY_PAID', 'PARTIALLY_REFUNDED']

async function withPaidUnits(
  request: AdminRequest,
  order: PlatformOrder,
  signal: AbortSignal,
): Promise<PlatformOrder | PortError> {
  if (order.fully_paid || !BALANCES.includes(order.financial_status ?? '')) return order
  try {
    return { ...order, paid_units: await readPaidUnits(request, order, signal) }
  } catch (error) {
    if (error instanceof PortError) return error
    throw error
  }
}

const changed = () => new PortError('storefront_unavailable', CHANGED, true)

async function* changedOrders(
  request: AdminRequest,
  since: Date,
  signal: AbortSignal,
): AsyncGenerator<readonly ChangedOrder[]> {
  const query = `updated_at:>='${since.toISOString()}'`
  let after: string | null = null
  do {
    const { orders }: { orders: PlatformPage<{ id: string; updatedAt: string }> } = await request(
      CHANGED_ORDERS,
      { query, first: ORDERS_PER_PAGE, after },
      ORDERS_PER_PAGE + 2,
      signal,
    )
    yield orders.nodes.map(({ id, updatedAt }) => ({ id, updated_at: new Date(updatedAt) }))
    after = orders.pageInfo.hasNextPage ? orders.pageInfo.endCursor : null
  } while (after !== null)
}

/** The platform shows a customer without a name by the address. */
const nameOf = ({ namedCustomer, email }: OrderNode): string | null => {
  const name = namedCustomer?.displayName?.trim() ?? ''
  return name === '' || name === email || /^\S+@\S+$/.test(name) ? null : name
}

const bundleOf = (group: NonNullable<LineNode['lineItemGroup']>): LineBundle => ({
  id: group.id,
  quantity: group.quantity,
  product_id: group.productId,
  variant_id: group.variantId,
})

const orderOf = (node: OrderNode, lines: readonly LineNode[]): PlatformOrder => ({
  id: node.id,
  name: node.name,
  email: node.email,
  phone: node.phone ?? null,
  locale: node.customerLocale,
  confirmation_number: node.confirmationNumber,
  created_at: new Date(node.createdAt),
  updated_at: new Date(node.updatedAt),
  cancelled_at: node.cancelledAt === null ? null : new Date(node.cancelledAt),
  financial_status: node.displayFinancialStatus,
  fully_paid: node.fullyPaid,
  paid_units: {},
  recommendation: node.risk.recommendation,
  customer_id: node.customer?.id ?? null,
  customer_name: nameOf(node),
  lines: lines.map((line) => ({
    id: line.id,
    title: line.title,
    sku: line.sku,
    quantity: line.currentQuantity,
    requires_shipping: line.requiresShipping,
    product_id: line.product?.id ?? null,
    variant_id: line.variant?.id ?? null,
    bundle: line.lineItemGroup && bundleOf(line.lineItemGroup),
  })),
})
