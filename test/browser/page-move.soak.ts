// Moving from another app on the admin page, in a real browser on the real server: an export is
// recognised, previewed, imported, undone, and can be imported again.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { exportOf } from '../exports.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { listAll } from '../flows/imports.ts'
import type { RunningServer } from '../flows/server.ts'
import { soakTest } from '../scale.ts'
import { handOf } from './hand.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
let origin: Origin
const open = usePages(startOrigin, (world) => {
  ;({ server, origin } = world)
})

const choose = (page: Page, name: string) =>
  page
    .getByLabel('Choose an export')
    .and(page.locator('input'))
    .setInputFiles({ name, mimeType: 'text/csv', buffer: exportOf(name, origin.url) })
const figure = (page: Page, name: string) =>
  page
    .locator('.figures div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')

soakTest('a migration by the keyboard alone, from the choice of the app to the undo', async () => {
  const page = await open('/import')
  const { press, pick, choose: check } = handOf('keyboard', page)
  const send = async (name: string) => {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      press(page.getByRole('button', { name: 'Choose an export' })),
    ])
    await chooser.setFiles({ name, mimeType: 'text/csv', buffer: exportOf(name, origin.url) })
    await page.waitForURL(/\/import\/move\/move_/)
  }
  await press(page.getByRole('link', { name: 'Choose an app' }))
  await pick(page.getByLabel('App', { exact: true }), 'WooCommerce')
  await send('woocommerce-products.csv')
  await press(page.getByRole('button', { name: 'Import 6 files' }))
  await page.getByRole('heading', { name: 'Files are moved' }).waitFor()

  await press(page.getByRole('link', { name: 'Choose an export' }))
  await page.getByLabel('App', { exact: true }).waitFor()
  await send('woocommerce-permissions.csv')
  await check(page.getByLabel('Email the buyers'))
  await expect.poll(() => page.getByLabel('Email the buyers').isChecked()).toBe(true)
  await check(page.getByLabel('Email the buyers'))
  await press(page.getByRole('button', { name: 'Create 3 links' }))
  await page.getByRole('heading', { name: 'Buyers are moved' }).waitFor()
  const active = async () => (await listAll(server, '/api/links?status=active')).length
  expect(await active()).toBe(3)
  await press(page.getByRole('button', { name: 'Undo' }))
  await press(page.getByRole('dialog').getByRole('button', { name: 'Undo' }))
  await page.getByRole('heading', { name: 'This move was undone' }).waitFor()
  await expect.poll(active).toBe(0)

  await press(page.getByRole('link', { name: 'Move to Stevedore' }).first())
  await press(page.locator('.kept-files').getByRole('link', { name: 'woocommerce-products.csv' }))
  await press(page.getByRole('button', { name: 'Undo' }))
  await press(page.getByRole('dialog').getByRole('button', { name: 'Undo' }))
  await page.getByText('Its files are in the trash.').waitFor()
  await expect.poll(async () => (await listAll(server, '/api/files?search=brot')).length).toBe(0)
})

test('a migration undone: files and the links of past buyers, from the export to the undo', async () => {
  const page = await open('/import')
  await page.getByRole('link', { name: 'Choose an app' }).click()
  await page.getByLabel('App', { exact: true }).selectOption({ label: 'SendOwl' })
  await page.getByText('In SendOwl, export your orders as CSV.').waitFor()
  await choose(page, 'woocommerce-products.csv')
  await page.waitForURL(/\/import\/move\/move_/)
  await page.getByText('You chose SendOwl').waitFor()
  await page.getByRole('heading', { name: 'Recognised: WooCommerce' }).waitFor()
  await expect.poll(() => figure(page, 'New files').textContent()).toBe('6')
  await page.locator('.problems li').filter({ hasText: 'Row 8' }).getByText('Left out').waitFor()
  await page.getByText('Not read: 37 columns').waitFor()
  await page.getByRole('button', { name: 'Import 6 files' }).click()
  await page.getByRole('heading', { name: 'Files are moved' }).waitFor()
  const files = page.url()

  await page.getByRole('link', { name: 'Choose an export' }).click()
  await choose(page, 'woocommerce-permissions.csv')
  await page.getByRole('heading', { name: 'who may download what' }).waitFor()
  await expect.poll(() => figure(page, 'New links').textContent()).toBe('3')
  await expect.poll(() => page.getByLabel('Email the buyers').isChecked()).toBe(false)
  await page.getByRole('button', { name: 'Create 3 links' }).click()
  await page.getByRole('heading', { name: 'Buyers are moved' }).waitFor()
  const active = async () => (await listAll(server, '/api/links?status=active')).length
  expect(await active()).toBe(3)

  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'This move was undone' }).waitFor()
  await expect.poll(active).toBe(0)

  await page.goto(files)
  const keyboard = handOf('keyboard', page)
  await keyboard.press(page.getByRole('button', { name: 'Undo' }))
  await keyboard.press(page.getByRole('dialog').getByRole('button', { name: 'Undo' }))
  await page.getByText('Its files are in the trash.').waitFor()
  await expect.poll(async () => (await listAll(server, '/api/files?search=brot')).length).toBe(0)
  await page.getByRole('link', { name: 'Move to Stevedore' }).first().click()
  await page.locator('.kept-files li').getByText('Undone').first().waitFor()
  await choose(page, 'woocommerce-products.csv')
  await page.getByRole('button', { name: 'Import 6 files' }).waitFor()
})
