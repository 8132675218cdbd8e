// CSV import on the admin page, in a real browser on the real server: choosing a file, its columns,
// its check, and the import.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { listAll } from '../flows/imports.ts'
import type { RunningServer } from '../flows/server.ts'
import { soakTest } from '../scale.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
let origin: Origin
const open = usePages(startOrigin, (world) => {
  ;({ server, origin } = world)
})

const choose = (page: Page, name: string, text: string, encoding: BufferEncoding = 'utf8') =>
  page
    .getByLabel('Choose a CSV file')
    .and(page.locator('input'))
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text, encoding) })
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const figure = (page: Page, name: string) =>
  page
    .locator('.figures div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')
const check = async (page: Page) => {
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('heading', { name: 'The check', exact: true }).waitFor({ timeout: 30_000 })
}
const bytes = (n: number) => `${origin.url}/bytes/${300 + n}/${n}`

test('suggests columns, lets them be changed and saved, and applies the saved mapping next time', async () => {
  const page = await open('/import')
  await page.getByRole('link', { name: 'Choose a CSV file' }).click()
  const rows = (from: number) =>
    ['Document;Where;Labels', `Tide ${from}.pdf;${bytes(from)};"sea, tides"`].join('\r\n')
  await choose(page, 'tides.csv', rows(1))
  await page.waitForURL(/\/import\/csv\/csv_/)
  expect(await figure(page, 'Delimiter').textContent()).toBe('Semicolon')
  expect(await figure(page, 'Rows').textContent()).toBe('1')
  expect(await field(page, 'Filename').inputValue()).toBe('=Document')
  expect(await field(page, 'Tags').inputValue()).toBe('=Labels')
  await field(page, 'File URL').selectOption({ label: 'None' })
  await page.getByText('Choose a column for this field').waitFor()
  expect(await page.getByRole('button', { name: 'Check the file' }).isDisabled()).toBe(true)
  await field(page, 'File URL').selectOption({ label: 'Where' })
  await page.getByRole('region', { name: 'Preview' }).getByText(bytes(1)).waitFor()
  await page.getByRole('button', { name: 'Save this mapping' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Harbour office')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await check(page)
  // The button that was pressed is gone.
  await page.locator('.place:focus .stages').waitFor()
  await page.getByText('The file can be imported').waitFor()
  await page.getByRole('button', { name: 'Start the import' }).click()
  await page.waitForURL(/\/operations\/import_/)
  await page.getByText('Success').first().waitFor()
  expect(await listAll(server, '/api/files?search=Tide')).toMatchObject([
    { filename: 'Tide 1.pdf', tags: ['sea', 'tides'] },
  ])

  await page.goto(`${server.url}/import/csv`)
  await page.getByText('Harbour office').waitFor()
  await choose(page, 'again.csv', rows(2))
  await page.getByText('The saved mapping “Harbour office” was applied').waitFor()
  expect(await field(page, 'File URL').inputValue()).toBe('=Where')
  await page.goto(`${server.url}/import/csv`)
  await page.getByRole('button', { name: 'Delete the mapping Harbour office' }).click()
  await page.getByText('Harbour office').waitFor({ state: 'detached' })
})

soakTest('a check is stopped, and the file is still on its page', async () => {
  const page = await open('/import/csv')
  // This address answers when a second request arrives, which never happens.
  const waits = `${origin.url}/together/2/bytes/100/never`
  await choose(page, 'slow.csv', `filename,file_url\nSlow.pdf,${waits}\n`)
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('heading', { name: 'Checking the file' }).waitFor()
  await page.goto(`${server.url}/import/csv`)
  const kept = page.locator('.kept-files li').filter({ hasText: 'slow.csv' })
  await kept.getByText('Being checked').waitFor()
  await kept.getByRole('link', { name: 'slow.csv' }).click()
  await page.getByRole('button', { name: 'Stop the check' }).click()
  await page.getByRole('button', { name: 'Check the file' }).waitFor()
  expect(await field(page, 'Filename').inputValue()).toBe('=filename')
})

soakTest(
  'errors with row and column block the import, warnings do not; valid rows can be imported alone',
  async () => {
    const page = await open('/import/csv')
    const lines = [
      'filename,file_url,product_sku',
      `Map A.pdf,${bytes(11)},`,
      'Map B.pdf,no address at all,',
      `Map C.pdf,${origin.url}/status/404,`,
      `Map D.pdf,${bytes(14)},NO-SUCH-SKU`,
      `Map A.pdf,${bytes(15)},`,
    ]
    await choose(page, 'maps.csv', lines.join('\n'))
    await page
      .getByRole('region', { name: 'Preview' })
      .getByText('This is not an http or https URL')
      .waitFor()
    await check(page)
    expect(await figure(page, 'Rows with errors').textContent()).toBe('3')
    const problems = page.locator('.problems li')
    await problems
      .filter({ hasText: 'Row 3, column file_url' })
      .getByText('This is not an http or https URL')
      .waitFor()
    await problems
      .filter({ hasText: 'Row 4, column file_url' })
      .getByText('File URL not accessible')
      .waitFor()
    await problems
      .filter({ hasText: 'Row 6, column filename' })
      .getByText('Duplicate filename')
      .waitFor()
    const start = page.getByRole('button', { name: 'Import the valid rows' })
    expect(await start.isDisabled()).toBe(true)

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download 3 rows with errors' }).click(),
    ])
    const saved = await readFile(await download.path(), 'utf8')
    expect(saved).toContain('Map B.pdf')
    expect(saved).not.toContain('Map D.pdf')

    await page.getByRole('tab', { name: /Warnings/ }).click()
    await problems
      .filter({ hasText: 'Row 5, column product_sku' })
      .getByText('Product SKU not found')
      .waitFor()
    await page.getByLabel('Import the valid rows only: 2 rows').check()
    await start.click()
    await page.waitForURL(/\/operations\/import_/)
    await page.getByText('Success').first().waitFor()
    const names = (await listAll(server, '/api/files?search=Map')).map(({ filename }) => filename)
    expect(names.toSorted()).toEqual(['Map A.pdf', 'Map D.pdf'])
  },
)

soakTest(
  'an unreadable file shows where the error is; unusual encodings are detected',
  async () => {
    const page = await open('/import/csv')
    await choose(page, 'broken.csv', 'filename,file_url\n"never closed,https://example.com/a.pdf\n')
    await page.getByText('Invalid CSV format').waitFor()
    await page.getByText(/Row 2/).waitFor()
    await choose(page, 'häfen.csv', `filename,file_url\nHäfen.pdf,${bytes(21)}\n`, 'latin1')
    await page.waitForURL(/\/import\/csv\/csv_/)
    await page.getByRole('region', { name: 'Preview' }).getByText('Häfen.pdf').waitFor()
    await page.getByText('The encoding of this file is not certain').waitFor()
    const encoding = page.getByLabel('Encoding')
    expect(await encoding.inputValue()).toBe('windows-1252')
    await encoding.selectOption({ label: 'Central European (Windows-1250)' })
    await page.getByText('The encoding of this file is not certain').waitFor({ state: 'detached' })
    await page.goto(`${server.url}/import/csv/csv_${'0'.repeat(32)}`)
    await page.getByText('This CSV file has expired').waitFor()
  },
)

soakTest('a name that exists in the shop is an error unless another choice is made', async () => {
  const page = await open('/import/csv')
  const text = `filename,file_url\nTwice.pdf,${bytes(31)}\n`
  const import_ = async () => {
    await page.getByRole('button', { name: 'Start the import' }).click()
    await page.waitForURL(/\/operations\/import_/)
    await page.getByText('Success').first().waitFor()
    await page.goto(`${server.url}/import/csv`)
  }
  await choose(page, 'twice.csv', text)
  await check(page)
  await import_()
  await choose(page, 'twice.csv', text)
  await check(page)
  await page.getByText('1 row has errors. Correct them first').waitFor()
  await page.getByRole('button', { name: 'Change the columns' }).click()
  await field(page, 'If a file with the same name exists').selectOption({
    label: 'Add as a new version',
  })
  await check(page)
  await page.getByText('1 warning does not prevent the import.').waitFor()
  await import_()
  expect(await listAll(server, '/api/files?search=Twice')).toMatchObject([
    { filename: 'Twice.pdf', version: 2 },
  ])
})
