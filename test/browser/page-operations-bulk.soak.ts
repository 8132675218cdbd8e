// Bulk actions on the admin page: files are selected, tagged, previewed and confirmed, deleted,
// restored, undone.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { uniqueSkus } from '../flows/catalog.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { choose } from './dialogs.ts'
import { usePages } from './page-browser.ts'

const FILES = 60

let server: RunningServer
let origin: Origin

const open = usePages(startOrigin, async (world) => {
  ;({ server, origin } = world)
  const [sku] = uniqueSkus()
  const files = Array.from({ length: FILES }, (_, n) => ({
    filename: `Chart ${String(n).padStart(2, '0')}.pdf`,
    url: `${origin.url}/bytes/${500 + n}/chart-${n}`,
    tags: ['chart'],
    ...(n < 2 ? { product_sku: sku! } : {}),
  }))
  expect((await importUntilEnd(server, { files, auto_map: false })).imported).toBe(FILES)
})

interface FileRecord {
  filename: string
  tags: string[]
  expiry_days: number | null
  cdn: boolean
  mappings: unknown[]
}

async function filesBy(search: string, deleted = false): Promise<FileRecord[]> {
  const query = new URLSearchParams({
    search,
    sort: 'filename',
    ...(deleted ? { deleted: 'true' } : {}),
  })
  return (
    (await (await server.call('GET', `/api/files?${query}`)).json()) as { data: FileRecord[] }
  ).data
}

const rows = (page: Page) => page.locator('main tbody tr')
const dialogOf = (page: Page): Locator => page.getByRole('dialog')
/** The text of the line about the operation that was just started. */
const launched = (page: Page) => page.locator('.operation-toast')

async function tick(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names)
    await page.getByRole('checkbox', { name: `Select ${name}` }).check({ force: true })
  await page.getByText(`${names.length} selected`).first().waitFor()
}

/** The visible button of the bulk bar, which has a hidden copy for measuring. */
const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).last().click()

describe('tags', () => {
  test('are replaced by default, added, removed; each change can be undone while its message is shown', async () => {
    const page = await open('/files?search=chart+1&sort=filename')
    await tick(page, ['Chart 10.pdf', 'Chart 11.pdf'])
    await press(page, 'Change tags')
    const dialog = dialogOf(page)
    await expect.poll(() => dialog.getByLabel('How').inputValue()).toBe('replace')
    // What is typed now is a tag.
    await dialog.getByLabel('Tags', { exact: true }).and(page.locator(':focus')).waitFor()
    await dialog.getByLabel('Tags', { exact: true }).fill('north, 2026,')
    await dialog.getByRole('button', { name: 'Replace tags' }).click()
    await dialog.getByText('2 files lose the tag chart.').waitFor()
    expect((await filesBy('chart 10'))[0]!.tags).toEqual(['chart'])
    await dialog.getByRole('button', { name: 'Replace the tags' }).click()
    await launched(page).getByText('Tags of 2 files changed').waitFor()
    await launched(page).and(page.locator(':focus')).waitFor()
    expect((await filesBy('chart 1')).slice(0, 3).map(({ tags }) => tags)).toEqual([
      expect.arrayContaining(['north', '2026']),
      expect.arrayContaining(['north', '2026']),
      ['chart'],
    ])
    await rows(page).first().getByText('north').waitFor()
    await launched(page).getByRole('button', { name: 'Undo' }).click()
    await launched(page).getByText('Undone for 2 files').waitFor()
    expect((await filesBy('chart 10'))[0]!.tags).toEqual(['chart'])
    await launched(page).getByRole('button', { name: 'Dismiss' }).click()
    await expect.poll(() => launched(page).count()).toBe(0)
  })

  test('removing all requires a confirmation; adding none is refused', async () => {
    const page = await open('/files?search=chart+12')
    await tick(page, ['Chart 12.pdf'])
    await press(page, 'Change tags')
    const dialog = dialogOf(page)
    const how = dialog.getByLabel('How')
    await how.selectOption({ label: 'Add to the tags they have' })
    await dialog.getByRole('button', { name: 'Add tags' }).click()
    await dialog.getByText('This is required').waitFor()
    await how.selectOption({ label: 'Replace the tags they have' })
    await dialog.getByLabel('Tags', { exact: true }).press('Enter')
    await dialog.getByText('Name at least one tag, or choose “Remove all tags”').waitFor()
    await how.selectOption({ label: 'Remove all tags' })
    await dialog.getByRole('button', { name: 'Remove all tags' }).click()
    await dialog.getByText('1 file loses the tag chart.').waitFor()
    expect((await filesBy('chart 12'))[0]!.tags).toEqual(['chart'])
    await dialog.getByRole('button', { name: 'Remove all tags' }).click()
    await launched(page).getByText('Tags of 1 file changed').waitFor()
    expect((await filesBy('chart 12'))[0]!.tags).toEqual([])
  })
})

test('settings are previewed file by file, and changed after confirmation', async () => {
  const page = await open('/files?search=chart+2&sort=filename')
  await tick(page, ['Chart 20.pdf', 'Chart 21.pdf', 'Chart 22.pdf'])
  await choose(page, 'Change settings')
  const dialog = dialogOf(page)
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByText('Choose at least one setting to change').waitFor()
  await dialog
    .getByLabel('Links expire', { exact: true })
    .selectOption('Add days to what each file has')
  await dialog.getByLabel('Days to add').fill('0')
  await dialog.getByLabel('CDN', { exact: true }).selectOption('Off')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByText('Enter a whole number from 1 to 36,500').waitFor()
  await dialog.getByLabel('Days to add').fill('5')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByText('3 files would be changed').waitFor()
  await dialog.getByRole('link', { name: 'Show every file' }).click()
  await page.waitForURL('**/operations/op_*')
  await page.getByText('This is a preview: nothing has been changed').waitFor()
  const row = rows(page).filter({ hasText: 'Chart 20.pdf' })
  await row.getByText('Would change', { exact: true }).waitFor()
  await expect
    .poll(() => row.locator('.changes li').allTextContents())
    .toEqual(['Links expire: After 60 days → to After 65 days', 'CDN: On → to Off'])
  expect((await filesBy('chart 20'))[0]).toMatchObject({ expiry_days: 60, cdn: true })
  await page.getByRole('button', { name: 'Confirm and run' }).click()
  await row.getByText('Done', { exact: true }).waitFor()
  await expect.poll(() => filesBy('chart 20')).toMatchObject([{ expiry_days: 65, cdn: false }])
  await expect.poll(() => page.getByRole('button', { name: 'Confirm and run' }).count()).toBe(0)
})

test('an undo from the operation’s page says what it does, restores the settings, and both operations link to each other', async () => {
  const page = await open('/operations?action=update-settings')
  await rows(page).first().getByRole('link').click()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  const dialog = dialogOf(page)
  await dialog.getByText('3 files are restored to the state before this operation.').waitFor()
  await dialog.getByRole('button', { name: 'Undo for 3 files' }).click()
  await page.getByRole('heading', { name: 'Undo: Update settings' }).waitFor()
  await expect.poll(() => filesBy('chart 20')).toMatchObject([{ expiry_days: 60, cdn: true }])
  await page.getByRole('link', { name: 'the operation that it undoes' }).click()
  await page.getByText('This operation was undone').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0)
  await page.getByRole('link', { name: 'a later operation' }).click()
  await page.getByRole('heading', { name: 'Undo: Update settings' }).waitFor()
})

test('a preview that is discarded changes nothing', async () => {
  const page = await open('/files?search=chart+23')
  await tick(page, ['Chart 23.pdf'])
  await press(page, 'Delete')
  await dialogOf(page).getByRole('button', { name: 'Preview' }).click()
  await dialogOf(page).getByRole('link', { name: 'Show every file' }).click()
  await rows(page).first().getByText('Moved to the trash').waitFor()
  await page.getByRole('button', { name: 'Discard preview' }).click()
  await page.getByRole('button', { name: 'Discard preview' }).waitFor({ state: 'detached' })
  expect(await filesBy('chart 23')).toHaveLength(1)
})
describe('deleting', () => {
  test('shows the effect on mapped files, moves files to the trash, and they can be restored', async () => {
    const page = await open('/files?search=chart+0&sort=filename')
    await tick(page, ['Chart 00.pdf', 'Chart 01.pdf', 'Chart 02.pdf'])
    await press(page, 'Delete')
    const dialog = dialogOf(page)
    await dialog.getByText('2 of 3 files are mapped to products').waitFor()
    await dialog.getByLabel('Back up first').check({ force: true })
    await dialog.getByLabel('Delete the files and their mappings').check({ force: true })
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('3 files would be moved to the trash').waitFor()
    await dialog.getByRole('button', { name: 'Delete 3 files' }).click()
    await launched(page).getByText('3 files moved to the trash').waitFor()
    await page.getByText('7 files', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Trash' }).click()
    await page.getByRole('heading', { name: 'Trash' }).waitFor()
    await page.getByText('3 files', { exact: true }).waitFor()
    await tick(page, ['Chart 00.pdf', 'Chart 02.pdf'])
    await press(page, 'Restore')
    await dialog.getByRole('button', { name: 'Restore 2 files' }).click()
    await launched(page).getByText('2 files restored').waitFor()
    await page.getByText('1 file', { exact: true }).waitFor()
    expect(await filesBy('chart 00')).toMatchObject([{ mappings: [] }])
    await tick(page, ['Chart 01.pdf'])
    await press(page, 'Delete permanently')
    await dialog.getByText('This can’t be undone').waitFor()
    await dialog.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
    expect(await filesBy('chart 01')).toEqual([])
  })

  test('an undo restores the files and their mappings', async () => {
    const before = await filesBy('chart 3')
    const page = await open('/files?search=chart+3')
    await page.getByRole('checkbox', { name: 'Select all files' }).first().press('Space')
    await press(page, 'Delete')
    await dialogOf(page).getByRole('button', { name: 'Delete 10 files' }).click()
    await launched(page).getByText('10 files moved to the trash').waitFor()
    await page.getByRole('heading', { name: 'No file matches' }).waitFor()
    await launched(page).getByRole('button', { name: 'Undo' }).click()
    await launched(page).getByText('Undone for 10 files').waitFor()
    await page.getByText('10 files', { exact: true }).waitFor()
    expect(await filesBy('chart 3')).toMatchObject(
      before.map(({ filename, tags }) => ({ filename, tags })),
    )
  })
})

test('all matching files on every page are selected, and a new list clears the selection', async () => {
  const page = await open('/files?tags=chart&sort=filename')
  await page.getByRole('checkbox', { name: 'Select all files' }).first().press('Space')
  await page.getByText('50 selected').first().waitFor()
  await page.getByRole('button', { name: /^Select all \d+ files$/ }).click()
  await page.getByText(/^All \d+ files selected$/).waitFor()
  const dialog = dialogOf(page)
  // Files that were never shown are deleted only from a preview, which offers a backup too.
  await choose(page, 'Delete')
  await dialog.getByRole('button', { name: 'Preview' }).waitFor()
  await dialog.getByLabel('Back up first').waitFor()
  await expect.poll(() => dialog.getByRole('button', { name: /^Delete/ }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await choose(page, 'Remove product mappings')
  await dialog.getByLabel('Remove from').selectOption('Another product …')
  // The dialog grows when the products arrive; an earlier click could miss.
  await dialog.getByRole('radio').first().waitFor()
  await dialog.getByRole('button', { name: 'Remove mappings' }).click()
  await dialog.getByText('Choose a product').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  // With more names than the dialog can show, all are previewed before anything is renamed.
  await choose(page, 'Rename')
  await dialog.getByRole('button', { name: 'Preview' }).waitFor()
  await expect.poll(() => dialog.getByRole('button', { name: /^Rename \d/ }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await choose(page, 'Run workflow')
  await dialog.getByLabel('Workflow').selectOption('Tag by rule')
  await dialog.getByRole('button', { name: 'Run workflow' }).click()
  await launched(page)
    .getByText(/: \d+ files done$/)
    .waitFor()
  expect((await filesBy('chart 40'))[0]!.tags).toContain('pdf')
  await launched(page).getByRole('link', { name: 'View details' }).click()
  await page.getByText(/^Files with: tagged chart/).waitFor()
  await page.goBack()
  await page.getByRole('checkbox', { name: 'Select Chart 40.pdf' }).check({ force: true })
  await page.getByText('1 selected').first().waitFor()
  await page.getByPlaceholder('Search files').fill('chart 4')
  await page.getByText('10 files', { exact: true }).waitFor()
  await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(0)
})

test('Shift selects the rows between, and the keyboard alone suffices', async () => {
  const page = await open('/files?search=chart+4&sort=filename')
  const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
  await box('Chart 41.pdf').click({ force: true })
  await box('Chart 44.pdf').click({ force: true, modifiers: ['Shift'] })
  await page.getByText('4 selected').first().waitFor()
  const open44 = page.getByRole('button', { name: 'Change tags', exact: true }).last()
  await open44.focus()
  await page.keyboard.press('Enter')
  await dialogOf(page).getByText('Tags of 4 files').waitFor()
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })
  // Focus is back where it was.
  await expect
    .poll(() => open44.evaluate((element) => element === element.ownerDocument.activeElement))
    .toBe(true)
})

test('files are selected and changed on a phone too, and nothing is wider than its screen', async () => {
  const page = await open('/files?search=chart+5&sort=filename', {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  await page.getByText('Select Chart 50.pdf').waitFor({ state: 'attached' })
  await page.getByRole('checkbox', { name: 'Select Chart 50.pdf' }).check({ force: true })
  await page.getByText('1 selected').waitFor()
  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Change settings' }).click()
  await page.getByRole('heading', { name: 'Settings of 1 file' }).waitFor()
  await page.getByLabel('Links allow', { exact: true }).selectOption('Unlimited')
  await page.getByRole('button', { name: 'Update settings' }).click()
  await launched(page).getByText('Settings of 1 file updated').waitFor()
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
    .toBe(true)
  await launched(page).getByRole('link', { name: 'View details' }).click()
  await page.getByText('Links allow').first().waitFor()
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
    .toBe(true)
})
