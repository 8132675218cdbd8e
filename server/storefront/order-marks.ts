// What is changed on the platform's order: the metafield that the order's pages read, a tag, and the
// fulfilment of lines that need no shipping.
import { PortError } from '../../plugins/contract.ts'
import type { AdminRequest } from './admin-api.ts'
import {
  FULFIL_ORDER,
  MARK_ORDER,
  MARK_ORDER_UNTAGGED,
  ORDER_FULFILMENT,
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

/** Both may be repeated: the second time changes nothing more. They throw `PortError`. */
export interface OrderMarks {
  mark(mark: OrderMark, signal: AbortSignal): Promise<void>
  fulfil(wanted: FulfilmentWanted, signal: AbortSignal): Promise<void>
}

interface UserErrors {
  userErrors: { message: string }[]
}
interface FulfilmentOrder {
  id: string
  status: string
  supportedActions: { action: string }[]
  lineItems: {
    nodes: {
      id: string
      remainingQuantity: number
      lineItem: { id: string; requiresShipping: boolean }
    }[]
  }
}

const MUTATION_POINTS = 10
const FULFILMENT_POINTS = 530

export function createOrderMarks(shop: number, request: AdminRequest): OrderMarks {
  /** Throws what the platform objects to. */
  const change = async (
    operation: GraphqlOperation,
    variables: Record<string, unknown>,
    points: number,
    signal: AbortSignal,
  ) => {
    const data = await request<Record<string, UserErrors | null>>(
      shop,
      operation,
      variables,
      points,
      signal,
    )
    const [objection] = Object.values(data).flatMap((payload) => payload?.userErrors ?? [])
    if (objection)
      throw new PortError('storefront_unavailable', `The order: ${objection.message}`, false)
  }
  return {
    mark: ({ order, value, tag }, signal) => {
      const metafields = [{ ...DELIVERY_METAFIELD, ownerId: order, value: JSON.stringify(value) }]
      return tag === null
        ? change(MARK_ORDER_UNTAGGED, { metafields }, MUTATION_POINTS, signal)
        : change(MARK_ORDER, { order, tags: [tag], metafields }, 2 * MUTATION_POINTS, signal)
    },
    fulfil: async ({ order: id, lines, notify }, signal) => {
      const { order } = await request<{
        order: { fulfillmentOrders: { nodes: FulfilmentOrder[] } } | null
      }>(shop, ORDER_FULFILMENT, { id }, FULFILMENT_POINTS, signal)
      // The mutation takes no idempotency key: what is open now is what was not fulfilled before.
      const open = (order?.fulfillmentOrders.nodes ?? []).flatMap((one) => openLines(one, lines))
      if (open.length === 0) return
      const trackingInfo = notify && { company: notify.company, url: notify.url }
      const fulfillment = {
        lineItemsByFulfillmentOrder: open,
        notifyCustomer: notify !== null,
        ...(trackingInfo ? { trackingInfo } : {}),
      }
      await change(FULFIL_ORDER, { fulfillment }, MUTATION_POINTS, signal)
    },
  }
}

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
