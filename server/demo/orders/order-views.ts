// Orders of the demo platform as they appear in answers of the Admin API, and the pages of lists.
import { readGid, toGid } from '../catalog-ids.ts'
import {
  isFullyPaid,
  locationOf,
  owedOf,
  type DemoCustomer,
  type DemoFulfilment,
  type DemoLine,
  type DemoOrder,
} from './order.ts'

/** Reads a product or a variant of the catalog. */
export type CatalogNode = (id: string) => unknown
export const MAX_ROWS = 250

export interface ListArguments {
  query?: string | null
  first?: number | null
  after?: string | null
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

export function pageOf<View>(views: readonly View[], limit: number, place: (view: View) => number) {
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
  (nodeOf: CatalogNode) =>
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
          title: line.bundle.title,
          quantity: line.bundle.quantity,
          productId: toGid('Product', line.bundle.productId),
          variantId: toGid('ProductVariant', line.bundle.variantId),
        }
      : null,
    product: () => nodeOf(toGid('Product', line.productId)),
    variant: () => nodeOf(toGid('ProductVariant', line.variantId)),
  })

export function createOrderViews(nodeOf: CatalogNode) {
  const lineView = viewLine(nodeOf)
  const fulfilment = (order: DemoOrder, location: number) =>
    fulfilmentOrder(order, location, lineView)
  const order = (order: DemoOrder) => ({
    __typename: 'Order',
    number: order.id,
    id: toGid('Order', order.id),
    name: order.name,
    email: order.email,
    phone: order.phone ?? null,
    customerLocale: order.locale,
    confirmationNumber: order.confirmationNumber,
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
    cancelledAt: order.cancelledAt,
    displayFinancialStatus: order.financialStatus,
    sourceName: order.source ?? 'web',
    fullyPaid: isFullyPaid(order),
    totalReceivedSet: money(receivedFor(order)),
    agreements: (list: ListArguments) => partOf(agreementsOf(order, lineView), list, same),
    tags: order.tags,
    risk: { recommendation: order.recommendation },
    customer:
      order.customerId === null
        ? null
        : {
            __typename: 'Customer',
            id: toGid('Customer', order.customerId),
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
      partOf(placesOf(order), list, (location) => fulfilment(order, location)),
    fulfillments: ({ first }: { first?: number | null }) =>
      order.fulfilments
        .slice(0, first ?? undefined)
        .map((made) => viewMadeFulfilment(order, made, lineView)),
  })
  return { order, fulfilment }
}

const viewMadeFulfilment = (
  { lines: all }: DemoOrder,
  { id, tracking, lines }: DemoFulfilment,
  lineView: (line: DemoLine) => object,
) => ({
  __typename: 'Fulfillment',
  id: toGid('Fulfillment', id),
  trackingInfo: tracking ? [{ __typename: 'FulfillmentTrackingInfo', ...tracking }] : [],
  fulfillmentLineItems: (list: ListArguments) =>
    partOf(
      all.filter((line) => lines.includes(line.id)),
      list,
      (line) => ({
        __typename: 'FulfillmentLineItem',
        id: toGid('FulfillmentLineItem', line.id),
        lineItem: lineView(line),
      }),
    ),
})

const placesOf = ({ lines, delayed }: DemoOrder): number[] =>
  delayed === 'unassigned' ? [] : [...new Set(lines.map(locationOf))].toSorted((a, b) => a - b)

/** Every unit costs the same in this shop. */
const UNIT_PRICE = 10
const money = (amount: number) => ({ shopMoney: { amount: amount.toFixed(2) } })
export const viewCustomer = ({ id, tags, updatedAt }: DemoCustomer) => ({
  __typename: 'Customer',
  number: id,
  id: toGid('Customer', id),
  displayName: `Customer ${id}`,
  tags,
  updatedAt,
})
const same = <Row>(row: Row): Row => row

/** Units of a line, as an agreement adds them. */
interface SoldUnits {
  line: DemoLine
  units: number
}
const boughtIn = (lines: readonly DemoLine[]): SoldUnits[] =>
  lines.map((line) => ({ line, units: line.quantity - owedOf(line) }))
const owedIn = (lines: readonly DemoLine[]): SoldUnits[] =>
  lines.map((line) => ({ line, units: owedOf(line) }))
const priceOf = (sold: readonly SoldUnits[]): number =>
  sold.reduce((sum, { units }) => sum + units * UNIT_PRICE, 0)

const receivedFor = ({ financialStatus, deposit = false, lines }: DemoOrder): number =>
  ['PENDING', 'AUTHORIZED', 'EXPIRED', 'VOIDED'].includes(financialStatus)
    ? 0
    : priceOf(boughtIn(lines)) / (deposit ? 2 : 1)

/** The purchase, and the edit that left a balance. */
function agreementsOf({ lines }: DemoOrder, lineView: (line: DemoLine) => object) {
  const agreement = (__typename: string, reason: string, of: readonly SoldUnits[]) => ({
    __typename,
    reason,
    sales: (list: ListArguments) =>
      partOf(of, list, (sold) => ({
        __typename: 'ProductSale',
        actionType: 'ORDER',
        quantity: sold.units,
        totalAmount: money(priceOf([sold])),
        lineItem: lineView(sold.line),
      })),
  })
  const [bought, added] = [boughtIn(lines), owedIn(lines)].map((all) =>
    all.filter(({ units }) => units > 0),
  )
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
        namespace: field.namespace,
        key: field.key,
        type: field.type,
        value: field.value,
      }
    : null

/** A fulfilment order's number is made of its order's and its location's. */
const LOCATIONS = 1000
export const fulfilmentPlaceOf = (id: string): { order: number; location: number } => {
  const number = readGid('FulfillmentOrder', id) ?? -1
  return { order: Math.floor(number / LOCATIONS), location: number % LOCATIONS }
}

function fulfilmentOrder(order: DemoOrder, location: number, lineView: (line: DemoLine) => object) {
  const lines = order.lines.filter((line) => locationOf(line) === location)
  const open = lines.some((line) => line.currentQuantity > line.fulfilled)
  const ready = order.delayed === 'held' ? 'ON_HOLD' : 'OPEN'
  const status = order.cancelledAt ? 'CANCELLED' : open ? ready : 'CLOSED'
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
