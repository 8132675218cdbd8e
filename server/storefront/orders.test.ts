// Orders of which the platform refuses a field, as to an app without the scope `read_customers` or the
// approval for protected customer data, and orders on which it fails.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PortError } from '../../plugins/contract/index.ts'
import { createTestShop, openTestDatabase, silent } from '../../test/database.ts'
import { soakTest } from '../../test/scale.ts'
import { WAIT_MS } from '../../test/wait.ts'
import { createSecrets } from '../core/secrets.ts'
import { DEMO_SHOP } from '../demo/app.ts'
import { startDemoStorefront } from '../demo/listener.ts'
import type { DemoOrder } from '../demo/orders/order.ts'
import { memoryOrders } from '../demo/orders/store.ts'
import { signSessionToken } from '../demo/session-token.ts'
import { createDemoTransport } from '../demo/transport.ts'
import { createStorefront } from './platform.ts'
import type { Transport } from './operations.ts'

const CREDENTIALS = { apiKey: 'the-key', apiSecret: 'the secret of the app, 32 characters' }
const ID = 'gid://shopify/Order/1'
const never = new AbortController().signal
const at = '2026-10-01T00:00:00.000Z'
const ORDER: DemoOrder = {
  id: 1,
  name: '#1',
  confirmationNumber: 'X1',
  email: 'buyer@example.com',
  locale: 'en',
  customerId: 7,
  customerName: 'Ada Lovelace',
  createdAt: at,
  updatedAt: at,
  cancelledAt: null,
  financialStatus: 'PAID',
  recommendation: 'NONE',
  lines: [],
  tags: [],
  metafields: [],
  fulfilments: [],
}

let database: Awaited<ReturnType<typeof openTestDatabase>>
let shop: number
beforeAll(async () => {
  database = await openTestDatabase()
  shop = await createTestShop(database, DEMO_SHOP.domain)
})
afterAll(() => database.drop())

interface Difference {
  /** Fields that the app may not read. */
  denied?: readonly string[]
  /** Answers a request of these orders instead of the platform. */
  instead?: (ids: readonly string[]) => Response | null
}

/** Reads orders from a platform with this difference. */
async function read(ids: readonly string[], { denied = [], instead }: Difference) {
  const orders = memoryOrders()
  for (const id of ids) await orders.add({ ...ORDER, id: Number(id.split('/').at(-1)) })
  const limits = { catalog: null, bucket: 100_000, restore: 1000 }
  const demo = await startDemoStorefront({
    ...CREDENTIALS,
    ...limits,
    log: silent,
    orders,
    denied,
  })
  const { transport, close } = createDemoTransport(demo.url)
  const around: Transport = async (url, init) => {
    const { variables } = JSON.parse(String(init.body)) as { variables?: { ids?: string[] } }
    const asked = variables?.ids
    return (asked && instead?.(asked)) ?? transport(url, init)
  }
  const storefront = createStorefront({
    database,
    log: silent,
    transport: around,
    firstBackoffMs: 5,
    platform: CREDENTIALS,
    secrets: createSecrets('a secret of the tests, long enough'),
    appUrl: 'https://files.example.com',
  })
  try {
    await storefront.ensureAccess(shop, signSessionToken(demo.app))
    return await storefront.orders(shop).read(ids, { signal: never })
  } finally {
    await storefront.close()
    await close()
    await demo.close()
  }
}

const readWithout = async (denied: readonly string[]) => (await read([ID], { denied }))[0]

test.each([
  [[], { email: 'buyer@example.com', customer_name: 'Ada Lovelace', customer_id: 'Customer/7' }],
  [['Order.customer'], { email: 'buyer@example.com', customer_name: null, customer_id: null }],
  [['Customer.displayName'], { email: 'buyer@example.com', customer_name: null, customer_id: 'Customer/7' }], // oxfmt-ignore
  [['Order.customer', 'Order.email'], { email: null, customer_name: null, customer_id: null }],
])('an order is read without the fields %j', async (denied, { customer_id, ...expected }) => {
  expect(await readWithout(denied)).toMatchObject({
    id: ID,
    financial_status: 'PAID',
    ...expected,
    customer_id: customer_id && `gid://shopify/${customer_id}`,
  })
})

test('an order is not read without a field that decides about its delivery', async () => {
  expect(await readWithout(['Order.risk'])).toMatchObject({
    code: 'storefront_unavailable',
    message: expect.stringContaining('a scope is missing') as string,
  })
})

const failure = (code: string) =>
  Response.json({ errors: [{ message: 'x', extensions: { code } }] })
const idOf = (n: number) => `gid://shopify/Order/${n}`

test.each([
  ['with an error of the query', () => failure('INTERNAL_SERVER_ERROR')],
  ['with HTTP 500', () => new Response('', { status: 500 })],
  ['with an answer that cannot be read', () => Response.json({ errors: 'Not now' })],
])('an order on which the platform fails %s does not delay the others', async (_, fails) => {
  const ids = [1, 2, 3, 4].map(idOf)
  const instead = (asked: readonly string[]) =>
    asked.includes(idOf(1)) || asked.includes(idOf(2)) ? fails() : null
  const found = await read(ids, { instead })
  expect(found.map((one) => one instanceof PortError)).toEqual([true, true, false, false])
  expect(found.slice(2)).toMatchObject([{ id: idOf(3) }, { id: idOf(4) }])
})

soakTest('several such orders at the beginning do not delay the others for ever', async () => {
  const ids = [1, 2, 3, 4].map(idOf)
  const instead = (asked: readonly string[]) =>
    asked.some((id) => id !== idOf(4)) ? failure('INTERNAL_SERVER_ERROR') : null
  // Each try begins with a random order.
  const last = async () => (await read(ids, { instead }).catch(() => []))[3]
  await expect.poll(last, { timeout: WAIT_MS }).toMatchObject({ id: idOf(4) })
})

test('a platform that fails on every query is asked about few orders alone', async () => {
  const asked: number[] = []
  const instead = (group: readonly string[]) => {
    asked.push(group.length)
    return failure('MAX_COST_EXCEEDED')
  }
  const ids = Array.from({ length: 20 }, (_, at) => idOf(at + 1))
  await expect(read(ids, { instead })).rejects.toMatchObject({ code: 'storefront_unavailable' })
  expect(asked).toEqual([20, 1, 1, 1])
})
