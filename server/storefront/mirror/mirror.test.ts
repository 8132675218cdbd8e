import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, silent } from '../../../test/database.ts'
import { openTestWorker } from '../../../test/background.ts'
import { fillMirror, refreshDue, type MadeProduct } from '../../../test/mirror.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { createSecrets } from '../../core/secrets.ts'
import { openStorefront } from '../../startup/ports.ts'
import type { Storefront } from '../storefront.ts'
import { findProduct, variantsBySkuKey } from './lookup.ts'
import { LeaseLost, type TaskLease } from '../../core/queue/background.ts'
import type { MirrorParts } from './mirror.ts'
import {
  requestRefresh,
  beginRefresh,
  recordRefreshProgress,
  readMirror,
  REFRESH_MIRROR,
  type Refresh,
  type RefreshResult,
} from './mirror-lease.ts'
import { wantEvent } from '../../../test/told-events.ts'
import { promisedMs, sized, soakTest } from '../../../test/scale.ts'

const secrets = createSecrets('a secret of the tests, long enough')
const never = new AbortController().signal
const HEADER = 'Handle,Title,Tags,Option1 Value,Variant SKU,Image Src'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let folder: string
let scope: ShopScope
const opened: Storefront[] = []

const open = async (catalog: string | null) => {
  const demo = { catalog, bucket: 2000, restore: 1000 }
  const environment = { platform: null, demo, baseUrl: null, port: 3000 }
  const storefront = await openStorefront({ environment, database, secrets, log: silent })
  opened.push(storefront)
  return storefront
}
let catalogs = 0
async function openWith(...rows: string[]): Promise<Storefront> {
  const file = path.join(folder, `${++catalogs}.csv`)
  await writeFile(file, [HEADER, ...rows].join('\n'))
  return open(file)
}
const parts = (storefront: MirrorParts['storefront'], told: RefreshResult[] = []): MirrorParts => ({
  database,
  storefront,
  refreshed: (_, result) => Promise.resolve(void told.push(result)),
  log: silent,
})
async function refreshFrom(
  storefront: MirrorParts['storefront'],
): Promise<RefreshResult | undefined> {
  const told: RefreshResult[] = []
  await requestRefresh(scope)
  await refreshDue(parts(storefront, told), never)
  return told[0]
}
const titles = async () =>
  (
    await scope.query<{ title: string }>(
      'select title from products where shop_id = :shop order by title',
    )
  ).map(({ title }) => title)

beforeAll(async () => {
  database = await openTestDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'mirror-'))
  scope = forShop(database, (await open(null)).demo!.shop.id)
})
afterAll(async () => {
  for (const storefront of opened) await storefront.close()
  await database.drop()
  await rm(folder, { recursive: true })
})
beforeEach(() =>
  scope.transaction(async (tx) => {
    await tx.query('delete from products where shop_id = :shop')
    await tx.query('delete from variants where shop_id = :shop')
    await tx.query('delete from catalog_mirrors where shop_id = :shop')
  }),
)

describe('a refresh', () => {
  test('fills the mirror with the whole catalog, automatically the first time', async () => {
    const told: RefreshResult[] = []
    expect(await refreshDue(parts(opened[0]!, told), never)).toBe(1)
    const state = (await readMirror(scope))!
    expect(state).toMatchObject({ generation: 1, refreshing: false, error: null, failed_at: null })
    const [{ skus } = { skus: 0 }] = await scope.query<{ skus: number }>(
      'select count(sku) as skus from variants where shop_id = :shop',
    )
    expect(told).toEqual([{ matchable: state.products + skus, changed: true }])
    expect([state.products > 200, state.variants >= 260]).toEqual([true, true])
    expect(+state.due_at).toBeGreaterThan(Date.now() + 3 * 3600_000)
    const [row] = await scope.query(
      'select * from products where shop_id = :shop and handle = :handle',
      {
        handle: 'ballast-slab',
      },
    )
    expect(row).toMatchObject({
      title: 'Ballast Slab',
      status: 'ACTIVE',
      tags: ['font', 'typeface', 'otf'],
    })
    expect(await refreshDue(parts(opened[0]!), never)).toBe(0)
  })

  test('adds new, updates changed and deletes missing products; a repetition changes nothing', async () => {
    const first = await openWith(
      'a,Apple,"Fruit, red",Default Title,A-1,https://x.example/a.png',
      'b,Bread,,PDF,B-1',
      'b,,,EPUB,B-2',
    )
    expect(await refreshFrom(first)).toEqual({ matchable: 5, changed: true })
    expect(await refreshFrom(first)).toEqual({ matchable: 0, changed: false })
    expect(await readMirror(scope)).toMatchObject({
      generation: 1,
      products: 2,
      variants: 3,
      objects: 5,
    })
    const second = await openWith('b,Brown Bread,,PDF,B-1', 'c,Cake,,Default Title, c-1 ')
    // A changed title, a new product and its SKU.
    const told = await wantEvent(scope, 'product.created')
    expect(await refreshFrom(second)).toEqual({ matchable: 3, changed: true })
    // Only the new one; the first catalog, above, is none.
    expect(await told()).toMatchObject([{ total: 1, product_ids: [expect.any(String)] }])
    await scope.from('webhook_endpoints').delete()
    expect(await titles()).toEqual(['Brown Bread', 'Cake'])
    expect(await readMirror(scope)).toMatchObject({ generation: 2, products: 2, variants: 2 })
    expect(await variantsBySkuKey(scope, ['a-1', 'b-2'])).toEqual([])
    const [bread] = await variantsBySkuKey(scope, ['b-1', 'nothing\u0000'])
    expect(bread).toMatchObject({ key: 'b-1', sku: 'B-1', product_title: 'Brown Bread' })
    const { product_id, variant_id } = bread!
    expect(await findProduct(scope, product_id, null)).toEqual({
      product_id,
      product_title: 'Brown Bread',
      variant: null,
    })
    expect((await findProduct(scope, product_id, variant_id))!.variant).toEqual({
      id: variant_id,
      title: 'PDF',
      sku: 'B-1',
    })
    expect(await findProduct(scope, product_id, 'gid://shopify/ProductVariant/1')).toBeNull()
    expect(await scope.query('select from catalog_staged where shop_id = :shop')).toEqual([])
  })

  soakTest('reports new SKUs and tags of existing products; an image changes nothing', async () => {
    const matchable = (product: MadeProduct) =>
      fillMirror(scope, [product]).then((one) => one.matchable)
    expect(await matchable({ title: 'Bread', skus: ['B-1'] })).toBe(2)
    expect(await matchable({ title: 'Bread', skus: ['B-1', null] })).toBe(0)
    expect(await matchable({ title: 'Bread', skus: ['B-1', 'B-2'] })).toBe(1)
    expect(await matchable({ title: 'Bread', skus: ['B-1', 'B-2'], tags: ['baking'] })).toBe(1)
    await scope.query(
      `update products set image_url = 'https://x.example/old.png' where shop_id = :shop`,
    )
    // oxfmt-ignore
    expect(await fillMirror(scope, [{ title: 'Bread', skus: ['B-1'], tags: ['baking'] }])).toEqual({ matchable: 0, changed: true })
  })

  // In soak 50,000 variants.
  soakTest('of many variants takes seconds, the first and later ones', async () => {
    const count = sized(4000, 25_000)
    const many = Array.from({ length: count }, (_, n) => ({
      title: `Book ${n}`,
      skus: [`S-${n}-A`, `S-${n}-B`],
    }))
    await fillMirror(scope, many)
    const started = performance.now()
    expect(await fillMirror(scope, many)).toEqual({ matchable: 0, changed: false })
    expect(performance.now() - started).toBeLessThan(promisedMs(30_000))
    expect(await fillMirror(scope, many.slice(1))).toMatchObject({ changed: true })
    expect(await readMirror(scope)).toMatchObject({
      products: count - 1,
      variants: 2 * (count - 1),
    })
  })

  soakTest('runs once if several requests arrive at the same time', async () => {
    await requestRefresh(scope)
    const done = await Promise.all([1, 2, 3, 4].map(() => refreshDue(parts(opened[0]!), never)))
    expect(done.sort()).toEqual([0, 0, 0, 1])
    expect(await readMirror(scope)).toMatchObject({ generation: 1 })
  })

  soakTest(
    'that fails stores the reason, keeps the mirror unchanged, and is retried later or on request',
    async () => {
      const good = await openWith('a,Apple,,Default Title,A-1')
      await refreshFrom(good)
      const catalog = good.wholeCatalog(scope.shop)
      const lies = {
        ...catalog,
        progress: () => Promise.resolve({ status: 'complete' as const, url: null, objects: 7 }),
      }
      expect(await refreshFrom({ wholeCatalog: () => lies })).toBeUndefined()
      const state = (await readMirror(scope))!
      expect(state).toMatchObject({
        generation: 1,
        products: 1,
        refreshing: false,
        error: 'Something went wrong on our side',
      })
      expect(state.failed_at).not.toBeNull()
      const away = await openWith('a,Apple,,Default Title,A-1')
      await opened.pop()!.close()
      expect(await refreshFrom(away)).toBeUndefined()
      expect((await readMirror(scope))!.error).toContain(
        'The storefront catalog could not be reached',
      )
      expect(await titles()).toEqual(['Apple'])
      expect(await refreshDue(parts(good), never)).toBe(0)
      expect(await refreshFrom(good)).toEqual({ matchable: 0, changed: false })
      expect(await readMirror(scope)).toMatchObject({ error: null, failed_at: null })
    },
  )

  test('of a dead process is continued: the platform gets no second export request, and the dead process cannot write', async () => {
    const storefront = await openWith('a,Apple,,Default Title,A-1')
    const catalog = storefront.wholeCatalog(scope.shop)
    await requestRefresh(scope)
    const held = Promise.withResolvers<TaskLease>()
    const task = {
      ...REFRESH_MIRROR,
      concurrency: 1,
      run: ({ lease }: { lease: TaskLease }) => (held.resolve(lease), new Promise<null>(() => {})),
    }
    const worker = await openTestWorker(database, [task])
    void worker.run(task, { shop: scope.shop, key: String(scope.shop) })
    const dead: Refresh = (await beginRefresh(scope, await held.promise))!
    await recordRefreshProgress(scope, dead, { bulk_operation: await catalog.begin(never) })
    expect(await refreshDue(parts(storefront), never)).toBe(0)
    await worker.stopHeartbeats()
    const begun: string[] = []
    const watched = {
      ...catalog,
      begin: (signal: AbortSignal) => (begun.push('again'), catalog.begin(signal)),
    }
    expect(await refreshDue(parts({ wholeCatalog: () => watched }), never)).toBe(1)
    expect([begun, await titles()]).toEqual([[], ['Apple']])
    await expect(recordRefreshProgress(scope, dead, { objects: 1 })).rejects.toThrow(LeaseLost)
  })

  soakTest('that is interrupted is continued immediately', async () => {
    const stopping = new AbortController()
    const catalog = opened[0]!.wholeCatalog(scope.shop)
    const slow = {
      ...catalog,
      progress: (...given: Parameters<typeof catalog.progress>) => {
        stopping.abort(new Error('stopping'))
        return catalog.progress(...given)
      },
    }
    await requestRefresh(scope)
    expect(await refreshDue(parts({ wholeCatalog: () => slow }), stopping.signal)).toBe(0)
    expect(await readMirror(scope)).toMatchObject({ refreshing: false, error: null, generation: 0 })
    expect(await refreshDue(parts(opened[0]!), never)).toBe(1)
  })
})
