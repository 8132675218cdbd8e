// The demo's admin over HTTP, on the demo's own address: another site than the app's, so that a browser
// treats the app's frame as the platform's.
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ownValue } from '../../../plugins/contract/index.ts'
import { readBounded } from '../../core/body-budget.ts'
import { elementAt } from '../../core/lazy.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { DemoApp, DemoShop } from '../app.ts'
import { toGid } from '../catalog-ids.ts'
import type { DemoCatalog } from '../catalog.ts'
import type { DemoOrder } from '../orders/order.ts'
import type { OrderStore } from '../orders/store.ts'
import { encodedPathOf, isOwnPage } from '../own-page.ts'
import { fold } from '../search.ts'
import { SESSION_TOKEN_SECONDS, signSessionToken } from '../session-token.ts'
import { buildExtension, extensionTexts } from './extensions.ts'
import {
  appPage,
  extensionPage,
  adminOrderPage,
  adminOrdersPage,
  productPage,
  productsPage,
  type ShownOrder,
  type ShownProduct,
} from './pages.ts'

export interface DemoAdminPlace {
  app: DemoApp
  shop: DemoShop
  catalog: DemoCatalog
  orders: OrderStore
  /** The app's address, without a slash at the end. */
  appAddress: string
  log: Logger
}

const MAX_BODY_BYTES = 1024 * 1024
const MAX_SHOWN = 60
/** Orders that are read to show the newest. */
const MAX_ORDERS = 5000
const EXTENSIONS = ['order-block', 'product-block', 'product-links'] as const

interface Answer {
  status: number
  type: string
  body: string | Buffer
}

const html = (body: string, status = 200): Answer => ({
  status,
  type: 'text/html; charset=utf-8',
  body,
})
const script = (body: string): Answer => ({
  status: 200,
  type: 'text/javascript; charset=utf-8',
  body,
})
const json = (status: number, body: object): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
})
const missing = html('<!doctype html><title>Not found</title><p>There is no such page.</p>', 404)

const asset = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')
const ASSETS: Readonly<Record<string, () => Answer>> = {
  '/store/admin.js': () => script(asset('./admin.js')),
  '/store/extension-host.js': () => script(asset('./extension-host.js')),
  '/store/admin.css': () => ({ ...script(asset('./admin.css')), type: 'text/css; charset=utf-8' }),
  '/store/extension.css': () => ({
    ...script(asset('./extension.css')),
    type: 'text/css; charset=utf-8',
  }),
}

/** The path of the shop's admin: `/store/harbour-press`. */
export const adminRoot = ({ domain }: DemoShop): string => `/store/${domain.split('.')[0] ?? ''}`

/** Answers the admin's addresses and returns true; false for others. */
export function createDemoAdmin(place: DemoAdminPlace) {
  const modules = new Map<string, Promise<string>>()
  const moduleOf = (name: string): Promise<string> => {
    const built = modules.get(name) ?? buildExtension(name, place.appAddress)
    modules.set(name, built)
    // The next request tries again.
    built.catch(() => modules.delete(name))
    return built
  }
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = encodedPathOf(request)
    if (path !== '/store' && !path.startsWith('/store/')) return false
    answer(place, moduleOf, request, path).then(
      (given) => send(place, response, given),
      (error: unknown) => {
        place.log.error('the demo admin failed', errorFields(error))
        send(place, response, json(500, { error: { message: 'Internal error' } }))
      },
    )
    return true
  }
}

async function answer(
  place: DemoAdminPlace,
  moduleOf: (name: string) => Promise<string>,
  request: IncomingMessage,
  path: string,
): Promise<Answer> {
  if (path.startsWith('/store/app/')) {
    if (!isOwnPage(request)) return json(403, { error: { message: 'Only this admin may do this' } })
    return toApp(place, request)
  }
  if (path === '/store/session-token') {
    // A request by a page of another origin, or by one that a name was pointed at, gets none.
    if (request.method !== 'POST' || !isOwnPage(request))
      return json(403, { error: { message: 'Only this admin gets a session token' } })
    return json(200, { token: signSessionToken(place.app), expires_in: SESSION_TOKEN_SECONDS })
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return missing
  const stored = ownValue(ASSETS, path)
  if (stored) return stored()
  const query = new URL(request.url ?? '', 'http://demo').searchParams
  const [, name, start] = /^\/store\/extensions\/([\w-]+)(\/\w+\.js)?$/.exec(path) ?? []
  const extension = EXTENSIONS.find((one) => one === name)
  if (extension) return ofExtension(place, extension, start, { query, moduleOf })
  return pageOf(place, path, query)
}

async function ofExtension(
  place: DemoAdminPlace,
  name: string,
  file: string | undefined,
  { query, moduleOf }: { query: URLSearchParams; moduleOf: (name: string) => Promise<string> },
): Promise<Answer> {
  if (file === '/start.js') return script("import extension from './module.js'\nextension()\n")
  if (file === '/module.js') return script(await moduleOf(name))
  const app = `${adminRoot(place.shop)}/apps/stevedore`
  const given = { selected: query.getAll('selected'), app, texts: await extensionTexts(name) }
  return html(extensionPage(name, given))
}

async function pageOf(
  place: DemoAdminPlace,
  path: string,
  query: URLSearchParams,
): Promise<Answer> {
  const root = adminRoot(place.shop)
  const about = { root, shopName: place.shop.name }
  const rest = path.startsWith(root) ? path.slice(root.length) : ''
  const [, kind, ...names] = rest.split('/')
  const id = Number(names[0])
  if (kind === 'apps' && names[0] === 'stevedore')
    return html(appPage(about, appSource(place, names.slice(1).join('/'), query)))
  if (kind === 'orders' && names.length === 0)
    return html(adminOrdersPage(about, await newestOrders(place)))
  if (kind === 'orders') {
    const [order] = Number.isSafeInteger(id) ? await place.orders.get([id]) : []
    if (!order) return missing
    const gid = toGid('Order', order.id)
    return html(adminOrderPage(about, { ...shownOrder(order), gid, lines: order.lines }))
  }
  if (kind === 'products' && names.length === 0) {
    const found = productsOf(place.catalog, query.get('q') ?? '')
    const first = found.slice(0, MAX_SHOWN)
    return html(productsPage(about, query.get('q') ?? '', first, found.length - first.length))
  }
  if (kind === 'products') {
    const row = place.catalog.products.id.indexOf(id)
    if (row === -1) return missing
    return html(
      productPage(about, {
        ...shownProduct(place.catalog, row),
        variants: variantsOf(place.catalog, row),
      }),
    )
  }
  // Any other address below /store is that of the app: the first one that a person types.
  return path === '/store' || path === root || path === `${root}/`
    ? html(appPage(about, appSource(place, '', query)))
    : missing
}

/** The address of the app's page, with what the platform adds to it. */
function appSource(place: DemoAdminPlace, path: string, query: URLSearchParams): URL {
  const url = new URL(`${place.appAddress}/${path}`)
  for (const [name, value] of query) url.searchParams.append(name, value)
  url.searchParams.set('embedded', '1')
  url.searchParams.set('shop', place.shop.domain)
  url.searchParams.set(
    'host',
    Buffer.from(`admin.shopify.com${adminRoot(place.shop)}`).toString('base64url'),
  )
  return url
}

async function newestOrders({ orders }: DemoAdminPlace): Promise<ShownOrder[]> {
  const all = await orders.placedSince(new Date(0), 0, MAX_ORDERS)
  return all.toReversed().slice(0, MAX_SHOWN).map(shownOrder)
}

const shownOrder = (order: DemoOrder): ShownOrder => ({
  id: order.id,
  name: order.name,
  placed: new Date(order.createdAt).toLocaleDateString('en', { dateStyle: 'medium' }),
  customer: order.customerName ?? order.email ?? order.phone ?? 'No customer',
  payment: order.cancelledAt ? 'Cancelled' : sentence(order.financialStatus),
})

/** `PARTIALLY_PAID` → `Partially paid` */
const sentence = (status: string): string =>
  status.charAt(0) + status.slice(1).toLowerCase().replaceAll('_', ' ')

function productsOf(catalog: DemoCatalog, query: string): ShownProduct[] {
  const wanted = fold(query)
  return catalog.products.id
    .map((_, row) => shownProduct(catalog, row))
    .filter(({ title, skus }) => fold(`${title} ${skus}`).includes(wanted))
}

const shownProduct = (catalog: DemoCatalog, row: number): ShownProduct => ({
  id: elementAt(catalog.products.id, row),
  gid: toGid('Product', elementAt(catalog.products.id, row)),
  title: elementAt(catalog.products.title, row),
  image: catalog.products.image[row] ?? null,
  skus: variantsOf(catalog, row)
    .map(({ sku }) => sku)
    .filter(Boolean)
    .slice(0, 3)
    .join(', '),
})

const variantsOf = ({ products, variants }: DemoCatalog, row: number) =>
  elementAt(products.variants, row).map((at) => ({
    title: elementAt(variants.title, at),
    sku: elementAt(variants.sku, at),
    price: elementAt(variants.price, at),
  }))

/** Passes an extension's request on to the app, with its session token. */
async function toApp({ appAddress }: DemoAdminPlace, request: IncomingMessage): Promise<Answer> {
  const { method = 'GET', headers, url = '' } = request
  const body = await readBounded(request, MAX_BODY_BYTES)
  if (body === null) return json(413, { error: { message: 'The body is too large' } })
  const passed = ['authorization', 'content-type'].flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as [string, string]] : []
  })
  const response = await fetch(appAddress + url.slice('/store/app'.length), {
    method,
    headers: passed,
    ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
  })
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? 'application/json',
    body: Buffer.from(await response.arrayBuffer()),
  }
}

function send(
  { appAddress }: DemoAdminPlace,
  response: ServerResponse,
  { status, type, body }: Answer,
): void {
  if (response.destroyed || response.headersSent) return
  response
    .writeHead(status, {
      'content-type': type,
      'cache-control': 'no-store',
      'content-security-policy':
        `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; ` +
        `img-src http: https: data:; frame-src 'self' ${appAddress}; form-action 'self'; ` +
        `base-uri 'none'; frame-ancestors 'self'`,
      'x-content-type-options': 'nosniff',
    })
    .end(body)
}
