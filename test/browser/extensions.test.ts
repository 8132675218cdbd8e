import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appConfig } from '../../app.config.ts'
import { createFailureLimiter } from '../../server/http/auth.ts'
import { mounted } from '../../server/http/listen.ts'
import { errorResponses } from '../../server/http/errors.ts'
import { EXTENSION_ORIGIN } from '../../server/features/orders/extensions/admin-origin.ts'
import type { OrderPage } from '../../server/features/orders/order-pages.ts'
import { thankYouRequests } from '../../server/features/orders/extensions/thank-you.ts'
import { reconcileOrder } from '../../server/features/orders/reconcile.ts'
import { verifyBuyerToken } from '../../server/storefront/buyer-token.ts'
import { signToken } from '../../server/demo/jwt.ts'
import { openTestApp, type TestApp } from '../app.ts'
import { createTestShop, silent } from '../database.ts'
import { paidOrder } from '../orders.ts'
import { openExtension } from './extension-host.ts'
import { sharedBrowser } from './page-browser.ts'
import { soakTest } from '../scale.ts'

const CHECKOUT = 'https://checkout.example'
const PRODUCT = 'gid://shopify/Product/1'
const platform = { apiKey: 'the-client-id', apiSecret: 'the secret of the app' }
/** Without an end. */
const OPEN = {
  later: 0,
  available_at: null,
  use_hours: null,
  until: null,
  ends_at: null,
  closed: 0,
}
const ORDER = { order: { id: 'gid://shopify/OrderIdentity/1001' }, number: 'X1Y2Z3' }

let app: TestApp
let browser: Browser
let thanksUrl: string
let order: OrderPage | null = null
let asked = 0
const closings: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  ;[app, browser] = await Promise.all([openTestApp(), sharedBrowser()])
  const { database } = app.engine.parts
  await createTestShop(database, 'thanks.myshopify.com')
  const koa = new Koa()
  koa.use(errorResponses(silent))
  koa.use(
    mounted([
      thankYouRequests({
        trustProxy: false,
        database,
        storefront: { verifyBuyerToken: (token) => verifyBuyerToken(token, platform, new Date()) },
        // The first query does not find the order; later queries do.
        orderPages: {
          find: () => Promise.resolve((asked += 1) > 1 ? order : null),
          sells: (_, lines) =>
            Promise.resolve(lines.some(({ product_id }) => product_id === PRODUCT)),
        },
        failures: createFailureLimiter({
          database,
          limits: appConfig({}).limits,
          trustProxy: false,
        }),
        clock: () => new Date(),
      }),
    ]),
  )
  const handle = koa.callback()
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  thanksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  closings.push(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
})
afterAll(async () => {
  for (const close of closings) await close()
  await app.close()
})

function buyerToken(): string {
  const now = Math.floor(Date.now() / 1000)
  const times = { nbf: now, iat: now, exp: now + 300 }
  const claims = { dest: 'thanks.myshopify.com', aud: platform.apiKey, ...times }
  return signToken(claims, platform.apiSecret)
}

test('the thank-you page waits for the order, then shows its downloads', async () => {
  order = {
    confirmation_number: 'X1Y2Z3',
    ordered_at: new Date(),
    status: 'ready',
    files: 2,
    url: 'https://files.example.com/download?key=k',
    terms: { ...OPEN, later: 1, available_at: '2999-03-01T00:00:00Z', use_hours: 48 },
  }
  const page = await openExtension(browser, {
    name: 'thank-you',
    origin: CHECKOUT,
    appUrl: thanksUrl,
    locale: 'de',
    token: buyerToken(),
    orderConfirmation: ORDER,
    products: [PRODUCT],
  })
  await page.getByText('Ihre Dateien werden vorbereitet.').waitFor()
  await page.getByText('2 Dateien sind bereit.').waitFor()
  await page.getByText('1 Datei ist ab March 1, 2999 verfügbar.').waitFor()
  await page.getByText('2 Tage ab der ersten Nutzung verwendbar.').waitFor()
  await expect.poll(() => page.locator('s-button').getAttribute('href')).toBe(order.url)
  expect(asked).toBe(2)
})

soakTest('the thank-you page shows nothing for an order whose products have no files', async () => {
  order = null
  const before = asked
  const page = await openExtension(browser, {
    name: 'thank-you',
    origin: CHECKOUT,
    appUrl: thanksUrl,
    token: buyerToken(),
    orderConfirmation: ORDER,
    products: ['gid://shopify/Product/2'],
  })
  await expect.poll(() => asked).toBe(before + 1)
  await page.waitForLoadState('networkidle')
  await expect.poll(() => page.locator('s-section').count()).toBe(0)
})

soakTest('the order’s page in the account reads the metafield and sends no request', async () => {
  const url = 'https://files.example.com/download?key=k'
  const value = { status: 'ready', files: 1, url, terms: OPEN }
  const open = (entries: object[]) =>
    openExtension(browser, {
      name: 'order-status',
      origin: CHECKOUT,
      appUrl: 'https://nobody.example',
      token: '',
      appMetafields: entries.map((entry) => ({
        target: { type: 'order' },
        metafield: { key: 'delivery', value: JSON.stringify(entry) },
      })),
    })
  const page = await open([value])
  await page.getByText('1 file is ready.').waitFor()
  const later = { ...OPEN, later: 1, available_at: '2999-03-01T00:00:00Z', closed: 1 }
  const waiting = await open([{ ...value, terms: later }])
  await waiting.getByText('Available from March 1, 2999.').waitFor()
  await waiting.getByText('1 file needs a running membership.').waitFor()
  await expect.poll(() => waiting.getByText('is ready').count()).toBe(0)
  const ended = await open([{ ...value, terms: { ...OPEN, ends_at: '2020-01-01T00:00:00Z' } }])
  await ended.getByText('The time for these files has ended.').waitFor()
  await expect.poll(() => page.locator('s-button').getAttribute('href')).toBe(value.url)
  const gone = await open([{ ...value, status: 'withdrawn', url: null }])
  await gone.getByText('The files of this order are not offered any more.').waitFor()
  const none = await open([])
  await expect.poll(() => none.locator('s-section').count()).toBe(0)
})

let added: Promise<void> | undefined
/** The product's file: once. */
const addFile = (): Promise<void> =>
  (added ??= app.owner.scope.transaction(async (tx) => {
    const hash = Buffer.alloc(32, 1)
    await tx.insert('blobs', { hash, size_bytes: 3_145_728 })
    await tx.insert('blob_locations', { hash, location: 'primary' })
    const about = { size_bytes: 3_145_728, content_type: 'application/pdf' }
    const [file] = (await tx
      .insert('files', {
        filename: 'Guide.pdf',
        name_key: 'guide.pdf',
        extension: 'pdf',
        channel: 'api',
        ...about,
        version_since: new Date(),
      })
      .returning('id')) as { id: string }[]
    const bytes = { hash, location: 'primary', created_at: new Date(), ...about }
    await tx.insert('versions', { file_id: file!.id, number: 1, ...bytes })
    await tx.insert('mappings', {
      file_id: file!.id,
      product_id: PRODUCT,
      product_title: 'Guide',
      method: 'manual',
      score: 1,
      reason: 'Chosen',
    })
  }))

soakTest('the page in the account opens the library, and offers another attempt', async () => {
  const address = `${CHECKOUT}/extensions/library`
  const open = (locale: string) =>
    openExtension(browser, {
      name: 'library-page',
      origin: CHECKOUT,
      appUrl: CHECKOUT,
      token: 'a token',
      locale,
    })
  const page = await open('en.default')
  await page.getByText('Your downloads could not be loaded.').waitFor()
  const url = 'https://files.example.com/library?key=k'
  await page.route(address, (route) => route.fulfill({ json: { status: 'open', url } }))
  await page.getByText('Retry', { exact: true }).click()
  await page.getByText('Open all downloads').waitFor()
  await expect.poll(() => page.locator('s-button').getAttribute('href')).toBe(url)
})

soakTest('the admin’s blocks call the API from the platform’s origin', async () => {
  await addFile()
  const open = (name: 'product-block' | 'product-links') =>
    openExtension(browser, {
      name,
      origin: EXTENSION_ORIGIN,
      appUrl: app.url,
      token: app.owner.key,
      selected: [PRODUCT],
    })
  const block = await open('product-block')
  await block.getByText('Guide.pdf · 3 MB').waitFor()
  const links = await open('product-links')
  await links.getByText('1 file belongs to them.').waitFor()
  await links.getByText('Create links', { exact: true }).click()
  await links.getByText('1 link was created.').waitFor()
  await expect.poll(() => links.locator('s-link').getAttribute('href')).toBe('app:links')
  const { body } = await app.owner.call('GET', '/api/links')
  expect(body.data).toHaveLength(1)
})

test('the order’s block shows its delivery, and the merchant’s actions change it', async () => {
  await addFile()
  const bought = paidOrder({ products: [PRODUCT] })
  const { secrets } = app.engine.parts
  await reconcileOrder(app.owner.scope, bought, { secrets, now: new Date() })
  const open = (order: string, token = app.owner.key) =>
    openExtension(browser, {
      name: 'order-block',
      origin: EXTENSION_ORIGIN,
      appUrl: app.url,
      token,
      selected: [order],
    })
  const block = await open(bought.id)
  const press = (name: string) => block.getByText(name, { exact: true }).click()
  await block.getByText('Ready', { exact: true }).waitFor()
  await block.getByText('1 file', { exact: true }).waitFor()
  await press('Hold')
  await block.getByText('The downloads are held').waitFor()
  await press('Release')
  await block.getByText('The downloads were released').waitFor()
  await press('Extend by 30 days')
  await block.getByText('The files can be downloaded for 30 days from now').waitFor()
  await press('Grant 3 more downloads')
  await block.getByText('Each file with a limit has 3 more downloads').waitFor()
  await press('Resend the email')
  await block.getByText('The email waits to be sent').waitFor()
  await press('Revoke')
  await block.getByText('Revoke for good?').waitFor()
  await press('Revoke')
  await block.getByText('The downloads were revoked').waitFor()
  const { body } = await app.owner.call('GET', '/api/deliveries')
  expect(body.data).toMatchObject([{ order_id: bought.id, status: 'revoked' }])

  await (await open('gid://shopify/Order/9')).getByText('This order contains no files.').waitFor()
  const refused = await open(bought.id, 'sdk_test_wrong')
  await refused.getByText('The downloads could not be loaded:').waitFor()
  await refused.getByText('Retry').waitFor()
})
