// Deliveries on the admin page, in a real browser: an order in the demo shop, what its buyer opens
// and downloads, and the merchant's actions.
import type { Browser, Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { startOrigin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { readDemo, type RunningServer } from '../flows/server.ts'
import { soakTest } from '../scale.ts'
import { sendFile } from '../uploads.ts'
import { check, choose, tick } from './dialogs.ts'
import { usePages, onlyChoice } from './page-browser.ts'

let server: RunningServer
let browser: Browser
let shopFront: string
/** Where a file can be imported from. */
let originUrl: string

const open = usePages(startOrigin, async (world) => {
  ;({ server, browser } = world)
  originUrl = `${world.origin.url}/bytes/500/9`
  const file = (filename: string, n: number, more: object) => ({
    filename,
    url: `${world.origin.url}/bytes/500/${n}`,
    ...more,
  })
  const files = [
    file('Tides.pdf', 1, { product_sku: 'EB-001', download_limit: 1, expiry_days: 10 }),
    file('Right edition.pdf', 2, {}),
    file('Preorder.pdf', 3, { product_sku: 'EB-002' }),
  ]
  expect((await importUntilEnd(server, { files, auto_map: false })).status).toBe('success')
  shopFront = (await readDemo(server.dataDir)).storefront.url
})

/** Uploads a picture for a product; buyers view it once and do not download it. */
async function uploadPicture(filename: string, product_sku: string): Promise<void> {
  const files = { product_sku, view: 'view_only', view_limit: 1 }
  const made = await server.call('POST', '/api/uploads/batches', { count: 1, files })
  const { id } = (await made.json()) as { id: string }
  const canvas = { width: 40, height: 30, channels: 3, background: '#2a6' } as const
  const bytes = await sharp({ create: canvas }).png().toBuffer()
  const sender = { url: server.url, key: server.apiKey }
  await sendFile(sender, bytes, { metadata: { filename, batch: id } }).done
  const names = async () => {
    const found = await server.call('GET', `/api/files?search=${filename}`)
    return ((await found.json()) as { data: { filename: string }[] }).data
  }
  await expect.poll(names).toHaveLength(1)
}

/** Buys a product as a buyer in a separate browser context, and opens the page with the files. */
async function buy(email: string, sku = 'EB-001', file = 'Tides.pdf'): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(`${shopFront}/demo/shop?q=${sku}`)
  await page.getByLabel('Your email address').fill(email)
  await page.getByRole('button', { name: 'Buy' }).click()
  await page.getByRole('link', { name: 'Your files' }).click()
  await page.getByText(file).first().waitFor()
  return page
}

async function download(buyer: Page): Promise<void> {
  const saved = buyer.waitForEvent('download')
  await button(buyer, 'Download Tides.pdf').click()
  await (await saved).path()
}

/**
 * Opens a buyer's delivery from the list. The page is reloaded with the search: rows that are replaced
 * when the result arrives lose a click.
 */
async function openDelivery(email: string): Promise<Page> {
  const page = await open('/deliveries')
  await page.getByRole('textbox', { name: 'Search deliveries' }).fill(email)
  await page.waitForURL(/search=/)
  await page.reload()
  const row = page.locator('main tbody tr').filter({ hasText: email })
  await row.getByRole('link').click()
  await page.waitForURL(/\/deliveries\/delivery_/)
  await page.getByRole('heading', { name: 'Delivery', exact: true }).waitFor()
  return page
}

const dialog = (page: Page) => page.getByRole('dialog')
const list = (page: Page | Locator, name: string) => page.getByRole('list', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const press = (page: Page, name: string) => button(page, name).first().click()

test('a purchase is listed with its mail, opened page and downloads', async () => {
  const page = await open('/deliveries')
  await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor()
  const buyer = await buy('one@example.com')
  await download(buyer)
  const delivery = await openDelivery('one@example.com')
  await list(delivery, 'Products of the order').getByText('EB-001').waitFor()
  await list(delivery, 'Messages').getByText('To one@example.com').waitFor()
  await list(delivery, 'Downloads and views').getByText('127.0.0.1').waitFor()
  await delivery.getByText(/^1 download, last /).waitFor()
  await list(delivery, 'Files').getByText('Used up').waitFor()
  await buyer.close()
})

soakTest(
  'a blocked buyer is found and unblocked by mouse, undone, and unblocked by keyboard',
  async () => {
    const buyer = await buy('stuck@example.com')
    const form = buyer.locator('form').filter({ has: button(buyer, 'Download Tides.pdf') })
    const action = (await form.getAttribute('action')) ?? ''
    const address = new URL(action.replace('&page=1', ''), buyer.url())
    await download(buyer)
    await buyer.close()
    expect((await fetch(address)).status).toBe(410)

    const page = await open('/')
    await page.getByRole('link', { name: /^Show deliveries: \d+ buyers? ha/ }).click()
    await page.waitForURL(/\/deliveries\?status=blocked/)
    const row = page.locator('main tbody tr').filter({ hasText: 'stuck@example.com' })
    await row.getByText('1 of 1 file used up').waitFor()
    const help = row.getByRole('button', { name: /^Let them download again: #\d+$/ })
    await help.click()
    await list(dialog(page), 'What changes').getByText('Tides.pdf: 3 more downloads').waitFor()
    await dialog(page).getByRole('button', { name: 'Let them download again' }).click()
    await page.getByText('No email was sent.').waitFor()
    await row.waitFor({ state: 'detached' })
    await press(page, 'Undo')
    await row.waitFor()

    await row.getByRole('link').focus()
    await page.keyboard.press('Tab')
    const focused = 'document.activeElement.getAttribute("aria-label")'
    await expect.poll(() => page.evaluate(focused)).toMatch(/^Let them download again: #\d+$/)
    await page.keyboard.press('Enter')
    await dialog(page).getByLabel('Send the email with the link again').check()
    await page.keyboard.press('Enter')
    await page.getByText('The email with the link is on its way.').waitFor()
    expect((await fetch(address)).status).toBe(200)
    const delivery = await openDelivery('stuck@example.com')
    await list(delivery, 'Downloads and views').getByText('Refused: Used up').waitFor()
    await list(delivery, 'Files').getByText('Downloads: 2 of 4').waitFor()
  },
)

test('a file made for one buyer is added to an order without a delivery, and taken back', async () => {
  const ordered = await fetch(`${shopFront}/demo/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com', lines: [{ sku: 'EB-022', quantity: 1 }] }),
  })
  const { name } = (await ordered.json()) as { name: string }
  const page = await open('/deliveries')
  await press(page, 'Add files to an order …')
  await dialog(page).getByLabel('Order', { exact: true }).fill(name.slice(1))
  await page.keyboard.press('Enter')
  await dialog(page).getByText(`Add files to order ${name}`).waitFor()
  await dialog(page)
    .locator('input[type=file]')
    .first()
    .setInputFiles({
      name: 'EB-001 for Ada.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Ada'),
    })
  await dialog(page).getByText('To ada@example.com').waitFor()
  await press(page, 'See the email')
  await dialog(page).getByTitle('Preview of the email').waitFor()
  await press(page, 'Add 1 file')
  const files = list(page, 'Files')
  await files.getByText('Added to this order').waitFor()
  await list(page, 'Messages').getByText('To ada@example.com').waitFor()
  // Its name would give it a product otherwise.
  const found = await server.call('GET', '/api/files?search=for+Ada')
  expect(((await found.json()) as { data: { mappings: unknown[] }[] }).data).toMatchObject([
    { mappings: [] },
  ])
  await press(page, 'Take back: EB-001 for Ada.txt')
  await files.getByText('Withdrawn').waitFor()
  await press(page, 'Add files …')
  // Files that are chosen move to the beginning of the list.
  await dialog(page).getByLabel('Search files').fill('Right edition')
  await onlyChoice(dialog(page).getByRole('checkbox', { name: /\.(pdf|txt)$/ }))
  await check(dialog(page).getByRole('checkbox', { name: 'Right edition.pdf' }))
  await press(page, 'Add 1 file')
  await page.getByText('1 file added to this order').waitFor()
  await press(page, 'Undo')
  await expect.poll(() => files.getByText('Withdrawn').count()).toBe(2)
})

soakTest(
  'a buyer without views left is told so, and the merchant gives more where it is seen',
  async () => {
    await uploadPicture('Chart.png', 'EB-003')
    const buyer = await buy('viewer@example.com', 'EB-003', 'Chart.png')
    const files = buyer.url()
    await buyer.getByText('1 view left').waitFor()
    await button(buyer, 'Open Chart.png').click()
    await buyer.getByRole('img', { name: 'Chart.png' }).waitFor()
    await buyer.getByText('no views left after this one').waitFor()
    const view = buyer.url()
    await buyer.reload()
    await buyer.getByText('no views left after this one').waitFor()

    const context = await browser.newContext({ javaScriptEnabled: false })
    const other = await context.newPage()
    await other.goto(view)
    await other.getByRole('heading', { name: 'This file has no views left' }).waitFor()
    await other.getByRole('button', { name: /^Send to/ }).waitFor()
    await other.goto(files)
    await other.getByText('no views left').first().waitFor()

    const delivery = await openDelivery('viewer@example.com')
    await list(delivery, 'Files').getByText('Views used up').waitFor()
    await list(delivery, 'Downloads and views').getByText('Refused: Views used up').waitFor()
    await press(delivery, 'Let them view again')
    const changes = list(dialog(delivery), 'What changes')
    await changes.getByText('Chart.png: 3 more views').waitFor()
    // The views are given although the email cannot be sent: the page says both.
    await delivery.route('**/resend', (route) => route.fulfill({ status: 503, body: 'down' }))
    await dialog(delivery).getByLabel('Send the email with the link again').check()
    await dialog(delivery).getByRole('button', { name: 'Let them view again' }).click()
    await delivery.getByText(/^The buyer of #\d+ can view again$/).waitFor()
    await delivery.getByText('The message could not be sent').waitFor()
    await list(delivery, 'Files').getByText('Views: 1 of 4').waitFor()

    await other.goto(view)
    await other.getByText('3 views are left').waitFor()
    await button(other, 'Open').click()
    await other.getByText('2 views left after this one').waitFor()
    await Promise.all([context.close(), buyer.close()])
  },
)

soakTest(
  'a pre-order: the merchant sets its day, the buyer waits, and the merchant makes it available',
  async () => {
    const page = await open('/files?search=Preorder')
    await tick(page, ['Preorder.pdf'])
    await choose(page, 'Change settings')
    await dialog(page).getByLabel('Files become available').selectOption('From a day')
    await dialog(page).getByLabel('Day', { exact: true }).fill('2099-03-01')
    const use = dialog(page).getByLabel('After the first download or view, links expire')
    await use.selectOption('After a number of days')
    await dialog(page).getByLabel('Days from the first use').fill('7')
    await press(page, 'Update settings')
    await page.getByText('Settings of 1 file updated').waitFor()
    await page.goto(`${new URL(page.url()).origin}/files?released=no`)
    await page.getByRole('link', { name: 'Preorder.pdf' }).click()
    await page.getByText(/^From .*2099$/).waitFor()

    const post = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const order = { email: 'early@example.com', lines: [{ sku: 'EB-002' }] }
    await fetch(`${shopFront}/demo/orders`, { ...post, body: JSON.stringify(order) })
    const address = async () => {
      const found = await server.call('GET', '/api/deliveries?email=early@example.com')
      return ((await found.json()) as { data: { url: string }[] }).data[0]?.url ?? ''
    }
    await expect.poll(address).not.toBe('')
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 390, height: 844 },
    })
    const buyer = await context.newPage()
    await buyer.goto(await address())
    await buyer.getByText('Available from').waitFor()
    await buyer.getByText('7 days from the first download').waitFor()
    await expect.poll(() => buyer.getByRole('button', { name: /Download/ }).count()).toBe(0)

    const delivery = await openDelivery('early@example.com')
    await list(delivery, 'Files').getByText('Not available yet').waitFor()
    await press(delivery, 'Make available: Preorder.pdf')
    await delivery.getByText('Preorder.pdf is available').waitFor()
    await list(delivery, 'Files').getByText('Active', { exact: true }).waitFor()
    await buyer.reload()
    const saved = buyer.waitForEvent('download')
    await button(buyer, 'Download Preorder.pdf').click()
    await (await saved).path()
    await buyer.reload()
    await buyer.getByText(/ · until /).waitFor()
    await context.close()
  },
)

soakTest('a buyer’s request for more downloads is granted with one click', async () => {
  const buyer = await buy('two@example.com')
  await download(buyer)
  await buyer.reload()
  await buyer.getByLabel('Your email address').fill('two@example.com')
  await buyer.getByLabel('Message').fill('My laptop broke')
  await buyer.getByRole('button', { name: /^Send to/ }).click()
  const page = await openDelivery('two@example.com')
  await page.getByText('My laptop broke').waitFor()
  await press(page, 'Grant 3 more downloads and 30 days')
  await page.getByText('My laptop broke').waitFor({ state: 'detached' })
  await list(page, 'Files').getByText('Downloads: 1 of 4').waitFor()
  await expect.poll(() => list(page, 'Messages').getByRole('listitem').count()).toBe(2)
  await buyer.close()
})

soakTest('a held delivery gives the buyer nothing until it is released', async () => {
  const buyer = await buy('three@example.com')
  const page = await openDelivery('three@example.com')
  await press(page, 'Hold')
  await page.getByRole('button', { name: 'Release' }).waitFor()
  await buyer.reload()
  await expect.poll(() => button(buyer, 'Download Tides.pdf').count()).toBe(0)
  await press(page, 'Release')
  await page.getByRole('button', { name: 'Send again' }).waitFor()
  await buyer.reload()
  await download(buyer)
  await buyer.close()
})

soakTest(
  'an address is corrected, terms are extended, a file is replaced, and a delivery is revoked',
  async () => {
    const buyer = await buy('wrnog@example.com')
    const page = await openDelivery('wrnog@example.com')
    await press(page, 'Correct the address')
    await dialog(page).getByLabel('Email of the buyer').fill('wrong')
    await press(page, 'Save')
    await dialog(page).getByText('Enter an address like').waitFor()
    await dialog(page).getByLabel('Email of the buyer').fill('right@example.com')
    await press(page, 'Save')
    await list(page, 'Messages').getByText('To right@example.com').waitFor()
    await press(page, 'Extend: Tides.pdf')
    // Nothing blocks the buyer, so nothing is preset.
    await press(page, 'Extend')
    await dialog(page).getByText('Choose what to change').waitFor()
    await dialog(page).getByLabel('More downloads').selectOption('Set to')
    await press(page, 'Extend')
    await list(page, 'Files').getByText('Downloads: 0 of 4').waitFor()
    await press(page, 'Replace: Tides.pdf')
    await dialog(page).getByText('Right edition.pdf').click()
    await press(page, 'Replace')
    await list(page, 'Files').getByText('Right edition.pdf').waitFor()
    await press(page, 'Revoke …')
    await dialog(page).getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('button', { name: 'Send again' }).waitFor({ state: 'detached' })
    await buyer.reload()
    await expect.poll(() => buyer.getByRole('button', { name: /^Download/ }).count()).toBe(0)
    await buyer.close()
  },
)

soakTest('shows everything on a phone', async () => {
  const page = await open('/deliveries', { viewport: { width: 390, height: 800 } })
  const isWide = () =>
    page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth')
  const first = page.getByRole('link', { name: /^#\d+/ }).first()
  await first.waitFor()
  expect(await isWide()).toBe(false)
  await first.click()
  await page.getByRole('heading', { name: 'Delivery', exact: true }).waitFor()
  expect(await isWide()).toBe(false)
})

soakTest('a buyer is found by address, with what they have, and gets their library', async () => {
  const buyer = await buy('shelf@example.com')
  await download(buyer)
  const page = await open('/buyers')
  await page.getByRole('textbox', { name: 'Search buyers' }).fill('nobody')
  await page.getByRole('heading', { name: 'No address begins with this' }).waitFor()
  await page.getByRole('textbox', { name: 'Search buyers' }).fill('shelf')
  const row = page.locator('main tbody tr').filter({ hasText: 'shelf@example.com' })
  await row.getByText('1 file blocked').waitFor()
  await row.getByRole('link').press('Enter')
  await page.getByRole('heading', { name: 'shelf@example.com' }).waitFor()
  await list(page, 'Downloads and views').getByText('Tides.pdf').waitFor()
  await page.getByRole('button', { name: 'Let them download again' }).waitFor()
  await press(page, 'Send their library')
  await page.getByText('The link is being sent').waitFor()
  await page.goto(`${server.url}/buyers/detail?email=nobody@example.com`)
  await page.getByRole('heading', { name: 'This buyer doesn’t exist' }).waitFor()
  await buyer.close()
})

soakTest('new files of a sold product are given to its past buyers, after a preview', async () => {
  await (await buy('earlier@example.com')).close()
  const { files } = await importUntilEnd(server, {
    files: [{ filename: 'Addendum.pdf', url: originUrl, product_sku: 'EB-001' }],
  })
  expect(files[0]?.status).toBe('imported')
  const page = await open('/')
  await page.getByRole('link', { name: /^Decide: 1 product has new files/ }).click()
  await page.getByText(/1 new file is not given to \d+ past buyer/).waitFor()
  await page.getByRole('button', { name: /^Give to past buyers:/ }).click()
  await dialog(page)
    .getByText(/would get files\.$/)
    .waitFor()
  await dialog(page).getByLabel('Email the buyers').uncheck()
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  await dialog(page).getByText('Given to past buyers:').waitFor()
  await dialog(page).getByRole('button', { name: 'Give 1 file' }).click()
  await page.getByRole('heading', { name: 'Past buyers have all files' }).waitFor()
  const delivery = await openDelivery('earlier@example.com')
  await list(delivery, 'Files').getByText('Addendum.pdf').waitFor()
})

soakTest(
  'past orders are imported from the page, which says what the storefront does not show',
  async () => {
    const created_at = new Date(Date.now() - 20 * 86_400_000).toISOString()
    const lines = [{ sku: 'EB-001', quantity: 1 }]
    const placed = await fetch(`${shopFront}/demo/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'past@example.com', lines, created_at }),
    })
    expect(placed.status).toBe(201)
    const page = await open('/deliveries')
    await page.getByRole('link', { name: 'Import past orders' }).click()
    await page.getByText('The storefront shows only the orders of the last 60 days').waitFor()
    await press(page, 'Preview')
    await page.getByText('New deliveries: 1').waitFor()
    await press(page, 'Import the orders')
    await page.getByRole('heading', { name: 'The last import' }).waitFor()
    await page.getByRole('progressbar').first().waitFor()
    await (await openDelivery('past@example.com')).close()
  },
)
