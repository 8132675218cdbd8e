// Home: the first steps of a new shop, what needs the merchant, and the figures, by mouse and by
// keyboard.
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../app.ts'
import { addFile } from '../deliveries.ts'
import { openPage, sharedBrowser, type OpenPage } from './page-browser.ts'
import { soakTest } from '../scale.ts'

let app: TestApp
let browser: Browser
let opened: OpenPage
let page: Page
beforeAll(async () => {
  ;[app, browser] = await Promise.all([openTestApp(), sharedBrowser()])
  opened = await openPage(browser, app, '/')
  page = opened.page
})
afterAll(async () => {
  await opened.close()
  await app.close()
})

const card = (title: string) =>
  page.locator('.Polaris-ShadowBevel').filter({ has: page.getByRole('heading', { name: title }) })

test('a new shop begins with its first steps', async () => {
  await page.getByText('0 of 5 steps done').waitFor()
  await expect.poll(() => page.title()).toBe('Home · Stevedore')
  await expect.poll(() => page.getByRole('heading', { name: 'What needs you' }).count()).toBe(0)
  await page.getByText('No downloads in this period', { exact: true }).waitFor()
  await card('Start here').getByRole('link', { name: 'Import' }).press('Enter')
  await page.waitForURL('**/import')
  await page.goBack()
  await page.getByText('0 of 5 steps done').waitFor()
})

soakTest('the figures do not move: they are shown with what is above them', async () => {
  const held = Promise.withResolvers<void>()
  await page.route('**/api/attention', async (route) => {
    await held.promise
    await route.continue()
  })
  const figures = page.waitForResponse(/home.figures/)
  await page.reload()
  await figures
  expect(await page.getByRole('heading', { name: 'What happened' }).count()).toBe(0)
  held.resolve()
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
  expect(await page.getByText('0 of 5 steps done').count()).toBe(1)
  await page.unroute('**/api/attention')
})

test('what happened ticks the steps, and what needs somebody leads there', async () => {
  await addFile({ ...app.engine, scope: app.demo.scope }, 'guide.pdf', Buffer.alloc(900))
  await app.demo.scope.query(
    `insert into file_days (shop_id, day, file_id, downloads)
     select :shop, (now() at time zone 'UTC')::date - n, id, 10 + n from files, generate_series(0, 40) n
     where shop_id = :shop`,
  )
  await page.reload()
  await page.getByText('2 of 5 steps done').waitFor()
  await card('What needs you').getByText('1 file has no product').waitFor()
  await card('What needs you').getByRole('link', { name: 'Map files' }).click()
  await page.waitForURL('**/files?mapped=false')
  await page.getByRole('link', { name: 'guide.pdf' }).waitFor()
  await page.goBack()
})

soakTest('the figures of a period are compared, shown as a table and saved', async () => {
  const happened = card('What happened')
  // Only the figure that is not 0 on all days has a graph.
  await expect.poll(() => happened.locator('.chart canvas').count()).toBe(1)
  await happened.locator('.chart').getByText('Downloads').waitFor({ state: 'attached' })
  await happened.getByText('735').first().waitFor()
  await happened.getByRole('combobox', { name: 'Period' }).selectOption('7')
  await happened.getByText('91').first().waitFor()
  await happened.getByText('-35%').waitFor()
  await happened.getByRole('button', { name: 'Show as a table' }).press('Enter')
  const rows = happened.getByRole('region', { name: 'Figures by day' }).locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(7)
  await expect
    .poll(() => rows.first().locator('td').allTextContents())
    .toEqual(['10', '0', '0', '0'])
  const saving = page.waitForEvent('download')
  await happened.getByRole('button', { name: 'Save as CSV' }).press('Enter')
  const text = await readFile(await (await saving).path(), 'utf8')
  expect(text.split('\r\n')[0]).toBe(
    '\u{feff}"Day","Downloads","Orders with files","Deliveries","Imported files"',
  )
  expect(text.split('\r\n')).toHaveLength(8)
  expect(opened.complaints).toEqual([])
})

soakTest('a product of the most downloaded ones leads to its files', async () => {
  await app.demo.scope.query(
    `insert into mappings (shop_id, file_id, product_id, product_title, method, score, reason)
     select :shop, id, 'gid://shopify/Product/1', 'A course', 'manual', 1, ''
     from files where shop_id = :shop`,
  )
  await page.reload()
  const products = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Most downloaded products' }) })
  await products.getByRole('link', { name: 'A course' }).press('Enter')
  await page.waitForURL('**/files?product=*')
  await page.getByRole('link', { name: 'guide.pdf' }).waitFor()
  expect(opened.complaints).toEqual([])
})
