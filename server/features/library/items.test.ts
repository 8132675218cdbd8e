// What a library lists of orders, packs and single links, in a real database.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { openDepot, type Depot } from '../../../test/delivery.ts'
import { paidOrder, type MadeOrder } from '../../../test/orders.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { addMappings } from '../../files/mappings.ts'
import { ensurePack } from '../../files/packs.ts'
import { translatorFor } from '../downloads/translate.ts'
import { openDeliveryLink } from '../links/model/delivery-links.ts'
import { createPackLink } from '../links/model/pack-links.ts'
import { changeDelivery, holdDelivery, releaseDelivery, revokeDelivery } from '../orders/changes.ts'
import { reconcileOrder } from '../orders/reconcile.ts'
import { listBuyers, readBuyer } from './buyers.ts'
import { hasItems, readLibrary } from './items.ts'
import { renderLibrary } from './pages.ts'

const PRODUCT = 'gid://shopify/Product/1'
const ADA = 'ada@example.com'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let file: string
beforeAll(async () => {
  database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
  const named = { filename: 'Tides.pdf', name_key: 'tides.pdf', mapping_state: 'mapped' }
  file = await depot.addFile(randomBytes(10), { download_limit: 2, ...named })
  const mapping = { product_title: '', variant_id: null, sku: null, score: 1, reason: '' }
  await addMappings(depot.scope, [
    { fileId: file, mapping: { ...mapping, product_id: PRODUCT, method: 'manual' } },
  ])
})
afterAll(async () => {
  await depot.close()
  await database.drop()
})

const parts = () => ({ secrets: depot.secrets, now: depot.time.now })
const reconcile = (order: MadeOrder) =>
  reconcileOrder(depot.scope, paidOrder({ products: [PRODUCT], ...order }), parts())
const listed = async (email: string, search = '') =>
  (
    await readLibrary(depot.scope, depot.secrets, { email, search, page: 1, now: depot.time.now })
  ).items.map(({ name, order, status }) => [name, order, status])
const deliveryOf = async (order: string): Promise<string> =>
  (
    await depot.scope.one<{ id: string }>(
      'select id from deliveries where shop_id = :shop and order_id = :order',
      { order },
    )
  ).id

it('lists ready deliveries of the address, and follows the order’s and the merchant’s corrections', async () => {
  const order = { id: 'gid://shopify/Order/1', name: '#1', email: null }
  await reconcile(order)
  expect(await hasItems(depot.scope, ADA)).toBe(false)
  const changed = new Date('2026-10-02T12:00:00Z')
  await reconcile({ ...order, email: 'Ada@Example.com', updated_at: changed })
  const shown = [['Tides.pdf', '#1', 'active']]
  expect(await listed(ADA)).toEqual(shown)
  const id = await deliveryOf(order.id)
  await holdDelivery(depot.scope, id, parts())
  expect([await listed(ADA), await hasItems(depot.scope, ADA)]).toEqual([[], false])
  await releaseDelivery(depot.scope, id, parts())
  expect(await listed(ADA)).toEqual(shown)
  await changeDelivery(depot.scope, id, { email: 'eve@example.com' }, parts())
  await reconcile({ ...order, email: ADA, updated_at: new Date('2026-10-03T12:00:00Z') })
  expect([await listed(ADA), await listed('eve@example.com')]).toEqual([[], shown])
  expect(await listBuyers(depot.scope, { limit: 10 })).toMatchObject([
    { email: ADA, orders: 0, files: 0 },
    { email: 'eve@example.com', orders: 1, files: 1 },
  ])
  expect(await readBuyer(depot.scope, depot.secrets, ADA)).toBeNull()
  await revokeDelivery(depot.scope, id, parts())
  expect(await listed('eve@example.com')).toEqual([])
  const refund = { financial_status: 'REFUNDED', fully_paid: false } as const
  await reconcile({ id: 'gid://shopify/Order/2', name: '#2', email: ADA })
  expect(await listed(ADA)).toHaveLength(1)
  await reconcile({
    id: 'gid://shopify/Order/2',
    name: '#2',
    email: ADA,
    updated_at: changed,
    ...refund,
  })
  expect(await listed(ADA)).toEqual([])
})

it('lists a pack once, finds it, and shows nothing of it to another shop', async () => {
  const pack = await ensurePack(depot.scope, 'Spring 50% course')
  await createPackLink(depot.scope, depot.secrets, { pack_id: pack, email: ADA }, depot.time.now)
  depot.time.now = new Date(depot.time.now.getTime() + 1000)
  await depot.addLink(randomBytes(10), { email: ADA, download_limit: 1 }, { filename: 'Map.pdf' })
  expect((await listed(ADA)).map(([name]) => name)).toEqual(['Map.pdf', 'Spring 50% course'])
  expect(await listed(ADA, '50%')).toEqual([['Spring 50% course', null, 'active']])
  expect(await listed(ADA, '5_%')).toEqual([])
  const other = forShop(database, await createTestShop(database, 'other.myshopify.com'))
  expect(await hasItems(other, ADA)).toBe(false)
  expect(await listBuyers(other, { limit: 10 })).toEqual([])
})

it('shows a file that is only viewed with its view, and one that is both with two buttons', async () => {
  await reconcile({ id: 'gid://shopify/Order/77', name: '#1077', email: 'viewer@example.com' })
  const shown = async (view: string) => {
    await depot.scope
      .from('files')
      .where('id', file)
      .update({ view, content_type: 'application/pdf' } as never)
    const { items } = await readLibrary(depot.scope, depot.secrets, {
      email: 'viewer@example.com',
      search: '',
      page: 1,
      now: depot.time.now,
    })
    const { html } = renderLibrary(
      { t: translatorFor('de') },
      {
        key: 'k',
        items,
        hasMore: false,
        page: 1,
        search: '',
        locale: null,
        visited: null,
        now: depot.time.now,
      },
    )
    return html.replace(/<style>.*?<\/style>/s, '').replaceAll(/<[^>]*>|\s+/g, ' ')
  }
  expect(await shown('view_only')).toMatch(/Lesen/)
  expect(await shown('view_only')).not.toMatch(/Herunterladen|noch 2 Downloads/)
  expect(await shown('both')).toMatch(/noch 2 Downloads.*Herunterladen.*Lesen/)
  expect(await shown('download')).not.toMatch(/Lesen/)
})

it('offers the running view of the last one that is left, to its browser, and unlocks a view alone', async () => {
  const email = 'once@example.com'
  const pdf = { view: 'both', content_type: 'application/pdf' }
  const terms = { email, view_limit: 1, download_limit: 1 }
  const { id, key } = await depot.addLink(randomBytes(10), terms, pdf)
  await depot.scope.query(
    'update links set views = 1, downloads = 1 where shop_id = :shop and id = :id',
    { id },
  )
  const viewer = randomBytes(32)
  await depot.scope.query(
    `insert into view_sessions (shop_id, link_id, session, expires_at)
     values (:shop, :id, :viewer, :until)`,
    { id, viewer, until: new Date(+depot.time.now + 3_600_000) },
  )
  const shown = async (asked: Buffer | null) => {
    const { items } = await readLibrary(depot.scope, depot.secrets, {
      email,
      search: '',
      page: 1,
      now: depot.time.now,
      viewer: asked,
    })
    const { html } = renderLibrary(
      { t: translatorFor('en') },
      {
        key: 'k',
        items,
        hasMore: false,
        page: 1,
        search: '',
        locale: null,
        visited: null,
        now: depot.time.now,
      },
    )
    const plain = html.replaceAll('&#x3D;', '=')
    return [plain.includes(`'view?key=${key}'`), plain.includes('open in this browser until')]
  }
  expect(await shown(null)).toEqual([false, false])
  expect(await shown(randomBytes(32))).toEqual([false, false])
  expect(await shown(viewer)).toEqual([true, true])
  await depot.setLink(id, { ask_for: 'email' })
  expect(await shown(viewer)).toEqual([true, true])
})

it('two bundles that share a file are sold alone and together: the buyer has it once, in the order of its bundle', async () => {
  const productOf = (n: number) => `gid://shopify/Product/5${n}`
  const packs: string[] = []
  for (const n of [1, 2]) {
    const pack = await ensurePack(depot.scope, `Bundle ${n}`)
    await depot.scope.insert('pack_products', {
      pack_id: pack,
      product_id: productOf(n),
      product_title: `Bundle ${n}`,
    })
    packs.push(pack)
  }
  /** A file with its places in the two bundles. */
  const add = async (name: string, places: readonly (number | null)[]) => {
    const given = { filename: name, name_key: name, mapping_state: 'mapped', download_limit: 2 }
    const id = await depot.addFile(randomBytes(10), given)
    for (const [at, position] of places.entries())
      if (position !== null) {
        const place = { pack_id: packs[at], file_id: id, position }
        await depot.scope.insert('pack_files', place)
        await depot.scope.insert('mappings', {
          file_id: id,
          product_id: productOf(at + 1),
          product_title: `Bundle ${at + 1}`,
          method: 'pack',
          score: 1,
          reason: 'Its pack has this product',
        })
      }
  }
  await add('z first', [1, null])
  await add('shared', [2, 1])
  await add('a second', [null, 2])
  const bought = async (n: number, products: string[]) => {
    const email = `buyer-${n}@example.com`
    await reconcile({ id: `gid://shopify/Order/50${n}`, name: `#50${n}`, email, products })
    const delivery = await deliveryOf(`gid://shopify/Order/50${n}`)
    const page = await depot.scope.one<{ id: string }>(
      'select id from links where shop_id = :shop and delivery_id = :delivery',
      { delivery },
    )
    const files = await openDeliveryLink(depot.scope, depot.secrets, page.id)
    expect((await listed(email)).map(([name]) => name).sort()).toEqual(
      files.map(({ filename }) => filename).sort(),
    )
    return files.map(({ filename, product, download_limit }) => [filename, product, download_limit])
  }
  const [one, two] = ['Line 1', 'Line 2']
  expect(await bought(1, [productOf(1)])).toEqual([
    ['z first', one, 2],
    ['shared', one, 2],
  ])
  expect(await bought(2, [productOf(2), productOf(1)])).toEqual([
    // As for two units: each of the bundles gives the downloads of the file.
    ['shared', one, 4],
    ['a second', one, 2],
    ['z first', two, 2],
  ])
})
