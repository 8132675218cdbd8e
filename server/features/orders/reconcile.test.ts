// What an order entitles its buyer to: events in any order result in the state of the platform's
// order.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { paidOrder, type MadeOrder } from '../../../test/orders.ts'
import { sized, soakTest, someOf } from '../../../test/scale.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { askedAddress, listNotices } from '../../core/outbox/notices.ts'
import { addMappings } from '../../files/mappings.ts'
import { createSecrets } from '../../core/secrets.ts'
import type { PlatformOrder } from '../../storefront/orders.ts'
import { changeDelivery, holdDelivery, releaseDelivery, revokeDelivery } from './changes.ts'
import { listDeliveries, readDelivery, type DeliveryListing } from './deliveries.ts'
import { reconcileOrder } from './reconcile.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let shops = 0
let orders = 0
const secrets = createSecrets('the secret of the tests, long enough')
const now = new Date('2026-10-01T12:00:00Z')
const parts = { secrets, now }
const product = (n: number) => `gid://shopify/Product/${n}`

beforeAll(async () => {
  database = await openTestDatabase()
  scope = await openShop()
})
afterAll(() => database.drop())

/** A shop in which product 1 has one file, product 2 two, product 3 none. */
async function openShop(): Promise<ShopScope> {
  const made = forShop(database, await createTestShop(database, `s-${(shops += 1)}.myshopify.com`))
  for (const [name, of, terms] of FILES) await addFile(made, name, of, terms)
  return made
}
const FILES = [
  ['guide.pdf', 1, { expiry_days: 30, download_limit: 3 }],
  ['map.pdf', 2, { expiry_days: null, download_limit: null }],
  ['walks.pdf', 2, { expiry_days: 60, download_limit: 5 }],
] as const

async function addFile(of: ShopScope, filename: string, n: number, terms: object) {
  const hash = Buffer.alloc(32, filename)
  const about = { size_bytes: 10, content_type: 'application/pdf' }
  const id = await of.transaction(async (tx) => {
    await tx.insert('blobs', { hash, size_bytes: 10 })
    await tx.insert('blob_locations', { hash, location: 'primary' })
    const file = { filename, name_key: filename, extension: 'pdf', channel: 'api', ...about }
    const state = { mapping_state: 'mapped', ...terms }
    const [row] = (await tx.insert('files', { ...file, ...state }).returning('id')) as [
      { id: string },
    ]
    await tx.insert('versions', { file_id: row.id, number: 1, hash, location: 'primary', ...about })
    return row.id
  })
  const mapping = { product_title: '', variant_id: null, sku: null, score: 1, reason: '' }
  await addMappings(of, [
    { fileId: id, mapping: { ...mapping, product_id: product(n), method: 'manual' } },
  ])
}

/** As if the mails of the order that wait had been sent. */
const sendMails = (one: PlatformOrder) =>
  scope.query(
    `update outbox m set status = 'sent', attempts = 1, result = '{}' from deliveries d
     where m.shop_id = :shop and m.status = 'waiting' and d.shop_id = m.shop_id
       and d.order_id = :order and m.payload ->> 'delivery' = d.id::text`,
    { order: one.id },
  )

/** A new order of these products, in the given state. */
const order = (products: readonly number[], over: MadeOrder = {}): PlatformOrder => ({
  ...paidOrder({ products: products.map(product), ...over }),
  id: over.id ?? `gid://shopify/Order/${(orders += 1)}`,
})
const reconcile = (one: PlatformOrder) => reconcileOrder(scope, one, parts)

const mailKeys = async (one: PlatformOrder) => {
  const rows = await scope.query<{ key: string }>(
    `select m.key from outbox m join deliveries d on d.shop_id = m.shop_id
       and d.id = (m.payload ->> 'delivery')::uuid and d.order_id = :order
     where m.shop_id = :shop order by m.created_at, m.id`,
    { order: one.id },
  )
  return rows.map(({ key }) => key)
}

/** Everything that the buyer of an order can download. */
async function shown(one: PlatformOrder) {
  const [found] = await listDeliveries(scope, { order: one.id, limit: 1 })
  if (!found) return null
  const detail = (await readDelivery(scope, found.id, now))!
  const files = detail.file_list.filter(({ status }) => status === 'active')
  return { status: detail.status, files: files.map(({ filename }) => filename).sort() }
}
/** The limit of each of its files. */
async function limitsOf(one: PlatformOrder) {
  const detail = (await readDelivery(scope, await idOf(one), now))!
  return detail.file_list.map(({ filename, download_limit }) => [filename, download_limit])
}
const idOf = async (one: PlatformOrder) =>
  (await listDeliveries(scope, { order: one.id, limit: 1 }))[0]!.id
const later = (one: PlatformOrder, change: Partial<PlatformOrder>, seconds = 1): PlatformOrder => ({
  ...one,
  ...change,
  updated_at: new Date(one.updated_at.getTime() + seconds * 1000),
})
/** After a paid edit that adds product 2. */
const withLines = (one: PlatformOrder) =>
  later(one, { lines: [...one.lines, ...order([1, 2]).lines.slice(1)] })
const quantities = (one: PlatformOrder, ...counts: readonly number[]) =>
  one.lines.map((line, at) => ({ ...line, quantity: counts[at] ?? line.quantity }))

describe('a paid order', () => {
  test('grants each file with its current terms, and one mail', async () => {
    const one = order([1, 2, 3])
    await reconcile(one)
    await scope.query(
      `update files set download_limit = 99 where shop_id = :shop and filename = 'guide.pdf'`,
    )
    await reconcile(one)
    expect(await shown(one)).toEqual({
      status: 'ready',
      files: ['guide.pdf', 'map.pdf', 'walks.pdf'],
    })
    const detail = (await readDelivery(scope, await idOf(one), now))!
    expect(
      detail.file_list.map((file) => [file.filename, file.download_limit, file.expires_at]),
    ).toEqual([
      ['guide.pdf', 3, new Date('2026-10-31T12:00:00Z')],
      ['map.pdf', null, null],
      ['walks.pdf', 5, new Date('2026-11-30T12:00:00Z')],
    ])
    await scope.query(
      `update files set download_limit = 3 where shop_id = :shop and filename = 'guide.pdf'`,
    )
    expect(detail.messages.length).toBe(1)
    expect(detail.lines.map(({ files, entitled }) => [files, entitled])).toEqual([
      [1, true],
      [2, true],
      [0, true],
    ])
  })
  test('without a file is not stored', async () => {
    const one = order([3])
    expect(await reconcile(one)).toBe('ignored')
    expect(
      await scope.query('select from orders where shop_id = :shop and id = :id', { id: one.id }),
    ).toEqual([])
  })
  test.each<[string, Partial<PlatformOrder>, string[]]>([
    ['pending', { financial_status: 'PENDING' }, []],
    ['authorized', { financial_status: 'AUTHORIZED' }, []],
    ['partly paid', { financial_status: 'PARTIALLY_PAID', fully_paid: false }, []],
    ['expired', { financial_status: 'EXPIRED', fully_paid: false }, []],
    ['voided', { financial_status: 'VOIDED' }, []],
    ['partly refunded', { financial_status: 'PARTIALLY_REFUNDED' }, ['guide.pdf']],
    ['cancelled', { cancelled_at: now }, []],
  ])('%s', async (_, state, files) => {
    const one = order([1], state)
    await reconcile(one)
    expect((await shown(one))?.files ?? []).toEqual(files)
  })
  test('authorized orders count if the shop’s setting says so', async () => {
    await scope.query(`update shops set settings = '{"deliver_on": "authorized"}' where id = :shop`)
    const one = order([1], { financial_status: 'AUTHORIZED' })
    await reconcile(one)
    await scope.query(`update shops set settings = '{}' where id = :shop`)
    expect(await shown(one)).toEqual({ status: 'ready', files: ['guide.pdf'] })
  })
})

describe('a bundle', () => {
  const bundle = { id: 'gid://shopify/LineItemGroup/1', quantity: 2, variant_id: null }
  const component = (n: number) => ({
    product_id: product(90 + n),
    title: `Component ${n}`,
    bundle: { ...bundle, product_id: product(1) },
  })
  test('grants the files of its product while the order has one of its components', async () => {
    const one = order([], { products: [component(1), component(2)] })
    await reconcile(one)
    expect(await shown(one)).toEqual({ status: 'ready', files: ['guide.pdf'] })
    const half = later(one, { lines: quantities(one, 0), financial_status: 'PARTIALLY_REFUNDED' })
    await reconcile(half)
    expect(await shown(one)).toEqual({ status: 'ready', files: ['guide.pdf'] })
    await reconcile(later(half, { lines: quantities(one, 0, 0) }))
    expect(await shown(one)).toEqual({ status: 'withdrawn', files: [] })
  })
  test('counts its units once, however many components it has', async () => {
    const one = order([], { products: [component(1), component(2), component(3)] })
    await reconcile(one)
    expect(await limitsOf(one)).toEqual([['guide.pdf', 6]])
  })
})

describe('several units', () => {
  test('multiply the limit of a file, over all lines that give it', async () => {
    const line = { product_id: product(1), quantity: 3 }
    const one = order([], { products: [line, { ...line, quantity: 2 }] })
    await reconcile(one)
    expect(await limitsOf(one)).toEqual([['guide.pdf', 15]])
  })
  test('that are bought later or refunded change the limit, and the merchant’s own change is kept', async () => {
    const one = order([], { products: [{ product_id: product(1), quantity: 1 }] })
    const withUnits = (quantity: number, at: number): PlatformOrder => ({
      ...one,
      updated_at: new Date(+one.updated_at + at * 1000),
      lines: one.lines.map((line) => ({ ...line, quantity })),
    })
    const limitAfter = async (changed: PlatformOrder) => {
      await reconcile(changed)
      await reconcile(changed)
      return (await limitsOf(one))[0]?.[1]
    }
    expect(await limitAfter(one)).toBe(3)
    expect(await limitAfter(withUnits(3, 1))).toBe(9)
    const added = withUnits(3, 2)
    const [line] = added.lines as [PlatformOrder['lines'][number]]
    const second = { ...line, id: 'gid://shopify/LineItem/later', quantity: 1 }
    expect(await limitAfter({ ...added, lines: [line, second] })).toBe(12)
    expect(await limitAfter(withUnits(2, 3))).toBe(6)
    await changeDelivery(scope, await idOf(one), { more_downloads: 2 }, parts)
    expect(await limitAfter(withUnits(3, 4))).toBe(11)
    await reconcile(withUnits(0, 5))
    expect(await limitAfter(withUnits(1, 6))).toBe(11)
  })
  test('never raise a limit beyond what it may be', async () => {
    const one = order([], { products: [{ product_id: product(1), quantity: 1 }] })
    await reconcile(one)
    const limits = { download_limit: 1_000_000_000, view_limit: 1_000_000_000 }
    await changeDelivery(scope, await idOf(one), limits, parts)
    const files = scope.from('files').where('filename', 'guide.pdf')
    await files.clone().update({ ...limits } as never)
    const lines = one.lines.map((line) => ({ ...line, quantity: 9 }))
    await reconcile({ ...one, updated_at: new Date(+one.updated_at + 1000), lines })
    expect(await limitsOf(one)).toEqual([['guide.pdf', 1_000_000_000]])
    await files.update({ download_limit: 3, view_limit: null } as never)
  })
  test('that an edit adds count once they are paid', async () => {
    const one = order([], { products: [{ product_id: product(1), quantity: 1 }] })
    await reconcile(one)
    const edited = (at: number, units: number, change: Partial<PlatformOrder>): PlatformOrder => ({
      ...one,
      ...change,
      updated_at: new Date(+one.updated_at + at * 1000),
      lines: one.lines.map((line) => ({ ...line, quantity: units })),
    })
    const limitAfter = async (changed: PlatformOrder) => {
      await reconcile(changed)
      return [
        (await limitsOf(one))[0]?.[1],
        (await readDelivery(scope, await idOf(one), now))?.lines[0]?.quantity,
      ]
    }
    const unpaid = {
      financial_status: 'PARTIALLY_PAID',
      fully_paid: false,
      paid_units: Object.fromEntries(one.lines.map(({ id }) => [id, 1])),
    }
    expect(await limitAfter(edited(1, 4, unpaid))).toEqual([3, 1])
    expect(await limitAfter(edited(2, 4, unpaid))).toEqual([3, 1])
    expect(await limitAfter(edited(3, 4, { financial_status: 'PAID', fully_paid: true }))).toEqual([
      12, 4,
    ])
    expect(await limitAfter(edited(4, 2, unpaid))).toEqual([6, 2])
  })
  test('that are not paid do not count in an order that is first seen with a balance', async () => {
    const one = order([], { products: [{ product_id: product(1), quantity: 5 }] })
    const [line] = one.lines
    const balance = { financial_status: 'PARTIALLY_PAID', fully_paid: false }
    await reconcile({ ...one, ...balance, paid_units: { [line!.id]: 2 } })
    expect(await limitsOf(one)).toEqual([['guide.pdf', 6]])
    // Another edit is paid, and the last one is not.
    const more = { ...balance, paid_units: { [line!.id]: 4 } }
    await reconcile(later(one, more))
    expect(await limitsOf(one)).toEqual([['guide.pdf', 12]])
    await reconcile(later(later(one, more), { financial_status: 'PAID', fully_paid: true }))
    expect(await limitsOf(one)).toEqual([['guide.pdf', 15]])
  })
  test('do not, if the shop’s setting says so', async () => {
    await scope.query(`update shops set settings = '{"multiply_limits": false}' where id = :shop`)
    const one = order([], { products: [{ product_id: product(1), quantity: 3 }] })
    await reconcile(one)
    await scope.query(`update shops set settings = '{}' where id = :shop`)
    expect(await limitsOf(one)).toEqual([['guide.pdf', 3]])
  })
})

test.each(
  someOf(
    [
      [
        'read_products,write_orders,write_merchant_managed_fulfillment_orders',
        'platform',
        0,
        ['fulfil', 'mark'],
      ],
      ['read_products,write_orders', 'platform', 1, ['mark']],
      ['read_products,write_orders', 'own', 1, ['mark']],
      ['', 'platform', 0, ['fulfil', 'mark']],
    ] as const,
    (_, at) => at < 1,
  ),
)('with the scopes "%s" the buyer is told: %s', async (scopes, delivery_mail, mails, effects) => {
  const own = await openShop()
  await own.query('insert into shop_tokens (shop_id, access_token, scope) values (:shop, :t, :s)', {
    t: Buffer.from('t'),
    s: scopes,
  })
  await own.query(
    `update shops set settings = jsonb_build_object('delivery_mail', :to::text)
    where id = :shop`,
    { to: delivery_mail },
  )
  const one = order([1])
  await reconcileOrder(own, one, parts)
  const rows = await own.query<{ kind: string }>(
    'select kind from order_effects where shop_id = :shop order by kind',
  )
  expect(rows.map(({ kind }) => kind)).toEqual(effects)
  expect(
    await own.query(`select id from outbox where shop_id = :shop and kind = 'email'`),
  ).toHaveLength(mails)
})

test('an order without an address raises one notice, and is listed as unreachable', async () => {
  const own = await openShop()
  const one = order([1], { email: null, name: '#8008' })
  await reconcileOrder(own, one, parts)
  await reconcileOrder(own, later(one, { recommendation: 'ACCEPT' }), parts)
  const { rows: notices } = await listNotices(own, { limit: 10 })
  const listed = await listDeliveries(own, { listed: ['unreachable'], limit: 10 })
  expect(notices).toMatchObject([
    { title: 'Order #8008 has no email address', delivery_id: listed[0]!.id },
  ])
  expect(notices.map(askedAddress)).toEqual(['missing'])
  expect(listed).toMatchObject([{ order_name: '#8008', status: 'ready', email: null }])
  await changeDelivery(own, listed[0]!.id, { email: 'found@example.com' }, parts)
  expect(await listDeliveries(own, { listed: ['unreachable'], limit: 10 })).toEqual([])
  // A hold, also that of a workflow, ends later than the order is read.
  const held = order([1], { email: null, name: '#8009', recommendation: 'CANCEL' })
  await reconcileOrder(own, held, parts)
  const titles = async () => (await listNotices(own, { limit: 10 })).rows.map(({ title }) => title)
  expect(await titles()).not.toContain('Order #8009 has no email address')
  const [found] = await listDeliveries(own, { order: held.id, limit: 1 })
  await releaseDelivery(own, found!.id, parts)
  expect(await titles()).toContain('Order #8009 has no email address')
})

test('a buyer with a used-up or expired file is listed as blocked, with the number', async () => {
  const own = await openShop()
  const one = order([1, 2])
  await reconcileOrder(own, one, parts)
  const blocked = () => listDeliveries(own, { listed: ['blocked'], limit: 10 })
  await own.query(`update links set expires_at = now() + interval '1 day' where shop_id = :shop
    and file_id is not null`)
  expect(await blocked()).toEqual([])
  await own.query(`update links set downloads = download_limit where shop_id = :shop
    and download_limit = 3`)
  await own.query(`update links set expires_at = now() - interval '1 day' where shop_id = :shop
    and download_limit = 5`)
  expect(await blocked()).toMatchObject([{ files: 3, blocked: 2 }])
  const both = (...listed: DeliveryListing[]) => listDeliveries(own, { listed, limit: 10 })
  expect(await both('ready', 'blocked')).toHaveLength(1)
  expect(await both('held', 'blocked')).toEqual([])
  expect(await both('blocked', 'unreachable')).toEqual([])
})

test('an order that is first seen with a balance delivers the lines that are paid', async () => {
  const one = order([1, 2], { financial_status: 'PARTIALLY_PAID', fully_paid: false })
  const [first] = one.lines
  await reconcile({ ...one, paid_units: { [first!.id]: 1 } })
  expect(await shown(one)).toEqual({ status: 'ready', files: ['guide.pdf'] })
  await reconcile(later(one, { financial_status: 'PAID', fully_paid: true }))
  expect((await shown(one))?.files).toEqual(['guide.pdf', 'map.pdf', 'walks.pdf'])
})

describe('later changes of an order', () => {
  test('a refunded line loses its files, and a line that is added again regains them', async () => {
    const one = order([1, 2])
    await reconcile(one)
    const less = later(one, { lines: quantities(one, 0), financial_status: 'PARTIALLY_REFUNDED' })
    await reconcile(less)
    expect(await shown(one)).toEqual({ status: 'ready', files: ['map.pdf', 'walks.pdf'] })
    await reconcile(later(less, { lines: one.lines }))
    expect((await shown(one))!.files.length).toBe(3)
  })
  test('an edit that leaves a balance takes nothing back, and what it adds waits for payment', async () => {
    const one = order([1])
    await reconcile(one)
    const [, added] = order([1, 2]).lines
    const lines = [...one.lines, added!]
    const owed = later(one, { lines, financial_status: 'PARTIALLY_PAID', fully_paid: false })
    await reconcile(owed)
    expect(await shown(one)).toEqual({ status: 'ready', files: ['guide.pdf'] })
    // A refund does not pay for the other lines.
    const refunded = later(owed, { financial_status: 'PARTIALLY_REFUNDED' })
    await reconcile(refunded)
    expect(await shown(one)).toEqual({ status: 'ready', files: ['guide.pdf'] })
    await sendMails(one)
    const paid = later(refunded, { financial_status: 'PAID', fully_paid: true })
    await reconcile(paid)
    expect((await shown(one))!.files).toEqual(['guide.pdf', 'map.pdf', 'walks.pdf'])
    // The buyer is told of what the edit brought, once.
    await reconcile(later(paid, {}, 1))
    expect(await mailKeys(one)).toEqual([
      expect.stringMatching(/^delivery\/[0-9a-f-]{36}\/first$/),
      expect.stringMatching(/\/lines\/[0-9a-f]{16}\/first$/),
    ])
    // Another edit: the first line is removed, the others stay.
    const less = { ...owed, lines: quantities(paid, 0) }
    await reconcile(later(paid, { ...less, updated_at: paid.updated_at }))
    await reconcile(later(paid, { lines: less.lines, financial_status: 'PENDING' }, 2))
    expect(await shown(one)).toEqual({ status: 'ready', files: ['map.pdf', 'walks.pdf'] })
  })
  test('an edit before the first mail was tried needs no second one', async () => {
    const one = order([1])
    await reconcile(one)
    await reconcile(withLines(one))
    expect(await mailKeys(one)).toEqual([expect.stringMatching(/^delivery\/[0-9a-f-]{36}\/first$/)])
  })
  test.each(['VOIDED', 'REFUNDED', 'EXPIRED'])('%s takes back what was paid', async (status) => {
    const one = order([1])
    await reconcile(one)
    await reconcile(later(one, { financial_status: status, fully_paid: false }))
    expect(await shown(one)).toEqual({ status: 'withdrawn', files: [] })
  })
  test('a state older than the known one changes nothing', async () => {
    const one = order([1])
    await reconcile(later(one, { cancelled_at: now }))
    expect(await reconcile(one)).toBe('stale')
    expect((await shown(one))?.files ?? []).toEqual([])
  })
  test('risk holds it with one notice, until the merchant releases it', async () => {
    const one = order([1], { recommendation: 'INVESTIGATE', name: '#7007' })
    await reconcile(one)
    await reconcile(one)
    expect((await shown(one))!.status).toBe('held')
    const id = await idOf(one)
    const { rows } = await listNotices(scope, { limit: 10 })
    const notices = rows.filter(({ title }) => title === 'The files of order #7007 are held')
    expect(notices).toMatchObject([{ delivery_id: id }])
    expect(notices.map(askedAddress)).toEqual([null])
    expect((await readDelivery(scope, id, now))!.messages).toEqual([])
    await releaseDelivery(scope, id, parts)
    await reconcile(later(one, { recommendation: 'CANCEL' }))
    expect((await shown(one))!.status).toBe('ready')
    expect((await readDelivery(scope, id, now))!.messages.length).toBe(1)
  })
  test('a merchant’s hold and revocation outlast the order’s events', async () => {
    const one = order([1])
    await reconcile(one)
    const id = await idOf(one)
    await holdDelivery(scope, id, parts)
    await reconcile(later(one, {}))
    expect((await shown(one))!.status).toBe('held')
    await revokeDelivery(scope, id, parts)
    await reconcile(later(one, {}, 2))
    expect((await shown(one))!.status).toBe('revoked')
    await expect(releaseDelivery(scope, id, parts)).rejects.toMatchObject({ code: 'conflict' })
  })
  test('a corrected address gets another key', async () => {
    const one = order([1])
    await reconcile(one)
    const id = await idOf(one)
    const before = (await readDelivery(scope, id, now))!
    await changeDelivery(scope, id, { email: 'right@example.com', more_downloads: 2 }, parts)
    const after = (await readDelivery(scope, id, now))!
    expect([before.rotation, after.rotation, after.email]).toEqual([0, 1, 'right@example.com'])
    expect(after.file_list.map(({ download_limit }) => download_limit)).toEqual([5])
    await reconcile(later(one, { email: 'wrong@example.com' }))
    expect((await readDelivery(scope, id, now))!.email).toBe('right@example.com')
  })
})

test('more downloads are added to existing limits; unlimited stays unlimited', async () => {
  const one = order([1, 2])
  await reconcile(one)
  await changeDelivery(scope, await idOf(one), { more_downloads: 4, expiry_days: null }, parts)
  const { file_list } = (await readDelivery(scope, await idOf(one), now))!
  expect(file_list.map((file) => [file.filename, file.download_limit, file.expires_at])).toEqual([
    ['guide.pdf', 7, null],
    ['map.pdf', null, null],
    ['walks.pdf', 9, null],
  ])
  const missing = { file_ids: ['00000000-0000-7000-8000-000000000000'], download_limit: 1 }
  await expect(changeDelivery(scope, await idOf(one), missing, parts)).rejects.toMatchObject({
    details: [{ index: 0, param: 'file_ids', code: 'not_found' }],
  })
})

const event = fc.record({
  kind: fc.constantFrom('pay', 'void', 'refund', 'add', 'cancel', 'risk', 'safe'),
  line: fc.nat(2),
})
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never

/** The order after an event. */
function after(one: PlatformOrder, { kind, line }: Event): PlatformOrder {
  const lines = (quantity: number) =>
    one.lines.map((each, at) => (at === line % one.lines.length ? { ...each, quantity } : each))
  const changes: Record<Event['kind'], Partial<PlatformOrder>> = {
    pay: { financial_status: 'PAID' },
    void: { financial_status: 'VOIDED' },
    refund: { lines: lines(0), financial_status: 'PARTIALLY_REFUNDED' },
    add: { lines: lines(2) },
    cancel: { cancelled_at: now },
    risk: { recommendation: 'CANCEL' },
    safe: { recommendation: 'ACCEPT' },
  }
  return later(one, changes[kind])
}

/** What a buyer should have, from the order's final state alone. */
function expected(one: PlatformOrder) {
  const paid =
    one.cancelled_at === null && ['PAID', 'PARTIALLY_REFUNDED'].includes(one.financial_status ?? '')
  const sold = one.lines.filter(({ quantity }) => paid && quantity > 0)
  const names = sold.flatMap(({ product_id }) =>
    FILES.filter(([, of]) => product(of) === product_id).map(([name]) => name),
  )
  const files = [...new Set<string>(names)].sort()
  const held = one.recommendation === 'CANCEL'
  return { files, status: files.length === 0 ? 'withdrawn' : held ? 'held' : 'ready' }
}

soakTest('any events in any order result in the order’s state', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }),
      fc.array(event, { maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      async (products, events, reports) => {
        const states = [order(products, { financial_status: 'PENDING' })]
        for (const each of events) states.push(after(states.at(-1)!, each))
        // Reports are repeated, late and out of order; the last state is reported at some time.
        const seen = [...reports.map((at) => states[at % states.length]!), states.at(-1)!]
        const place = (reports[0] ?? 0) % seen.length
        ;[seen[place], seen[seen.length - 1]] = [seen.at(-1)!, seen[place]!]
        for (const state of seen) await reconcile(state)
        const final = expected(states.at(-1)!)
        const found = await shown(states[0]!)
        if (found === null) expect(final.files).toEqual([])
        else expect(found).toEqual(final)
        const mails = await scope.query(
          `select from outbox m join deliveries d on d.shop_id = m.shop_id
             and m.payload ->> 'delivery' = d.id::text
           where d.shop_id = :shop and d.order_id = :order`,
          { order: states[0]!.id },
        )
        expect(mails.length).toBeLessThanOrEqual(1)
      },
    ),
    { numRuns: sized(15, 60) },
  )
})

test('files and mails have the time of the database, also if the clock of the process is wrong', async () => {
  for (const hours of [-24, 24]) {
    const one = order([1])
    const skewed = { secrets, now: new Date(Date.now() + hours * 3_600_000) }
    await reconcileOrder(scope, one, skewed)
    const times = await scope.one<{ mailed: number; added: number; made: number }>(
      `select extract(epoch from now() - d.mailed_at)::float8 as mailed,
         extract(epoch from now() - d.created_at)::float8 as made,
         extract(epoch from now() - df.created_at)::float8 as added
       from deliveries d join delivery_files df on df.shop_id = d.shop_id and df.delivery_id = d.id
       where d.shop_id = :shop and d.order_id = :order`,
      { order: one.id },
    )
    for (const age of Object.values(times)) expect(Math.abs(age)).toBeLessThan(600)
  }
})
