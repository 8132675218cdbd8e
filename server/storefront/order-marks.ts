// Changes orders on the platform: the metafield that the order's pages read, a tag, and the
// fulfilment of lines that need no shipping. Many orders share one request.
import {
  MUTATION_POINTS,
  type AdminRequest,
  inGroups,
  orderChanges,
  type ChangeOrders,
  type MarkResult,
} from './admin-api.ts'
import { markOrders } from './operations.ts'
import { fulfilLines, type FulfilmentRequest, type FulfilResult } from './order-fulfilments.ts'

/** The app's own namespace, declared in shopify.app.toml so that customers' pages may read it. */
const DELIVERY_METAFIELD = { namespace: '$app', key: 'delivery', type: 'json' } as const

export interface OrderMark {
  order: string
  /** The value of the metafield, written as JSON. */
  value: object
  /** The tag to add; null: none. */
  tag: string | null
}

/**
 * Both are idempotent. They return the result of each order, in the order given, and throw
 * `PortError` if the platform did not answer.
 */
export interface OrderMarks {
  mark(marks: readonly OrderMark[], signal: AbortSignal): Promise<readonly MarkResult[]>
  fulfil(
    wanted: readonly FulfilmentRequest[],
    signal: AbortSignal,
  ): Promise<readonly FulfilResult[]>
}

/** The maximum that `metafieldsSet` takes. */
export const MARKS_PER_REQUEST = 25

export function createOrderMarks(request: AdminRequest): OrderMarks {
  // A new order may not be known everywhere yet, or another app changes it at the moment.
  const mark = orderChanges(request, true)
  // Our mail brings the link instead.
  const fulfil = orderChanges(request, false)
  return {
    mark: (marks, signal) =>
      inGroups(marks, MARKS_PER_REQUEST, (group) => markGroup(mark, group, signal)),
    fulfil: (wanted, signal) => fulfilLines(request, fulfil, wanted, signal),
  }
}

async function markGroup(
  change: ChangeOrders,
  marks: readonly OrderMark[],
  signal: AbortSignal,
): Promise<readonly MarkResult[]> {
  const metafields = marks.map(({ order, value }) => ({
    ...DELIVERY_METAFIELD,
    ownerId: order,
    value: JSON.stringify(value),
  }))
  // All orders of a shop get the same tag.
  const tagged = marks.filter(({ tag }) => tag !== null)
  const orders = Object.fromEntries(tagged.map(({ order }, at) => [`order${at}`, order]))
  const [first] = tagged
  const tags = first ? { tags: [first.tag] } : {}
  const objectionTo = await change(
    markOrders(tagged.length),
    { metafields, ...tags, ...orders },
    MUTATION_POINTS * (1 + tagged.length),
    signal,
  )
  const refused = objectionTo('metafieldsSet')
  // All metafields are written or none: orders are sent one by one to find the faulty one.
  if (refused && marks.length > 1)
    return inGroups(marks, 1, (one) => markGroup(change, one, signal))
  return marks.map((mark) => refused ?? objectionTo(`tagged${tagged.indexOf(mark)}`))
}
