// Fulfils the lines of orders that need no shipping, as far as the platform lets them be fulfilled
// now. A fulfilment takes lines of one location, so each fulfilment order gets its own.
import { PortError } from '../../plugins/contract/index.ts'
import { zip } from '../core/lazy.ts'
import {
  MUTATION_POINTS,
  type AdminRequest,
  type PlatformPage,
  inGroups,
  type ChangeOrders,
  type MarkResult,
} from './admin-api.ts'
import {
  FULFILMENT_OF_ORDERS,
  FULFILMENT_ORDER_LINES,
  FULFILMENTS_OF_ORDER,
  fulfilOrders,
  WHOLE_ORDER_FULFILMENT,
  type GraphqlOperation,
} from './operations.ts'

export interface FulfilmentRequest {
  order: string
  /** The platform's ids of the lines to fulfil. */
  lines: readonly string[]
  /**
   * The address in the mail with which the platform notifies the buyer, and the platform's ids of the
   * lines about which nobody has told the buyer yet; null: it sends none.
   */
  notify: { company: string; url: string; untold: readonly string[] } | null
}

type Page = PlatformPage<object>['pageInfo']

interface FulfilmentLine {
  id: string
  remainingQuantity: number
  lineItem: { id: string; requiresShipping: boolean }
}

interface FulfilmentOrder {
  id: string
  status: string
  supportedActions: { action: string }[]
  lineItems: PlatformPage<FulfilmentLine>
}

interface OrderNode {
  fulfillmentOrders: PlatformPage<FulfilmentOrder>
}

export interface FulfilResult {
  /** Null: all lines that could be fulfilled are. */
  error: MarkResult
  /**
   * Has the platform sent its mail? It sends none if no line could be fulfilled, because they are
   * fulfilled already, on hold or shipped.
   */
  told: boolean
  /**
   * Lines that may be fulfilled later: they are on hold, as during an offer after the purchase, or the
   * platform has not assigned the order to a location yet, which takes it seconds to minutes.
   */
  later: 'held' | 'unassigned' | null
}

/** Queries of so many orders stay below the 1,000 points that one may cost. */
const ORDERS_PER_QUERY = 15
const ORDER_POINTS = 55
const WHOLE_ORDER_POINTS = 530
const LINES_POINTS = 405
const FULFILMENTS_POINTS = 445
const FULFILMENTS_PER_REQUEST = 25

type Read = <Data>(
  operation: GraphqlOperation,
  variables: Record<string, unknown>,
  points: number,
) => Promise<Data>

/** Fulfils lines of orders. May be repeated: what is fulfilled already is not open any more. */
export function fulfilLines(
  request: AdminRequest,
  change: ChangeOrders,
  wanted: readonly FulfilmentRequest[],
  signal: AbortSignal,
): Promise<readonly FulfilResult[]> {
  const read: Read = (operation, variables, points) => request(operation, variables, points, signal)
  return inGroups(wanted, ORDERS_PER_QUERY, async (group) => {
    const all = await readAll(
      read,
      group.map(({ order }) => order),
    )
    const made = zip(group, all).flatMap(([one, orders]) => fulfilmentsOf(one, orders ?? []))
    const results = await inGroups(made, FULFILMENTS_PER_REQUEST, (some) =>
      create(change, some, signal),
    )
    const byOrder = Map.groupBy(zip(made, results), ([one]) => one.order)
    const ended: FulfilResult[] = []
    for (const [wanted, orders] of zip(group, all)) {
      const own = (byOrder.get(wanted.order) ?? []).map(([, result]) => result)
      const told = await isTold(read, wanted, orders ?? [], own[0])
      const objection = own.find((result) => result !== null) ?? null
      ended.push({
        // Not the objection: our mail would follow, and the platform may have told the buyer.
        error: told instanceof PortError ? told : objection,
        told: told === true,
        later: laterOf(wanted, orders),
      })
    }
    return ended
  })
}

/**
 * Was the buyer notified, now or by an earlier request? An error, if the platform does not say: it is
 * that of one order.
 * @param first the result of the fulfilment that notifies the buyer; absent: there was none to make
 */
async function isTold(
  read: Read,
  wanted: FulfilmentRequest,
  orders: readonly FulfilmentOrder[],
  first: MarkResult | undefined,
): Promise<boolean | PortError> {
  if (wanted.notify === null || orders.length === 0) return false
  if (first === null) return true
  // Lines that are left, as on hold, were in no fulfilment.
  const left = new Set(
    orders.flatMap(({ lineItems: { nodes } }) =>
      nodes.filter((line) => line.remainingQuantity > 0).map(({ lineItem }) => lineItem.id),
    ),
  )
  if (first === undefined && wanted.notify.untold.every((line) => left.has(line))) return false
  return hasNotified(read, wanted).catch((error: unknown) => {
    if (error instanceof PortError) return error
    throw error
  })
}

/**
 * Has an earlier request notified the buyer of these lines? Its answer may have been lost, and the
 * platform objects to fulfilling them again, or shows none to fulfil.
 */
async function hasNotified(read: Read, { order: id, notify }: FulfilmentRequest): Promise<boolean> {
  if (notify === null) return false
  const { order } = await read<{ order: { fulfillments: MadeFulfilment[] } | null }>(
    FULFILMENTS_OF_ORDER,
    { id },
    FULFILMENTS_POINTS,
  )
  return (order?.fulfillments ?? []).some(
    ({ trackingInfo, fulfillmentLineItems: { nodes } }) =>
      trackingInfo.some(({ url }) => url === notify.url) &&
      nodes.some(({ lineItem }) => notify.untold.includes(lineItem.id)),
  )
}

interface MadeFulfilment {
  /** Only of one that notified the buyer. */
  trackingInfo: { url: string | null }[]
  fulfillmentLineItems: { nodes: { lineItem: { id: string } }[] }
}

/**
 * The fulfilment orders of each order, with all lines of those that can be fulfilled now or later; null: there
 * is no such order.
 */
async function readAll(read: Read, ids: readonly string[]): Promise<(FulfilmentOrder[] | null)[]> {
  const { nodes } = await read<{ nodes: (Partial<OrderNode> | null)[] }>(
    FULFILMENT_OF_ORDERS,
    { ids },
    ids.length * ORDER_POINTS,
  )
  const all: (FulfilmentOrder[] | null)[] = []
  for (const [at, id] of ids.entries()) {
    const first = nodes[at]?.fulfillmentOrders
    all.push(first && isCut(first) ? await readWhole(read, id) : (first?.nodes ?? null))
  }
  return all
}

const isCut = ({ nodes, pageInfo }: PlatformPage<FulfilmentOrder>): boolean =>
  pageInfo.hasNextPage || nodes.some(({ lineItems }) => lineItems.pageInfo.hasNextPage)

/** The mutation takes no idempotency key: what is fulfilled already must not be sent again. */
const isOpen = ({ status, supportedActions }: FulfilmentOrder): boolean =>
  status === 'OPEN' && supportedActions.some(({ action }) => action === 'CREATE_FULFILLMENT')

const isHeld = ({ status }: FulfilmentOrder): boolean =>
  status === 'ON_HOLD' || status === 'SCHEDULED'

function laterOf(
  wanted: FulfilmentRequest,
  orders: readonly FulfilmentOrder[] | null,
): FulfilResult['later'] {
  if (orders === null) return null
  if (orders.length === 0) return 'unassigned'
  return orders.some((one) => isHeld(one) && linesOf(wanted, one).length > 0) ? 'held' : null
}

/** The lines to fulfil, with their units. */
const linesOf = ({ lines }: FulfilmentRequest, { lineItems }: FulfilmentOrder) =>
  lineItems.nodes
    .filter(
      ({ remainingQuantity, lineItem }) =>
        remainingQuantity > 0 && !lineItem.requiresShipping && lines.includes(lineItem.id),
    )
    .map((line) => ({ id: line.id, quantity: line.remainingQuantity }))

async function readWhole(read: Read, id: string): Promise<FulfilmentOrder[]> {
  const found: FulfilmentOrder[] = []
  let next: Page | null = { hasNextPage: true, endCursor: null }
  while (next?.hasNextPage) {
    const after: string | null = next.endCursor
    const answer: { order: OrderNode | null } = await read(
      WHOLE_ORDER_FULFILMENT,
      { id, after },
      WHOLE_ORDER_POINTS,
    )
    const page: OrderNode['fulfillmentOrders'] | undefined = answer.order?.fulfillmentOrders
    for (const one of page?.nodes ?? [])
      found.push(isOpen(one) || isHeld(one) ? await withAllLines(read, one) : one)
    next = page?.pageInfo ?? null
  }
  return found
}

async function withAllLines(read: Read, one: FulfilmentOrder): Promise<FulfilmentOrder> {
  const nodes = [...one.lineItems.nodes]
  let next: Page | null = one.lineItems.pageInfo
  while (next?.hasNextPage) {
    const after: string | null = next.endCursor
    const answer: { fulfillmentOrder: Pick<FulfilmentOrder, 'lineItems'> | null } = await read(
      FULFILMENT_ORDER_LINES,
      { id: one.id, after },
      LINES_POINTS,
    )
    const page: FulfilmentOrder['lineItems'] | undefined = answer.fulfillmentOrder?.lineItems
    nodes.push(...(page?.nodes ?? []))
    next = page?.pageInfo ?? null
  }
  return { ...one, lineItems: { ...one.lineItems, nodes } }
}

interface Fulfilment {
  order: string
  input: object
}

/**
 * The fulfilments to make. The first one notifies the buyer: its address gives all files of the
 * order.
 */
function fulfilmentsOf(
  wanted: FulfilmentRequest,
  orders: readonly FulfilmentOrder[],
): Fulfilment[] {
  const { order, notify } = wanted
  const digital = orders.filter(isOpen).flatMap((one) => {
    const fulfillmentOrderLineItems = linesOf(wanted, one)
    return fulfillmentOrderLineItems.length > 0
      ? [{ fulfillmentOrderId: one.id, fulfillmentOrderLineItems }]
      : []
  })
  return digital.map((one, at) => ({
    order,
    input: {
      lineItemsByFulfillmentOrder: [one],
      // The address is also by what a notification is recognised later (`hasNotified`).
      ...(notify && at === 0
        ? { notifyCustomer: true, trackingInfo: { company: notify.company, url: notify.url } }
        : { notifyCustomer: false }),
    },
  }))
}

async function create(
  change: ChangeOrders,
  made: readonly Fulfilment[],
  signal: AbortSignal,
): Promise<readonly MarkResult[]> {
  const objectionTo = await change(
    fulfilOrders(made.length),
    Object.fromEntries(made.map(({ input }, at) => [`fulfilment${at}`, input])),
    MUTATION_POINTS * made.length,
    signal,
  )
  return made.map((_, at) => objectionTo(`made${at}`))
}
