// Orders from before the installation: counted, imported without a mail or with one, continued after
// an interruption, and the same with events about them meanwhile.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { appConfig } from '../../../app.config.ts'
import { PortError } from '../../../plugins/contract/index.ts'
import { addFile } from '../../../test/deliveries.ts'
import { createTestEngine, testEngineOn, type TestEngine } from '../../../test/engine.ts'
import { paidOrder } from '../../../test/orders.ts'
import { toPublicId } from '../../core/ids.ts'
import { addMappings } from '../../files/mappings.ts'
import type { LiveOrders, PlatformOrder } from '../../storefront/orders.ts'
import { createPastOrders } from './past-orders.ts'
import { reconcileOrder } from './reconcile.ts'

const { plugins, workflows } = appConfig({})
const product = (n: number) => `gid://shopify/Product/${n}`
const SINCE = new Date('2026-08-01T00:00:00Z')
const PAGE = 4

let house: TestEngine
beforeAll(async () => {
  house = await createTestEngine(plugins, workflows)
})
afterAll(() => house.close())

const refuse = () => Promise.reject(new Error('not in this test'))

/** A platform with these orders, which calls `before` each page. */
function platformOf(
  orders: readonly PlatformOrder[],
  before: (page: number) => Promise<void> | void = () => {},
) {
  const changing = new Set<string>()
  const live: LiveOrders = {
    mark: refuse,
    fulfil: refuse,
    find: refuse,
    read: (ids) => Promise.resolve(ids.map((id) => orders.find((one) => one.id === id) ?? null)),
    changedSince: () => {
      throw new Error('not in this test')
    },
    countPlaced: () => Promise.resolve(orders.length),
    placedSince: async (since, cursor) => {
      expect(since).toEqual(SINCE)
      const from = Number(cursor ?? 0)
      await before(from / PAGE)
      const page = orders.slice(from, from + PAGE)
      const changed = new PortError('storefront_unavailable', 'The order changed', true)
      return {
        orders: page.map((one) => (changing.has(one.id) ? changed : one)),
        ids: page.map(({ id }) => id),
        cursor: from + PAGE < orders.length ? String(from + PAGE) : null,
      }
    },
  }
  return { live, changing }
}

let shops = 0
/** A shop with a file of product 1, and an operation. */
async function openShop() {
  const domain = `past-${(shops += 1)}.myshopify.com`
  const shop = await testEngineOn({ ...house, close: () => Promise.resolve() }, domain)
  const { scope } = shop
  const fileId = await addFile(shop, 'guide.pdf', Buffer.from('guide'))
  const mapping = { product_title: 'Guide', variant_id: null, sku: null, score: 1, reason: '' }
  await addMappings(scope, [
    { fileId, mapping: { ...mapping, product_id: product(1), method: 'manual' } },
  ])
  await scope.query(`update files set mapping_state = 'mapped' where shop_id = :shop`)
  const [row] = (await scope
    .insert('operations', {
      kind: 'bulk',
      action: 'import-orders',
      channel: 'api',
      requested_by: 'test',
      workflow: JSON.stringify({ steps: [] }),
      source: JSON.stringify({ type: 'files', count: 0 }),
      request: '{}',
      status: 'running',
      total: 0,
    })
    .returning('id')) as { id: string }[]
  const operation = toPublicId('op', row!.id)
  const parts = { secrets: house.parts.secrets, now: new Date() }
  const importAll = (
    live: LiveOrders,
    { mail = false, signal = new AbortController().signal } = {},
  ) => {
    const shown: [number, number][] = []
    const seen = (done: number, total: number) => Promise.resolve(void shown.push([done, total]))
    const { secrets } = parts
    return createPastOrders(scope, { orders: live, secrets })
      .import({ operation, since: SINCE, mail }, seen, signal)
      .then((result) => ({ ...result, shown }))
  }
  const counts = () =>
    scope.one<{ deliveries: number; mails: number; notices: number; triggers: number }>(
      `select (select count(*) from deliveries where shop_id = :shop)::int as deliveries,
         (select count(*) from outbox where shop_id = :shop and kind = 'email')::int as mails,
         (select count(*) from notices where shop_id = :shop)::int as notices,
         (select count(*) from outbox where shop_id = :shop and kind = 'flow')::int as triggers`,
    )
  return { scope, parts, importAll, counts }
}

/** Ten paid orders of two buyers, of which two have no file and one was refunded. */
const ORDERS: readonly PlatformOrder[] = Array.from({ length: 10 }, (_, n) => ({
  ...paidOrder({
    products: [product(n === 3 || n === 7 ? 2 : 1)],
    email: n % 2 === 0 ? 'Even@example.com' : 'odd@example.com',
    name: `#${n}`,
    ...(n === 5 ? { financial_status: 'REFUNDED', fully_paid: false } : {}),
    ...(n === 6 ? { recommendation: 'INVESTIGATE' } : {}),
    ...(n === 8 ? { email: null } : {}),
  }),
  id: `gid://shopify/Order/${n + 1}`,
}))

test('a count says what an import would deliver, and writes nothing', async () => {
  const shop = await openShop()
  const { live } = platformOf(ORDERS)
  const { secrets } = shop.parts
  const counted = createPastOrders(shop.scope, { orders: live, secrets })
  const signal = new AbortController().signal
  expect(await counted.count(SINCE, signal)).toEqual({ orders: 10, deliveries: 7, buyers: 3 })
  expect(await shop.counts()).toEqual({ deliveries: 0, mails: 0, notices: 0, triggers: 0 })
  await reconcileOrder(shop.scope, ORDERS[0]!, shop.parts)
  expect(await counted.count(SINCE, signal)).toMatchObject({ orders: 10, deliveries: 6 })
})

test('an import tells nobody unless it is told to, also afterwards', async () => {
  const shop = await openShop()
  const { live } = platformOf(ORDERS)
  expect(await shop.importAll(live)).toMatchObject({
    orders: 10,
    deliveries: 7,
    failed: 0,
    shown: [
      [0, 10],
      [4, 10],
      [8, 10],
      [10, 10],
    ],
  })
  const quiet = { deliveries: 7, mails: 0, notices: 0, triggers: 0 }
  expect(await shop.counts()).toEqual(quiet)
  // An event about an imported order sends no late mail.
  const later = new Date(+ORDERS[0]!.updated_at + 1000)
  await reconcileOrder(shop.scope, { ...ORDERS[0]!, name: '#00', updated_at: later }, shop.parts)
  expect(await shop.counts()).toEqual(quiet)
  // A second run of the same operation has nothing left to do.
  expect(await shop.importAll(live)).toMatchObject({ orders: 10, deliveries: 7 })
})

soakTest('an import with mails sends each buyer one for each order', async () => {
  const shop = await openShop()
  await shop.importAll(platformOf(ORDERS).live, { mail: true })
  // Not to the order without an address, nor to the one that is held.
  expect(await shop.counts()).toMatchObject({ deliveries: 7, mails: 5 })
})

test('an interrupted import continues after its last page', async () => {
  const shop = await openShop()
  const stop = new AbortController()
  const first = platformOf(ORDERS, (page) => {
    if (page === 1) stop.abort(new Error('stopped'))
  })
  await expect(shop.importAll(first.live, { signal: stop.signal })).rejects.toThrow('stopped')
  expect(await shop.counts()).toMatchObject({ deliveries: 3 })
  const pages: number[] = []
  const second = platformOf(ORDERS, (page) => void pages.push(page))
  expect(await shop.importAll(second.live)).toMatchObject({ orders: 10, deliveries: 7 })
  expect(pages).toEqual([1, 2])
  expect(await shop.counts()).toEqual({ deliveries: 7, mails: 0, notices: 0, triggers: 0 })
})

soakTest('an event about an order meanwhile, and a second worker, change nothing', async () => {
  const shop = await openShop()
  const early = platformOf(ORDERS, async (page) => {
    // Webhooks are reconciled before the page that contains their orders.
    if (page === 1) await reconcileOrder(shop.scope, ORDERS[4]!, shop.parts)
  })
  const results = await Promise.allSettled([shop.importAll(early.live), shop.importAll(early.live)])
  expect(results.some(({ status }) => status === 'fulfilled')).toBe(true)
  // The import that was overtaken continues where the other one is.
  await shop.importAll(early.live)
  expect(await shop.counts()).toMatchObject({ deliveries: 7, mails: 1 })
})

soakTest('an order that changes while it is read is read again, also after a failure', async () => {
  const shop = await openShop()
  const { live, changing } = platformOf(ORDERS)
  changing.add(ORDERS[1]!.id)
  const read = vi
    .spyOn(live, 'read')
    .mockRejectedValueOnce(new PortError('storefront_unavailable', 'It does not answer', true))
  expect(await shop.importAll(live)).toMatchObject({ deliveries: 7, failed: 0 })
  expect(read).toHaveBeenCalledTimes(2)
})
