// Orders in the demo platform's Admin API: queries of them, and the app's changes to them.
import { elementAt, lastOf, createQueryBatcher } from '../../core/lazy.ts'
import { readGid, toGid } from '../catalog-ids.ts'
import { badRequest } from '../connection.ts'
import { DEMO_SCOPES } from '../oauth.ts'
import { parseSearch, type Expression } from '../search-query.ts'
import { fulfil, type DemoOrder } from './order.ts'
import {
  createOrderViews,
  fulfilmentPlaceOf,
  MAX_ROWS,
  pageOf,
  viewCustomer,
  type CatalogNode,
  type ListArguments,
} from './order-views.ts'
import type { OrderStore } from './store.ts'

/** The fields of QueryRoot and Mutation about orders. */
export function createOrderFields(orders: OrderStore, nodeOf: CatalogNode) {
  return {
    ...createOrderQueries(orders, nodeOf),
    ...createCustomerQueries(orders),
    metafieldsSet: ({ metafields }: { metafields: MetafieldInput[] }) =>
      setMetafields(orders, metafields),
    tagsAdd: ({ id, tags }: { id: string; tags: string[] }) => addTags(orders, id, tags),
    fulfillmentCreate: ({ fulfillment }: { fulfillment: FulfilmentInput }) =>
      createFulfilment(orders, fulfillment),
  }
}

function createOrderQueries(orders: OrderStore, nodeOf: CatalogNode) {
  const views = createOrderViews(nodeOf)
  // The orders of one query are looked up together.
  const read = createQueryBatcher<number, DemoOrder | null>(async (ids) => {
    const found = new Map((await orders.get(ids)).map((order) => [order.id, order]))
    return ids.map((id) => found.get(id) ?? null)
  })
  const find = async (gid: string) => {
    const order = await read(readGid('Order', gid) ?? -1)
    return order && views.order(order)
  }
  return {
    /** Reads an order by its global id, for `node` and `nodes`. */
    find,
    order: ({ id }: { id: string }) => find(id),
    fulfillmentOrder: async ({ id }: { id: string }) => {
      const place = fulfilmentPlaceOf(id)
      const order = await read(place.order)
      return order && views.fulfilment(order, place.location)
    },
    orders: async ({ query, first, after }: ListArguments) => {
      const { limit, last } = placeOf(first, after)
      const names = namesIn(parseSearch(query ?? ''))
      if (names.length > 0) {
        const named = await orders.named(names, visible(new Date(0)))
        return pageOf(named.map(views.order), limit, (order) => order.number)
      }
      const placed = sinceOf(query, 'created_at')
      const found = placed
        ? await orders.placedSince(visible(placed), last, limit + 1)
        : await orders.changedSince(sinceOf(query) ?? new Date(0), last, limit + 1)
      return pageOf(found.map(views.order), limit, (order) => order.number)
    },
    ordersCount: async ({ query }: Pick<ListArguments, 'query'>) => ({
      __typename: 'Count',
      count: await orders.countPlaced(visible(sinceOf(query, 'created_at') ?? new Date(0))),
      precision: 'EXACT',
    }),
  }
}

/** Where a page of a list starts: after the row with the number `last`. */
function placeOf(first: ListArguments['first'], after: ListArguments['after']) {
  const last = after ? Number(Buffer.from(after, 'base64url').toString()) : 0
  if (!Number.isInteger(last)) throw badRequest('Invalid cursor for current pagination sort.')
  return { limit: Math.min(first ?? 0, MAX_ROWS), last }
}

const createCustomerQueries = (orders: OrderStore) => ({
  /** Reads a customer by their global id, for `node` and `nodes`: everyone has an account, at first without tags. */
  findCustomer: async (gid: string) => {
    const id = readGid('Customer', gid) ?? -1
    const [there] = await orders.customers([id])
    return viewCustomer(there ?? { id, tags: [], updatedAt: new Date(0).toISOString() })
  },
  customer: async ({ id }: { id: string }) => {
    const number = readGid('Customer', id) ?? -1
    const placed = await orders.placedSince(new Date(0), 0, MAX_CUSTOMER_ORDERS)
    const own = placed.findLast(({ customerId, email }) => customerId === number && email)
    if (!own) return null
    const [there] = await orders.customers([number])
    return {
      ...viewCustomer(there ?? { id: number, tags: [], updatedAt: own.updatedAt }),
      defaultEmailAddress: { emailAddress: own.email },
    }
  },
  customers: async ({ query, first, after }: ListArguments) => {
    const { limit, last } = placeOf(first, after)
    const found = await orders.customersSince(sinceOf(query) ?? new Date(0), last, limit + 1)
    return pageOf(found.map(viewCustomer), limit, (customer) => customer.number)
  },
})

export interface MetafieldInput {
  ownerId: string
  namespace?: string | null
  key: string
  type?: string | null
  value: string
}

/** Among these orders the demo looks for the address of a customer. */
const MAX_CUSTOMER_ORDERS = 1000

/** Metafields of orders. */
export async function setMetafields(orders: OrderStore, metafields: readonly MetafieldInput[]) {
  const owners = metafields.map(({ ownerId }) => readGid('Order', ownerId) ?? -1)
  const found = new Set((await orders.get(owners)).map(({ id }) => id))
  const missing = owners.findIndex((id) => !found.has(id))
  if (missing >= 0) {
    const field = ['metafields', String(missing), 'ownerId']
    return { metafields: null, userErrors: [objection('Owner does not exist', ...field)] }
  }
  await orders.changeAll(owners, (order, at) => {
    const { namespace, key, type, value } = elementAt(metafields, at)
    order.metafields = order.metafields.filter((one) => one.key !== key)
    order.metafields.push({
      namespace: namespace ?? '$app',
      key,
      type: type ?? 'json',
      value,
    })
    touch(order)
  })
  return { metafields: [], userErrors: [] }
}

async function addTags(orders: OrderStore, id: string, tags: readonly string[]) {
  const changed = await orders.change(readGid('Order', id) ?? -1, (order) => {
    order.tags = [...new Set([...order.tags, ...tags])]
    touch(order)
  })
  return { node: null, userErrors: changed ? [] : [objection('Resource not found', 'id')] }
}

interface FulfilmentInput {
  notifyCustomer: boolean
  trackingInfo?: { company?: string | null; url?: string | null } | null
  lineItemsByFulfillmentOrder: {
    fulfillmentOrderId: string
    fulfillmentOrderLineItems?: { id: string; quantity: number }[] | null
  }[]
}

async function createFulfilment(orders: OrderStore, fulfilment: FulfilmentInput) {
  const refused = (problem: string) => ({
    fulfillment: null,
    userErrors: [objection(problem, 'fulfillment')],
  })
  const [given, ...others] = fulfilment.lineItemsByFulfillmentOrder
  if (!given || others.length > 0)
    return refused('The fulfillment orders must be assigned to the same location.')
  const place = fulfilmentPlaceOf(given.fulfillmentOrderId)
  const lines = (given.fulfillmentOrderLineItems ?? []).map((line) => ({
    id: readGid('FulfillmentOrderLineItem', line.id) ?? -1,
    quantity: line.quantity,
  }))
  const { company = null, url = null } = fulfilment.trackingInfo ?? {}
  const tracking = url ? { company, url } : null
  const changed = await orders.change(place.order, (order) => {
    touch(order)
    return fulfil(order, place.location, lines, { notified: fulfilment.notifyCustomer, tracking })
  })
  if (!changed) return refused('Fulfillment order does not exist.')
  if (changed.result) return refused(changed.result)
  const { id } = lastOf(changed.order.fulfilments)
  return {
    fulfillment: { __typename: 'Fulfillment', id: toGid('Fulfillment', id) },
    userErrors: [],
  }
}

const objection = (message: string, ...field: string[]) => ({ message, field })

const touch = (order: DemoOrder) => void (order.updatedAt = laterThan(order.updatedAt))

/** A time later than `before`, so that two changes within a millisecond differ. */
export const laterThan = (before: string): string =>
  new Date(Math.max(Date.now(), Date.parse(before) + 1)).toISOString()

/** Without the scope, only orders of the last 60 days are shown. */
const RECENT_MS = 60 * 24 * 60 * 60 * 1000
const visible = (since: Date): Date =>
  DEMO_SCOPES.includes('read_all_orders')
    ? since
    : new Date(Math.max(+since, Date.now() - RECENT_MS))

/** The names and confirmation numbers that a search looks for; none: it looks for others. */
function namesIn(expression: Expression | null): string[] {
  if (expression?.kind === 'or') return expression.of.flatMap(namesIn)
  return expression?.kind === 'term' &&
    ['name', 'confirmation_number'].includes(expression.field ?? '')
    ? [expression.value]
    : []
}

/** The only further terms of the search syntax that the app sends; null: the query has another one. */
function sinceOf(query: string | null | undefined, field = 'updated_at'): Date | null {
  const expression: Expression | null = parseSearch(query ?? '')
  if (expression?.kind !== 'term' || expression.field !== field) return null
  return new Date(expression.value)
}
