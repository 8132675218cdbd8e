// The demo platform over HTTP, on 127.0.0.1 only: the platform's paths, answered for the shop in
// the Host header.
import { createReadStream } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { readBounded } from '../core/body-budget.ts'
import { errorFields, type Logger } from '../core/log.ts'
import { createAdminEndpoint, type AdminCounts, type AdminEndpoint } from './admin-endpoint.ts'
import { DEMO_SHOP, type DemoApp, type DemoShop } from './app.ts'
import { createViews } from './admin-views.ts'
import { adminRoot, createDemoAdmin } from './admin/requests.ts'
import { toGid } from './catalog-ids.ts'
import { readCatalog, type DemoCatalog } from './catalog.ts'
import { createDemoBilling } from './billing.ts'
import { createTokenEndpoint, DEMO_SCOPES } from './oauth.ts'
import { createDemoFlow } from './flow.ts'
import { createInstalling } from './installing.ts'
import { createDemoInstallation, type DemoInstallation } from './installation.ts'
import { setMetafields, type MetafieldInput } from './orders/admin-orders.ts'
import { createProductFields } from './new-products.ts'
import { isLocalHost } from './own-page.ts'
import { addressPictures, createPictures } from './pictures.ts'
import { createShopFrontRequests } from './orders/requests.ts'
import { createWebhookSender } from './orders/sender.ts'
import { DemoShopFront } from './orders/shop.ts'
import { memoryOrders, type OrderStore } from './orders/store.ts'

export interface DemoOptions {
  /** A product CSV of the platform; null for the bundled one. */
  catalog: string | null
  /** Points that the bucket holds, and points that are restored per second. */
  bucket: number
  restore: number
  apiKey: string
  apiSecret: string
  log: Logger
  shop?: DemoShop
  /** Fields that the app may not read, like `Order.customer`. */
  denied?: readonly string[]
  /** How long an access token is valid. */
  accessSeconds?: number
  /** The store of orders; absent: they are kept in memory. */
  orders?: OrderStore
  /** Where the app receives webhooks and has its pages, without a slash at the end. */
  appAddress?: string
}

export interface DemoStorefront {
  /** Where it listens: `http://127.0.0.1:<port>`. */
  url: string
  /** The address of the app in the demo's admin. Its host makes it another site than the app. */
  adminUrl: string
  app: DemoApp
  shop: DemoShop
  size: { products: number; variants: number }
  installation: DemoInstallation
  /** Answers the shop front's addresses and returns true; false for others. */
  shopFront(request: IncomingMessage, response: ServerResponse): boolean
  counts: { grants: { exchange: number; refresh: number }; admin: AdminCounts }
  close(): Promise<void>
}

interface Answer {
  status: number
  body: unknown
}

const BUNDLED = fileURLToPath(new URL('./products.csv', import.meta.url))
const API_PATH = '/admin/api/2026-10/graphql.json'
const ACCESS_SECONDS = 3600
const DEFAULT_ADDRESS = 'http://127.0.0.1'
const PARTNERS = 'partners.shopify.com'
const MAX_BODY_BYTES = 1024 * 1024

/** Reads the catalog and listens on a free port. Throws `CatalogError`. */
export async function startDemoStorefront(options: DemoOptions): Promise<DemoStorefront> {
  const catalog = await readCatalog(options.catalog ?? BUNDLED)
  addressPictures(catalog, options.appAddress ?? DEFAULT_ADDRESS)
  let url = ''
  const parts = createParts(options, catalog, () => url)
  const { shop, app, tokens, admin, sender, shopFront, installation } = parts
  const server = createServer((request, response) => {
    // The result of a bulk query has a signed address: it needs no token.
    if (sendBulkFile(admin, request, response)) return
    if (isLocalHost(request)) {
      if (request.url === '/') return void response.writeHead(302, { location: '/demo/shop' }).end()
      if (shopFront(request, response) || parts.storeAdmin(request, response)) return
    }
    answer(parts, request).then(
      ({ status, body }) => send(response, status, body),
      (error: unknown) => {
        options.log.error('the demo storefront failed', errorFields(error))
        send(response, 500, { errors: 'Internal Server Error' })
      },
    )
  })
  url = `http://127.0.0.1:${await listen(server)}`
  return {
    url,
    adminUrl: `http://localhost:${new URL(url).port}${adminRoot(shop)}/apps/stevedore`,
    app,
    shop,
    shopFront,
    installation,
    size: { products: catalog.products.id.length, variants: catalog.variants.id.length },
    counts: { grants: tokens.counts, admin: admin.counts },
    close: async () => {
      sender.close()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      await admin.bulk.close()
    },
  }
}

type Parts = ReturnType<typeof createParts>

/** @param url returns where the demo listens, known later. */
function createParts(options: DemoOptions, catalog: DemoCatalog, url: () => string) {
  const { apiKey, apiSecret, shop = DEMO_SHOP, accessSeconds = ACCESS_SECONDS, log } = options
  const { orders = memoryOrders(), appAddress = DEFAULT_ADDRESS } = options
  const app: DemoApp = { apiKey, apiSecret, shopDomain: shop.domain }
  const flow = createDemoFlow(app, appAddress)
  const billing = createDemoBilling(url)
  const installation = createDemoInstallation()
  const sender = createWebhookSender(app, `${appAddress}/webhooks`)
  const admin = createAdminEndpoint(catalog, shop, options, orders, {
    ...createProductFields(catalog, createViews(catalog), (id) => {
      const admin_graphql_api_id = toGid('Product', id)
      void sender.send('products/create', { id, admin_graphql_api_id })
    }),
    flowTriggerReceive: flow.flowTriggerReceive,
    appSubscriptionCreate: billing.appSubscriptionCreate,
    currentAppInstallation: () => ({
      accessScopes: DEMO_SCOPES.map((handle) => ({ handle })),
      activeSubscriptions: billing.activeSubscriptions(),
      app: { handle: 'stevedore' },
      id: installation.id,
      metafield: installation.metafield,
    }),
    metafieldsSet: ({ metafields }: { metafields: MetafieldInput[] }) =>
      installation.set(metafields) ?? setMetafields(orders, metafields),
  })
  const orderPages = createShopFrontRequests({
    front: new DemoShopFront(catalog, orders, sender),
    catalog,
    shopName: shop.name,
    adminUrl: appAddress,
    log,
  })
  const pictures = createPictures(catalog, shop.name)
  const storeAdmin = createDemoAdmin({ app, shop, catalog, orders, appAddress, log })
  const tokens = createTokenEndpoint(app, accessSeconds)
  const installing = createInstalling({ app, tokens, sender })
  const shopFront: DemoStorefront['shopFront'] = (request, response) =>
    flow.handle(request, response) ||
    billing.handle(request, response) ||
    installing(request, response) ||
    pictures(request, response) ||
    orderPages(request, response)
  return { shop, app, tokens, billing, admin, sender, shopFront, installation, storeAdmin }
}

/** Sends the result of a bulk query and returns true; false for other addresses. */
function sendBulkFile(
  admin: AdminEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const file = request.method === 'GET' ? admin.bulk.file(request.url ?? '') : null
  if (file === null) return false
  response.writeHead(200, { 'content-type': 'application/jsonl' })
  pipeline(createReadStream(file), response).catch(() => response.destroy())
  return true
}

/** Answers the paths of the platform's own hosts. */
async function answer(
  { shop, tokens, billing, admin }: Parts,
  request: IncomingMessage,
): Promise<Answer> {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '')
  if (host === PARTNERS && request.method === 'POST') {
    const body = await readObject(request)
    const found = body && billing.partner(request, body)
    return found ? { status: 200, body: found } : notFound
  }
  if (host !== shop.domain || request.method !== 'POST') return notFound
  if (request.url === '/admin/oauth/access_token') {
    const body = await readObject(request)
    return body ? tokens.grant(body) : badRequest
  }
  if (request.url !== API_PATH) return notFound
  const token = request.headers['x-shopify-access-token']
  if (typeof token !== 'string' || !tokens.accepts(token)) return unauthorized
  const body = await readObject(request)
  return body ? { status: 200, body: await admin.answer(body) } : badRequest
}

const notFound: Answer = { status: 404, body: { errors: 'Not Found' } }
const badRequest: Answer = { status: 400, body: { errors: 'The body is not JSON, or too large' } }
const unauthorized: Answer = {
  status: 401,
  body: { errors: '[API] Invalid API key or access token (unrecognized login or wrong password)' },
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(body))
}

/** The JSON object in the body, or null. */
async function readObject(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  const bytes = await readBounded(request, MAX_BODY_BYTES)
  if (bytes === null) return null
  try {
    const body: unknown = JSON.parse(bytes.toString())
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
