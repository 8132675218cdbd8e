// The plan's page of an installation with plans: usage of the limits, and a plan that the merchant
// chooses and confirms on the platform's page.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Plans } from '../../server/core/configuration/plan-list.ts'
import { openTestApp, type TestApp } from '../app.ts'
import { addFile } from '../deliveries.ts'
import { openPage, sharedBrowser } from './page-browser.ts'

const PLANS: Plans = {
  pricing: 'manual',
  free: 'small',
  test: true,
  list: [
    {
      id: 'small',
      title: 'Small',
      features: [],
      limits: { files: 1, storage_bytes: 1000, monthly_downloads: 10 },
    },
    {
      id: 'studio',
      title: 'Studio',
      features: ['workflows'],
      trialDays: 14,
      limits: { files: null, storage_bytes: null, monthly_downloads: null },
      price: { amount: 19, currency: 'EUR', interval: 'EVERY_30_DAYS' },
    },
  ],
}

let app: TestApp
let browser: Browser
beforeAll(async () => {
  ;[app, browser] = await Promise.all([openTestApp({ plans: PLANS }), sharedBrowser()])
})
afterAll(() => app.close())

test('shows the usage and links to another plan', async () => {
  await addFile({ ...app.engine, scope: app.demo.scope }, 'guide.pdf', Buffer.alloc(900))
  const { page, complaints, close } = await openPage(browser, app, '/settings/plan')
  onTestFinished(close)
  await page.getByRole('heading', { name: 'Small' }).first().waitFor()
  await page.getByText('A limit of your plan is reached').waitFor()
  for (const used of ['1 of 1', /^900 bytes of /, '0 of 10'])
    await page.getByText(used, { exact: true }).waitFor()
  const plan = (on: Page, title: string) =>
    on.getByRole('list', { name: 'Plans' }).getByRole('listitem').filter({ hasText: title })
  await plan(page, 'Small').getByText('Your plan').waitFor()
  await plan(page, 'Studio').getByText('€19.00 every 30 days').waitFor()
  expect(complaints).toEqual([])

  await page.getByRole('button', { name: 'Choose: Studio' }).click()
  await page.getByText('Studio: 19.00 EUR').waitFor()
  await page.getByRole('button', { name: 'Approve' }).click({ noWaitAfter: true })
  await expect
    .poll(async () => (await app.demo.call('GET', '/api/plan?refresh=1')).body.plan)
    .toBe('studio')
  // In another tab: in this one the platform returns to an address where no server listens.
  const returned = await openPage(browser, app, '/settings/plan')
  onTestFinished(returned.close)
  await returned.page.getByText('1, no limit').waitFor()
  await returned.page.getByText('Included: Custom workflows').waitFor()
  await returned.page.getByText(/^The trial ends /).waitFor()
  await plan(returned.page, 'Studio').getByText('Your plan').waitFor()
})
