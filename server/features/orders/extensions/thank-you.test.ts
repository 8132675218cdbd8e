import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:http'
import Koa from 'koa'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createTestShop, openTestDatabase, silent } from '../../../../test/database.ts'
import { appConfig } from '../../../../app.config.ts'
import { signToken } from '../../../demo/jwt.ts'
import { verifyBuyerToken } from '../../../storefront/buyer-token.ts'
import { createFailureLimiter } from '../../../http/auth.ts'
import { errorResponses } from '../../../http/errors.ts'
import { apiOrigins, mounted } from '../../../http/listen.ts'
import type { OrderPage } from '../order-pages.ts'
import { adminExtensions, EXTENSION_ORIGIN } from './admin-origin.ts'
import { THANK_YOU_PATH, thankYouRequests } from './thank-you.ts'

const platform = { apiKey: 'the-client-id', apiSecret: 'the secret of the app' }
const DOMAIN = 'thanks.myshopify.com'
const ORDER = 'gid://shopify/Order/1001'
const SOLD = 'gid://shopify/Product/1'
const order: OrderPage = {
  confirmation_number: 'X1Y2Z3',
  status: 'ready',
  files: 2,
  ordered_at: new Date(),
  url: 'https://files.example.com/download?key=k',
  terms: { later: 0, available_at: null, use_hours: null, until: null, ends_at: null, closed: 0 },
}

let database: Awaited<ReturnType<typeof openTestDatabase>>
let url: string
let page: OrderPage | null
const closings: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  database = await openTestDatabase()
  const shop = await createTestShop(database, DOMAIN)
  const limits = appConfig({}).limits
  const app = new Koa()
  app.use(errorResponses(silent))
  app.use(apiOrigins(adminExtensions))
  app.use(
    mounted([
      thankYouRequests({
        database,
        storefront: { verifyBuyerToken: (token) => verifyBuyerToken(token, platform, new Date()) },
        orderPages: {
          find: (one, id) => Promise.resolve(one === shop && id === ORDER ? page : null),
          sells: (_, lines) => Promise.resolve(lines.some(({ product_id }) => product_id === SOLD)),
        },
        failures: createFailureLimiter({ database, limits, trustProxy: true }),
        trustProxy: true,
        clock: () => new Date(),
      }),
    ]),
  )
  const handle = app.callback()
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  closings.push(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
})
afterAll(async () => {
  for (const close of closings) await close()
  await database.drop()
})
beforeEach(() => {
  page = order
})

const seconds = () => Math.floor(Date.now() / 1000)
const token = (over: object = {}) =>
  signToken(
    {
      dest: DOMAIN,
      aud: platform.apiKey,
      nbf: seconds(),
      iat: seconds(),
      exp: seconds() + 300,
      ...over,
    },
    platform.apiSecret,
  )
async function ask(body: object = {}, bearer = token(), others: Record<string, string> = {}) {
  const response = await fetch(url + THANK_YOU_PATH, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      ...others,
    },
    body: JSON.stringify({ order_id: ORDER, confirmation_number: 'X1Y2Z3', ...body }),
  })
  return { response, body: (await response.json()) as Record<string, unknown> }
}

it('the order’s page is returned for its confirmation number, to every site', async () => {
  const { response, body } = await ask()
  expect(body).toEqual({ status: 'ready', url: order.url, files: 2, terms: order.terms })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const identity = await ask({ order_id: 'gid://shopify/OrderIdentity/1001' })
  expect(identity.body.status).toBe('ready')
})

it('a wrong number, an unknown order and one without a number get the same response', async () => {
  const answers = [
    (await ask({ confirmation_number: 'WRONG' })).body,
    (await ask({ order_id: 'gid://shopify/Order/9' })).body,
  ]
  page = { ...order, confirmation_number: null }
  answers.push((await ask()).body)
  expect(answers).toEqual(answers.map(() => ({ status: 'preparing' })))
})

it('an unknown order of products without files gets no page; one with a file is waited for', async () => {
  const line = (product: number) => ({
    product_id: `gid://shopify/Product/${product}`,
    variant_id: 'gid://shopify/ProductVariant/7',
  })
  const other = { order_id: 'gid://shopify/Order/9' }
  expect((await ask({ ...other, lines: [line(2)] })).body).toEqual({ status: 'none' })
  expect((await ask({ ...other, lines: [line(2), line(1)] })).body).toEqual({ status: 'preparing' })
  expect((await ask({ lines: [line(2)] })).body.status).toBe('ready')
})

it('an order of half an hour ago, and one that is held or withdrawn, returns no address', async () => {
  page = { ...order, ordered_at: new Date(Date.now() - 31 * 60_000) }
  expect((await ask()).body).toEqual({ status: 'elsewhere' })
  page = { ...order, status: 'held' }
  expect((await ask()).body).toEqual({ status: 'held' })
  page = { ...order, status: 'preparing' }
  expect((await ask()).body).toEqual({ status: 'preparing' })
  page = { ...order, status: 'revoked' }
  expect((await ask()).body).toEqual({ status: 'elsewhere' })
})

it('the admin’s token and one of a shop without the app are refused', async () => {
  const admin = token({ iss: `https://${DOMAIN}/admin`, sub: '1' })
  const refused = await ask({}, admin)
  expect([
    refused.response.status,
    refused.response.headers.get('access-control-allow-origin'),
  ]).toEqual([401, '*'])
  expect((await ask({}, token({ dest: 'other.myshopify.com' }))).response.status).toBe(401)
  const wrong = await ask({ order_id: 'gid://shopify/Order/1; drop' })
  expect(wrong.response.status).toBe(422)
})

it('requests of one network count together, also with forged addresses before the proxy’s', async () => {
  for (const n of [1, 2, 3])
    await ask({}, token(), { 'x-forwarded-for': `192.0.2.${n}, 2001:db8::${n}` })
  const { rows } = await database.pool.query<{ points: number }>(
    `select points from rate_limits where key = 'thank-you:2001:db8:0:0'`,
  )
  expect(rows).toEqual([{ points: 3 }])
})

it('a preflight is answered here for every site, and at the API only for the admin', async () => {
  const preflight = async (path: string, origin: string) => {
    const headers = { origin, 'access-control-request-method': 'POST' }
    const { status, headers: answer } = await fetch(url + path, { method: 'OPTIONS', headers })
    return [status, answer.get('access-control-allow-origin')]
  }
  expect(await preflight(THANK_YOU_PATH, 'https://shop.example')).toEqual([204, '*'])
  expect(await preflight('/api/deliveries', EXTENSION_ORIGIN)).toEqual([204, EXTENSION_ORIGIN])
  expect(await preflight('/api/deliveries', 'https://evil.example')).toEqual([404, null])
  expect((await fetch(url + THANK_YOU_PATH)).status).toBe(405)
})
