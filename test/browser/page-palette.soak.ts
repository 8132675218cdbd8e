// The palette and the keys that work on every page, by keyboard alone.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../app.ts'
import { addFile } from '../deliveries.ts'
import { openPage, sharedBrowser, type OpenPage } from './page-browser.ts'

let app: TestApp
let browser: Browser
let opened: OpenPage
let page: Page
beforeAll(async () => {
  ;[app, browser] = await Promise.all([openTestApp(), sharedBrowser()])
  for (const name of ['tide tables.pdf', 'star charts.pdf'])
    await addFile({ ...app.engine, scope: app.demo.scope }, name, Buffer.alloc(900))
  opened = await openPage(browser, app, '/files')
  page = opened.page
  await page.getByRole('link', { name: 'tide tables.pdf' }).waitFor()
})
afterAll(async () => {
  await opened.close()
  await app.close()
})

const field = () => page.getByRole('combobox', { name: 'Find pages, files, orders and actions' })
const focused = () => page.locator(':focus').getAttribute('placeholder')

test('Ctrl-K finds pages, actions and files, and opens them', async () => {
  await page.keyboard.press('Control+k')
  // The palette is loaded when it is opened.
  await field().waitFor()
  await page.keyboard.type('scheduled')
  await page.getByRole('option', { name: 'Scheduled tasks', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/schedules')

  await page.keyboard.press('Control+k')
  await field().waitFor()
  await page.keyboard.type('tables TIDE')
  await page.getByRole('option', { name: 'tide tables.pdf' }).waitFor()
  await page.getByText('1 result', { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'tide tables.pdf', level: 1 }).waitFor()
})

test('arrows choose, Escape closes and returns the focus, and a text without results says so', async () => {
  const opener = page.getByRole('button', { name: 'Find pages, files, orders and actions' })
  await opener.press('Enter')
  await field().pressSequentially('workflow')
  await page.getByRole('option', { name: 'Workflows', selected: true }).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.getByRole('option', { name: 'New workflow', selected: true }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: 'Workflows', selected: true }).waitFor()
  await field().fill('no such thing')
  await page.getByText('Nothing matches “no such thing”').waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await field().waitFor({ state: 'detached' })
  await page.locator('button.palette-opener:focus').waitFor()
})

test('/ searches the list and ? lists the keys, but not while text is typed', async () => {
  await page.goto(`${app.url}/files`)
  await page.getByRole('link', { name: 'tide tables.pdf' }).waitFor()
  await page.keyboard.press('/')
  await expect.poll(focused).toBe('Search files')
  await page.keyboard.type('star/?')
  await expect.poll(() => page.getByPlaceholder('Search files').inputValue()).toBe('star/?')
  await page.getByPlaceholder('Search files').blur()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' })
  expect(opened.complaints).toEqual([])
})
