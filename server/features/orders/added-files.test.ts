// Files that the shop adds to one order: also to an order without a delivery, ended with the order, and
// taken back.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appConfig } from '../../../app.config.ts'
import { addFile } from '../../../test/deliveries.ts'
import { createTestEngine, testEngineOn, type TestEngine } from '../../../test/engine.ts'
import { inEnglish } from '../../../test/english.ts'
import { paidOrder, type MadeOrder } from '../../../test/orders.ts'
import { addMappings } from '../../files/mappings.ts'
import type { LiveOrders, PlatformOrder } from '../../storefront/orders.ts'
import { addToOrder, findOrders, onlyOrder, takeFromOrder, type Addition } from './added-files.ts'
import { changeDelivery, revokeDelivery } from './changes.ts'
import { readDelivery } from './deliveries.ts'
import { reconcileOrder } from './reconcile.ts'

const { plugins, workflows } = appConfig({})
const product = (n: number) => `gid://shopify/Product/${n}`
const never = new AbortController().signal

let house: TestEngine
beforeAll(async () => {
  house = await createTestEngine(plugins, workflows)
})
afterAll(() => house.close())

let shops = 0
/** A shop whose product 1 has the file guide.pdf, with orders of which the platform knows all. */
async function openShop() {
  const domain = `added-${(shops += 1)}.myshopify.com`
  const shop = await testEngineOn({ ...house, close: () => Promise.resolve() }, domain)
  const { scope } = shop
  const parts = { secrets: house.parts.secrets, now: new Date() }
  const guide = await addFile(shop, 'guide.pdf', Buffer.from('guide'))
  const mapping = { product_title: 'Guide', variant_id: null, sku: null, score: 1, reason: '' }
  await addMappings(scope, [
    { fileId: guide, mapping: { ...mapping, product_id: product(1), method: 'manual' } },
  ])
  await scope.query(
    `update files set mapping_state = 'mapped' where shop_id = :shop and id = :guide`,
    { guide },
  )
  const orders: PlatformOrder[] = []
  const live: Pick<LiveOrders, 'find' | 'read'> = {
    find: (text) =>
      Promise.resolve(orders.filter(({ name }) => name === text || name === `#${text}`)),
    read: (ids) => Promise.resolve(ids.map((id) => orders.find((one) => one.id === id) ?? null)),
  }
  /** Products: 1 has a file, others have none. */
  const place = (over: MadeOrder = {}) => {
    const n = orders.length + 1
    const made = paidOrder({
      name: `#${n}`,
      email: `buyer-${n}@example.com`,
      products: [product(2)],
      ...over,
    })
    orders.push({ ...made, id: `gid://shopify/Order/${1_000_000_000 + n}` })
    return orders[n - 1]!
  }
  let seconds = 0
  /** The platform reports the order, with this change. */
  const report = (order: PlatformOrder, change: Partial<PlatformOrder> = {}) => {
    const updated_at = new Date(+order.updated_at + (seconds += 1) * 1000)
    Object.assign(order, change, { updated_at })
    return reconcileOrder(scope, order, parts)
  }
  const add = async (text: string, files: readonly string[], over: Partial<Addition> = {}) => {
    const found = onlyOrder(await findOrders(scope, live, text, never), text)
    return addToOrder(scope, found, { files, terms: {}, tell: false, ...over }, parts)
  }
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: { text: never; code: string; details: { message: never }[] }) =>
        `${error.code}: ${inEnglish(error.details[0]?.message ?? error.text)}`,
    )
  const deliveryOf = async (id: string) => (await readDelivery(scope, id, new Date()))!
  /** `status: the files that the buyer can download`. */
  const stateOf = async (id: string) => {
    const { status, file_list } = await deliveryOf(id)
    const active = file_list.filter((file) => file.status === 'active')
    return `${status}: ${active.map(({ filename }) => filename).join(' ')}`
  }
  const mails = () =>
    scope.query<{ about: string; status: string }>(
      `select payload ->> 'about' as about, status from outbox
       where shop_id = :shop and kind in ('email', 'sms') order by id`,
    )
  const made = (name: string) => addFile(shop, name, Buffer.from(name))
  const settings = (change: object) =>
    scope.query('update shops set settings = settings || :change::jsonb where id = :shop', {
      change: JSON.stringify(change),
    })
  return {
    ...shop,
    parts,
    live,
    place,
    report,
    add,
    refusal,
    deliveryOf,
    stateOf,
    mails,
    made,
    settings,
  }
}

describe('an order without a delivery', () => {
  test('is found by name, number and id, gets a delivery, and ends with its order', async () => {
    const shop = await openShop()
    const portrait = await shop.made('portrait.png')
    const order = shop.place()
    await shop.report(order)
    expect(await shop.scope.query('select from orders where shop_id = :shop')).toEqual([])
    for (const text of ['#1', '1', order.id, order.id.split('/').at(-1)!])
      expect(await findOrders(shop.scope, shop.live, text, never)).toMatchObject([
        { id: order.id, name: '#1', delivery: null },
      ])
    const id = await shop.add('1', [portrait], { terms: { download_limit: 2 }, tell: true })
    expect(await shop.stateOf(id)).toBe('ready: portrait.png')
    expect((await shop.deliveryOf(id)).file_list).toMatchObject([
      { filename: 'portrait.png', download_limit: 2, added: true },
    ])
    expect(await shop.mails()).toEqual([{ about: 'added', status: 'waiting' }])

    // Again: nothing is given twice, and nobody is told twice.
    expect(await shop.add('#1', [portrait], { tell: true })).toBe(id)
    expect(await shop.mails()).toHaveLength(1)

    await shop.report(order, { recommendation: 'ACCEPT' })
    expect(await shop.stateOf(id)).toBe('ready: portrait.png')
    await shop.report(order, { financial_status: 'REFUNDED' })
    expect(await shop.stateOf(id)).toBe('withdrawn: ')
    expect(await shop.refusal(shop.add('#1', [await shop.made('later.png')]))).toBe(
      'conflict: The order was cancelled or refunded: its buyer gets no more files',
    )
  })

  test('gets nothing before it is paid, and is held if the platform advises against it', async () => {
    const shop = await openShop()
    const portrait = await shop.made('portrait.png')
    shop.place({ financial_status: 'PENDING', fully_paid: false })
    expect(await shop.refusal(shop.add('#1', [portrait]))).toBe(
      'conflict: The order is not paid yet: files can be added to it when it is',
    )
    shop.place({ recommendation: 'CANCEL' })
    const held = await shop.add('#2', [portrait], { tell: true })
    expect((await shop.deliveryOf(held)).status).toBe('held')
    expect(await shop.mails()).toEqual([])
    expect(await shop.refusal(shop.add('#3', [portrait]))).toMatch(/^not_found: .*no order #3/)
  })

  test('whose products have files gets both', async () => {
    const shop = await openShop()
    const order = shop.place({ products: [product(1)] })
    const id = await shop.add('#1', [await shop.made('portrait.png')], { tell: true })
    expect(await shop.stateOf(id)).toBe('ready: guide.pdf portrait.png')
    // The first mail names all files: no second one follows.
    expect(await shop.mails()).toEqual([{ about: 'order', status: 'waiting' }])
    await shop.report(order)
    expect(await shop.stateOf(id)).toBe('ready: guide.pdf portrait.png')
  })
})

describe('an order with a delivery', () => {
  test('gets files in its delivery, which a refund of a line leaves and that of all ends', async () => {
    const shop = await openShop()
    const order = shop.place({ products: [product(1), product(2)] })
    await shop.report(order)
    const [found] = await findOrders(shop.scope, shop.live, '#1', never)
    const id = found!.delivery!
    const [one, two] = [await shop.made('one.png'), await shop.made('two.png')]
    await shop.add('#1', [one, two], { terms: { expiry_days: 3 } })
    expect(await shop.stateOf(id)).toBe('ready: guide.pdf one.png two.png')
    const lines = (...quantities: number[]) =>
      order.lines.map((line, at) => ({ ...line, quantity: quantities[at]! }))
    await shop.report(order, { lines: lines(0, 1), financial_status: 'PARTIALLY_REFUNDED' })
    expect(await shop.stateOf(id)).toBe('ready: one.png two.png')
    await changeDelivery(
      shop.scope,
      id,
      { replace: [{ file_id: one, with: await shop.made('better.png') }] },
      shop.parts,
    )
    expect(await shop.stateOf(id)).toBe('ready: better.png two.png')
    await shop.report(order, { lines: lines(0, 0) })
    expect(await shop.stateOf(id)).toBe('withdrawn: ')
    await shop.report(order, { lines: lines(0, 1) })
    expect(await shop.stateOf(id)).toBe('ready: better.png two.png')
    await revokeDelivery(shop.scope, id, shop.parts)
    expect(await shop.refusal(shop.add('#1', [one]))).toBe(
      'conflict: This delivery was revoked, which is for good',
    )
  })

  test('loses a file that is taken back, with the mail that waits, and may get it again', async () => {
    const shop = await openShop()
    await shop.report(shop.place({ products: [product(1)] }))
    const portrait = await shop.made('portrait.png')
    await shop.scope.query(`update outbox set status = 'sent' where shop_id = :shop`)
    const id = await shop.add('#1', [portrait], { tell: true })
    expect(await shop.mails()).toMatchObject([{ about: 'order' }, { about: 'added' }])
    const take = () => takeFromOrder(shop.scope, { delivery: id, file: portrait }, new Date())
    await take()
    await take()
    expect(await shop.stateOf(id)).toBe('ready: guide.pdf')
    expect(await shop.mails()).toMatchObject([{ about: 'order' }])
    await shop.add('#1', [portrait])
    expect(await shop.stateOf(id)).toBe('ready: guide.pdf portrait.png')
    // A file of a product is no addition.
    const guide = (await shop.deliveryOf(id)).file_list.find((file) => !file.added)!.file_id
    expect(
      await shop.refusal(takeFromOrder(shop.scope, { delivery: id, file: guide }, new Date())),
    ).toMatch(/^not_found/)
  })

  test('gets no file that no buyer could download', async () => {
    const shop = await openShop()
    await shop.report(shop.place({ products: [product(1)] }))
    const unmapped = await shop.made('unmapped.png')
    await shop.scope.query(
      `update files set mapping_state = 'unmapped' where shop_id = :shop and id = :unmapped`,
      { unmapped },
    )
    await shop.settings({ paid_deliveries_survive: false })
    expect(await shop.refusal(shop.add('#1', [unmapped]))).toMatch(
      /^validation_failed: This file has lost its products/,
    )
    await shop.settings({ paid_deliveries_survive: true })
    await shop.add('#1', [unmapped])
    expect(await shop.refusal(shop.add('#1', [crypto.randomUUID()]))).toBe(
      'validation_failed: There is no such file',
    )
  })
})
