import { createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { soakTest, someOf } from '../../test/scale.ts'
import { createTestShop, openTestDatabase, silent } from '../../test/database.ts'
import {
  storefrontSuite,
  SUITE_VARIANTS,
  type StorefrontWorld,
} from '../../test/suites/storefront.ts'
import { forShop } from '../core/db/for-shop.ts'
import type { Logger, LogFields } from '../core/log.ts'
import { createSecrets } from '../core/secrets.ts'
import { startDemoStorefront, type DemoOptions, type DemoStorefront } from '../demo/listener.ts'
import { signSessionToken } from '../demo/session-token.ts'
import { createDemoTransport } from '../demo/transport.ts'
import { present } from '../core/lazy.ts'
import { ProductRefused } from './new-products.ts'
import { ScopeMissing } from './platform-failures.ts'
import { createStorefront } from './platform.ts'
import type { Storefront } from './storefront.ts'
import type { Transport } from './operations.ts'

const DOMAIN = 'harbour.myshopify.com'
const CREDENTIALS = { apiKey: 'the-key', apiSecret: 'the secret of the app, 32 characters' }
const never = new AbortController().signal

let database: Awaited<ReturnType<typeof openTestDatabase>>
let folder: string
let catalog: string
let shop: number
const opened: (() => Promise<void>)[] = []
beforeAll(async () => {
  database = await openTestDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'storefront-'))
  catalog = path.join(folder, 'products.csv')
  await writeFile(catalog, csv())
  shop = await createTestShop(database, DOMAIN)
})
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

function csv(): string {
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
  const seen = new Set<string>()
  const rows = SUITE_VARIANTS.map(([product, variant, sku]) => {
    const title = seen.has(product) ? '' : `Product ${product}`
    seen.add(product)
    return [product, title, variant, sku, '5.00'].map(quote).join(',')
  })
  return ['Handle,Title,Option1 Value,Variant SKU,Variant Price', ...rows].join('\n')
}

/** The client with its own demo platform. `around` may answer instead of it, or observe. */
async function openWorld(
  options: Partial<DemoOptions> = {},
  around: (inner: Transport) => Transport = (inner) => inner,
  log: Logger = silent,
): Promise<StorefrontWorld & { demo: DemoStorefront; another(): Storefront }> {
  const demo = await startDemoStorefront({
    catalog,
    bucket: 100_000,
    restore: 1000,
    log: silent,
    shop: { domain: DOMAIN, name: 'Harbour Books', email: 'owner@harbour.example' },
    ...CREDENTIALS,
    ...options,
  })
  const { transport, close } = createDemoTransport(demo.url)
  const secrets = createSecrets('a secret of the tests, long enough')
  const another = () => {
    const appUrl = 'https://files.example.com'
    return createStorefront({
      database,
      secrets,
      log,
      platform: CREDENTIALS,
      appUrl,
      transport: around(transport),
      firstBackoffMs: 5,
    })
  }
  const storefront = another()
  const closeAll = async () => {
    await storefront.close()
    await close()
    await demo.close()
  }
  const sessionToken: StorefrontWorld['sessionToken'] = (over, signing) =>
    signing ? forge(demo, over, signing) : signSessionToken(demo.app, over)
  await storefront.ensureAccess(shop, sessionToken())
  return { storefront, shop, shopDomain: DOMAIN, sessionToken, close: closeAll, demo, another }
}

/** Like `openWorld`, closed after the test. */
const open: typeof openWorld = async (...given) => {
  const world = await openWorld(...given)
  opened.push(async () => {
    await world.close()
    await forShop(database, shop).query('delete from shop_tokens where shop_id = :shop')
  })
  return world
}

function forge(
  demo: DemoStorefront,
  over: object = {},
  { secret, alg }: { secret?: string; alg?: string },
): string {
  const [header, payload] = signSessionToken(demo.app, { ...over }).split('.')
  const head = alg ? Buffer.from(JSON.stringify({ alg, typ: 'JWT' })).toString('base64url') : header
  const mac = createHmac(alg === 'HS512' ? 'sha512' : 'sha256', secret ?? demo.app.apiSecret)
  return `${head}.${payload}.${mac.update(`${head}.${payload}`).digest('base64url')}`
}

const isQuery = (url: string) => url.endsWith('/graphql.json')

describe('shared', () => {
  // The suite opens its world once: no test may close it.
  storefrontSuite('the platform client against the stand-in', () => openWorld())
})

describe('new products', () => {
  const bundle = { handle: 'winter-birds-1a2b3c4d', title: 'Winter birds', price: '24.00' }

  test('a product is created as a draft, once, and then found as the merchant left it', async () => {
    const { storefront } = await open()
    const made = await storefront.createProduct(shop, bundle, never)
    expect(made).toMatchObject({ title: 'Winter birds', isNew: true })
    const [row, ...variants] = present(await storefront.product(shop, made.id, never), 'product')
    expect(row).toMatchObject({ handle: bundle.handle, status: 'DRAFT' })
    expect(variants).toMatchObject([{ title: 'Default Title' }])
    const again = await storefront.createProduct(shop, { ...bundle, title: 'Other' }, never)
    expect(again).toEqual({ ...made, isNew: false })
  })

  test('the platform’s objection is its reason, and a missing scope is told apart', async () => {
    const { storefront } = await open()
    const long = { ...bundle, handle: 'long', title: 'x'.repeat(256) }
    const refusal = storefront.createProduct(shop, long, never)
    await expect(refusal).rejects.toBeInstanceOf(ProductRefused)
    await expect(refusal).rejects.toThrow('Title is too long (maximum is 255 characters)')
    const { storefront: denied } = await open({ denied: ['Mutation.productSet'] })
    await expect(denied.createProduct(shop, bundle, never)).rejects.toBeInstanceOf(ScopeMissing)
  })
})

describe('access', () => {
  test('tokens are stored sealed, and the shop’s name and address are read', async () => {
    const { storefront } = await open()
    const [row] = await forShop(database, shop)
      .from<Record<string, Buffer>>('shop_tokens')
      .select('*')
    for (const column of ['access_token', 'refresh_token'])
      expect(row![column]!.toString('latin1')).not.toContain('shp')
    const [{ name, settings }] = (
      await database.pool.query('select name, settings from shops where id = $1', [shop])
    ).rows
    expect([name, settings]).toEqual([
      'Harbour Books',
      { recipients: ['owner@harbour.example'], time_zone: 'Europe/London' },
    ])
    expect(storefront.page).toEqual({
      apiKey: 'the-key',
      bridgeUrl: 'https://cdn.shopify.com/shopifycloud/app-bridge.js',
    })
  })

  soakTest('ten concurrent sign-ins exchange one token', async () => {
    const { storefront, demo, sessionToken, another } = await open()
    await forShop(database, shop).query('delete from shop_tokens where shop_id = :shop')
    const both = [storefront, another()]
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => both[at % 2]!.ensureAccess(shop, sessionToken())),
    )
    expect(demo.counts.grants.exchange).toBe(2)
  })

  test('a token about to expire is renewed once, for any number of processes', async () => {
    const { storefront, demo, another } = await open()
    await forShop(database, shop).query(
      `update shop_tokens set expires_at = now() + interval '1 minute' where shop_id = :shop`,
    )
    const processes = [storefront, another(), another()]
    const skus = Array.from({ length: 30 }, (_, at) => `none-${at}`)
    await Promise.all(
      skus.map((sku, at) => processes[at % 3]!.catalog(shop).findBySku([sku, 'TWIN'], never)),
    )
    expect(demo.counts.grants).toEqual({ exchange: 1, refresh: 1 })
  })

  test('a token that the platform refuses is renewed once', async () => {
    let refuse = false
    const { storefront, demo } = await open({}, (inner) => (url, init) => {
      if (!isQuery(url) || !refuse) return inner(url, init)
      refuse = false
      return Promise.resolve(Response.json({ errors: 'no' }, { status: 401 }))
    })
    refuse = true
    expect((await storefront.catalog(shop).findBySku(['TWIN'], never)).size).toBe(1)
    expect(demo.counts.grants.refresh).toBe(1)
  })

  test('a shop without access, or that revoked it, gets an error; a sign-in restores access', async () => {
    const { storefront, sessionToken } = await open()
    await forShop(database, shop).query(
      `update shop_tokens set refresh_expires_at = now(), expires_at = now() where shop_id = :shop`,
    )
    const find = () => storefront.catalog(shop).findBySku(['TWIN'], never)
    await expect(find()).rejects.toMatchObject({
      name: 'PortError',
      code: 'storefront_unavailable',
      retryable: true,
    })
    await storefront.ensureAccess(shop, sessionToken())
    expect((await find()).size).toBe(1)
  })

  soakTest('a platform failure during a renewal keeps the token', async () => {
    let down = false
    const { storefront } = await open(
      {},
      (inner) => (url, init) =>
        down && !isQuery(url)
          ? Promise.resolve(new Response('busy', { status: 503 }))
          : inner(url, init),
    )
    await forShop(database, shop).query(
      'update shop_tokens set expires_at = now() where shop_id = :shop',
    )
    down = true
    const find = () => storefront.catalog(shop).findBySku(['TWIN'], never)
    await expect(find()).rejects.toMatchObject({ code: 'storefront_unavailable' })
    down = false
    expect((await find()).size).toBe(1)
  })

  test('another shop’s session token is refused before any exchange', async () => {
    const { storefront, demo, sessionToken } = await open()
    const other = await createTestShop(database, 'other.myshopify.com')
    await expect(storefront.ensureAccess(other, sessionToken())).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    expect(demo.counts.grants.exchange).toBe(1)
  })
})

describe('throttle', () => {
  test('waits for the points that a query needs instead of being refused', async () => {
    const { storefront, demo } = await open({ bucket: 600, restore: 2000 })
    const find = (from: number) =>
      storefront.catalog(shop).findBySku(
        Array.from({ length: 240 }, (_, at) => `none-${from + at}`),
        never,
      )
    await find(0)
    // The bucket does not hold enough points for two concurrent queries: one must wait.
    await Promise.all([find(1000), find(2000), find(3000), find(4000)])
    expect(demo.counts.admin.throttled).toBe(0)
    expect(demo.counts.admin.queries).toBe(6)
  })

  soakTest('waits and retries when another process has emptied the bucket', async () => {
    // The bucket is refilled by time: slowly, so that it is not full even on a busy machine.
    const { storefront, demo, another } = await open({ bucket: 700, restore: 100 })
    await storefront.catalog(shop).findBySku(['TWIN'], never)
    // Its 300 variants cost 600 points, which this client does not know.
    await another().catalog(shop).findBySku(['MANY'], never)
    const skus = Array.from({ length: 249 }, (_, at) => `none-${at}`)
    expect((await storefront.catalog(shop).findBySku([...skus, 'TWIN'], never)).size).toBe(1)
    expect(demo.counts.admin.throttled).toBe(1)
  })

  test('a wait for points ends with its signal', async () => {
    const { storefront, another } = await open({ bucket: 700, restore: 1 })
    // Its 300 variants take nearly all points; the next response reports how few are left.
    await another().catalog(shop).findBySku(['MANY'], never)
    await storefront.catalog(shop).findBySku(['TWIN'], never)
    const skus = Array.from({ length: 750 }, (_, at) => `none-${at}`)
    await expect(
      storefront.catalog(shop).findBySku(skus, AbortSignal.timeout(200)),
    ).rejects.toThrow('timeout')
  })
})

describe('errors of the platform', () => {
  /** Answers queries with these, one after another, before the demo platform answers. */
  const failing = (answers: (() => Promise<Response>)[]) => {
    let ready = false
    return {
      start: () => (ready = true),
      around:
        (inner: Transport): Transport =>
        (url, init) =>
          (ready && isQuery(url) ? answers.shift()?.() : undefined) ?? inner(url, init),
    }
  }
  const status =
    (code: number, headers = {}) =>
    () =>
      Promise.resolve(new Response('<html>', { status: code, headers }))
  const cut = () => Promise.reject(new TypeError('fetch failed'))

  const TEMPORARY: readonly [string, () => Promise<Response>][] = [
    ['HTTP 429 with Retry-After', status(429, { 'retry-after': '0.1' })],
    ['HTTP 500', status(500)],
    ['HTTP 503', status(503)],
    ['a page that is no JSON', status(200, { 'content-type': 'text/html' })],
    ['a cut connection', cut],
    ['errors that are a text', () => Promise.resolve(Response.json({ errors: 'Not now' }))],
    [
      'errors that are an object',
      () => Promise.resolve(Response.json({ errors: { query: 'Required parameter missing' } })),
    ],
    ['an empty list of errors', () => Promise.resolve(Response.json({ data: {}, errors: [] }))],
    ['no data', () => Promise.resolve(Response.json({ data: null }))],
    [
      'a cut answer',
      () =>
        Promise.resolve(
          new Response('{"data": {"prod', { headers: { 'content-type': 'application/json' } }),
        ),
    ],
    [
      'an internal error',
      () =>
        Promise.resolve(
          Response.json({
            errors: [{ message: 'x', extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
          }),
        ),
    ],
  ]
  /** One that the status says, and one that the body says. */
  const FEW = ['HTTP 429 with Retry-After', 'an internal error']
  test.each(someOf(TEMPORARY, ([name]) => FEW.includes(name)))(
    '%s is retried',
    async (_, answer) => {
      const { start, around } = failing([answer, answer])
      const { storefront } = await open({}, around)
      start()
      expect((await storefront.catalog(shop).findBySku(['TWIN'], never)).size).toBe(1)
    },
  )

  test('an answer on which the library fails is logged with the place, so that faults of ours are found', async () => {
    const answer = () => Promise.resolve(Response.json({ errors: { query: 'x' } }))
    const { start, around } = failing(Array.from({ length: 20 }, () => answer))
    const logged: [string, LogFields | undefined][] = []
    const log = { ...silent, warn: (...line: (typeof logged)[0]) => void logged.push(line) }
    const { storefront } = await open({}, around, log)
    start()
    await expect(storefront.catalog(shop).findBySku(['TWIN'], never)).rejects.toThrow()
    expect(logged).toEqual([
      [
        'an answer of the platform could not be read',
        {
          operation: expect.any(String),
          stack: expect.stringMatching(/^ +at .*throwFailedRequest/),
        },
      ],
    ])
  })

  test.each<[string, () => Promise<Response>]>([
    ['HTTP 502 for good', status(502)],
    ['no connection', cut],
    ['errors that are no list for good', () => Promise.resolve(Response.json({ errors: 'x' }))],
    ['HTTP 401 for good', status(401)],
    [
      'a missing scope',
      () =>
        Promise.resolve(
          Response.json({ errors: [{ message: 'x', extensions: { code: 'ACCESS_DENIED' } }] }),
        ),
    ],
  ])('%s fails, and the error contains nothing of the request', async (_, answer) => {
    const { start, around } = failing(Array.from({ length: 20 }, () => answer))
    const { storefront } = await open({}, around)
    start()
    await expect(storefront.catalog(shop).findBySku(['TWIN'], never)).rejects.toSatisfy(
      (error: Error & { code: string; retryable: boolean }) =>
        error.code === 'storefront_unavailable' &&
        error.retryable &&
        error.message.startsWith('The storefront catalog could not be reached: ') &&
        !error.message.includes('shp'),
    )
  })
})

test.each<[number, object, RegExp]>([
  [402, {}, /frozen until its owner pays/],
  [403, {}, /has closed the store/],
  [404, { errors: 'Not Found' }, /no such store any more/],
  [423, {}, /has locked the store/],
  [200, { errors: [{ message: 'x', extensions: { code: 'SHOP_INACTIVE' } }] }, /is not active/],
])(
  'a store that HTTP %i reports as closed is asked once, and the error says so',
  async (code, body, says) => {
    let asked = -1
    const { storefront } = await open({}, (inner) => (url, init) => {
      if (!isQuery(url) || asked < 0) return inner(url, init)
      asked += 1
      return Promise.resolve(Response.json(body, { status: code }))
    })
    asked = 0
    const failed = await storefront
      .orders(shop)
      .read(
        [1, 2, 3, 4].map((n) => `gid://shopify/Order/${n}`),
        { signal: never },
      )
      .catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'storefront_unavailable', retryable: true })
    expect(String(failed)).toMatch(says)
    expect(asked).toBe(1)
  },
)

test('concurrent look-ups share queries', async () => {
  const { storefront, demo } = await open()
  const groups = Array.from({ length: 20 }, (_, group) =>
    Array.from({ length: 50 }, (_, at) => `none-${group}-${at}`),
  )
  const before = demo.counts.admin.queries
  await Promise.all(
    groups.map((group) => storefront.catalog(shop).findBySku([...group, 'TWIN'], never)),
  )
  expect(demo.counts.admin.queries - before).toBe(5)
})
