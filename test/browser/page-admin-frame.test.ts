// The page in the demo's admin: another site frames it, without its cookies and storage, as the
// platform's admin does. Menu, save bar, toasts and modals are the admin's; address and title follow.
import type { FrameLocator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin } from '../fakes/origin.ts'
import type { RunningServer } from '../flows/server.ts'
import { soakTest } from '../scale.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
const open = usePages(startOrigin, (world) => {
  ;({ server } = world)
})

const PHONE = { viewport: { width: 390, height: 844 } }

async function framed(path: string, options?: object): Promise<[Page, FrameLocator]> {
  const page = await open(server.adminUrl + path, options)
  return [page, page.frameLocator('#app')]
}
const menu = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name, exact: true })
const heading = (app: FrameLocator, name: string) =>
  app.getByRole('heading', { name, exact: true }).first()
const bar = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' })
const api = async (method: string, path: string, body?: object) =>
  (await (await server.call(method, path, body)).json()) as Record<string, string>

test('the admin’s menu, address, save bar, question and toast belong to the page in its frame', async () => {
  const [page, app] = await framed('/files')
  await heading(app, 'Files').waitFor()
  await menu(page, 'Deliveries').click()
  await heading(app, 'Deliveries').waitFor()
  expect(page.url()).toBe(`${server.adminUrl}/deliveries`)
  await expect.poll(() => page.title()).toContain('Deliveries')

  await menu(page, 'Settings').click()
  await app
    .getByRole('link', { name: /Deliveries/ })
    .first()
    .click()
  const tag = app.getByLabel('Tag for orders with files')
  await tag.fill('in a frame')
  const question = page.getByRole('dialog', { name: 'Leave page with unsaved changes?' })
  // Another entry of the app, and another place of the admin.
  for (const name of ['All files', 'Orders']) {
    await menu(page, name).click()
    await question.getByRole('button', { name: 'Stay' }).click()
    expect(await tag.inputValue()).toBe('in a frame')
  }
  await bar(page).getByRole('button', { name: 'Save' }).click()
  await bar(page).waitFor({ state: 'hidden' })
  await expect.poll(async () => (await api('GET', '/api/settings')).order_tag).toBe('in a frame')
  await page.getByRole('status').getByText(/saved/i).waitFor()
})

soakTest('a confirmation is drawn by the admin, and answered or closed there', async () => {
  const { id } = await api('POST', '/api/packs', { name: 'Sailing' })
  const [page, app] = await framed(`/packs/${id}`)
  const ask = () => app.getByRole('button', { name: 'Delete', exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Delete Sailing?' })
  await ask()
  await dialog.getByText('The pack is empty.').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await ask()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(/\/packs$/)
  expect((await server.call('GET', `/api/packs/${id}`)).status).toBe(404)
})

soakTest('on a phone: a file is uploaded and tagged in the frame', async () => {
  const [page, app] = await framed('/import/upload', PHONE)
  await app
    .locator('input[type=file]')
    .first()
    .setInputFiles({
      name: 'Tide Chart.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.4\n%%EOF'),
    })
  await expect.poll(async () => (await api('GET', '/api/files?search=Tide')).total).toBe(1)
  await page.locator('#menu summary').click()
  await menu(page, 'All files').click()
  await heading(app, 'Files').waitFor()
  await app.getByText('Tide Chart.pdf').first().waitFor()
})

soakTest('an order shows its delivery, whose link opens the page in the frame', async () => {
  await api('POST', '/api/files/import', {
    files: [{ filename: 'tides.pdf', url: `${server.url}/demo/sample.pdf`, product_sku: 'EB-001' }],
  })
  await expect.poll(async () => (await api('GET', '/api/files?search=tides')).total).toBe(1)
  const bought = await fetch(`${new URL(server.adminUrl).origin}/demo/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'anna@example.com', lines: [{ sku: 'EB-001', quantity: 1 }] }),
  })
  const { name } = (await bought.json()) as { name: string }
  await expect.poll(async () => (await api('GET', '/api/deliveries')).data).toHaveLength(1)
  const page = await open(server.adminUrl.replace('/apps/stevedore', '/orders'))
  await page.getByRole('link', { name, exact: true }).click()
  const block = page.frameLocator('.extension')
  await block.getByText('Sent to anna@example.com').waitFor()
  await block.getByRole('button', { name: 'Hold' }).click()
  await block.getByText('Held').first().waitFor()
  await block.getByRole('link', { name: /Open/ }).press('Enter')
  await page.waitForURL(/\/apps\/stevedore\/deliveries\/delivery_/)
  await page
    .frameLocator('#app')
    .getByRole('heading', { name: new RegExp(name) })
    .first()
    .waitFor()
})

soakTest('a token that comes late is waited for; one that never comes is reported', async () => {
  const page = await open('/healthz', {})
  const gate = Promise.withResolvers<void>()
  await page.route('**/store/session-token', async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.goto(`${server.adminUrl}/files`)
  const app = page.frameLocator('#app')
  await app.getByText('Your store’s admin does not answer.').first().waitFor()
  gate.resolve()
  await app
    .getByRole('button', { name: /again|Retry/ })
    .first()
    .click()
  await heading(app, 'Files').waitFor()
})

soakTest('messages of others are ignored, and other sites cannot frame the page', async () => {
  const [page, app] = await framed('/files')
  await heading(app, 'Files').waitFor()
  const inside = page.frames().find((frame) => frame.url().startsWith(server.url))!
  await inside.evaluate(`postMessage({ type: 'navigate', href: '/deliveries' }, '*')`)
  await page.evaluate(`postMessage({ type: 'title', text: 'Stolen' }, '*')`)
  await menu(page, 'Links').click()
  await heading(app, 'Links').waitFor()
  expect(await page.title()).not.toBe('Stolen')

  const other = await page.context().newPage()
  await other.route('http://evil.test/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<iframe src="${server.url}/files?embedded=1"></iframe>`,
    }),
  )
  const refused = other.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()))
  await other.goto('http://evil.test/').catch(() => undefined)
  await refused
  await other.close()
})
