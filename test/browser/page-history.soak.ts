// The history of operations on the admin page with its filters, and the notification settings and
// sent mail that lead to it.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { usePages } from './page-browser.ts'

/** Tag operations, so that the history has two pages. */
const TAGGINGS = 27

let server: RunningServer
let origin: Origin

const open = usePages(startOrigin, async (world) => {
  ;({ server, origin } = world)
  const fine = { filename: 'Knots.pdf', url: `${origin.url}/bytes/100/knots` }
  const missing = { filename: 'Missing.pdf', url: `${origin.url}/nothing` }
  const reply = await importUntilEnd(server, { files: [fine, missing], notify: true })
  expect(reply.status).toBe('partial')
  const file = reply.files[0]!.file_id!
  for (let n = 0; n < TAGGINGS; n++)
    await run('tag-files', file, { mode: 'add', tags: [`tag-${n}`] })
  await run('delete-files', file, {})
})

async function run(action: string, file: string, options: object): Promise<void> {
  const response = await server.call('POST', '/api/operations', {
    action,
    select: { file_ids: [file] },
    options,
  })
  expect(response.status).toBe(202)
  const { id } = (await response.json()) as { id: string }
  // Wait for the end by events: polling would take most of the time.
  await server.call('GET', `/api/operations/${id}/events`).then((events) => events.text())
}

const rows = (page: Page) => page.locator('main tbody tr')
const choose = async (page: Page, filter: string, choice: string) => {
  await page.getByRole('button', { name: filter, exact: true }).click()
  await page.locator('label').getByText(choice, { exact: true }).click()
  await page.keyboard.press('Escape')
}

test('a view of the operations keeps their filters, and is changed and deleted', async () => {
  const page = await open('/operations')
  await choose(page, 'Kind', 'Imports')
  await page.getByRole('button', { name: 'Save view' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Only imports')
  await page.keyboard.press('Enter')
  const tab = page.getByRole('link', { name: 'Only imports' })
  await tab.and(page.locator('[aria-current]')).waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('view')).toMatch(/^saved_/)

  const other = await open('/operations')
  await other.getByRole('link', { name: 'Only imports' }).click()
  await expect.poll(() => rows(other).count()).toBe(1)
  await choose(other, 'Status', 'Partial')
  await other.getByRole('button', { name: 'Save changes' }).press('Enter')
  await other.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' })
  const views = (await (await server.call('GET', '/api/views?list=operations')).json()) as {
    data: { query: string }[]
  }
  expect(views.data.map(({ query }) => query)).toEqual(['status=partial&kind=import'])
  await other.getByRole('button', { name: 'View “Only imports”' }).press('Enter')
  await other.getByRole('menuitem', { name: 'Delete view' }).press('Enter')
  await other.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
  await other.getByRole('link', { name: 'Only imports' }).waitFor({ state: 'detached' })
  await expect.poll(() => rows(other).count()).toBe(1)
})

test('each operation is listed with its date, files, status, duration and creator', async () => {
  const page = await open('/operations')
  await page.getByText('Page 1', { exact: true }).waitFor()
  const newest = rows(page).first()
  await expect
    .poll(() => newest.locator('td').allTextContents())
    .toEqual([
      'Delete files',
      expect.stringMatching(/^\d{1,2} \w+ 20\d\d, \d\d:\d\d$/),
      expect.stringContaining('Success'),
      '1 of 1',
      '0',
      expect.stringMatching(/\d (s|min)$/),
      'Demo',
      '',
    ])
  await page.getByRole('button', { name: 'Next page of operations' }).click()
  await page.getByText('Page 2', { exact: true }).waitFor()
  await page.reload()
  await page.getByText('Page 2', { exact: true }).waitFor()
  await rows(page).getByText('Partial', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Previous page of operations' }).click()
  await page.getByText('Page 1', { exact: true }).waitFor()
})

test('filters combine, are kept in the address, and are removed one by one', async () => {
  const page = await open('/operations')
  await choose(page, 'Kind', 'Bulk operations')
  await page.getByRole('button', { name: 'Action', exact: true }).click()
  // Titles of operations without a plugin of that name are included.
  for (const besides of ['Import', 'Custom workflow', 'CSV update'])
    await page.locator('label').getByText(besides, { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await choose(page, 'Action', 'Delete files')
  await page.getByText('1 operation', { exact: true }).waitFor()
  expect(new URL(page.url()).search).toBe('?kind=bulk&action=delete-files')
  await page.reload()
  await page.getByText('1 operation', { exact: true }).waitFor()
  await choose(page, 'Status', 'Failed')
  await page.getByRole('heading', { name: 'No operation matches' }).waitFor()
  await page.getByRole('button', { name: 'Show all operations' }).click()
  await page.getByText('Page 1', { exact: true }).waitFor()
  expect(new URL(page.url()).search).toBe('')
  await page.goto(`${server.url}/operations?status=partial&channel=api`)
  await page.getByText('1 operation', { exact: true }).waitFor()
  await expect.poll(() => rows(page).first().textContent()).toContain('API import')
})

test('filters by creator and by date', async () => {
  const page = await open('/operations?kind=import')
  await page.getByText('1 operation', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Started by', exact: true }).click()
  await page.getByLabel('Name of the API key').fill('Nobody')
  await page.getByRole('heading', { name: 'No operation matches' }).waitFor()
  await page.getByLabel('Name of the API key').fill('Demo')
  await page.getByText('1 operation', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  const today = await page.evaluate<string>('new Date().toLocaleDateString("en-CA")')
  await page.goto(`${server.url}/operations?kind=import&from=${today}&to=${today}`)
  await page.getByText('1 operation', { exact: true }).waitFor()
  await page.goto(`${server.url}/operations?kind=import&to=2020-01-01`)
  await page.getByRole('heading', { name: 'No operation matches' }).waitFor()
  await page.getByText('Date to 1 Jan 2020').waitFor()
})

test('searches by name, and searches an operation’s files', async () => {
  const page = await open('/operations')
  await page.getByPlaceholder('Search operations by name').fill('delete')
  await page.getByText('1 operation', { exact: true }).waitFor()
  await page.goto(`${server.url}/operations?kind=import`)
  await rows(page).first().getByRole('link').click()
  await page.getByPlaceholder('Search these files by name').fill('miss')
  await expect.poll(() => rows(page).count()).toBe(1)
  await rows(page).getByText('File URL not accessible').waitFor()
  await page.getByPlaceholder('Search these files by name').fill('treasure')
  await page.getByText('No file’s name contains this.').waitFor()
})

test('settings link to the history; changes are saved, or refused next to their field', async () => {
  const page = await open('/settings')
  await page.getByLabel('Links expire: number').fill('soon')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Enter a whole number from 1 to 36,500').waitFor()
  await page.getByLabel('Links expire: number').fill('30')
  const recipients = page.getByLabel('Recipients')
  await recipients.fill('nobody,')
  await page.getByLabel('Email when an operation is complete').uncheck({ force: true })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('[id="field-recipientsError"]').waitFor()
  await page.getByRole('button', { name: 'Remove nobody' }).click()
  await recipients.fill('ann@example.com,')
  await page.getByLabel('Time zone').selectOption('Europe/Berlin')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  // The bar is gone: the focus moves to the element before it.
  await page.getByRole('link', { name: 'API keys' }).and(page.locator(':focus')).waitFor()
  const saved = (await (await server.call('GET', '/api/settings')).json()) as Record<
    string,
    unknown
  >
  expect(saved).toMatchObject({
    expiry_days: 30,
    email_on_complete: false,
    time_zone: 'Europe/Berlin',
  })
  expect(saved.recipients).toContain('ann@example.com')
  await page.reload()
  await page.getByText('ann@example.com').waitFor()
  await page.getByRole('link', { name: 'Deletions' }).click()
  await page.getByText('1 operation', { exact: true }).waitFor()
})

test('sent mail can be read, and unsent mail is shown', async () => {
  const page = await open('/settings')
  await page.getByRole('link', { name: 'Sent mail' }).click()
  await page.getByText('Messages marked as kept here were not sent', { exact: false }).waitFor()
  const message = page.getByRole('button', { name: /1 of 2 files imported/ })
  await message.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Missing.pdf: File URL not accessible', { exact: false }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await dialog.waitFor({ state: 'detached' })
  await message.click()
  await dialog.getByRole('link', { name: 'View the operation' }).click()
  await page.getByRole('heading', { name: 'API import' }).waitFor()
})

test('nothing is wider than a phone’s screen', async () => {
  const shown = {
    '/settings': 'Time zone',
    '/settings/mail': 'Messages marked as kept here were not sent',
    '/operations?action=delete-files': 'Delete files',
    '/trash': 'Deleted files stay here for 7 days',
  }
  for (const [address, text] of Object.entries(shown)) {
    const page = await open(address, { viewport: { width: 390, height: 844 }, isMobile: true })
    await page.locator('main').getByText(text).first().waitFor()
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    await expect.poll(fits, { message: address }).toBe(true)
  }
})
