// Renews the pictures of the list of files, those of its dialogs and the recording of the main way in docs/images, from a
// running sample shop: `npm start -- --sample`, then
// `node test/recording.ts http://127.0.0.1:3000 data`.
import { mkdir, writeFile } from 'node:fs/promises'
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

const MADE = /^(Harbour charts|Manual \d+)( \(\d+\))?\.txt$/

/** Deletes the files of an earlier recording: their names would be taken, and they are the newest. */
async function deleteEarlier(apiKey: string): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  for (const words of [NAME, 'Manual']) {
    const query = new URLSearchParams({ search: words, limit: '100' })
    const reply = await fetch(`${url}/api/files?${query}`, { headers })
    const { data } = (await reply.json()) as { data: { id: string; filename: string }[] }
    const file_ids = data.filter(({ filename }) => MADE.test(filename)).map(({ id }) => id)
    const body = JSON.stringify({ file_ids })
    if (file_ids.length > 0)
      await fetch(`${url}/api/files/bulk-delete`, { method: 'POST', headers, body })
  }
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
  await page.getByRole('button', { name: 'Grid', exact: true }).click()
  await page.locator('main .record-tile img').nth(3).waitFor()
  await page.waitForLoadState('networkidle')
  await page.mouse.move(0, 0)
  await picture(page, 'files-grid')
  await page.getByRole('button', { name: 'List', exact: true }).click()
  await page.locator('main tbody tr').first().waitFor()
  await page.getByPlaceholder('Search files').fill('almanac bonus')
  await page.waitForURL(/search=almanac/)
  await page.locator('main tbody mark').first().waitFor()
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

/** The cards behind it move when a dialog's own data arrives. */
async function openDialog(page: Page, open: Locator): Promise<Locator> {
  await open.click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.waitForLoadState('networkidle')
  return dialog
}

const SELECTED = 3

/** The dialogs about a few files. Nothing is changed by them. */
async function takeDialogs(browser: Browser): Promise<void> {
  const page = await openPage(browser, `${url}/files?search=almanac&mapped=true`)
  const act = (name: string) => page.getByRole('menuitem', { name, exact: true })
  const more = page.getByRole('button', { name: 'More actions' })
  const boxes = page.locator('main tbody').getByRole('checkbox')
  await boxes.first().waitFor()
  await page.waitForLoadState('networkidle')
  for (let at = 0; at < SELECTED; at++) await boxes.nth(at).press('Space')
  // It has room beside the menu.
  const deleting = await openDialog(page, page.getByRole('button', { name: 'Delete', exact: true }))
  await picture(page, 'delete')
  await page.keyboard.press('Escape')
  await deleting.waitFor({ state: 'detached' })

  await boxes.nth(SELECTED).press('Space')
  await more.last().click()
  const renaming = await openDialog(page, act('Rename'))
  await renaming.getByLabel('Pattern').fill('{product_name} {sequence}')
  await renaming
    .getByRole('cell', { name: / 004?\.?/ })
    .first()
    .waitFor()
  await page.waitForLoadState('networkidle')
  await picture(page, 'rename')
  await page.keyboard.press('Escape')
  await renaming.waitFor({ state: 'detached' })

  await more.first().click()
  const conditions = await openDialog(page, page.getByText('Delete by conditions', { exact: true }))
  await conditions.getByRole('textbox', { name: 'Has all of these tags' }).fill('archive,gift')
  await conditions.getByText(/match(es)? now$/).waitFor()
  await conditions.getByRole('button', { name: 'Preview', exact: true }).click()
  await conditions.getByText('would be moved to the trash').waitFor()
  await page.waitForLoadState('networkidle')
  await picture(page, 'delete-conditions')
  await conditions.getByRole('button', { name: 'Cancel' }).click()
  await conditions.waitFor({ state: 'detached' })
  await page.close()
}

/** The trash with two files of this computer, which are deleted before. */
async function takeTrash(browser: Browser, apiKey: string): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const page = await openPage(browser, `${url}/import/upload`)
  const names = ['Old price list 2019.txt', 'Old price list 2020.txt']
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(
      names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name.repeat(70)) })),
    )
  await page.getByRole('heading', { name: /^2 imported/ }).waitFor()
  const found = await fetch(`${url}/api/files?name_contains=Old+price+list`, { headers })
  const { data } = (await found.json()) as { data: { id: string }[] }
  const body = JSON.stringify({ file_ids: data.map(({ id }) => id) })
  await fetch(`${url}/api/files/bulk-delete`, { method: 'POST', headers, body })
  await page.goto(`${url}/trash?search=price`)
  const boxes = page.locator('main tbody').getByRole('checkbox')
  await boxes.nth(1).waitFor()
  await page.waitForLoadState('networkidle')
  for (const box of await boxes.all()) await box.press('Space')
  await picture(page, 'trash')
  await page.close()
}

/** The password of a new drop account, and how programs connect. */
async function takeDrop(browser: Browser): Promise<void> {
  const page = await openPage(browser, `${url}/import/drop`)
  await page.setViewportSize({ width: VIEWPORT.width, height: 900 })
  const made = await openDialog(page, page.getByRole('button', { name: 'Create account' }))
  await made.getByLabel('Name', { exact: true }).fill('Warehouse')
  await made.getByRole('button', { name: 'Create', exact: true }).click()
  await made.getByText('Copy the password now').waitFor()
  await picture(page, 'drop-password')
  await made.getByRole('button', { name: 'Done' }).click()
  await made.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'curl', exact: true }).click()
  await page.mouse.move(0, 0)
  await picture(page, 'drop-connect')
  const asked = await openDialog(page, page.getByRole('button', { name: 'Delete Warehouse' }))
  await asked.getByRole('button', { name: 'Delete', exact: true }).click()
  await asked.waitFor({ state: 'detached' })
  await page.close()
}

const MANUALS = 48
const MANUAL_BYTES = 480_000

/** A connection to the sample folder: chosen, previewed and done. */
async function takeCloud(browser: Browser): Promise<void> {
  const folder = path.resolve(dataDir, 'demo-cloud/manuals')
  await mkdir(folder, { recursive: true })
  for (let at = 1; at <= MANUALS; at++)
    await writeFile(path.join(folder, `Manual ${at}.txt`), `Manual ${at} `.padEnd(MANUAL_BYTES))
  const page = await openPage(browser, `${url}/import/connections/new`)
  await page.setViewportSize({ width: VIEWPORT.width, height: 700 })
  const connect = page.getByRole('button', { name: /^Connect.*Sample folder/ })
  await connect.waitFor()
  await page.waitForLoadState('networkidle')
  await picture(page, 'cloud-connect')
  await connect.click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(/connections\/connection_/)
  const folders = await openDialog(page, page.getByRole('button', { name: 'Choose a folder' }))
  await folders.getByRole('button', { name: 'manuals', exact: true }).click()
  await folders.getByRole('button', { name: 'Choose this folder' }).click()
  await folders.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Preview the first sync' }).click()
  const confirm = page.getByRole('button', { name: 'Confirm and run' })
  await confirm.waitFor()
  await page.waitForLoadState('networkidle')
  await page.evaluate('scrollTo(0, 0)')
  await page.getByText('The preview has started').waitFor({ state: 'detached' })
  await picture(page, 'cloud-preview')
  await confirm.click()
  await page.getByText('Success').first().waitFor()
  await page.waitForLoadState('networkidle')
  await picture(page, 'cloud-synced')
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
  await buyer.locator('img').first().evaluate('image => image.decode()')
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
  await takeDialogs(browser)
  await takeTrash(browser, demo.api_key)
  await takeDrop(browser)
  await takeCloud(browser)
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
