// Buyers' downloads in Chromium: fifty hostile files of which none runs, file names that arrive
// unchanged, and pages without scripts that say what to do.
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contentDisposition } from '../../server/http/headers.ts'
import { createPackLink } from '../../server/features/links/model/pack-links.ts'
import { addMappings } from '../../server/files/mappings.ts'
import { ensurePack } from '../../server/files/packs.ts'
import { contentTypeOf } from '../../server/files/rules.ts'
import { reconcileOrder } from '../../server/features/orders/reconcile.ts'
import { openDepot, type Depot } from '../delivery.ts'
import { sharedBrowser } from '../browser/page-browser.ts'
import { createTestShop, openTestDatabase } from '../database.ts'
import { hostileFiles } from '../fakes/hostile-files.ts'
import { paidOrder } from '../orders.ts'
import { soakDescribe, soakTest, someOf } from '../scale.ts'
import { WAIT_MS } from '../wait.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let browser: Browser
let base: string
/**
 * A page of the product's own origin, where a script would have the most access; hostile scripts
 * request `/called/…` there.
 */
let ownPage = ''
const calls: string[] = []

let context: BrowserContext
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  ;[database, browser] = await Promise.all([openTestDatabase(), sharedBrowser()])
  depot = await openDepot(database, await createTestShop(database))
  const port = await depot.serve({
    others: (request, response) => {
      if (request.url!.startsWith('/called/')) calls.push(request.url!)
      response.setHeader('content-type', 'text/html')
      response.end(request.url === '/own' ? ownPage : '')
    },
  })
  base = `http://127.0.0.1:${port}`
})
afterAll(async () => {
  await depot.close()
  await database.drop()
})
beforeEach(async () => {
  context = await browser.newContext({ acceptDownloads: true, locale: 'en-GB' })
  page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  complaints.length = 0
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => {
    complaints.push(dialog.message())
    void dialog.dismiss()
  })
})
afterEach(() => context.close())

/** Navigates to an address; returns what the browser saved, its name, and the response. */
async function downloaded(
  address: string,
): Promise<{ name: string; told: string | undefined; bytes: Buffer }> {
  // Chromium aborts the navigation, because a download is not a page.
  const [download, response] = await Promise.all([
    page.waitForEvent('download'),
    page.waitForEvent('response', (one) => one.url() === address),
    page.goto(address).catch(() => {}),
  ])
  const told = response.headers()['content-disposition']
  return { name: download.suggestedFilename(), told, bytes: await readFile(await download.path()) }
}

const typed = (filename: string, contentType?: string) => ({
  filename,
  name_key: randomBytes(8).toString('hex'),
  content_type: contentType ?? contentTypeOf(filename),
})

describe('fifty hostile files', () => {
  const addresses: string[] = []

  soakTest('run if they are served with their own types: this test can fail', async () => {
    ownPage = hostileFiles(`${base}/called`)[0]!.bytes.toString()
    await page.goto(`${base}/own`)
    expect(await page.title()).toBe('owned')
    await expect.poll(() => calls).toContain('/called/page.html')
    calls.length = 0
  })

  test('each is saved byte for byte, and none opens or runs: by link and at a public address', async () => {
    const files = hostileFiles(`${base}/called`)
    expect(files).toHaveLength(50)
    // In npm test every fifth of them, by both kinds of address in turn.
    const tried = someOf([...files.entries()], ([at]) => at % 5 === 0)
    for (const [at, { filename, contentType, bytes }] of tried) {
      const fields = typed(filename, contentType)
      const link = await depot.addLink(bytes, {}, { ...fields, visibility: 'public' })
      const open = await depot.addPublic(bytes, { ...fields, name_key: `open ${fields.name_key}` })
      const both = [`${base}/download?key=${link.key}`, base + open.path]
      for (const address of someOf(both, (_, kind) => kind === at % 2)) {
        const saved = await downloaded(address)
        expect([filename, hash(saved.bytes)]).toEqual([filename, hash(bytes)])
        addresses.push(address)
      }
    }
    expect(page.url()).toBe('about:blank')
    expect([calls, complaints]).toEqual([[], []])
  })

  soakTest('none runs in a page that embeds it in every possible way', async () => {
    const ways = (address: string) => `
      <script src="${address}"></script><script type="module" src="${address}"></script>
      <link rel="stylesheet" href="${address}"><img src="${address}"><object data="${address}"></object>
      <embed src="${address}"><iframe src="${address}"></iframe><video src="${address}"></video>
      <svg><use href="${address}#a"></use></svg><link rel="import" href="${address}">`
    for (let at = 0; at < addresses.length; at += 20) {
      const body = addresses
        .slice(at, at + 20)
        .map(ways)
        .join('')
      // In the product's own origin, where a script would have the most access.
      await page.route(`${base}/embeds`, (route) =>
        route.fulfill({ contentType: 'text/html', body }),
      )
      await page.goto(`${base}/embeds`, { waitUntil: 'load' })
      expect(await page.title()).toBe('')
      await page.unroute(`${base}/embeds`)
    }
    expect(calls).toEqual([])
  })

  soakTest('none can be started as a worker', async () => {
    ownPage = ''
    await page.goto(`${base}/own`)
    const some = addresses.filter((_, at) => at % 5 === 0)
    const started = await page.evaluate<boolean[]>(
      `Promise.all(${JSON.stringify(some)}.map((address) => new Promise((resolve) => {
         const worker = new Worker(address)
         worker.onerror = () => resolve(false)
         worker.onmessage = () => resolve(true)
       })))`,
    )
    expect(started.filter(Boolean)).toEqual([])
    expect(calls).toEqual([])
  })
})

soakTest('names arrive unchanged', async () => {
  const names = [
    'two words (final) [v2].pdf',
    "it's 100% – “quoted”.pdf",
    'müller & söhne; café=é.pdf',
    '計画書 2026年.pdf',
    'تقرير السنة.pdf',
    'דו״ח שנתי.pdf',
    '🎁 gift 🎀.zip',
    'e\u0301 composed or not.pdf',
    'a,b;c=d@e+f$g!.tar.gz',
    'percent%20and%2F.txt',
    `${'long '.repeat(30)}name.pdf`,
  ]
  for (const filename of names) {
    const { key } = await depot.addLink(randomBytes(10), {}, typed(filename))
    const open = await depot.addPublic(randomBytes(10), typed(filename))
    for (const address of [`${base}/download?key=${key}`, base + open.path]) {
      const { name, told } = await downloaded(address)
      expect([name.normalize('NFC'), told]).toEqual([
        filename.normalize('NFC'),
        contentDisposition(filename),
      ])
    }
  }
})

/** By language, the page's labels for downloading one file and all. */
const ORDER_PAGES = [
  ['en', 'Download 0 guide.pdf', 'Download all'],
  ['de', '1 guide.pdf herunterladen', 'Alles herunterladen'],
  ['fr', 'Télécharger 2 guide.pdf', 'Tout télécharger'],
  ['es', 'Descargar 3 guide.pdf', 'Descargar todo'],
  ['ja', '4 guide.pdf', 'すべてダウンロード'],
  ['pt', 'Baixar 5 guide.pdf', 'Baixar tudo'],
] as const

/** Creates an order of a product with two files; returns its page's key. */
async function buyGuides(number: number, locale: string): Promise<string> {
  const product_id = `gid://shopify/Product/${number + 1}`
  for (const name of ['guide.pdf', 'map.pdf']) {
    const bytes = randomBytes(1000)
    const fileId = await depot.addFile(bytes, {
      ...typed(`${number} ${name}`),
      mapping_state: 'mapped',
    })
    const mapping = { product_title: '', variant_id: null, sku: null, score: 1, reason: '' }
    await addMappings(depot.scope, [
      { fileId, mapping: { ...mapping, product_id, method: 'manual' } },
    ])
  }
  const id = `gid://shopify/Order/${number + 1}`
  const order = paidOrder({ id, locale, products: [product_id] })
  await reconcileOrder(depot.scope, order, { secrets: depot.secrets, now: depot.time.now })
  const [link] = await depot.scope.query<{ id: string }>(
    `select l.id from links l join deliveries d on d.shop_id = l.shop_id and d.id = l.delivery_id
     where l.shop_id = :shop and d.order_id = :id`,
    { id },
  )
  return depot.secrets.linkKey(link!.id, 0)
}

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

soakDescribe('the buyer’s page', () => {
  test('of a used-up link says so in the shop’s name, and its form reaches the shop without a script', async () => {
    await context.close()
    context = await browser.newContext({ javaScriptEnabled: false })
    page = await context.newPage()
    const { key } = await depot.addLink(randomBytes(10), { download_limit: 1 }, typed('guide.pdf'))
    await fetch(`${base}/download?key=${key}`).then((response) => response.arrayBuffer())
    await page.goto(`${base}/download?key=${key}`)
    expect(await page.title()).toBe('This link has been used up · Harbour & Sons')
    await expect.poll(() => page.getByRole('banner').innerText()).toBe('Harbour & Sons')
    await expect
      .poll(() => page.getByRole('main').getByRole('heading', { level: 1 }).innerText())
      .toBe('This link has been used up')
    await page.getByLabel('Your email address').fill('me@example.com')
    await page.getByLabel('Message').fill('My disk broke.')
    await page.getByRole('button', { name: 'Send to Harbour & Sons' }).click()
    await expect
      .poll(() => page.getByRole('heading', { level: 1 }).innerText())
      .toBe('Your message was sent')
    const notices = await depot.scope.query<{ body: string }>(
      'select body from notices where shop_id = :shop',
    )
    expect(notices.at(-1)!.body).toContain('My disk broke.')
    await page.goto(`${base}/download?key=${key}`)
    await expect.poll(() => page.getByRole('main').innerText()).toContain('has been asked for more')
  })

  test('of an order works without scripts on a phone, in the order’s language', async () => {
    await context.close()
    const phone = { width: 390, height: 700 }
    context = await browser.newContext({ javaScriptEnabled: false, viewport: phone })
    page = await context.newPage()
    for (const [at, [locale, one, all]] of Object.entries(ORDER_PAGES)) {
      const key = await buyGuides(Number(at), locale)
      await page.goto(`${base}/download?key=${key}`)
      await expect.poll(() => page.locator('html').getAttribute('lang')).toBe(locale)
      expect((await page.getByRole('main').boundingBox())!.width).toBeLessThanOrEqual(phone.width)
      const names: string[] = []
      for (const button of [
        page.getByRole('button', { name: one }).first(),
        page.getByRole('button', { name: all, exact: true }),
      ]) {
        const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
        names.push(download.suggestedFilename())
        expect((await readFile(await download.path())).length).toBeGreaterThan(0)
      }
      expect(names).toEqual([`${at} guide.pdf`, expect.stringMatching(/\.zip$/)])
    }
  })

  test('of a pack lists its files, each with its download', async () => {
    const pack = await ensurePack(depot.scope, 'Spring course')
    const files = ['1 <b>Welcome</b>.pdf', '2 Workbook.pdf']
    for (const [at, name] of files.entries())
      await depot.addFile(randomBytes(1000 + at), {
        ...typed(name),
        pack_id: pack,
        pack_position: at,
      })
    const { key } = await createPackLink(
      depot.scope,
      depot.secrets,
      { pack_id: pack },
      depot.time.now,
    )
    await page.goto(`${base}/download?key=${key}`)
    await expect
      .poll(() => page.getByRole('listitem').allInnerTexts())
      .toEqual(files.map((name) => expect.stringContaining(name) as string))
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download 2 Workbook.pdf' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('2 Workbook.pdf')
    await page.reload()
    await expect
      .poll(() => page.getByRole('listitem').nth(1).innerText())
      .toContain('4 downloads left')
    expect(complaints).toEqual([])
  })

  test('has enough contrast in light and dark mode, and is not wider than a phone’s screen', async () => {
    const { key } = await depot.addLink(
      randomBytes(10),
      { expiry_days: 1 },
      typed(`${'very-long-name-'.repeat(12)}.pdf`),
    )
    const start = depot.time.now
    depot.time.now = new Date(+start + 2 * 86_400_000)
    try {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width: 320, height: 700 })
        await page.goto(`${base}/download?key=${key}`)
        await expect
          .poll(() => page.evaluate('document.documentElement.scrollWidth'))
          .toBeLessThanOrEqual(320)
        expect(await lowestContrast(page), colorScheme).toBeGreaterThanOrEqual(4.5)
      }
    } finally {
      depot.time.now = start
    }
  })
})

/** The lowest contrast of any text on the page against its nearest background (WCAG 2.2, 1.4.3). */
const lowestContrast = (page: Page): Promise<number> => page.evaluate<number>(`(${CONTRAST})()`)

const CONTRAST = `() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number)
  const linear = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
  const light = (color) => {
    const [r, g, b] = parts(color).slice(0, 3).map((value) => linear(value / 255))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const ground = (element) => {
    if (!element) return 'rgb(255, 255, 255)'
    const color = getComputedStyle(element).backgroundColor
    return parts(color)[3] === 0 ? ground(element.parentElement) : color
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  let lowest = 21
  while (walker.nextNode()) {
    const { textContent, parentElement } = walker.currentNode
    if (textContent.trim() === '') continue
    const [a, b] = [light(getComputedStyle(parentElement).color), light(ground(parentElement))]
    lowest = Math.min(lowest, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05))
  }
  return lowest
}`
