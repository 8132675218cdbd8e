// Cloud connections on the admin page, in a real browser with the demo provider: connect, choose a
// folder, preview, sync, change and sync again; and an emptied folder.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { RunningServer } from '../flows/server.ts'
import { soakTest } from '../scale.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
let folder: string

const open = usePages(
  () => Promise.resolve({ close: () => Promise.resolve() }),
  async (world) => {
    server = world.server
    folder = path.join(server.dataDir, 'demo-cloud', 'manuals')
    await mkdir(path.join(folder, 'boats'), { recursive: true })
    await write('tides.txt', 'tides')
    await write('boats/EB-001_boat.txt', 'boat')
    await write('notes.md', 'notes')
  },
)

const write = (name: string, text: string) => writeFile(path.join(folder, name), text)
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const current = (page: Page) => page.locator('.steps [aria-current=step]')
const figure = (page: Page, name: string) =>
  page.locator('.figures > div').filter({ hasText: name }).locator('dd').first()

const placeInDocument = async (page: Page, locator: Locator) =>
  (await locator.boundingBox())!.y + Number(await page.evaluate('scrollY'))

async function filenames(): Promise<string[]> {
  const reply = await server.call('GET', '/api/files?limit=100')
  const { data } = (await reply.json()) as { data: { filename: string }[] }
  return data.map(({ filename }) => filename).sort()
}

/** Opens the page of the only connection. */
async function openConnection(): Promise<Page> {
  const page = await open('/import/connections')
  await page.getByRole('list', { name: 'Connections' }).getByRole('link').first().click()
  await page.waitForURL(/\/import\/connections\/connection_/)
  return page
}

test('connects, chooses a folder, sets options, previews and confirms', async () => {
  const page = await open('/import/connections')
  await page.getByRole('heading', { name: 'Nothing is connected yet' }).waitFor()
  await page.getByRole('link', { name: 'Connect', exact: true }).click()
  const providers = page.getByRole('list', { name: 'Providers' })
  // Without client ids the page says whose work it is; the log names the variables.
  await providers.getByText('Google Drive cannot be connected yet').waitFor()
  await providers
    .getByRole('listitem')
    .filter({ hasText: 'A folder of this server' })
    .getByRole('button')
    .click()
  await button(page, 'Continue').click()
  await page.waitForURL(/\/import\/connections\/connection_/)
  await button(page, 'Choose a folder').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'manuals' }).click()
  await dialog.getByRole('button', { name: 'boats' }).click()
  await dialog.getByRole('button', { name: 'manuals' }).click()
  await dialog.getByRole('button', { name: 'Choose this folder' }).click()
  await dialog.waitFor({ state: 'detached' })
  await current(page).getByText('Choose a folder').waitFor({ state: 'detached' })
  await current(page).getByText('Set the options').waitFor()
  // The tag and the save bar take no space: they would move the button below away from a click.
  const place = await placeInDocument(page, button(page, 'Preview the first sync'))
  await page.getByLabel('Only files that match').fill('*.txt')
  await page.getByLabel('Sync', { exact: true }).selectOption('Every 12 hours')
  await page.getByLabel('Only files that match').blur()
  await button(page, 'Remove *.txt').waitFor()
  expect(await placeInDocument(page, button(page, 'Preview the first sync'))).toBe(place)
  await button(page, 'Save').click()
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' })
  await button(page, 'Preview the first sync').click()
  await page.getByText('The sync waits for your confirmation').waitFor()
  await expect.poll(() => figure(page, 'New').textContent()).toBe('2')
  expect(await filenames()).toEqual([])
  await button(page, 'Confirm and run').click()
  await button(page, 'Confirm and run').waitFor({ state: 'detached' })
  for (const text of ['The sync waits for your confirmation', 'Waits for you'])
    await expect.poll(() => page.getByText(text).count()).toBe(0)
  await page.getByText('2 new').first().waitFor()
  await expect.poll(filenames).toEqual(['EB-001_boat.txt', 'tides.txt'])
})

soakTest('a folder that changed since the preview is a preview again', async () => {
  const page = await openConnection()
  for (const name of ['tides.txt', 'boats/EB-001_boat.txt']) await rm(path.join(folder, name))
  await button(page, 'Sync now').click()
  await page.getByText('Make sure that the folder at the provider was not emptied').waitFor()
  await write('tides.txt', 'tides')
  await button(page, 'Confirm and run').click()
  await page.getByText('The folder has changed since the preview that you confirmed').waitFor()
  expect(await filenames()).toHaveLength(2)
  await write('boats/EB-001_boat.txt', 'boat')
  await button(page, 'Confirm and run').click()
  await page.getByText('Nothing new').first().waitFor()
  expect(await filenames()).toHaveLength(2)
})

soakTest('changes at the provider are imported by the next sync', async () => {
  const page = await openConnection()
  await write('tides.txt', 'the tides of next year')
  await write('moon.txt', 'moon')
  await button(page, 'Sync now').click()
  await page.getByText('1 new, 1 changed').first().waitFor()
  await expect.poll(filenames).toEqual(['EB-001_boat.txt', 'moon.txt', 'tides.txt'])
  await button(page, 'Sync now').click()
  await page.getByText('Nothing new').first().waitFor()
})

soakTest(
  'files that cannot be imported are listed with the reason, and tried again on request',
  async () => {
    const page = await openConnection()
    await write('blank.txt', '')
    await button(page, 'Sync now').click()
    const list = page.getByRole('list', { name: '1 file cannot be imported' })
    await list.getByText('blank.txt').waitFor()
    await list.getByText('The file is empty').waitFor()
    await write('blank.txt', 'no longer blank')
    await button(page, 'Try again').click()
    await list.waitFor({ state: 'detached' })
    await expect.poll(filenames).toContain('blank.txt')
    await rm(path.join(folder, 'blank.txt'))
    await button(page, 'Sync now').click()
    await button(page, 'Confirm and run').click()
    await page.getByText('1 removed').first().waitFor()
  },
)

soakTest('an emptied folder deletes nothing until a person confirms it', async () => {
  const page = await openConnection()
  await rm(folder, { recursive: true })
  await mkdir(folder)
  await button(page, 'Sync now').click()
  await page.getByText('Make sure that the folder at the provider was not emptied').waitFor()
  await expect.poll(() => figure(page, 'Removed').textContent()).toBe('3')
  expect(await filenames()).toHaveLength(3)
  await button(page, /Discard/).click()
  await page.getByText('The sync waits for your confirmation').waitFor({ state: 'detached' })
  expect(await filenames()).toHaveLength(3)
})

soakTest('a bucket requires its keys, and deleting a connection keeps its files', async () => {
  const page = await open('/import/connections/new')
  await button(page, /^Connect: .*S3/).click()
  await button(page, 'Continue').click()
  await page.getByText('Enter: Bucket').waitFor()
  const before = await filenames()
  expect(before.length).toBeGreaterThanOrEqual(2)
  const connection = await openConnection()
  await button(connection, 'Delete').click()
  await connection.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await connection.getByRole('heading', { name: 'Nothing is connected yet' }).waitFor()
  expect(await filenames()).toEqual(before)
})

soakTest('shows everything on a phone', async () => {
  for (const address of ['/import/connections', '/import/connections/new']) {
    const page = await open(address, { viewport: { width: 390, height: 800 } })
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
      .toBe(true)
  }
})
