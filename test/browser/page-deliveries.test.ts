// Deliveries on the admin page, in a real browser: an order in the demo shop, what its buyer opens
// and downloads, and the merchant's actions.
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { readDemo, type RunningServer } from '../flows/server.ts'
import { soakTest } from '../scale.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
let browser: Browser
let shopFront: string

const open = usePages(startOrigin, async (world) => {
  ;({ server, browser } = world)
  const file = (filename: string, n: number, more: object) => ({
    ...{ filename, url: `${world.origin.url}/bytes/500/${n}`, ...more },
  })
  const files = [
    file('Tides.pdf', 1, { product_sku: 'EB-001', download_limit: 1, expiry_days: 10 }),
    file('Right edition.pdf', 2, {}),
  ]
  expect((await importUntilEnd(server, { files, auto_map: false })).status).toBe('success')
  shopFront = (await readDemo(server.dataDir)).storefront.url
})

/** Buys EB-001 as a buyer in a separate browser context, and opens the page with the files. */
async function buy(email: string): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(`${shopFront}/demo/shop?q=EB-001`)
  await page.getByLabel('Your email address').fill(email)
  await page.getByRole('button', { name: 'Buy' }).click()
  await page.getByRole('link', { name: 'Your files' }).click()
  await page.getByText('Tides.pdf').first().waitFor()
  return page
}

async function download(buyer: Page): Promise<void> {
  const saved = buyer.waitForEvent('download')
  await buyer.getByRole('link', { name: 'Download Tides.pdf' }).click()
  await (await saved).path()
}

/** Opens a buyer's delivery from the list. */
async function openDelivery(email: string): Promise<Page> {
  const page = await open('/deliveries')
  await page.getByRole('textbox', { name: 'Search deliveries' }).fill(email)
  const row = page.locator('main tbody tr').filter({ hasText: email })
  await row.getByRole('link').click()
  await page.waitForURL(/\/deliveries\/delivery_/)
  await page.getByRole('heading', { name: 'Delivery', exact: true }).waitFor()
  return page
}

const dialog = (page: Page) => page.getByRole('dialog')
const list = (page: Page, name: string) => page.getByRole('list', { name, exact: true })
const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).first().click()

test('a purchase is listed with its mail, opened page and downloads', async () => {
  const page = await open('/deliveries')
  await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor()
  const buyer = await buy('one@example.com')
  await download(buyer)
  const delivery = await openDelivery('one@example.com')
  await list(delivery, 'Products of the order').getByText('EB-001').waitFor()
  await list(delivery, 'Emails').getByText('To one@example.com').waitFor()
  await list(delivery, 'Downloads').getByText('127.0.0.1').waitFor()
  await delivery.getByText(/^1 download, last /).waitFor()
  await list(delivery, 'Files').getByText('Used up').waitFor()
  await buyer.close()
})

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
  await expect.poll(() => list(page, 'Emails').getByRole('listitem').count()).toBe(2)
  await buyer.close()
})

soakTest('a held delivery gives the buyer nothing until it is released', async () => {
  const buyer = await buy('three@example.com')
  const page = await openDelivery('three@example.com')
  await press(page, 'Hold')
  await page.getByRole('button', { name: 'Release' }).waitFor()
  await buyer.reload()
  expect(await buyer.getByRole('link', { name: 'Download Tides.pdf' }).count()).toBe(0)
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
    await list(page, 'Emails').getByText('To right@example.com').waitFor()
    await press(page, 'Extend Tides.pdf')
    // Nothing blocks the buyer, so nothing is preset.
    await press(page, 'Extend')
    await dialog(page).getByText('Choose more days or more downloads').waitFor()
    await dialog(page).getByLabel('More downloads').selectOption('Set to')
    await press(page, 'Extend')
    await list(page, 'Files').getByText('Downloads: 0 of 4').waitFor()
    await press(page, 'Replace Tides.pdf')
    await dialog(page).getByText('Right edition.pdf').click()
    await press(page, 'Replace')
    await list(page, 'Files').getByText('Right edition.pdf').waitFor()
    await press(page, 'Revoke …')
    await dialog(page).getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('button', { name: 'Send again' }).waitFor({ state: 'detached' })
    await buyer.reload()
    expect(await buyer.getByRole('link', { name: /^Download/ }).count()).toBe(0)
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
