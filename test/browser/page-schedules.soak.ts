// Scheduled tasks on the admin page, in a real browser on the real server: from a template, from
// plain forms, run immediately.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
let origin: Origin

const open = usePages(startOrigin, async (world) => {
  ;({ server, origin } = world)
  const files = ['Old course.pdf', 'Old ebook.pdf', 'New chart.zip'].map((filename, n) => ({
    filename,
    url: `${origin.url}/bytes/${500 + n}/${n}`,
  }))
  expect((await importUntilEnd(server, { files, auto_map: false })).status).toBe('success')
  expect(
    (await server.call('PATCH', '/api/settings', { time_zone: 'America/New_York' })).status,
  ).toBe(200)
})

interface Schedule {
  id: string
  name: string
  enabled: boolean
  next_runs: string[]
}

async function schedules(): Promise<Schedule[]> {
  return ((await (await server.call('GET', '/api/schedules')).json()) as { data: Schedule[] }).data
}

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const runs = (page: Page) => page.getByRole('list', { name: 'Next runs' }).getByRole('listitem')
const row = (page: Page, name: string) => page.locator('main tbody tr').filter({ hasText: name })

test('a template shows its next runs in the shop’s time zone and its matches, and runs now', async () => {
  const page = await open('/schedules')
  await page.getByRole('heading', { name: 'Nothing is scheduled yet' }).waitFor()
  await page
    .getByRole('link', { name: 'Use the template Delete old files that nobody uses' })
    .click()
  await page.getByText('Monthly on the 1st at 02:00').waitFor()
  await expect.poll(() => runs(page).count()).toBe(5)
  // The browser is in another time zone.
  for (const text of await runs(page).allTextContents())
    expect(text).toMatch(/, 1 \w+ \d{4}, 02:00$/)
  await page.getByText('No file matches now').waitFor()
  await expect.poll(() => page.getByLabel('Delete at most').inputValue()).toBe('100')
  await expect.poll(() => page.getByLabel('Uploaded more than').inputValue()).toBe('365')
  await save(page).click()
  await page.waitForURL(/\/schedules\/schedule_/)
  expect(await schedules()).toMatchObject([
    {
      name: 'Delete old files that nobody uses',
      cron: '0 2 1 * *',
      action: 'delete-files',
      filter: { older_than_days: 365, mapped: false, not_downloaded_for_days: 180 },
    },
  ])
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.getByRole('dialog').getByText('No file matches now').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click()
  await page.waitForURL(/\/operations\/op_/)
  await page.getByText('Success').first().waitFor()
  await page.goto(`${server.url}/schedules`)
  await row(page, 'Delete old files').getByText('Success', { exact: true }).waitFor()
})

test('a task is created by a plain form, and missing fields are named', async () => {
  const page = await open('/schedules/new')
  await save(page).click()
  await page.getByText('The task can’t be saved yet').waitFor()
  await expect
    .poll(() => page.locator('.problem-list li').allTextContents())
    .toEqual(['Name: Enter a name for the task', 'What: Choose what to do'])
  await page.getByLabel('Name', { exact: true }).fill('Tag courses')
  await page.getByLabel('Action', { exact: true }).selectOption('Tag files')
  await page.getByLabel('How').selectOption('Add')
  await page.getByRole('textbox', { name: /^Tags/ }).fill('course')
  await page.getByLabel('Name or tags contain').fill('old')
  await page.getByText('2 files match now').waitFor()
  await page.getByText('Old course.pdf').waitFor()
  await page.getByLabel('Name or tags contain').fill('old course')
  await page.getByText('1 file matches now').waitFor()
  await page.getByLabel('Runs', { exact: true }).selectOption('Every week')
  await page.getByLabel('Thursday').check()
  await page.getByLabel('At', { exact: true }).fill('06:30')
  await page.getByText('Weekly on Monday and Thursday at 06:30').waitFor()
  await save(page).click()
  await page.waitForURL(/\/schedules\/schedule_/)
  const made = (await schedules()).find(({ name }) => name === 'Tag courses')
  expect(made).toMatchObject({
    cron: '30 6 * * 1,4',
    action: 'tag-files',
    options: { mode: 'add', tags: ['course'] },
    filter: { search: 'old course' },
  })
})

test('an invalid cron line is refused next to the field, and not saved', async () => {
  const page = await open('/schedules')
  await page.getByRole('link', { name: 'Tag courses' }).click()
  await page.getByLabel('Runs', { exact: true }).selectOption('By a cron expression')
  const line = page.getByLabel('Cron expression')
  await expect.poll(() => line.inputValue()).toBe('30 6 * * 1,4')
  await line.fill('30 6 * *')
  await page.getByText('A cron line has five fields').waitFor()
  await save(page).click()
  await page.getByText('The task can’t be saved yet').waitFor()
  await line.fill('*/30 * * * *')
  await expect.poll(() => runs(page).count()).toBe(5)
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByText('Weekly on Monday and Thursday at 06:30').waitFor()
})

test('the switch turns a task off and on', async () => {
  const page = await open('/schedules')
  const on = page.getByRole('switch', { name: 'Tag courses is on' })
  await on.click()
  await row(page, 'Tag courses').getByText('Off', { exact: true }).waitFor()
  expect((await schedules()).find(({ name }) => name === 'Tag courses')!.enabled).toBe(false)
  await on.click()
  await row(page, 'Tag courses').getByText('Off', { exact: true }).waitFor({ state: 'detached' })
  expect((await schedules()).find(({ name }) => name === 'Tag courses')!.next_runs.length).toBe(5)
})

test('a run that would exceed its deletion limit stops as a preview', async () => {
  const body = {
    name: 'Clear out',
    cron: '0 4 * * *',
    action: 'delete-files',
    filter: { search: 'old' },
    cap: 1,
  }
  expect((await server.call('POST', '/api/schedules', body)).status).toBe(201)
  const page = await open('/schedules')
  await page.getByRole('button', { name: 'Run now: Clear out' }).click()
  await page.getByRole('dialog').getByText('2 files match now').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click()
  await page.waitForURL(/\/operations\/op_/)
  await page.getByText('Preview ready').first().waitFor()
  const files = (await (await server.call('GET', '/api/files')).json()) as { total: number }
  expect(files.total).toBe(3)
})

test('a task that was created over the API is shown unchanged', async () => {
  const body = { name: 'Weekly list', cron: '0 4 * * 1', action: 'export-files', filter: {} }
  const made = (await (await server.call('POST', '/api/schedules', body)).json()) as { id: string }
  const page = await open(`/schedules/${made.id}`)
  await page.getByLabel('Format').waitFor()
  await expect
    .poll(() => page.getByLabel('Action', { exact: true }).inputValue())
    .toBe('action export-files')
  // An export deletes nothing.
  await expect.poll(() => page.getByLabel('Delete at most').count()).toBe(0)
})

test('a task is deleted after confirmation', async () => {
  const page = await open('/schedules')
  await page.getByRole('button', { name: 'Delete Clear out' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await row(page, 'Clear out').waitFor({ state: 'detached' })
  expect((await schedules()).map(({ name }) => name)).not.toContain('Clear out')
})

test('shows everything on a phone', async () => {
  const page = await open('/schedules', { viewport: { width: 390, height: 800 } })
  const isWide = () =>
    page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth')
  await page.getByRole('link', { name: 'Tag courses' }).waitFor()
  expect(await isWide()).toBe(false)
  await page.getByRole('link', { name: 'Tag courses' }).click()
  await expect.poll(() => runs(page).count()).toBe(5)
  expect(await isWide()).toBe(false)
})
