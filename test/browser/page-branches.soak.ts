// A workflow with a branch, in a real browser: built by mouse and by keyboard, tried, run, read step by
// step and undone, also on a narrow screen.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import {
  openPage,
  sharedBrowser,
  startPageServer,
  type OpenPage,
  type PageServer,
} from './page-browser.ts'

let server: PageServer
let origin: Origin
let browser: Browser
const opened: OpenPage[] = []
beforeAll(async () => {
  ;[server, origin, browser] = await Promise.all([
    startPageServer(),
    startOrigin(),
    sharedBrowser(),
  ])
})
afterEach(async () => {
  for (const { complaints, close } of opened.splice(0)) {
    await close()
    expect(complaints).toEqual([])
  }
})
afterAll(async () => {
  await server.end()
  await origin.close()
})

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const one = await openPage(browser, server, path, options)
  opened.push(one)
  return one.page
}
async function importFile(filename: string): Promise<string> {
  const url = `${origin.url}/bytes/500/${filename.length}`
  const { files } = await importUntilEnd(server, { files: [{ filename, url }], auto_map: false })
  return files[0]!.file_id!
}
const tagsOf = async (id: string) =>
  ((await (await server.call('GET', `/api/files/${id}`)).json()) as { tags: string[] }).tags
const step = (page: Page, n: number) =>
  page.getByRole('listitem', { name: new RegExp(`^Step ${n},`) })
const giveTag = async (page: Page, n: number, name: string) => {
  await step(page, n).getByLabel('How').selectOption('Add')
  await step(page, n).getByRole('textbox', { name: /^Tags/ }).fill(name)
  await page.keyboard.press('Enter')
}
const press = (page: Page, name: string, byKey: boolean) => {
  const button = page.getByRole('button', { name, exact: true })
  return byKey ? button.press('Enter') : button.click()
}
const choose = async (page: Page, byKey: boolean) => {
  const item = page.getByRole('menuitem', { name: 'Tag files', exact: true })
  await (byKey ? item.press('Enter') : item.click())
}

test.each([
  ['mouse', 1280],
  ['keyboard', 390],
] as const)('a branch is built by %s at %i px, run, and undone', async (way, width) => {
  const byKey = way === 'keyboard'
  const ids = [await importFile(`${way} large.pdf`), await importFile(`${way} plan.zip`)]
  const page = await open('/workflows/new', { viewport: { width, height: 900 } })
  await page.getByLabel('Name', { exact: true }).fill(`By ${way}`)
  await press(page, 'Add step', byKey)
  await choose(page, byKey)
  await giveTag(page, 1, 'large')
  await step(page, 1).getByLabel('Only for some files').setChecked(true)
  await step(page, 1).getByLabel('Name or tags contain').fill('large')
  await press(page, 'Other steps for the other files', byKey)
  await press(page, 'Add a step for the other files', byKey)
  await choose(page, byKey)
  await giveTag(page, 2, 'other')
  await page.getByRole('heading', { name: 'The other files' }).waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  await press(page, 'Save', byKey)
  await page.waitForURL(/\/workflows\/workflow_/)
  await page.reload()
  await page.getByRole('heading', { name: 'The other files' }).waitFor()

  const body = { workflow: page.url().split('/').at(-1), select: { file_ids: ids } }
  const answer = await server.call('POST', '/api/operations', body)
  const { id } = (await answer.json()) as { id: string }
  await expect.poll(() => Promise.all(ids.map(tagsOf))).toEqual([['large'], ['other']])
  await page.goto(`${server.url}/operations/${id}`)
  await page.getByRole('heading', { name: 'Steps of this run' }).waitFor()
  const shown = page.getByRole('button', { name: 'Tag files, Changed: show 1 file' })
  await expect.poll(() => shown.count()).toBe(2)
  await (byKey ? shown.last().press('Enter') : shown.last().click())
  await page.getByText('Only files of one result of the step “Tag files” are shown.').waitFor()
  await expect.poll(() => page.getByText(`${way} large.pdf`).count()).toBe(0)
  await page.getByText(`${way} plan.zip`).first().waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)

  await server.call('POST', `/api/operations/${id}/undo`)
  await expect.poll(() => Promise.all(ids.map(tagsOf))).toEqual([[], []])
})
