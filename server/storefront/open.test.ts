import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import vm from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, silent } from '../../test/database.ts'
import { findShop } from '../core/db/for-shop.ts'
import { createSecrets } from '../core/secrets.ts'
import { openStorefront, type OpenOptions } from '../startup/ports.ts'
import type { Storefront } from './storefront.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let storefront: Storefront
let server: Server
let port: number
const secrets = createSecrets('a secret of the tests, long enough')
const environment = {
  platform: null,
  demo: { catalog: null, bucket: 2000, restore: 100 },
  baseUrl: null,
  port: 3000,
}
const open = (over: Partial<OpenOptions['environment']> = {}) =>
  openStorefront({ environment: { ...environment, ...over }, database, secrets, log: silent })

beforeAll(async () => {
  database = await openTestDatabase()
  storefront = await open()
  server = createServer((request, response) => {
    if (!storefront.demo!.handle(request, response)) response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.close()
  server.closeAllConnections()
  await storefront.close()
  await database.drop()
})

/** Sends a request as a browser or an unknown client does. */
function get(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    httpRequest(
      { host: '127.0.0.1', port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers } },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({ status: answer.statusCode!, text: Buffer.concat(chunks).toString() }),
        )
      },
    )
      .on('error', reject)
      .end()
  })
}

test('demo mode has a shop, access to its catalog, and an owner to write to', async () => {
  const { id, domain, name } = storefront.demo!.shop
  expect([domain, name]).toEqual(['harbour-press.myshopify.com', 'Harbour Press'])
  expect(await findShop(database, domain)).toEqual({ id, domain, name, demo: true })
  const { rows } = await database.pool.query('select settings from shops where id = $1', [id])
  expect(rows[0].settings).toEqual({
    recipients: ['owner@harbour-press.example'],
    time_zone: 'Europe/London',
  })
  const found = await storefront
    .catalog(id)
    .findBySku(['EB-001', 'TIDE-2025', 'none'], new AbortController().signal)
  expect([...found].map(([sku, variants]) => [sku, variants.length])).toEqual([
    ['EB-001', 1],
    ['TIDE-2025', 2],
  ])
})

test('a second start keeps the shop as the merchant left it, and its access', async () => {
  const { id } = storefront.demo!.shop
  await database.pool.query(`update shops set settings = '{"recipients": []}' where id = $1`, [id])
  const again = await open()
  expect(again.demo!.shop.id).toBe(id)
  const { rows } = await database.pool.query('select settings from shops where id = $1', [id])
  expect(rows[0].settings).toEqual({ recipients: [] })
  expect((await again.catalog(id).findBySku(['EB-001'], new AbortController().signal)).size).toBe(1)
  await again.close()
})

test('an unreadable catalog is named with its setting', async () => {
  await expect(
    open({ demo: { ...environment.demo, catalog: '/nowhere/products.csv' } }),
  ).rejects.toThrow('DEMO_CATALOG: /nowhere/products.csv: it can’t be read (ENOENT)')
})

test('with credentials the platform is used: no stand-in, no demo shop, the platform’s bridge', async () => {
  const real = await open({
    platform: { apiKey: 'key', apiSecret: 'secret' },
    baseUrl: 'https://files.example.com',
  })
  expect(real.page).toEqual({
    apiKey: 'key',
    bridgeUrl: 'https://cdn.shopify.com/shopifycloud/app-bridge.js',
  })
  expect(real.demo).toBeUndefined()
  await real.close()
})

describe('the bridge', () => {
  test('the page’s script and token come from the app itself', async () => {
    expect(storefront.page.bridgeUrl).toBe('/demo/app-bridge.js')
    const window: Record<string, any> = {} // oxlint-disable-line typescript/no-explicit-any
    let fetched = 0
    const fetchToken = async (path: string) => {
      fetched++
      const { status, text } = await get(path, { 'sec-fetch-site': 'same-origin' })
      return { ok: status === 200, status, json: () => JSON.parse(text) as unknown }
    }
    vm.runInNewContext((await get('/demo/app-bridge.js')).text, {
      window,
      fetch: fetchToken,
      performance,
      setTimeout,
    })
    expect(window.shopify.config).toMatchObject({
      apiKey: storefront.page.apiKey,
      shop: 'harbour-press.myshopify.com',
    })
    const tokens = await Promise.all(
      [1, 2, 3].map(() => window.shopify.idToken() as Promise<string>),
    )
    expect([new Set(tokens).size, fetched]).toEqual([1, 1])
    expect(await storefront.verifySessionToken(tokens[0]!)).toEqual({
      shopDomain: 'harbour-press.myshopify.com',
      user: '1',
      issuedAt: expect.any(Date),
    })
  })
  test.each<[string, Record<string, string>, number]>([
    ['typed into the address bar', { 'sec-fetch-site': 'none' }, 200],
    ['localhost', { host: 'localhost:3000', origin: 'http://localhost:3000' }, 200],
    ['IPv6', { host: '[::1]:3000' }, 200],
    ['a name that was pointed here', { host: 'evil.example' }, 403],
    ['a name that begins like ours', { host: 'localhost.evil.example:3000' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }, 403],
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['an origin that hides', { origin: 'null' }, 403],
  ])('requested by %s', async (_, headers, status) => {
    expect((await get('/demo/session-token', headers)).status).toBe(status)
  })
  test('other methods and paths', async () => {
    expect((await get('/demo/session-token', {}, 'POST')).status).toBe(405)
    expect((await get('/demo/other')).status).toBe(404)
  })
})
