// A plugin that is only listed in the configuration, on the admin page: its form, preview,
// progress, history, undo and schedule, without code of it in web/.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { openTestApp, type TestApp } from '../app.ts'
import { countWords } from '../plugins/count-words/plugin.ts'
import { soakTest } from '../scale.ts'
import { choose, dialogOf, previewedTitles, launched, tick } from './dialogs.ts'
import { openPage, sharedBrowser, type OpenPage } from './page-browser.ts'

const FILES = {
  'guide.pdf': '%PDF-1.7',
  'novel.md': Array.from({ length: 5000 }, (_, at) => `word${at}`).join(' '),
  'poem.txt': '  The rose\nis red.\t',
}
const NAMES = Object.keys(FILES)

let app: TestApp
let worker: EngineWorker
let browser: Browser
let opened: OpenPage
let page: Page
let folder: string

beforeAll(async () => {
  ;[app, browser, folder] = await Promise.all([
    openTestApp({ plugins: [countWords] }),
    sharedBrowser(),
    mkdtemp(path.join(tmpdir(), 'stevedore-sample-')),
  ])
  worker = await app.engine.startWorker()
  for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(folder, name), text)
  opened = await openPage(browser, app, '/import/upload')
  page = opened.page
  await page
    .getByLabel('Choose files', { exact: true })
    .and(page.locator('input'))
    .setInputFiles(NAMES.map((name) => path.join(folder, name)))
  await page.getByText('3 files were imported').waitFor()
})
afterAll(async () => {
  expect(opened.complaints).toEqual([])
  await opened.close()
  await worker.stop()
  await app.close()
  await rm(folder, { recursive: true, force: true })
})

/** Runs in the browser, which has the session. */
const READ_FILES = `window.shopify.idToken()
  .then((token) => fetch('/api/files?sort=filename', { headers: { authorization: 'Bearer ' + token } }))
  .then((reply) => reply.json())`

/** The tags of the three files, ordered by file name. */
const tagsOf = async (): Promise<string[][]> =>
  ((await page.evaluate(READ_FILES)) as { data: { tags: string[] }[] }).data.map(({ tags }) => tags)

test('its form is previewed, run, followed and undone from Files', async () => {
  await page.goto(`${app.url}/files`)
  await tick(page, NAMES)
  const dialog = await choose(page, 'Count words')
  await dialog.getByText('Count the words of 3 files').waitFor()
  await dialog.getByText('2 text files selected; 1 other file is skipped.').waitFor()
  await expect.poll(() => dialog.getByLabel('Tag', { exact: true }).inputValue()).toBe('words')
  await dialog.getByLabel('Round to').fill('0')
  await dialog.getByText('Enter a whole number from 1 to 1,000,000').waitFor()
  await dialog.getByLabel('Round to').fill('1000')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect.poll(() => previewedTitles(dialog)).toContain('2 files would be counted')
  expect(await tagsOf()).toEqual([[], [], []])

  await dialog.getByRole('button', { name: 'Count words' }).click()
  await launched(page).getByText('Words of 2 files counted, 1 skipped').waitFor()
  expect(await tagsOf()).toEqual([[], ['words-5000'], ['words-0']])

  await launched(page).getByRole('link', { name: 'View details' }).click()
  await page.getByRole('heading', { name: 'Count words' }).waitFor()
  await page.getByText('3 of 3').first().waitFor()
  await page.getByText('Tags text files with the number of their words').waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Operations' }).click()
  await page.getByRole('link', { name: 'Count words' }).first().click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await dialogOf(page).getByRole('button', { name: 'Undo for 2 files' }).click()
  await page.getByRole('heading', { name: 'Undo: Count words' }).waitFor()
  await page.getByText('Success', { exact: true }).first().waitFor()
  expect(await tagsOf()).toEqual([[], [], []])
})

soakTest('it is scheduled with its form, and runs from the schedule', async () => {
  await page.goto(`${app.url}/schedules/new`)
  await page.getByLabel('Name', { exact: true }).fill('Count at night')
  await page.getByLabel('Action', { exact: true }).selectOption('Count words')
  await page.getByLabel('Tag', { exact: true }).fill('length')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Run now' }).click()
  await dialogOf(page).getByRole('button', { name: 'Run now' }).click()
  await expect.poll(tagsOf).toEqual([[], ['length-5000'], ['length-4']])
})
