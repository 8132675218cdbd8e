// Selecting files: one by one, as a range, with Ctrl, on several pages, or all that match; and the
// actions available for a selection.
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { soakTest } from '../scale.ts'
import { usePages } from './page-browser.ts'

const FILES = 120

let server: RunningServer

const open = usePages(startOrigin, async (world) => {
  ;({ server } = world)
  const files = Array.from({ length: FILES }, (_, n) => ({
    filename: `Chart ${String(n).padStart(3, '0')}.${n < 5 ? 'pdf' : 'zip'}`,
    url: `${world.origin.url}/bytes/${500 + n}/chart-${n}`,
    tags: n % 2 === 0 ? ['even'] : ['odd'],
  }))
  expect((await importUntilEnd(server, { files, auto_map: false })).imported).toBe(FILES)
})

const row = (page: Page, name: string) => page.locator('main tbody tr', { hasText: name })
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
/**
 * By keyboard: the list's header may cover its first rows until the page has measured its position.
 */
const tick = (page: Page, name: string) => box(page, name).press('Space')
const ticked = (page: Page) => page.locator('main tbody').getByRole('checkbox', { checked: true })
const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).last().click()

async function tagsOf(search: string): Promise<string[][]> {
  const list = await server.call(
    'GET',
    `/api/files?search=${encodeURIComponent(search)}&sort=filename&limit=250`,
  )
  return ((await list.json()) as { data: { tags: string[] }[] }).data.map(({ tags }) => tags)
}

async function addTag(page: Page, tag: string): Promise<void> {
  await press(page, 'Change tags')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('How').selectOption({ label: 'Add to the tags they have' })
  await dialog.getByLabel('Tags', { exact: true }).fill(tag)
  await dialog.getByRole('button', { name: 'Add tags' }).click()
  await page
    .locator('.operation-toast')
    .getByText(/^Tags of .* changed$/)
    .waitFor()
}

test('Ctrl selects rows one by one, Shift selects the rows between, anywhere in the row', async () => {
  const page = await open('/files?sort=filename')
  await row(page, 'Chart 002')
    .locator('.file-icon')
    .click({ modifiers: ['Control'] })
  await page.getByText('1 selected').first().waitFor()
  await row(page, 'Chart 006')
    .locator('.file-icon')
    .click({ modifiers: ['Meta'] })
  await page.getByText('2 selected').first().waitFor()
  await row(page, 'Chart 010')
    .locator('.file-icon')
    .click({ modifiers: ['Shift'] })
  await page.getByText('6 selected').first().waitFor()
  await row(page, 'Chart 008')
    .locator('.file-icon')
    .click({ modifiers: ['Control'] })
  await page.getByText('5 selected').first().waitFor()
  await expect.poll(() => box(page, 'Chart 008.zip').isChecked()).toBe(false)
  expect(new URL(page.url()).pathname).toBe('/files')
  await expect.poll(() => page.evaluate('String(getSelection())')).toBe('')
})

soakTest(
  'a selection survives other pages and another order, and is described in words',
  async () => {
    const page = await open('/files?sort=filename')
    await tick(page, 'Chart 001.pdf')
    await page.getByRole('button', { name: 'Next page of files' }).click()
    await page.getByText('1 file is selected, on another page').waitFor()
    await tick(page, 'Chart 050.zip')
    await tick(page, 'Chart 051.zip')
    await page.getByText('3 files are selected, 1 of them on other pages').waitFor()
    await page.getByRole('table').getByRole('button', { name: 'File', exact: true }).press('Enter')
    await page.waitForURL('**/files?sort=-filename')
    await page.getByText('3 files are selected, all on other pages').waitFor()
    await addTag(page, 'picked')
    expect((await tagsOf('chart 001'))[0]).toContain('picked')
    expect((await tagsOf('chart 05')).filter((tags) => tags.includes('picked'))).toHaveLength(2)
    // The files exist: they stay selected for another action, until they are deleted.
    await page.getByText('3 files are selected, all on other pages').waitFor()
    await addTag(page, 'again')
    await expect.poll(async () => (await tagsOf('chart 001'))[0]).toContain('again')
    await page.locator('main tbody').getByRole('link').first().click()
    await page.waitForURL(/\/files\/file_/)
    await page.goBack()
    await page.getByText('3 files are selected, all on other pages').waitFor()
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await page.getByText('3 files are selected').waitFor({ state: 'detached' })
    await expect.poll(() => ticked(page).count()).toBe(0)
  },
)

soakTest('the page’s checkbox selects and clears this page only', async () => {
  const page = await open('/files?sort=filename')
  await tick(page, 'Chart 003.pdf')
  await page.getByRole('button', { name: 'Next page of files' }).click()
  await page.getByText('51–100 of').waitFor()
  // Wait until the first page's rows are replaced: an earlier click may be lost.
  await page.getByText('Chart 003.pdf').first().waitFor({ state: 'detached' })
  const all = page.getByRole('checkbox', { name: /Select all|Deselect all/ }).first()
  await all.click({ force: true })
  await page.getByText('51 files are selected, 1 of them on other pages').waitFor()
  await all.click({ force: true })
  await page.getByText('1 file is selected, on another page').waitFor()
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await page.getByText('1 file is selected').waitFor({ state: 'detached' })
  await expect.poll(() => ticked(page).count()).toBe(0)
})

soakTest(
  'all matching files are selected by their filter, on every page; another filter clears the selection',
  async () => {
    const page = await open('/files?tags=even&sort=filename')
    await page.getByText('1–50 of 60 files').waitFor()
    await tick(page, 'Chart 000.pdf')
    await page.getByRole('button', { name: 'Select all 60 files' }).click()
    await page.getByText('All 60 files that match are selected: tagged even').waitFor()
    await page.getByRole('button', { name: 'Next page of files' }).click()
    await page.getByText('51–60 of 60 files').waitFor()
    await expect.poll(() => ticked(page).count()).toBe(10)
    await press(page, 'Change tags')
    await page.getByRole('dialog').getByText('All files with: tagged even. 60 files now').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Clear', exact: true }).first().click()
    await page.getByText('1–50 of 120 files').waitFor()
    await expect.poll(() => ticked(page).count()).toBe(0)
  },
)

soakTest('an action that does not fit the selected files says why', async () => {
  const page = await open('/files?sort=filename')
  await tick(page, 'Chart 006.zip')
  await press(page, 'More actions')
  const menu = page.locator('.Polaris-Popover')
  await menu.getByRole('menuitem', { name: /Remove product mappings/ }).waitFor()
  await expect
    .poll(() => menu.getByRole('menuitem', { name: /Remove product mappings/ }).isDisabled())
    .toBe(true)
  await menu.getByText('None of them is mapped to a product').waitFor()
  await menu.getByText('Select at least two PDFs').waitFor()
  await page.keyboard.press('Escape')
  await box(page, 'Chart 006.zip').uncheck({ force: true })
  for (const name of ['Chart 000.pdf', 'Chart 001.pdf', 'Chart 006.zip'])
    await box(page, name).check({ force: true })
  await press(page, 'More actions')
  await menu.getByText('Select only PDFs: Chart 006.zip is not a PDF').waitFor()
})

test('the bar takes the place of the headings, and the focus with it', async () => {
  const page = await open('/files?sort=filename')
  const heading = page.getByRole('checkbox', { name: 'Select all files' })
  const inBar = page.getByRole('checkbox', { name: 'Select all on this page' })
  const focused = (target: Locator) => target.and(page.locator(':focus')).waitFor()
  await heading.press('Space')
  await page.getByRole('status').getByText('50 selected').waitFor()
  await focused(inBar)
  // Back from the first row: the headings are covered.
  await page.locator('main tbody').getByRole('checkbox').first().focus()
  await page.keyboard.press('Shift+Tab')
  await focused(page.getByRole('button', { name: 'More actions' }))
  await page.keyboard.press('Enter')
  const items = page.getByRole('menuitem', { disabled: false })
  await focused(items.first())
  await page.keyboard.press('ArrowUp')
  await focused(items.last())
  await page.keyboard.press('ArrowDown')
  await focused(items.first())
  await page.keyboard.press('Escape')
  await focused(page.getByRole('button', { name: 'More actions' }))
  await inBar.press('Space')
  await focused(heading)
  await expect.poll(() => inBar.count()).toBe(0)
  await page.keyboard.press('Tab')
  await focused(page.getByRole('button', { name: 'File', exact: true }))
})

test('the first tick draws no part of the page that was not there', async () => {
  const page = await open('/files?sort=filename')
  await box(page, 'Chart 003.pdf').waitFor()
  await page.evaluate(`window.added = []
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes) if (node.matches?.('button, td, th')) added.push(node.outerHTML)
    }).observe(document.body, { childList: true, subtree: true })`)
  await tick(page, 'Chart 003.pdf')
  await page.getByRole('status').getByText('1 selected').waitFor()
  await expect.poll(() => page.evaluate('window.added')).toEqual([])
})

test('actions without room in the bar are in its menu, and all of the page can be left of all', async () => {
  const page = await open('/files?sort=filename')
  await tick(page, 'Chart 003.pdf')
  const remove = page.getByRole('button', { name: 'Delete', exact: true })
  await remove.waitFor()
  await page.setViewportSize({ width: 1060, height: 900 })
  await remove.waitFor({ state: 'hidden' })
  await press(page, 'More actions')
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1280, height: 900 })
  await remove.waitFor()
  await press(page, 'Select all 120 files')
  await page.getByRole('status').getByText('All 120 files selected').waitFor()
  await press(page, 'Only this page')
  await page.getByRole('status').getByText('50 selected').waitFor()
  await expect.poll(() => ticked(page).count()).toBe(50)
})
