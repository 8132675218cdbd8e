// Orders of an app without the scope `read_customers` or the approval for protected customer data:
// the platform answers with the rest and an error for each field that it refuses.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase, silent } from '../../test/database.ts'
import { createSecrets } from '../core/secrets.ts'
import { DEMO_SHOP } from '../demo/app.ts'
import { startDemoStorefront } from '../demo/listener.ts'
import type { DemoOrder } from '../demo/orders/order.ts'
import { memoryOrders } from '../demo/orders/store.ts'
import { signSessionToken } from '../demo/session-token.ts'
import { createDemoTransport } from '../demo/transport.ts'
import { createStorefront } from './platform.ts'

const CREDENTIALS = { apiKey: 'the-key', apiSecret: 'the secret of the app, 32 characters' }
const ID = 'gid://shopify/Order/1'
const never = new AbortController().signal
const at = '2026-10-01T00:00:00.000Z'
const ORDER: DemoOrder = {
  ...{ id: 1, name: '#1', confirmationNumber: 'X1', email: 'buyer@example.com', locale: 'en' },
  ...{ customerId: 7, customerName: 'Ada Lovelace', createdAt: at, updatedAt: at },
  ...{ cancelledAt: null, financialStatus: 'PAID', recommendation: 'NONE' },
  ...{ lines: [], tags: [], metafields: [], fulfilments: [] },
}

let database: Awaited<ReturnType<typeof openTestDatabase>>
let shop: number
beforeAll(async () => {
  database = await openTestDatabase()
  shop = await createTestShop(database, DEMO_SHOP.domain)
})
afterAll(() => database.drop())

/** Reads the order with these fields refused. */
async function readWithout(denied: readonly string[]) {
  const orders = memoryOrders()
  await orders.add(ORDER)
  const limits = { catalog: null, bucket: 100_000, restore: 1000 }
  const demo = await startDemoStorefront({
    ...{ ...CREDENTIALS, ...limits, log: silent, orders, denied },
  })
  const { transport, close } = createDemoTransport(demo.url)
  const storefront = createStorefront({
    ...{ database, log: silent, transport, platform: CREDENTIALS },
    secrets: createSecrets('a secret of the tests, long enough'),
    appUrl: 'https://files.example.com',
  })
  try {
    await storefront.ensureAccess(shop, signSessionToken(demo.app))
    return (await storefront.orders(shop).read([ID], { signal: never }))[0]
  } finally {
    await storefront.close()
    await close()
    await demo.close()
  }
}

test.each([
  [[], { email: 'buyer@example.com', customer_name: 'Ada Lovelace', customer_id: 'Customer/7' }],
  [['Order.customer'], { email: 'buyer@example.com', customer_name: null, customer_id: null }],
  [['Customer.displayName'], { email: 'buyer@example.com', customer_name: null, customer_id: 'Customer/7' }], // oxfmt-ignore
  [['Order.customer', 'Order.email'], { email: null, customer_name: null, customer_id: null }],
])('an order is read without the fields %j', async (denied, { customer_id, ...expected }) => {
  expect(await readWithout(denied)).toMatchObject({
    ...{ id: ID, financial_status: 'PAID', ...expected },
    customer_id: customer_id && `gid://shopify/${customer_id}`,
  })
})

test('an order is not read without a field that decides about its delivery', async () => {
  await expect(readWithout(['Order.risk'])).rejects.toMatchObject({
    code: 'storefront_unavailable',
    message: expect.stringContaining('a scope is missing') as string,
  })
})
