// The page embedded in the storefront's admin, which the stand-in simulates: the admin's menu,
// modals, save bar and the warning about unsaved changes; and the page's own elements where the
// admin lacks them.
import type { Page, Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin } from '../fakes/origin.ts'
import type { RunningServer } from '../flows/server.ts'
import { soakTest } from '../scale.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
const open = usePages(startOrigin, (world) => {
  ;({ server } = world)
})

/** Separate contexts, because a tab remembers that it is embedded. */
const embedded = (address: string) =>
  open(`${address}${address.includes('?') ? '&' : '?'}embedded=1`, {})
const bar = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' })
const menu = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'App' }).getByRole('link', { name, exact: true })
const tag = (page: Page) => page.getByLabel('Tag for orders with files')
const saved = async () =>
  ((await (await server.call('GET', '/api/settings')).json()) as { order_tag: string | null })
    .order_tag

soakTest('the admin’s menu navigates the page, and the page renders no frame', async () => {
  const page = await embedded('/files')
  await menu(page, 'Deliveries').click()
  await page.getByRole('heading', { name: 'Deliveries', exact: true }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/deliveries')
  await expect.poll(() => page.locator('.Polaris-Frame').count()).toBe(0)
})

test('unsaved changes use the admin’s save bar, which discards, guards and saves them', async () => {
  const page = await embedded('/settings/deliveries')
  await tag(page).fill('one')
  await bar(page).getByRole('button', { name: 'Discard' }).click()
  await bar(page).waitFor({ state: 'detached' })
  await expect.poll(() => tag(page).inputValue()).not.toBe('one')

  await tag(page).fill('two')
  await expect.poll(() => page.locator('.save-bar').count()).toBe(0)
  const question = page.getByRole('dialog', { name: 'Leave page with unsaved changes?' })
  // By the admin's menu and by a link of the page.
  for (const leave of [
    () => menu(page, 'All files').click(),
    () => page.locator('main').getByRole('link', { name: 'Settings' }).first().click(),
  ]) {
    await leave()
    await question.getByRole('button', { name: 'Stay' }).click()
    await expect.poll(() => tag(page).inputValue()).toBe('two')
  }
  await bar(page).getByRole('button', { name: 'Save' }).click()
  await bar(page).waitFor({ state: 'detached' })
  await expect.poll(saved).toBe('two')

  await tag(page).fill('three')
  await menu(page, 'All files').click()
  await question.getByRole('button', { name: 'Leave page' }).click()
  await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
  expect(await saved()).toBe('two')
})

soakTest(
  'confirmations are the admin’s modals: closed by the admin, answered by their buttons',
  async () => {
    const made = await server.call('POST', '/api/packs', { name: 'Sailing' })
    const { id } = (await made.json()) as { id: string }
    const page = await embedded(`/packs/${id}`)
    const modal = page.locator('ui-modal')
    const ask = () => page.getByRole('button', { name: 'Delete', exact: true }).first().click()
    await ask()
    await page.getByRole('dialog', { name: 'Delete Sailing?' }).waitFor()
    await modal.getByText('The pack is empty. Links to the pack stop working.').waitFor()
    await expect.poll(() => page.locator('.Polaris-Modal-Dialog').count()).toBe(0)
    await page.keyboard.press('Escape')
    await modal.waitFor({ state: 'detached' })
    await ask()
    await modal.getByRole('button', { name: 'Cancel' }).click()
    await modal.waitFor({ state: 'detached' })
    await ask()
    await modal.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/\/packs$/)
    expect((await server.call('GET', `/api/packs/${id}`)).status).toBe(404)
  },
)

soakTest('the page shows its own save bar if the admin has none', async () => {
  const page = await open('/settings', {})
  await page.addInitScript(
    `document.addEventListener('DOMContentLoaded', () => delete window.shopify.saveBar)`,
  )
  await page.goto(`${server.url}/settings/deliveries`)
  await tag(page).fill('four')
  await page.locator('.save-bar').getByText('Unsaved changes').waitFor()
  await page.getByRole('link', { name: 'All files', exact: true }).click()
  await page.getByRole('dialog').getByText('Leave without saving?').waitFor()
  await page.getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(saved).toBe('four')
})

soakTest('the admin’s web vitals are reported', async () => {
  const page = await open('/files', {})
  const reports: Request[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/web-vitals')) reports.push(request)
  })
  await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
  // The browser reports the measurements shortly after it has painted.
  await expect
    .poll(async () => {
      await page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
      return reports.length
    })
    .toBeGreaterThan(0)
  const report = reports[0]!
  expect(report.postDataJSON()).toMatchObject({ path: '/files', metrics: [{ name: 'LCP' }] })
  expect((await report.response())!.status()).toBe(204)
})
