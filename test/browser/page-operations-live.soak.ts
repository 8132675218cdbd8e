// A running operation on the admin page: watched by events, paused, resumed, cancelled, its log
// exported.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RunningServer } from '../flows/server.ts'
import { startHeldOrigin, type HeldOrigin } from './held-origin.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
let origin: HeldOrigin
let imports = 0

const open = usePages(startHeldOrigin, async (world) => {
  ;({ server, origin } = world)
})
beforeEach(() => origin.hold())
afterEach(() => origin.open())

/**
 * Starts an import whose files wait until the origin opens. `ready`: what to wait for before
 * returning.
 */
async function startImport(files: number, ready = () => origin.waiting() > 0): Promise<string> {
  const batch = (imports += 1)
  const body = {
    files: Array.from({ length: files }, (_, n) => ({
      filename: `Import ${batch} file ${n}.bin`,
      url: `${origin.url}/${batch}/${n}`,
    })),
  }
  const response = await server.call('POST', '/api/files/import', body, { prefer: 'respond-async' })
  await expect.poll(ready).toBe(true)
  return ((await response.json()) as { job_id: string }).job_id
}

/** Waits until the operation's page shows and announces this state. */
const reaches = (page: Page, word: string) =>
  page
    .locator('main [role=status]', { hasText: new RegExp(`^${word}$`) })
    .waitFor({ state: 'attached' })

test('progress arrives by events, and a reload loses nothing', async () => {
  const job = await startImport(5)
  const page = await open(`/operations/${job}`)
  await reaches(page, 'In progress')
  await page.getByText('0 of 5').waitFor()
  // Until its events arrive, the page asks for the operation.
  const events = page.waitForResponse((response) => response.url().endsWith(`${job}/events`))
  await page.reload()
  await reaches(page, 'In progress')
  await events
  await page.waitForResponse((response) => response.url().endsWith(`${job}/items?limit=50`))
  // Only the events can carry the state now.
  await page.route(`**/api/operations/${job}`, (route) => route.abort())
  origin.open()
  await reaches(page, 'Success')
  await page.getByText('5 of 5').waitFor()
})

test('the page polls if no events arrive', async () => {
  const job = await startImport(3)
  const page = await open('/files')
  await page.route('**/events', (route) => route.abort())
  await page.goto(`${server.url}/operations/${job}`)
  await reaches(page, 'In progress')
  origin.open()
  await reaches(page, 'Success')
})

test('a paused operation stays paused over a reload until it is resumed', async () => {
  const job = await startImport(4)
  const page = await open(`/operations/${job}`)
  await page.getByRole('button', { name: 'Pause' }).press('Enter')
  await reaches(page, 'Paused')
  await page.getByRole('button', { name: 'Resume' }).and(page.locator(':focus')).waitFor()
  await page.getByText('Resume to process the waiting files', { exact: false }).waitFor()
  await page.reload()
  await reaches(page, 'Paused')
  await expect.poll(() => page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
  await expect.poll(() => origin.waiting()).toBe(0)
  await page.getByRole('button', { name: 'Resume' }).click()
  await reaches(page, 'In progress')
  origin.open()
  await reaches(page, 'Success')
  await page.getByText('4 of 4').waitFor()
})

test('a cancel asks for confirmation, and the log has the result of each file', async () => {
  const job = await startImport(3)
  const page = await open(`/operations/${job}`)
  await page.getByRole('button', { name: 'Cancel operation' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('3 waiting files are not changed', { exact: false }).waitFor()
  await dialog.getByRole('button', { name: 'Back' }).click()
  await dialog.waitFor({ state: 'detached' })
  await reaches(page, 'In progress')
  await page.getByRole('button', { name: 'Cancel operation' }).click()
  await dialog.getByRole('button', { name: 'Cancel operation' }).click()
  await reaches(page, 'Cancelled')
  await page.getByRole('tab', { name: 'Cancelled 3' }).click()
  await page.locator('main tbody tr').nth(2).getByText('Cancelled', { exact: true }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Cancel operation' }).count()).toBe(0)
  const csv = await exported(page, 'CSV, for spreadsheets')
  expect(csv.name).toBe(`${job}.csv`)
  expect(csv.text).toContain('position,filename')
  expect(
    csv.text.match(/,cancelled,operation_cancelled,The operation was cancelled,/g),
  ).toHaveLength(3)
  const json = await exported(page, 'JSON, for programs')
  expect(JSON.stringify(JSON.parse(json.text))).toContain('"status":"cancelled"')
})

test('failed files are retried in the same operation', async () => {
  origin.refuse()
  const job = await startImport(2, () => true)
  const page = await open(`/operations/${job}`)
  await reaches(page, 'Failed')
  await page.getByText('No file was imported').waitFor()
  origin.open()
  await page.getByRole('button', { name: 'Retry 2 failed files' }).click()
  await reaches(page, 'Success')
  await page.getByRole('tab', { name: 'Done 2' }).waitFor()
  await expect.poll(() => page.getByText('No file was imported').count()).toBe(0)
})

test('the history updates automatically, and pauses and resumes there', async () => {
  await startImport(2)
  const page = await open('/operations?status=running')
  const row = page.locator('main tbody tr').first()
  await row.getByText('0 of 2').waitFor()
  await row.getByRole('button', { name: 'Pause: API import' }).click()
  await page.getByRole('heading', { name: 'No operation matches' }).waitFor()
  await page.getByRole('button', { name: 'Show all operations' }).click()
  await row.getByText('Paused', { exact: true }).waitFor()
  await row.getByRole('button', { name: 'Resume: API import' }).click()
  await row.getByText('In progress', { exact: true }).waitFor()
  origin.open()
  await row.getByText('Success', { exact: true }).waitFor()
  await row.getByText('2 of 2').waitFor()
})

test('a refused action says why, and is replaced by the possible one', async () => {
  const job = await startImport(1)
  const page = await open(`/operations/${job}`)
  // The page is out of date: the operation ends before its request arrives.
  await page.route('**/pause', async (route) => {
    origin.open()
    await expect.poll(() => ended(job)).toBe(true)
    await route.fallback()
  })
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('This could not be done').waitFor()
  await page.getByText('This operation has ended', { exact: false }).waitFor()
  await reaches(page, 'Success')
  await expect.poll(() => page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
})

async function ended(job: string): Promise<boolean> {
  const record = (await (await server.call('GET', `/api/jobs/${job}`)).json()) as { status: string }
  return record.status === 'success'
}

async function exported(page: Page, choice: string): Promise<{ name: string; text: string }> {
  await page.getByRole('button', { name: 'Export log' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByText(choice).click(),
  ])
  return {
    name: download.suggestedFilename(),
    text: await readFile((await download.path())!, 'utf8'),
  }
}
