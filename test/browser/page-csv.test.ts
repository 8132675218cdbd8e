// CSV import on the admin page, in a real browser on the real server: choosing a file, its columns,
// its check, and the import.
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { listAll } from '../flows/imports.ts'
import type { RunningServer } from '../flows/server.ts'
import { soakCases, soakTest } from '../scale.ts'
import { handOf, MODES } from './hand.ts'
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
  await page.getByRole('heading', { name: 'The check', exact: true }).waitFor()
}
const bytes = (n: number) => `${origin.url}/bytes/${300 + n}/${n}`

soakTest(
  'suggests columns, lets them be changed and saved, and applies the saved mapping next time',
  async () => {
    const page = await open('/import')
    await page.getByRole('link', { name: 'Choose a CSV file' }).click()
    const rows = (from: number) =>
      ['Document;Where;Labels', `Tide ${from}.pdf;${bytes(from)};"sea, tides"`].join('\r\n')
    await choose(page, 'tides.csv', rows(1))
    await page.waitForURL(/\/import\/csv\/csv_/)
    await expect.poll(() => figure(page, 'Delimiter').textContent()).toBe('Semicolon')
    await expect.poll(() => figure(page, 'Rows').textContent()).toBe('1')
    await expect.poll(() => field(page, 'Filename').inputValue()).toBe('=Document')
    await expect.poll(() => field(page, 'Tags').inputValue()).toBe('=Labels')
    await field(page, 'File URL').selectOption({ label: 'None' })
    await page.getByText('Choose a column for this field').waitFor()
    await expect
      .poll(() => page.getByRole('button', { name: 'Check the file' }).isDisabled())
      .toBe(true)
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
    await expect.poll(() => field(page, 'File URL').inputValue()).toBe('=Where')
    await page.goto(`${server.url}/import/csv`)
    await page.getByRole('button', { name: 'Delete the mapping Harbour office' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Harbour office').waitFor({ state: 'detached' })
  },
)

/** This many rows, the last first: 30 with errors of five kinds, and 8 whose SKU is unknown. */
const faultyFile = (name: string, rows: number): string =>
  [
    'filename,file_url,product_sku,expiry_days',
    ...Array.from({ length: rows }, (_, n) => {
      const kind = n < 60 && n % 2 === 0 ? n / 2 : -1
      const filename = kind >= 9 && kind < 15 ? `${name} 109.pdf` : `${name} ${n}.pdf`
      const url = kind >= 0 && kind < 9 ? `${origin.url}/status/404/${n}` : bytes(n)
      return [
        kind >= 20 && kind < 26 ? `${name}/${n}.pdf` : filename,
        kind >= 26 ? url.replace('http:', 'htp:') : url,
        n >= 100 && n < 108 ? 'NO-SUCH-SKU' : '',
        kind >= 15 && kind < 20 ? 'soon' : '',
      ].join(',')
    }).toReversed(),
  ].join('\n')

test('errors of several rows are corrected together, and one in its cell', async () => {
  const page = await open('/import/csv')
  const rows = ['Sun.pdf,soon', 'Moon.pdf,soon', 'Low/tide.pdf,9'].map(
    (row, n) => `${row},${bytes(50 + n)}`,
  )
  await choose(page, 'few.csv', ['filename,expiry_days,file_url', ...rows].join('\n'))
  await check(page)
  const errors = (count: number) =>
    expect.poll(() => figure(page, 'Rows with errors').textContent()).toBe(String(count))
  await errors(3)
  const group = page
    .locator('.problem-group')
    .filter({ has: page.getByRole('button', { name: '2 rows: This is not a whole number' }) })
  await group.getByRole('button', { name: 'Set one value', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Expiry days').fill('30')
  await page.getByRole('dialog').getByRole('button', { name: 'Correct the rows' }).click()
  await errors(1)
  const names = page.getByRole('button', { name: '1 row: A filename cannot contain' })
  if ((await names.getAttribute('aria-expanded')) === 'false') await names.click()
  await page.getByRole('button', { name: ': Low/tide.pdf' }).click()
  await page.locator('.cell-input').fill('Low tide.pdf')
  await page.keyboard.press('Enter')
  await errors(0)
  await page.getByRole('button', { name: 'Start the import' }).click()
  await page.waitForURL(/\/operations\/import_/)
  await page.getByText('Success').first().waitFor()
  expect(await listAll(server, '/api/files?search=Low')).toMatchObject([
    { filename: 'Low tide.pdf' },
  ])
})

test.each(soakCases(MODES))(
  'with the %s alone, 30 errors in 300 rows are corrected to a finished import',
  async (mode) => {
    const rows = 300
    const page = await open('/import/csv')
    const hand = handOf(mode, page)
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const group = (title: string) =>
      page.locator('.problem-group').filter({ has: page.getByRole('button', { name: title }) })
    const fixed = (errors: number) =>
      expect.poll(() => figure(page, 'Rows with errors').textContent()).toBe(String(errors))
    const fix = (title: string, name: string) =>
      hand.press(group(title).getByRole('button', { name, exact: true }))
    const dialog = page.getByRole('dialog')
    const correct = () => hand.press(dialog.getByRole('button', { name: 'Correct the rows' }))

    await choose(page, `${mode}.csv`, faultyFile(mode, rows))
    await hand.press(page.getByRole('button', { name: 'Check the file' }))
    await fixed(30)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      hand.press(button('Download 30 rows with errors')),
    ])
    expect(await readFile(await download.path(), 'utf8')).toContain(`${mode}/40.pdf`)

    await fix('9 rows: File URL not accessible', 'Replace a part')
    await hand.type(dialog.getByLabel('Find'), 'status/404')
    await hand.type(dialog.getByLabel('Replace with'), 'bytes/70')
    await correct()
    await fixed(21)
    await fix('6 rows: Duplicate filename', 'Number the names')
    await fixed(15)
    await fix('5 rows: This is not a whole number', 'Set one value')
    await hand.type(dialog.getByLabel('Expiry days'), '30')
    await correct()
    await fixed(10)
    await fix('4 rows: This is not an http or https URL', 'Leave out these rows')
    await fixed(6)
    await page.getByText('4 rows left out').waitFor()
    await hand.press(button('Undo the last correction'))
    await fixed(10)
    await fix('4 rows: This is not an http or https URL', 'Replace a part')
    await hand.type(dialog.getByLabel('Find'), 'htp:')
    await hand.type(dialog.getByLabel('Replace with'), 'http:')
    await correct()
    await fixed(6)
    await fix('8 rows: Product SKU not found', 'Choose a product…')
    await hand.type(dialog.getByLabel('Search products by title or SKU'), 'EB-001')
    await expect.poll(() => dialog.getByRole('radio').count()).toBe(1)
    await hand.choose(dialog.locator('label', { hasText: 'EB-001' }).getByRole('radio'))
    await correct()
    await page.getByText('8 rows: Product SKU not found').waitFor({ state: 'detached' })

    // What was corrected so far is kept by the server.
    await page.reload()
    await fixed(6)
    const names = group('6 rows: A filename cannot contain')
    const toggle = names.getByRole('button', { name: '6 rows: A filename cannot contain' })
    if ((await toggle.getAttribute('aria-expanded')) === 'false') await hand.press(toggle)
    const cell = (n: number) =>
      page.getByRole('button', { name: `: ${mode}/${n}.pdf`, exact: false })
    const correctName = async (place: Locator, text: string, key = 'Enter') => {
      await hand.press(place)
      await page.locator('.cell-input').waitFor()
      await page.keyboard.press('Control+A')
      await page.keyboard.insertText(text)
      await page.keyboard.press(key)
    }
    const edit = (n: number, text: string, key: string) => correctName(cell(n), text, key)
    await edit(40, 'never', 'Escape')
    await edit(40, `${mode}\\40.pdf`, 'Enter')
    await page.getByRole('button', { name: `: ${mode}\\40.pdf` }).waitFor()
    await fixed(6)
    await correctName(page.getByRole('button', { name: `: ${mode}\\40.pdf` }), `${mode} 40.pdf`)
    await fixed(5)
    for (const n of [42, 44, 46, 48]) {
      await edit(n, `${mode} ${n}.pdf`, n % 4 === 0 ? 'Tab' : 'Enter')
      await page.locator('.cell-input').waitFor({ state: 'detached' })
    }
    await fixed(1)
    await hand.press(page.getByRole('button', { name: `Leave out row ${rows - 49}` }))
    await fixed(0)
    await hand.press(button('Start the import'))
    await page.waitForURL(/\/operations\/import_/)
    const imported = () => listAll(server, `/api/files?search=${mode}&limit=250`)
    await expect.poll(async () => (await imported()).length).toBe(rows - 1)
    const files = await imported()
    const numbered = files.flatMap(({ filename = '' }) =>
      filename.includes(' 109') ? [filename] : [],
    )
    expect(numbered.toSorted()).toEqual(
      ['', ...[2, 3, 4, 5, 6, 7].map((n) => ` (${n})`)]
        .map((n) => `${mode} 109${n}.pdf`)
        .toSorted(),
    )
    const mapped = files.filter(({ products = '' }) => products.length > 0)
    expect(mapped.length).toBeGreaterThanOrEqual(8)
  },
)

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
  await expect.poll(() => field(page, 'Filename').inputValue()).toBe('=filename')
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
    await expect.poll(() => figure(page, 'Rows with errors').textContent()).toBe('3')
    const problem = async (title: string, row: number, text: string) => {
      const group = page.locator('.problem-group').filter({ hasText: title })
      const toggle = group.locator('.toggle')
      if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
      const cells = group
        .locator('tr')
        .filter({ has: page.getByText(String(row), { exact: true }) })
      await cells.locator('.objection').getByText(text).waitFor()
    }
    await problem('1 row: This is not an http or https URL', 3, 'This is not an http or https URL')
    await problem('1 row: File URL not accessible', 4, 'The server answered 404')
    await problem('1 row: Duplicate filename', 6, 'Row 2 has this name too')
    const start = page.getByRole('button', { name: 'Import the valid rows' })
    await expect.poll(() => start.isDisabled()).toBe(true)

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download 3 rows with errors' }).click(),
    ])
    const saved = await readFile(await download.path(), 'utf8')
    expect(saved).toContain('Map B.pdf')
    expect(saved).not.toContain('Map D.pdf')

    await problem('1 row: Product SKU not found', 5, 'Product SKU not found')
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
    await expect.poll(() => encoding.inputValue()).toBe('windows-1252')
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
