// The demo shop's front over HTTP: its products with a Buy button, an order's page, and the same as
// JSON for scripts. Only pages of this machine may use it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBounded } from '../../core/body-budget.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { DemoCatalog } from '../catalog.ts'
import { toGid } from '../catalog-ids.ts'
import { encodedPathOf, isOwnPage } from '../own-page.ts'
import { OrderProblem, type DemoOrder } from './order.ts'
import { orderPage, problemPage, shopPage } from './pages.ts'
import { ORDER_ACTIONS, type OrderAction } from './order-webhooks.ts'
import type { DemoShopFront } from './shop.ts'
import { percentDecoded } from '../../core/texts.ts'

const SHOP = /^\/demo\/shop\/?$/
const ORDERS = '/demo/orders'
const PRODUCTS = '/demo/products'
const DATA_REQUESTS = '/demo/customers/data-request'
/** By id, global id or email address. */
const CUSTOMER = /^\/demo\/customers\/(?:.*\/)?([^/]{1,320})$/
// An id may be a global id, which contains slashes.
const ORDER = /^\/demo\/orders\/(?:.*[/:])?(\d{1,15})$/
const ACTION = new RegExp(`^/demo/orders/(?:.*[/:])?(\\d{1,15})/(${ORDER_ACTIONS.join('|')})$`)
const MAX_BODY_BYTES = 256 * 1024

interface Answer {
  status: number
  /** The body: an object as JSON, or a page. */
  body: object | string
  location?: string
}

export interface ShopFrontPlace {
  front: DemoShopFront
  catalog: DemoCatalog
  shopName: string
  log: Logger
  /** The address of the app's admin page. */
  adminUrl: string
}

/** Answers the shop front's addresses and returns true; false for others. */
export function createShopFrontRequests(place: ShopFrontPlace) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = pathOf(request)
    const front =
      [ORDERS, PRODUCTS, DATA_REQUESTS].includes(path) ||
      [SHOP, ORDER, ACTION, CUSTOMER].some((one) => one.test(path))
    if (!front) return false
    const asPage = wantsPage(request)
    respond(place, request, path, asPage).then(
      (answer) => send(response, answer),
      (error: unknown) => {
        if (error instanceof OrderProblem) return send(response, refused(error.message, asPage))
        place.log.error('the demo shop front failed', errorFields(error))
        send(response, { status: 500, body: { error: { message: 'Internal error' } } })
      },
    )
    return true
  }
}

const refused = (message: string, asPage: boolean): Answer => ({
  status: 422,
  body: asPage ? problemPage(message) : { error: { message } },
})

async function respond(
  place: ShopFrontPlace,
  request: IncomingMessage,
  path: string,
  asPage: boolean,
): Promise<Answer> {
  const { front } = place
  if (!isOwnPage(request))
    return { status: 403, body: { error: { message: 'Only pages on this machine may do this' } } }
  if (request.method === 'GET' || request.method === 'HEAD') {
    const id = ORDER.exec(path)?.[1]
    if (id === undefined) return { status: 200, body: shopPage(place, queryOf(request)) }
    const order = await front.read(Number(id))
    if (!order) return missing
    return { status: 200, body: asPage ? orderPage(place, order) : recordOf(order) }
  }
  if (request.method !== 'POST') return { status: 405, body: { error: { message: 'Send a POST' } } }
  const body = await readFields(request)
  if (path === PRODUCTS) return { status: 200, body: front.changeSku(body) }
  if (path === DATA_REQUESTS) return { status: 202, body: front.requestData(body) }
  const [, customer] = CUSTOMER.exec(path) ?? []
  if (customer !== undefined) return { status: 200, body: await front.tagCustomer(customer, body) }
  const [, id, action] = ACTION.exec(path) ?? []
  if (id === undefined && path !== ORDERS) return missing
  const order =
    id === undefined
      ? await front.buy(body)
      : await front.act(Number(id), action as OrderAction, body)
  if (!order) return missing
  if (asPage) return { status: 303, body: '', location: `${ORDERS}/${order.id}` }
  return { status: id === undefined ? 201 : 200, body: recordOf(order) }
}

const missing: Answer = { status: 404, body: { error: { message: 'There is no such order' } } }

const recordOf = (order: DemoOrder) => ({
  order_id: toGid('Order', order.id),
  confirmation_number: order.confirmationNumber,
  name: order.name,
  financial_status: order.financialStatus,
  cancelled_at: order.cancelledAt,
  recommendation: order.recommendation,
  tags: order.tags,
  metafields: order.metafields,
  fulfilments: order.fulfilments,
  lines: order.lines.map(({ id, sku, title, quantity, currentQuantity, fulfilled }) => ({
    id: toGid('LineItem', id),
    sku,
    title,
    quantity,
    fulfilled,
    current_quantity: currentQuantity,
  })),
})

const pathOf = (request: IncomingMessage): string => {
  const path = encodedPathOf(request)
  return percentDecoded(path) ?? path
}

const queryOf = ({ url = '' }: IncomingMessage): string =>
  new URLSearchParams(url.split('?')[1] ?? '').get('q') ?? ''

const isForm = ({ headers }: IncomingMessage): boolean =>
  (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
const wantsPage = (request: IncomingMessage): boolean =>
  isForm(request) || (request.headers.accept ?? '').includes('text/html')

/** The body as JSON, or the fields of a form. Throws `OrderProblem`. */
async function readFields(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBounded(request, MAX_BODY_BYTES)
  if (bytes === null) throw new OrderProblem('The body is too large')
  const text = bytes.toString()
  if (isForm(request)) return fieldsOf(new URLSearchParams(text))
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new OrderProblem('The body is not JSON')
  }
}

/**
 * In a form, `sku` and `quantity` are its only line, and empty fields are absent. Online orders need an
 * address. Throws `OrderProblem`.
 */
function fieldsOf(form: URLSearchParams): Record<string, unknown> {
  const { sku, quantity, ...given } = Object.fromEntries(form)
  if (sku === undefined) return given
  const { guest, ...fields } = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value.trim() !== ''),
  )
  const { email, phone, source = 'web' } = fields
  if (source === 'web' && email === undefined && phone === undefined)
    throw new OrderProblem('Enter an email address, or a phone number for a phone checkout')
  const lines = [{ sku, quantity: quantity || 1 }]
  return { ...fields, lines, ...(guest === 'true' ? { guest: true } : {}) }
}

/** A catalog's pictures are at any address: the app's, a CDN's. */
const PAGE_POLICY =
  "default-src 'none'; img-src http: https:; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

function send(response: ServerResponse, { status, body, location }: Answer): void {
  if (response.destroyed || response.headersSent) return
  const page = typeof body === 'string'
  const text = page ? body : JSON.stringify(body)
  response
    .writeHead(status, {
      'content-type': page ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': PAGE_POLICY,
      'x-content-type-options': 'nosniff',
      ...(location ? { location } : {}),
    })
    .end(text)
}
