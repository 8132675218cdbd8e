// What is changed on the platform's orders: the metafield that the order's pages read, a tag, and the
// fulfilment of lines that need no shipping. Many orders share one request.
import { PortError } from '../../plugins/contract.ts'
import type { AdminRequest } from './admin-api.ts'
import {
  FULFILMENT_OF_ORDERS,
  fulfilOrders,
  markOrders,
  WHOLE_ORDER_FULFILMENT,
  type GraphqlOperation,
} from './operations.ts'

/** The app's own namespace, declared in shopify.app.toml so that customers' pages may read it. */
const DELIVERY_METAFIELD = { namespace: '$app', key: 'delivery', type: 'json' } as const

export interface OrderMark {
  order: string
  /** Written as JSON. */
  value: object
  /** Null: no tag. */
  tag: string | null
}

export interface FulfilmentWanted {
  order: string
  /** The platform's ids of the lines to fulfil. */
  lines: readonly string[]
  /** The platform's own mail tells the buyer, with this address in it. Null: it sends none. */
  notify: { company: string; url: string } | null
}

/** Null: it was done. */
export type Marked = PortError | null

/**
 * Both may be repeated: the second time changes nothing more. They give the result of each, in order,
 * and throw `PortError` where the platform answered nothing.
 */
export interface OrderMarks {
  mark(marks: readonly OrderMark[], signal: AbortSignal): Promise<readonly Marked[]>
  fulfil(wanted: readonly FulfilmentWanted[], signal: AbortSignal): Promise<readonly Marked[]>
}

interface UserErrors {
  userErrors: { message: string }[]
}
interface Connection<Node> {
  nodes: Node[]
  pageInfo?: { hasNextPage: boolean }
}
interface FulfilmentOrder {
  id: string
  status: string
  supportedActions: { action: string }[]
  lineItems: Connection<{
    id: string
    remainingQuantity: number
    lineItem: { id: string; requiresShipping: boolean }
  }>
}
interface FulfilmentNode {
  id: string
  fulfillmentOrders: Connection<FulfilmentOrder>
}

/** `metafieldsSet` takes no more. */
export const MARKS_A_REQUEST = 25
/** Queries of so many stay below the 1,000 points that one may cost. */
const FULFILMENTS_A_REQUEST = 15
const MUTATION_POINTS = 10
const FULFILMENT_POINTS = 55
const WHOLE_FULFILMENT_POINTS = 530

export function createOrderMarks(shop: number, request: AdminRequest): OrderMarks {
  /** What the platform objects to, by the field's alias. */
  const change = async (
    operation: GraphqlOperation,
    variables: Record<string, unknown>,
    points: number,
    signal: AbortSignal,
  ): Promise<(alias: string) => Marked> => {
    const data = await request<Record<string, UserErrors | null>>(
      ...[shop, operation, variables, points, signal],
    )
    return (alias) => {
      const [objection] = data[alias]?.userErrors ?? []
      if (!objection) return null
      return new PortError('storefront_unavailable', `The order: ${objection.message}`, false)
    }
  }
  return {
    mark: (marks, signal) =>
      inGroups(marks, MARKS_A_REQUEST, (group) => markGroup(change, group, signal)),
    fulfil: (wanted, signal) =>
      inGroups(wanted, FULFILMENTS_A_REQUEST, async (group) => {
        const open = await openFulfilments(shop, request, group, signal)
        return fulfilGroup(change, group, open, signal)
      }),
  }
}

async function inGroups<One>(
  all: readonly One[],
  size: number,
  work: (group: readonly One[]) => Promise<readonly Marked[]>,
): Promise<readonly Marked[]> {
  const results: Marked[] = []
  for (let at = 0; at < all.length; at += size)
    results.push(...(await work(all.slice(at, at + size))))
  return results
}

type Change = (
  operation: GraphqlOperation,
  variables: Record<string, unknown>,
  points: number,
  signal: AbortSignal,
) => Promise<(alias: string) => Marked>

async function markGroup(
  change: Change,
  marks: readonly OrderMark[],
  signal: AbortSignal,
): Promise<readonly Marked[]> {
  const metafields = marks.map(({ order, value }) => ({
    ...{ ...DELIVERY_METAFIELD, ownerId: order, value: JSON.stringify(value) },
  }))
  // A shop has one tag.
  const tagged = marks.filter(({ tag }) => tag !== null)
  const orders = Object.fromEntries(tagged.map(({ order }, at) => [`order${at}`, order]))
  const tags = tagged.length > 0 ? { tags: [tagged[0]!.tag] } : {}
  const objectionTo = await change(
    markOrders(tagged.length),
    { metafields, ...tags, ...orders },
    MUTATION_POINTS * (1 + tagged.length),
    signal,
  )
  const refused = objectionTo('metafieldsSet')
  // All metafields are written or none: which one is at fault is found one by one.
  if (refused && marks.length > 1)
    return inGroups(marks, 1, (one) => markGroup(change, one, signal))
  return marks.map((mark) => refused ?? objectionTo(`tagged${tagged.indexOf(mark)}`))
}

/** What is open now: the mutation takes no idempotency key. */
async function openFulfilments(
  shop: number,
  request: AdminRequest,
  wanted: readonly FulfilmentWanted[],
  signal: AbortSignal,
) {
  const ids = wanted.map(({ order }) => order)
  const { nodes } = await request<{ nodes: (FulfilmentNode | null)[] }>(
    ...[shop, FULFILMENT_OF_ORDERS, { ids }, ids.length * FULFILMENT_POINTS, signal],
  )
  const open: ReturnType<typeof openLines>[] = []
  for (const [at, { order: id, lines }] of wanted.entries()) {
    let found = nodes[at]?.fulfillmentOrders
    if (found && isCut(found)) {
      const { order } = await request<{ order: FulfilmentNode | null }>(
        ...[shop, WHOLE_ORDER_FULFILMENT, { id }, WHOLE_FULFILMENT_POINTS, signal],
      )
      found = order?.fulfillmentOrders
    }
    open.push((found?.nodes ?? []).flatMap((one) => openLines(one, lines)))
  }
  return open
}

const isCut = ({ nodes, pageInfo }: Connection<FulfilmentOrder>): boolean =>
  pageInfo?.hasNextPage === true ||
  nodes.some(({ lineItems }) => lineItems.pageInfo?.hasNextPage === true)

async function fulfilGroup(
  change: Change,
  wanted: readonly FulfilmentWanted[],
  open: readonly ReturnType<typeof openLines>[],
  signal: AbortSignal,
): Promise<readonly Marked[]> {
  const made = wanted.flatMap(({ notify }, at) =>
    open[at]!.length === 0 ? [] : [{ at, fulfilment: fulfilmentOf(open[at]!, notify) }],
  )
  if (made.length === 0) return wanted.map(() => null)
  const objectionTo = await change(
    fulfilOrders(made.length),
    Object.fromEntries(made.map(({ fulfilment }, n) => [`fulfilment${n}`, fulfilment])),
    MUTATION_POINTS * made.length,
    signal,
  )
  return wanted.map((_, at) => {
    const n = made.findIndex((one) => one.at === at)
    return n < 0 ? null : objectionTo(`made${n}`)
  })
}

const fulfilmentOf = (
  lineItemsByFulfillmentOrder: ReturnType<typeof openLines>,
  notify: FulfilmentWanted['notify'],
) => ({
  lineItemsByFulfillmentOrder,
  notifyCustomer: notify !== null,
  ...(notify ? { trackingInfo: { company: notify.company, url: notify.url } } : {}),
})

function openLines(order: FulfilmentOrder, wanted: readonly string[]) {
  const may = order.supportedActions.some(({ action }) => action === 'CREATE_FULFILLMENT')
  if (order.status !== 'OPEN' || !may) return []
  const lines = order.lineItems.nodes.filter(
    ({ remainingQuantity, lineItem }) =>
      remainingQuantity > 0 && !lineItem.requiresShipping && wanted.includes(lineItem.id),
  )
  if (lines.length === 0) return []
  const fulfillmentOrderLineItems = lines.map((line) => ({
    id: line.id,
    quantity: line.remainingQuantity,
  }))
  return [{ fulfillmentOrderId: order.id, fulfillmentOrderLineItems }]
}
