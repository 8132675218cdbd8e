// Renews the pictures of the list of files and the recording of the main way in docs/images, from a
// running sample shop: `npm start -- --sample`, then
// `node test/recording.ts http://127.0.0.1:3000 data`.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { startBrowser } from './browser/page-browser.ts'
import { readDemo, ROOT } from './flows/server.ts'

const IMAGES = path.join(ROOT, 'docs/images')
const VIEWPORT = { width: 1280, height: 820 }
const FRAME_WIDTH = 960
const FRAME_MS = 1300
const QUALITY = 60

const [url = 'http://127.0.0.1:3000', dataDir = 'data'] = process.argv.slice(2)

async function openPage(browser: Browser, address: string): Promise<Page> {
  const page = await browser.newPage({ viewport: VIEWPORT, locale: 'en-GB' })
  await page.goto(address)
  return page
}

const NAME = 'Harbour charts.txt'
/** A product of the sample shop with few files. */
const SKU = 'EB-002'

/** Deletes the file of an earlier recording: its name would be taken. */
async function deleteEarlier(apiKey: string): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const reply = await fetch(`${url}/api/files?search=${encodeURIComponent(NAME)}`, { headers })
  const { data } = (await reply.json()) as { data: { id: string }[] }
  const body = JSON.stringify({ file_ids: data.map(({ id }) => id) })
  if (data.length > 0)
    await fetch(`${url}/api/files/bulk-delete`, { method: 'POST', headers, body })
}

/** After menus and dialogs have faded in. */
async function shootStill(page: Page, options: { path?: string } = {}): Promise<Buffer> {
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))',
  )
  return page.screenshot(options)
}

const picture = (page: Page, name: string) =>
  shootStill(page, { path: path.join(IMAGES, `${name}.png`) })

async function takePictures(browser: Browser): Promise<void> {
  const page = await openPage(browser, `${url}/files`)
  await page.locator('main tbody tr').first().waitFor()
  await page.waitForLoadState('networkidle')
  await picture(page, 'files')
  await page.getByPlaceholder('Search files').fill('almanac bonus')
  await page.waitForURL(/search=almanac/)
  await page.waitForLoadState('networkidle')
  await page.getByRole('checkbox', { name: 'Select all files' }).first().press('Space')
  await page
    .getByRole('button', { name: /^Select all [\d,]+ files$/ })
    .last()
    .click()
  await page
    .getByText(/^All [\d,]+ files selected$/)
    .first()
    .waitFor()
  await page.mouse.move(0, 0)
  await picture(page, 'files-selected')
  await page.getByRole('button', { name: 'More actions' }).last().click()
  await page.locator('.Polaris-Popover').first().waitFor()
  await page.waitForLoadState('networkidle')
  await picture(page, 'actions')
  await page.close()
}

/** From a file on this computer to its download by a buyer, a frame for each step. */
async function record(browser: Browser, shopFront: string): Promise<Buffer[]> {
  const frames: Buffer[] = []
  const shoot = async (page: Page) => frames.push(await shootStill(page))
  const act = async (page: Page, target: Locator, then: Locator) => {
    await target.click()
    await then.first().waitFor()
    await page.waitForLoadState('networkidle')
    await shoot(page)
  }
  const page = await openPage(browser, url)
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
  await page.waitForLoadState('networkidle')
  await shoot(page)
  const navigation = page.getByRole('navigation')
  const choose = page.getByRole('button', { name: 'Choose files' })
  await act(
    page,
    navigation.getByRole('link', { name: 'Import', exact: true }),
    page.getByRole('link', { name: 'Upload files' }),
  )
  await act(page, page.getByRole('link', { name: 'Upload files' }), choose)
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: NAME, mimeType: 'text/plain', buffer: Buffer.alloc(40_000, 'chart ') })
  await page.getByRole('heading', { name: '1 imported, 1 needs a product' }).waitFor()
  await shoot(page)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: /^Not mapped: choose/ }).click()
  await dialog.getByLabel('Search products by title or SKU').fill(SKU)
  await dialog.locator('label', { hasText: SKU }).getByRole('radio').first().check()
  await shoot(page)
  await dialog.getByRole('button', { name: 'Choose', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: /needs? a product$/ }).waitFor({ state: 'detached' })
  await shoot(page)

  const buyer = await openPage(browser, `${shopFront}/demo/shop?q=${SKU}`)
  await buyer.getByLabel('Your email address').fill('ana@example.com')
  await shoot(buyer)
  await act(
    buyer,
    buyer.getByRole('button', { name: 'Buy' }).first(),
    buyer.getByRole('link', { name: 'Your files' }),
  )
  const button = buyer.getByRole('button', { name: `Download ${NAME}` })
  await buyer.getByRole('link', { name: 'Your files' }).click()
  await button.scrollIntoViewIfNeeded()
  await buyer.waitForLoadState('networkidle')
  await shoot(buyer)
  const [download] = await Promise.all([buyer.waitForEvent('download'), button.click()])
  await download.path()
  await buyer.close()

  const row = page.getByRole('row').filter({ hasText: 'ana@example.com' })
  await act(page, navigation.getByRole('link', { name: 'Deliveries' }), row)
  await page.close()
  return frames
}

const browser = await startBrowser()
try {
  const demo = await readDemo(path.resolve(dataDir))
  await deleteEarlier(demo.api_key)
  await takePictures(browser)
  const frames = await Promise.all(
    (await record(browser, demo.storefront.url)).map((frame) =>
      sharp(frame).resize(FRAME_WIDTH).png().toBuffer(),
    ),
  )
  const webp = await sharp(frames, { join: { animated: true } })
    .webp({ quality: QUALITY, delay: frames.map(() => FRAME_MS), loop: 0 })
    .toBuffer()
  await writeFile(path.join(IMAGES, 'main-way.webp'), webp)
} finally {
  await browser.close()
}
