// Every page that a buyer sees, in Chromium: at the width of a phone, in five languages, without findings
// of axe, below 60 KB, and with nothing that its policy refuses.
import { PDFDocument } from 'pdf-lib'
import sharp from 'sharp'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { downloadPasswordHash } from '../../plugins/contract/index.ts'
import { LOCALES } from '../../server/features/downloads/translate.ts'
import { openLibraryKey } from '../../server/features/library/keys.ts'
import { libraryRequests } from '../../server/features/library/requests.ts'
import { createPackLink } from '../../server/features/links/model/pack-links.ts'
import { reconcileOrder } from '../../server/features/orders/reconcile.ts'
import { createLogger } from '../../server/core/log.ts'
import { addMappings } from '../../server/files/mappings.ts'
import { ensurePack } from '../../server/files/packs.ts'
import { findViolations } from '../bench/page/accessibility.ts'
import { createTestShop, openTestDatabase } from '../database.ts'
import { openDepot, type Depot } from '../delivery.ts'
import { paidOrder } from '../orders.ts'
import { soakTest, someOf } from '../scale.ts'
import { WAIT_MS } from '../wait.ts'
import { wav } from '../sounds.ts'
import { sharedBrowser } from './page-browser.ts'

const MAX_BYTES = 60_000
const PHONE = { width: 390, height: 844 }
const WIDE = { width: 1280, height: 800 }
const PASSWORD = 'mar y sol 24'
const PRODUCT = 'gid://shopify/Product/1'
const ADA = 'ada@example.com'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let context: BrowserContext
let page: Page
let base: string
const complaints: string[] = []
/** Addresses by what they show. */
const addresses: Record<string, string> = {}

/** What each page is, and its status. */
const PAGES = [
  ['a link', 200],
  ['a link that needs a button', 200],
  ['a link that is used up', 410],
  ['a link that has expired', 410],
  ['a link that is not released', 403],
  ['a file that is only viewed', 403],
  ['a question for the address', 200],
  ['a question for any address', 200],
  ['a question for a password', 403],
  ['a delivery', 200],
  ['a delivery on hold', 403],
  ['a pack', 200],
  ['an unknown key', 404],
  ['a library', 200],
  ['a page of a search in the library', 200],
  ['the form for the library', 200],
  ['the form for another library', 410],
  ['a picture', 200],
  ['a document', 200],
  ['a track', 200],
] as const

/** One of each kind, for npm test: the others differ from it in a sentence. */
const KINDS: ReadonlySet<string> = new Set([
  'a link',
  'a link that is used up',
  'a question for the address',
  'a question for a password',
  'a delivery',
  'a pack',
  'a library',
  'the form for the library',
  'a picture',
  'a document',
  'a track',
])

const day = (days: number): Date => new Date(+depot.time.now + days * 86_400_000)

async function addNamed(filename: string, bytes: Uint8Array, fields: object = {}): Promise<string> {
  return depot.addFile(bytes, {
    filename,
    name_key: filename,
    mapping_state: 'mapped',
    download_limit: null,
    ...fields,
  })
}

async function sell(files: readonly string[]): Promise<void> {
  const mapping = { product_title: 'A course', variant_id: null, sku: null, score: 1, reason: '' }
  await addMappings(
    depot.scope,
    files.map((fileId) => ({
      fileId,
      mapping: { ...mapping, product_id: PRODUCT, method: 'manual' },
    })),
  )
}

/** Bare UUIDs of the delivery's page and of its files' links. */
async function buy(number: number, email: string) {
  const id = `gid://shopify/Order/${number}`
  const order = paidOrder({
    id,
    name: `#${number}`,
    email,
    products: [PRODUCT],
    created_at: day(-40),
    updated_at: day(-40),
  })
  await reconcileOrder(depot.scope, order, { secrets: depot.secrets, now: day(-40) })
  const rows = await depot.scope.query<{ id: string; file_id: string | null }>(
    `select l.id, l.file_id from links l
     left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
     join deliveries d on d.shop_id = l.shop_id and d.id = coalesce(l.delivery_id, p.delivery_id)
     where l.shop_id = :shop and d.order_id = :id`,
    { id },
  )
  return {
    page: rows.find(({ file_id }) => file_id === null)!.id,
    link: (file: string) => rows.find(({ file_id }) => file_id === file)!.id,
  }
}

const keyOf = (link: string) => depot.secrets.linkKey(link, 0)
const download = (link: string, rest = '') => `/download?key=${keyOf(link)}${rest}`
const view = (link: string) => `/view?key=${keyOf(link)}`

async function fillShop(): Promise<void> {
  const picture = { width: 1200, height: 800, channels: 3, background: '#0a55ad' } as const
  const document = await PDFDocument.create()
  document.addPage([300, 400])
  const pdf = await document.save()
  const image = await sharp({ create: picture }).png().toBuffer()
  const viewed = { view: 'both' }
  const names = {
    guide: await addNamed('guide.pdf', pdf, { download_limit: 3, ...viewed }),
    cover: await addNamed('cover.png', image, { content_type: 'image/png', ...viewed }),
    song: await addNamed('song.wav', wav(2), { content_type: 'audio/wav', ...viewed }),
    old: await addNamed('A file with a rather long name that has to wrap on phones.zip', pdf),
    later: await addNamed('later.pdf', pdf),
    shown: await addNamed('shown.pdf', pdf, { view: 'view_only' }),
    asking: await addNamed('asking.pdf', pdf, { ask_for: 'email', ...viewed }),
  }
  await sell(Object.values(names))
  await depot.scope.query(
    `insert into products (shop_id, id, title, title_key, handle, status)
     values (:shop, :id, 'A course', 'a course', 'a-course', 'ACTIVE')`,
    { id: PRODUCT },
  )
  const bought = await buy(1001, ADA)
  await buy(1002, ADA)
  const held = await buy(1003, 'bob@example.com')
  await depot.setLink(bought.link(names.old), { expires_at: day(-1) })
  await depot.setLink(bought.link(names.later), { available_at: day(3) })
  await depot.scope.query(
    `update deliveries d set held_by = 'merchant' from links l where d.shop_id = :shop
       and l.shop_id = d.shop_id and l.delivery_id = d.id and l.id = :page`,
    { page: held.page },
  )
  // A second version that came after the purchase.
  await depot.scope.query(
    `insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type)
     select shop_id, file_id, 2, hash, location, size_bytes, content_type from versions
     where shop_id = :shop and file_id = :cover`,
    { cover: names.cover },
  )
  await depot.setFile(names.cover, { version: 2, version_since: day(-5) })
  const limited = await depot.addLink(pdf, { download_limit: 5 })
  const used = await depot.addLink(pdf, { download_limit: 1 })
  await depot.setLink(used.id, { downloads: 1, served: 1 })
  const asking = async (fields: object) =>
    `/download?key=${(await depot.addLink(pdf, { ...fields, download_limit: 3 })).key}`
  const ask_for = await downloadPasswordHash(PASSWORD, 'harbour.myshopify.com')
  const pack = await ensurePack(depot.scope, 'Course')
  for (const [at, id] of [names.guide, names.cover].entries())
    await depot.placeFile(id, pack, at + 1)
  const packed = await createPackLink(depot.scope, depot.secrets, { pack_id: pack }, depot.time.now)
  const opened = { email: ADA, locale: null }
  const library = await openLibraryKey(depot.scope, depot.secrets, {
    ...opened,
    now: depot.time.now,
  })
  const ended = await openLibraryKey(depot.scope, depot.secrets, { ...opened, now: day(-1) })
  Object.assign(addresses, {
    'a link': download(bought.link(names.guide), '&page=1'),
    'a link that needs a button': `/download?key=${limited.key}&page=1`,
    'a link that is used up': `/download?key=${used.key}`,
    'a link that has expired': download(bought.link(names.old)),
    'a link that is not released': download(bought.link(names.later)),
    'a file that is only viewed': download(bought.link(names.shown)),
    'a question for the address': `${await asking({ email: ADA, ask_for: 'email' })}&page=1`,
    'a question for any address': `${await asking({ ask_for: 'email' })}&page=1`,
    'a question for a password': await asking({ ask_for }),
    'a delivery': download(bought.page),
    'a delivery on hold': download(held.page),
    'a pack': `/download?key=${packed.key}`,
    'an unknown key': `/download?key=${'A'.repeat(43)}`,
    'a library': `/library?key=${library}`,
    'a page of a search in the library': `/library?key=${library}&search=cover`,
    'the form for the library': '/library',
    'the form for another library': `/library?key=${ended}`,
    'a picture': view(bought.link(names.cover)),
    'a document': view(bought.link(names.guide)),
    'a track': view(bought.link(names.song)),
  })
}

beforeAll(async () => {
  const [opened, browser] = await Promise.all([openTestDatabase(), sharedBrowser()])
  database = opened
  depot = await openDepot(database, await createTestShop(database))
  const { secrets } = depot
  let library: ReturnType<typeof libraryRequests> | undefined
  const port = await depot.serve({
    others: (request, response) => {
      library ??= libraryRequests({
        database,
        secrets,
        trustProxy: false,
        clock: () => depot.time.now,
        log: createLogger('error', () => {}),
        delivery: depot.lastDelivery(),
      })
      if (!library.path.includes((request.url ?? '').split('?')[0]!))
        return response.writeHead(404).end()
      void library.handle(request, response)
    },
  })
  base = `http://127.0.0.1:${port}`
  await fillShop()
  context = await browser.newContext({ locale: 'en-GB', viewport: PHONE })
  page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  // The answers that refuse are meant.
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && !text.includes('the server responded with'))
      complaints.push(text)
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  // Small pictures are made by a task, which this server does not run.
  await page.route('**/download/picture?*', (route) => route.fulfill({ status: 204 }))
})
afterAll(async () => {
  await context.close()
  await depot.close()
  await database.drop()
})

/** The page that an action leads to: what is read before its `load` can be of the page before. */
async function led(by: () => Promise<unknown>): Promise<void> {
  await Promise.all([page.waitForEvent('load'), by()])
}

/** What a person reads. */
const textOf = (): Promise<string> => page.evaluate<string>('document.body.innerText')
const overflow = (): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

/** Opens a page in a language, and checks what is true of all of them. */
async function open(what: string, status: number, locale: string): Promise<string> {
  const path = addresses[what]!
  const address = `${base}${path}${path.includes('?') ? '&' : '?'}locale=${locale}`
  const response = (await page.goto(address))!
  const bytes = (await response.body()).length
  expect([what, locale, response.status()]).toEqual([what, locale, status])
  expect(bytes, `${what} in ${locale}: ${bytes} bytes`).toBeLessThan(MAX_BYTES)
  expect([what, await page.locator('html').getAttribute('lang')]).toEqual([what, locale])
  expect([what, locale, await overflow()]).toEqual([what, locale, 0])
  return textOf()
}

test.each(someOf(PAGES, ([what]) => KINDS.has(what)))(
  '%s: small, in each language, and without findings of axe',
  async (what, status) => {
    const at = PAGES.findIndex(([name]) => name === what)
    const texts: string[] = []
    // In npm test each page has one language, and the next page another one.
    const locales = someOf(LOCALES, (_, n) => n === at % LOCALES.length)
    for (const locale of locales) {
      texts.push(await open(what, status, locale))
      expect([what, locale, ...(await findViolations(page))]).toEqual([what, locale])
      await page.setViewportSize(WIDE)
      expect([what, locale, await overflow()]).toEqual([what, locale, 0])
      await page.setViewportSize(PHONE)
    }
    expect([what, new Set(texts).size]).toEqual([what, locales.length])
    expect(complaints).toEqual([])
  },
)

test('a delivery shows pictures, checksums and what can be bought again', async () => {
  const text = await open('a delivery', 200, 'en')
  expect(text).toContain('Buy again')
  expect(await page.locator('details code').first().textContent()).toMatch(/^[0-9a-f]{64}$/)
  const pictures = await page.locator('img[src*="download/picture"]').count()
  expect(pictures).toBeGreaterThanOrEqual(2)
})

soakTest('on a phone a row is as high as its button, which a thumb can press', async () => {
  await open('a delivery', 200, 'en')
  const rows = await page.locator('.files li').all()
  expect(rows.length).toBeGreaterThan(1)
  for (const row of rows) {
    const main = row.locator('button, .button').first()
    if ((await main.count()) > 0)
      expect((await main.boundingBox())!.height).toBeGreaterThanOrEqual(44)
    const inner = await Promise.all(
      (await row.locator('.tile, .about, .buttons').all()).map((part) => part.boundingBox()),
    )
    const highest = Math.max(...inner.map((box) => box?.height ?? 0))
    expect((await row.boundingBox())!.height - highest).toBeLessThanOrEqual(10)
  }
})

test.each(someOf(['a delivery', 'a library'], (what) => what === 'a delivery'))(
  '%s leads a file that asks to its question',
  async (what) => {
    expect(await open(what, 200, 'de')).toContain('fragt nach Ihrer E-Mail-Adresse')
    expect(await findViolations(page)).toEqual([])
    await led(() =>
      page
        .getByRole('link', { name: /^Entsperren: 1 Datei fragt nach/ })
        .first()
        .click(),
    )
    await page.locator('#answer').fill(ADA)
    await led(() => page.locator('form button').click())
    await page
      .getByRole('button', { name: /herunterladen/i })
      .first()
      .waitFor()
    expect(complaints).toEqual([])
  },
)

test('a library says which version a file has, and since when', async () => {
  const text = await open('a page of a search in the library', 200, 'en')
  expect(text).toMatch(/cover\.png/)
  expect(text).toContain('version 2')
  expect(text).toContain('New version of February 24, 2026')
})

soakTest('a viewer fits a phone: its picture, its document and its buttons', async () => {
  await open('a picture', 200, 'en')
  const width = page.locator('.picture img').evaluate((image: { width: number }) => image.width)
  expect(await width).toBeLessThanOrEqual(PHONE.width)
  await open('a document', 200, 'en')
  await page.frameLocator('iframe').locator('canvas').first().waitFor({ state: 'attached' })
  expect(await overflow()).toBe(0)
  const next = (await page.getByRole('button', { name: 'Next page' }).boundingBox())!
  // WCAG 2.2: at least 24 pixels.
  expect(Math.min(next.width, next.height)).toBeGreaterThanOrEqual(24)
  expect(next.x + next.width).toBeLessThanOrEqual(PHONE.width)
  expect(complaints).toEqual([])
})

test('without JavaScript a viewer explains itself, shows its image, and has no dead controls', async () => {
  const browser = await sharedBrowser()
  const plain = await browser.newContext({ javaScriptEnabled: false, viewport: PHONE })
  const opened = await plain.newPage()
  const shown = async (what: string) => {
    await opened.goto(`${base}${addresses[what]}&locale=en`)
    // Not by its text: Playwright reads none in noscript.
    await opened.locator('noscript .wrong').waitFor()
    const buttons = await opened.getByRole('button').allTextContents()
    return [buttons.map((text) => text.trim()), await opened.locator('iframe').count()]
  }
  expect(await shown('a picture')).toEqual([['Download'], 0])
  expect(await opened.locator('.picture img').isVisible()).toBe(true)
  expect(await shown('a document')).toEqual([['Download'], 1])
  for (const dead of await opened.locator('iframe, .pages').all())
    expect(await dead.isVisible()).toBe(false)
  expect(await shown('a track')).toEqual([['Download'], 0])
  await plain.close()
})

test.each(
  someOf(
    ['a question for the address', 'a question for a password'],
    (what) => what === 'a question for the address',
  ),
)(
  '%s: wrong answers, too many of them, and the right one, in a language and without findings',
  async (what) => {
    const asked = what.endsWith('password') ? PASSWORD : ADA
    const status = PAGES.find(([name]) => name === what)![1]
    const texts: Record<'wrong' | 'closed', string[]> = { wrong: [], closed: [] }
    const locales = someOf(LOCALES, (_, at) => at === (asked === PASSWORD ? 1 : 3))
    for (const locale of locales) {
      const examine = async (given: string, expected: number) => {
        // A browser that has answered is not asked again.
        await page.context().clearCookies()
        await open(what, status, locale)
        await page.locator('#answer').fill(given)
        const [response] = await Promise.all([
          page.waitForResponse((one) => one.request().method() === 'POST'),
          led(() => page.locator('form button').click()),
        ])
        expect([locale, response.status()]).toEqual([locale, expected])
        expect(await page.locator('html').getAttribute('lang')).toBe(locale)
        expect([what, locale, await overflow()]).toEqual([what, locale, 0])
        expect([what, locale, ...(await findViolations(page))]).toEqual([what, locale])
        return textOf()
      }
      await database.pool.query('delete from rate_limits')
      await context.clearCookies()
      texts.wrong.push(await examine('other@example.com', 403))
      const focused = page.locator('#answer:focus[aria-invalid][aria-describedby=wrong]')
      expect(await focused.count()).toBe(1)
      expect(await page.locator('#wrong').textContent()).toMatch(/4/)
      const right = await examine(asked, 303)
      expect(right).not.toContain('SHA-256')
      expect(await page.locator('details').textContent()).toContain('SHA-256')
      await database.pool.query("update rate_limits set points = 100 where key like '%answers_of%'")
      // The browser that gave the right answer is not asked again.
      await context.clearCookies()
      texts.closed.push(await examine(asked, 429))
    }
    await database.pool.query('delete from rate_limits')
    for (const shown of Object.values(texts)) expect(new Set(shown).size).toBe(locales.length)
    expect(complaints).toEqual([])
  },
)

soakTest('forms: mistakes, and what was sent, are small and without findings too', async () => {
  const examine = async (what: string, button: string) => {
    const [response] = await Promise.all([
      page.waitForResponse((one) => one.request().method() === 'POST'),
      led(() => page.getByRole('button', { name: button }).click()),
    ])
    expect((await response.body()).length).toBeLessThan(MAX_BYTES)
    expect([what, await overflow()]).toEqual([what, 0])
    expect([what, ...(await findViolations(page))]).toEqual([what])
    return textOf()
  }
  await open('a link that has expired', 410, 'en')
  // What browsers without a check of addresses send.
  await page.locator('form').evaluate((form) => form.setAttribute('novalidate', ''))
  await page.getByLabel('Your email address').fill('no address')
  expect(await examine('a wrong address', 'Send to')).toMatch(/address/)
  await page.getByLabel('Your email address').fill(ADA)
  expect(await examine('a message that was sent', 'Send to')).toContain('Harbour & Sons')
  await open('the form for the library', 200, 'en')
  await page.locator('form').evaluate((form) => form.setAttribute('novalidate', ''))
  await page.getByRole('textbox').fill('no address')
  await examine('a wrong address for the library', 'Send')
  await page.getByRole('textbox').fill(ADA)
  expect(await examine('a library that was sent', 'Send')).toContain(ADA)
  expect(complaints).toEqual([])
})
