// Orders in the demo platform's Admin API: their fields in answers, and the app's changes to them.
import { readGid, toGid } from '../catalog-ids.ts'
import { parseSearch, type Expression } from '../search-query.ts'
import { badRequest } from '../connection.ts'
import { DEMO_SCOPES } from '../oauth.ts'
import { fulfil, isFullyPaid, locationOf, type DemoLine, type DemoOrder } from './order.ts'
import type { OrderStore } from './store.ts'
import { BATCH_SIZE, CONCURRENT_STATEMENTS, createQueryBatcher } from '../../core/query-batcher.ts'

type Node = (id: string) => unknown
const MAX_ROWS = 250

/** The fields of QueryRoot and Mutation about orders. */
export function createOrderFields(orders: OrderStore, nodeOf: Node) {
  const lineView = viewLine(nodeOf)
  const view = orderView(lineView)
  // The orders of one query are looked up together.
  const read = createQueryBatcher<number, DemoOrder | null>(
    async (ids) => {
      const found = new Map((await orders.get(ids)).map((order) => [order.id, order]))
      return ids.map((id) => found.get(id) ?? null)
    },
    BATCH_SIZE,
    CONCURRENT_STATEMENTS,
  )
  const find = async (gid: string) => {
    const order = await read(readGid('Order', gid) ?? -1)
    return order && view(order)
  }
  const touch = (order: DemoOrder) => void (order.updatedAt = laterThan(order.updatedAt))
  return {
    /** For `node` and `nodes`. */
    find,
    order: ({ id }: { id: string }) => find(id),
    fulfillmentOrder: async ({ id }: { id: string }) => {
      const place = fulfilmentPlaceOf(id)
      const order = await read(place.order)
      return order && fulfilmentOrder(order, place.location, lineView)
    },
    orders: async ({ query, first, after }: ListArguments) => {
      const limit = Math.min(first ?? 0, MAX_ROWS)
      const last = after ? Number(Buffer.from(after, 'base64url').toString()) : 0
      if (!Number.isInteger(last)) throw badRequest('Invalid cursor for current pagination sort.')
      const placed = sinceOf(query, 'created_at')
      const found = placed
        ? await orders.placedSince(visible(placed), last, limit + 1)
        : await orders.changedSince(sinceOf(query) ?? new Date(0), last, limit + 1)
      return pageOf(found.map(view), limit, (order) => order.number)
    },
    ordersCount: async ({ query }: Pick<ListArguments, 'query'>) => ({
      __typename: 'Count',
      count: await orders.countPlaced(visible(sinceOf(query, 'created_at') ?? new Date(0))),
      precision: 'EXACT',
    }),
    metafieldsSet: async ({ metafields }: { metafields: MetafieldInput[] }) => {
      const owners = metafields.map(({ ownerId }) => readGid('Order', ownerId) ?? -1)
      const found = new Set((await orders.get(owners)).map(({ id }) => id))
      const missing = owners.findIndex((id) => !found.has(id))
      if (missing >= 0) {
        const field = ['metafields', String(missing), 'ownerId']
        return { metafields: null, userErrors: [objection('Owner does not exist', ...field)] }
      }
      await orders.changeAll(owners, (order, at) => {
        const { namespace, key, type, value } = metafields[at]!
        order.metafields = order.metafields.filter((one) => one.key !== key)
        order.metafields.push({
          ...{ namespace: namespace ?? '$app', key, type: type ?? 'json', value },
        })
        touch(order)
      })
      return { metafields: [], userErrors: [] }
    },
    tagsAdd: async ({ id, tags }: { id: string; tags: string[] }) => {
      const changed = await orders.change(readGid('Order', id) ?? -1, (order) => {
        order.tags = [...new Set([...order.tags, ...tags])]
        touch(order)
      })
      return { node: null, userErrors: changed ? [] : [objection('Resource not found', 'id')] }
    },
    fulfillmentCreate: async ({ fulfillment }: { fulfillment: FulfilmentInput }) => {
      const given = fulfillment.lineItemsByFulfillmentOrder
      const place = fulfilmentPlaceOf(given[0]?.fulfillmentOrderId ?? '')
      const sameLocation = 'The fulfillment orders must be assigned to the same location.'
      if (given.length !== 1)
        return { fulfillment: null, userErrors: [objection(sameLocation, 'fulfillment')] }
      const lines = (given[0]!.fulfillmentOrderLineItems ?? []).map((line) => ({
        id: readGid('FulfillmentOrderLineItem', line.id) ?? -1,
        quantity: line.quantity,
      }))
      const { company = null, url = null } = fulfillment.trackingInfo ?? {}
      const about = {
        notified: fulfillment.notifyCustomer,
        tracking: url ? { company, url } : null,
      }
      const changed = await orders.change(place.order, (order) => {
        touch(order)
        return fulfil(order, place.location, lines, about)
      })
      const problem = changed ? changed.result : 'Fulfillment order does not exist.'
      if (problem) return { fulfillment: null, userErrors: [objection(problem, 'fulfillment')] }
      const made = changed!.order.fulfilments.at(-1)!
      return {
        fulfillment: { __typename: 'Fulfillment', id: toGid('Fulfillment', made.id) },
        userErrors: [],
      }
    },
  }
}

interface ListArguments {
  query?: string | null
  first?: number | null
  after?: string | null
}
interface MetafieldInput {
  ownerId: string
  namespace?: string | null
  key: string
  type?: string | null
  value: string
}
interface FulfilmentInput {
  notifyCustomer: boolean
  trackingInfo?: { company?: string | null; url?: string | null } | null
  lineItemsByFulfillmentOrder: {
    fulfillmentOrderId: string
    fulfillmentOrderLineItems?: { id: string; quantity: number }[] | null
  }[]
}

const objection = (message: string, ...field: string[]) => ({ message, field })

/** A time later than `before`, so that two changes within a millisecond differ. */
export const laterThan = (before: string): string =>
  new Date(Math.max(Date.now(), Date.parse(before) + 1)).toISOString()

/** Without the scope, only orders of the last 60 days are shown. */
const RECENT_MS = 60 * 24 * 60 * 60 * 1000
const visible = (since: Date): Date =>
  DEMO_SCOPES.includes('read_all_orders')
    ? since
    : new Date(Math.max(+since, Date.now() - RECENT_MS))

/** The only terms of the search syntax that the app sends; null: the query has another one. */
function sinceOf(query: string | null | undefined, field = 'updated_at'): Date | null {
  const expression: Expression | null = parseSearch(query ?? '')
  if (expression?.kind !== 'term' || expression.field !== field) return null
  return new Date(expression.value)
}

/** A page of a list that is known as a whole: its cursors are places in it. */
function partOf<Row, View>(
  rows: readonly Row[],
  { first, after }: ListArguments,
  view: (row: Row) => View,
) {
  const from = after ? Number(Buffer.from(after, 'base64url').toString()) + 1 : 0
  const limit = Math.min(first ?? 0, MAX_ROWS)
  const shown = rows.slice(from, from + limit + 1).map((row, at) => ({ at: from + at, row }))
  const places = shown.map(({ at, row }) => ({ at, view: view(row) }))
  const page = pageOf(places, limit, ({ at }) => at)
  const nodes = page.nodes.map((one) => one.view)
  return { ...page, nodes, edges: page.edges.map((edge, at) => ({ ...edge, node: nodes[at] })) }
}

function pageOf<View>(views: readonly View[], limit: number, place: (view: View) => number) {
  const nodes = views.slice(0, limit)
  const last = nodes.at(-1)
  const cursor = (view: View) => Buffer.from(String(place(view))).toString('base64url')
  return {
    nodes,
    edges: nodes.map((node) => ({ cursor: cursor(node), node })),
    pageInfo: {
      hasNextPage: views.length > limit,
      hasPreviousPage: false,
      startCursor: nodes[0] ? cursor(nodes[0]) : null,
      endCursor: last ? cursor(last) : null,
    },
  }
}

const viewLine =
  (nodeOf: Node) =>
  (line: DemoLine): object => ({
    __typename: 'LineItem',
    id: toGid('LineItem', line.id),
    title: line.title,
    name: line.title,
    sku: line.sku,
    quantity: line.quantity,
    currentQuantity: line.currentQuantity,
    requiresShipping: false,
    lineItemGroup: line.bundle
      ? {
          __typename: 'LineItemGroup',
          id: toGid('LineItemGroup', line.bundle.id),
          ...{ title: line.bundle.title, quantity: line.bundle.quantity },
          productId: toGid('Product', line.bundle.productId),
          variantId: toGid('ProductVariant', line.bundle.variantId),
        }
      : null,
    product: () => nodeOf(toGid('Product', line.productId)),
    variant: () => nodeOf(toGid('ProductVariant', line.variantId)),
  })

function orderView(lineView: (line: DemoLine) => object) {
  return (order: DemoOrder) => ({
    __typename: 'Order',
    number: order.id,
    id: toGid('Order', order.id),
    name: order.name,
    email: order.email,
    customerLocale: order.locale,
    confirmationNumber: order.confirmationNumber,
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
    cancelledAt: order.cancelledAt,
    displayFinancialStatus: order.financialStatus,
    fullyPaid: isFullyPaid(order),
    totalReceivedSet: money(receivedFor(order)),
    agreements: (list: ListArguments) => partOf(agreementsOf(order, lineView), list, same),
    tags: order.tags,
    risk: { recommendation: order.recommendation },
    customer: {
      ...{ __typename: 'Customer', id: toGid('Customer', order.customerId) },
      // As on the platform, a customer without a name is shown by the address.
      displayName: order.customerName ?? order.email ?? order.phone ?? 'Guest',
    },
    metafield: ({ key }: { key: string }) =>
      metafieldView(
        order,
        order.metafields.find((one) => one.key === key),
      ),
    lineItems: (list: ListArguments) => partOf(order.lines, list, lineView),
    fulfillmentOrders: (list: ListArguments) =>
      partOf(
        [...new Set(order.lines.map(locationOf))].toSorted((a, b) => a - b),
        list,
        (location) => fulfilmentOrder(order, location, lineView),
      ),
  })
}

/** Every unit costs the same in this shop. */
const UNIT_PRICE = 10
const money = (amount: number) => ({ shopMoney: { amount: amount.toFixed(2) } })
const same = <Row>(row: Row): Row => row

const priceOf = (lines: readonly DemoLine[]): number =>
  lines.reduce((sum, { quantity }) => sum + quantity * UNIT_PRICE, 0)

const receivedFor = ({ financialStatus, lines }: DemoOrder): number =>
  ['PENDING', 'AUTHORIZED', 'EXPIRED', 'VOIDED'].includes(financialStatus)
    ? 0
    : priceOf(lines.filter(({ owed = false }) => !owed))

/** The purchase, and the edit that left a balance. */
function agreementsOf({ lines }: DemoOrder, lineView: (line: DemoLine) => object) {
  const agreement = (__typename: string, reason: string, of: readonly DemoLine[]) => ({
    ...{ __typename, reason },
    sales: (list: ListArguments) =>
      partOf(of, list, (line) => ({
        __typename: 'ProductSale',
        totalAmount: money(priceOf([line])),
        lineItem: lineView(line),
      })),
  })
  const [bought, added] = [false, true].map((is) => lines.filter(({ owed = false }) => owed === is))
  return [
    agreement('OrderAgreement', 'ORDER', bought ?? []),
    ...(added?.length ? [agreement('OrderEditAgreement', 'ORDER_EDIT', added)] : []),
  ]
}

const metafieldView = (order: DemoOrder, field: DemoOrder['metafields'][number] | undefined) =>
  field
    ? {
        __typename: 'Metafield',
        id: toGid('Metafield', order.id),
        ...{ namespace: field.namespace, key: field.key, type: field.type, value: field.value },
      }
    : null

/** A fulfilment order's number is made of its order's and its location's. */
const LOCATIONS = 1000
const fulfilmentPlaceOf = (id: string): { order: number; location: number } => {
  const number = readGid('FulfillmentOrder', id) ?? -1
  return { order: Math.floor(number / LOCATIONS), location: number % LOCATIONS }
}

function fulfilmentOrder(order: DemoOrder, location: number, lineView: (line: DemoLine) => object) {
  const lines = order.lines.filter((line) => locationOf(line) === location)
  const open = lines.some((line) => line.currentQuantity > line.fulfilled)
  const status = order.cancelledAt ? 'CANCELLED' : open ? 'OPEN' : 'CLOSED'
  return {
    __typename: 'FulfillmentOrder',
    id: toGid('FulfillmentOrder', order.id * LOCATIONS + location),
    status,
    supportedActions: status === 'OPEN' ? [{ action: 'CREATE_FULFILLMENT' }] : [],
    deliveryMethod: { __typename: 'DeliveryMethod', methodType: 'NONE' },
    lineItems: (list: ListArguments) =>
      partOf(lines, list, (line) => ({
        __typename: 'FulfillmentOrderLineItem',
        id: toGid('FulfillmentOrderLineItem', line.id),
        remainingQuantity: Math.max(0, line.currentQuantity - line.fulfilled),
        lineItem: lineView(line),
      })),
  }
}
