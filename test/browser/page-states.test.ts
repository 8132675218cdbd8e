// Each page of the features' lists of routes: in a new shop, while its data loads, when it cannot be
// loaded, of a record that does not exist; the groups of the navigation, and old addresses.
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { readDemo } from '../flows/server.ts'
import { addressOf, OLD_PATHS, PAGE_PATHS, RECORD_PAGES } from '../page-routes.ts'
import { shopCaller } from '../shop-caller.ts'
import {
  openPage,
  sharedBrowser,
  startPageServer,
  type OpenPage,
  type PageServer,
} from './page-browser.ts'
import { randomOf, soakTest, someOf } from '../scale.ts'

let server: PageServer
let origin: Origin
let browser: Browser
let opened: OpenPage
let page: Page
beforeAll(async () => {
  ;[server, origin, browser] = await Promise.all([
    startPageServer(),
    startOrigin(),
    sharedBrowser(),
  ])
  opened = await openPage(browser, server, '/settings')
  page = opened.page
})
afterAll(async () => {
  expect(opened.complaints).toEqual([])
  await opened.close()
  await Promise.all([server.end(), origin.close()])
})

const heading = () => page.locator('main h1').first()
const loading = () => page.locator('main').getByRole('status', { name: /^Loading/ })
const problems = () =>
  page
    .locator('main .Polaris-Banner--withinPage, main .Polaris-Banner')
    .filter({ hasText: REFUSED })
const REFUSED = 'This shop may not read it now'

/** Goes to another page of the open document, as a link does. */
const go = (address: string) =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)})`)

async function isShown(address: string): Promise<void> {
  await heading().evaluate((shown) => shown.setAttribute('data-before', ''))
  await go(address)
  await page.locator('main h1:not([data-before])').first().waitFor()
  await expect.poll(() => loading().count()).toBe(0)
  expect(await heading().textContent(), address).not.toBe('')
  expect(await page.getByText('Something went wrong').count(), address).toBe(0)
}

test('the navigation has the groups of what merchants do, and each entry opens its page', async () => {
  const sections = () =>
    page
      .locator('nav .Polaris-Navigation__Section')
      .evaluateAll((all) =>
        all.map((section) => [
          section.querySelector('.Polaris-Navigation__SectionHeading')?.textContent?.trim() ?? '',
          ...[...section.querySelectorAll('a[href]')].map((link) => link.getAttribute('href')),
        ]),
      )
  await expect.poll(sections).toEqual([
    ['', '/'],
    ['Files', '/files', '/reviews', '/packs', '/trash'],
    ['Import', '/import', '/import/drop', '/import/connections', '/import/feeds'],
    ['Sales', '/deliveries', '/links', '/buyers'],
    ['Automation', '/workflows', '/schedules'],
    ['Activity', '/operations', '/notices'],
    ['', '/settings'],
  ])
  expect(
    (await sections()).flatMap(([, ...urls]) => urls).filter((url) => !PAGE_PATHS.includes(url!)),
  ).toEqual([])
})

const OLD_ADDRESSES = [
  ['/files?deleted=true&search=tide', '/trash?search=tide'],
  ...OLD_PATHS.map(([from, to]) => [from, to] as const),
] as const
test.each(someOf(OLD_ADDRESSES, ([from], at) => at === 0 || from.includes(':id')))(
  'the old address %s leads to %s',
  async (from, to) => {
    const withId = (path: string) => path.replace(':id', 'connection_0')
    await go(withId(from))
    await expect.poll(() => page.evaluate('location.pathname + location.search')).toBe(withId(to))
    await heading().waitFor()
  },
)

// In npm test every second or fourth of them, beginning with one that the seed chooses.
const NTH = randomOf('page states')(0, 4)
const LIST_PAGES = PAGE_PATHS.filter((path) => !path.includes(':id'))
test.each(someOf(LIST_PAGES, (_, at) => at % 2 === NTH % 2))(
  '%s of a new shop shows what it is for',
  async (path) => {
    await isShown(await addressOf(path, shopCaller(server)))
    expect(await problems().count()).toBe(0)
  },
)

test.each(someOf(RECORD_PAGES, (_, at) => at % 4 === NTH))(
  '%s of a record that does not exist says so',
  async (path) => {
    const [, kind] = path.split('/').slice(-3)
    await isShown(path.replace(':id', `${kind}_${'0'.repeat(32)}`))
    await page.locator('main').getByRole('link').or(page.locator('main button')).first().waitFor()
  },
)

soakTest('the palette finds an order, by its buyer and by its name', async () => {
  await fillShop()
  const { data } = (await shopCaller(server)('GET', '/api/deliveries')) as {
    data: { id: string; order_name: string }[]
  }
  const { id, order_name } = data[0]!
  for (const text of ['ann@example', order_name]) {
    await page.goto(`${server.url}/settings`)
    await heading().waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill(text)
    await page.getByRole('option', { name: `Order ${order_name}` }).click()
    await page.waitForURL(`**/deliveries/${id}`)
  }
})

/** Holds the data of pages, then refuses it; what the frame reads is answered. */
class Answers {
  held: Route[] = []
  refuses = false
  /** Requests that were refused. */
  refused = 0
  private readonly status: number
  constructor(status: number) {
    this.status = status
  }
  async take(route: Route): Promise<void> {
    if (/\/api\/(session|activity|web-vitals|views)/.test(route.request().url()))
      return route.continue()
    if (this.refuses) return this.refuse(route)
    this.held.push(route)
  }
  async refuse(route: Route): Promise<void> {
    this.refused++
    const error = { type: 'permission', code: 'missing_scope', message: REFUSED }
    await route.fulfill({ status: this.status, json: { error } }).catch(() => undefined)
  }
  async release(): Promise<void> {
    this.refuses = true
    for (const route of this.held.splice(0)) await this.refuse(route)
  }
}

/** A refusal, a fault that is not repeated by the page, and a wait: one for each page. */
const STATUSES = [403, 500, 429]

/** What these pages show needs no data. */
const WITHOUT_DATA = ['/import', '/import/upload']
/** The form of these pages can be used while the list of earlier files loads. */
const WITHOUT_PLACEHOLDER = ['/import/csv', '/import/move']

const WITH_DATA = PAGE_PATHS.filter((path) => !WITHOUT_DATA.includes(path))
const partOf = (path: string) => path.split('/')[1]
/** The first record of each part of the admin, or its first page if it has none. */
const REPRESENT = WITH_DATA.filter((path) => {
  const part = WITH_DATA.filter((one) => partOf(one) === partOf(path))
  return path === (part.find((one) => one.includes(':id')) ?? part[0])
})
/** In npm test the seed chooses two of them. */
const APART = Math.ceil(REPRESENT.length / 2)
const FIRST = randomOf('page states')(0, APART)
const represents = (path: string) => REPRESENT.indexOf(path) % APART === FIRST

test.each(someOf(WITH_DATA, represents))(
  '%s shows that it loads, and that it could not',
  async (path) => {
    await fillShop()
    const address = await addressOf(path, shopCaller(server))
    const answers = new Answers(STATUSES[WITH_DATA.indexOf(path) % STATUSES.length]!)
    await page.route('**/api/**', (route) => answers.take(route))
    await page.goto(server.url + address)
    await expect.poll(() => answers.held.length).toBeGreaterThan(0)
    if (!WITHOUT_PLACEHOLDER.includes(path))
      await expect.poll(() => loading().count()).toBeGreaterThan(0)
    await answers.release()
    await expect.poll(() => problems().count()).toBeGreaterThan(0)
    const retry = page.locator('main').getByRole('button', { name: 'Retry' })
    let presses = 0
    const pressRetry = () =>
      retry
        .first()
        .click({ timeout: 5000 })
        .then(
          () => presses++,
          () => undefined,
        )
    // A press asks again, and the button can be pressed once more after another refusal.
    const before = answers.refused
    // On a busy machine the page may repeat its own request before a press arrives.
    const asksAgain = async () => {
      await pressRetry()
      return presses > 0 && answers.refused > before
    }
    await expect.poll(asksAgain).toBe(true)
    await expect.poll(() => problems().count()).toBeGreaterThan(0)
    await page.unroute('**/api/**')
    // A page says of each list that it could not be loaded, one after another.
    const problemsAfterRetry = async () => {
      if ((await retry.count()) > 0) await pressRetry()
      return problems().count()
    }
    await expect.poll(problemsAfterRetry).toBe(0)
    await expect.poll(() => loading().count()).toBe(0)
  },
)

let filled: Promise<void> | undefined
/** A file, its operation, and a delivery of it: once. */
const fillShop = (): Promise<void> => (filled ??= fill())

async function fill(): Promise<void> {
  const file = { filename: 'Tides.pdf', url: `${origin.url}/bytes/500/1`, product_sku: 'EB-001' }
  expect((await importUntilEnd(server, { files: [file], auto_map: false })).status).toBe('success')
  const { storefront } = await readDemo(server.dataDir)
  await fetch(`${storefront.url}/demo/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: 'ann@example.com',
      lines: [{ sku: 'EB-001', quantity: 1 }],
    }),
  })
  const ready = async () => {
    const { data } = (await shopCaller(server)('GET', '/api/deliveries?status=ready')) as {
      data: unknown[]
    }
    return data.length
  }
  await expect.poll(ready).toBe(1)
}
