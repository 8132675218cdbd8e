// The list of files that match several products, in a real browser on the real server with a
// catalog that has products with equal titles.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import {
  onlyChoice,
  openPage,
  type PageServer,
  sharedBrowser,
  startPageServer,
  type OpenPage,
} from './page-browser.ts'

const PRODUCTS = [
  ['Harbour Lights Almanac for Coastal Navigators', 'HLA-1'],
  ['Harbour Lights Almanac for Coastal Navigator', 'HLA-2'],
  ['Rope Work', 'TWIN'],
  ['Rope Work for Sailors', 'TWIN'],
  ['Signal Flags', 'FLAGS'],
]
const ALMANAC = 'Harbour Lights Almanac for Costal Navigators.pdf'

let server: PageServer
let origin: Origin
let browser: Browser
let folder: string
let opened: OpenPage | null = null

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-twins-'))
  const catalog = path.join(folder, 'products.csv')
  const rows = PRODUCTS.map(
    ([title, sku]) => `${title!.toLowerCase().replaceAll(' ', '-')},${title},${sku},active`,
  )
  await writeFile(catalog, ['Handle,Title,Variant SKU,Status', ...rows].join('\n'))
  ;[server, origin, browser] = await Promise.all([
    startPageServer({ DEMO_CATALOG: catalog }),
    startOrigin(),
    sharedBrowser(),
  ])
})
// Files that are imported before the catalog was read have no candidates.
beforeEach(() =>
  expect
    .poll(async () => (await (await server.call('GET', '/api/products/mirror')).json()) as unknown)
    .toMatchObject({ status: 'ready', products: PRODUCTS.length }),
)
afterEach(async () => {
  const complaints = opened?.complaints ?? []
  await opened?.close()
  opened = null
  expect(complaints).toEqual([])
})
afterAll(async () => {
  await server.end()
  await origin.close()
  await rm(folder, { recursive: true, force: true })
})

async function importFiles(...names: string[]): Promise<Map<string, string>> {
  const files = names.map((filename, n) => ({
    filename,
    url: `${origin.url}/bytes/${700 + n}/${n}`,
  }))
  const reply = await importUntilEnd(server, { files, auto_map: true })
  expect(reply.status).toBe('success')
  return new Map(reply.files.map(({ filename, file_id }) => [filename, file_id!]))
}

async function open(): Promise<Page> {
  opened = await openPage(browser, server, '/reviews')
  return opened.page
}

const card = (page: Page, filename: string) =>
  page.getByRole('region', { name: filename, exact: true })
async function productsOf(id: string | undefined): Promise<string[]> {
  const file = (await (await server.call('GET', `/api/files/${id}`)).json()) as {
    mappings: { product_title: string }[]
  }
  return file.mappings.map(({ product_title }) => product_title)
}

test('shows an empty list, and an error if the list cannot be loaded', async () => {
  const page = await open()
  await page.getByText('Nothing to review').waitFor()
  await page.route('**/api/reviews/*', (route) => route.fulfill({ status: 500, json: {} }))
  await page.reload()
  await page.getByText('The reviews could not be loaded').waitFor()
  await page.unroute('**/api/reviews/*')
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('Nothing to review').waitFor()
})

test('a candidate is accepted by keyboard, another product is chosen, or none', async () => {
  const ids = await importFiles('TWIN_one.pdf', 'TWIN_two.pdf', 'TWIN_three.pdf')
  const page = await open()
  await page.getByText('3 files wait').waitFor()
  await page.getByRole('button', { name: /^One by one: 3 files like/ }).click()
  const one = card(page, 'TWIN_one.pdf')
  await one.getByText('The filename begins with the SKU TWIN').first().waitFor()
  await expect.poll(() => one.getByText('95%').count()).toBe(2)
  // Among equal candidates none is preselected.
  await expect.poll(() => one.getByRole('radio', { checked: true }).count()).toBe(0)
  await one.getByRole('radio').first().focus()
  await page.keyboard.press('ArrowDown')
  const chosen = await one.locator('.candidate.chosen .candidate-text > :first-child').textContent()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await one.waitFor({ state: 'detached' })
  await expect.poll(() => productsOf(ids.get('TWIN_one.pdf'))).toEqual([chosen])

  await page.getByRole('button', { name: 'Another product: TWIN_two.pdf' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Refresh products' }).click()
  await dialog.getByText(`${PRODUCTS.length} products, as of`).waitFor()
  await dialog.getByLabel('Search products by title or SKU').fill('flags')
  await onlyChoice(dialog.getByRole('radiogroup', { name: 'Products' }).getByRole('radio'))
  await dialog.getByRole('radio', { name: /Signal Flags/ }).check()
  await dialog.getByRole('button', { name: 'Attach' }).click()
  await card(page, 'TWIN_two.pdf').waitFor({ state: 'detached' })
  await expect.poll(() => productsOf(ids.get('TWIN_two.pdf'))).toEqual(['Signal Flags'])

  await page.getByRole('button', { name: 'None of them: TWIN_three.pdf' }).click()
  await page.getByRole('button', { name: 'All reviews' }).last().click()
  await page.getByText('Nothing to review').waitFor()
  expect(await productsOf(ids.get('TWIN_three.pdf'))).toEqual([])
})

test('files that are alike are accepted, undone and rejected together, by keyboard alone', async () => {
  const ids = await importFiles('TWIN_a.pdf', 'TWIN_b.pdf', ALMANAC)
  const page = await open()
  const twins = page.getByRole('region', { name: /^2 files like TWIN_/ })
  await twins.waitFor()
  const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")')
  const { keyboard } = page
  await keyboard.press('?')
  await page.getByText('Next review').waitFor()
  await keyboard.press('Escape')
  await page.getByText('Next review').waitFor({ state: 'detached' })
  await keyboard.press('j')
  await keyboard.press('j')
  await expect.poll(focused).toBe(ALMANAC)
  await keyboard.press('k')
  await keyboard.press('2')
  const chosen = await twins
    .locator('.candidate.chosen .candidate-text > :first-child')
    .textContent()
  await keyboard.press('Enter')
  await page.getByText(`2 files are attached to ${chosen}`).waitFor()
  for (const name of ['TWIN_a.pdf', 'TWIN_b.pdf'])
    await expect.poll(() => productsOf(ids.get(name))).toEqual([chosen])
  const undo = page.getByRole('button', { name: 'Undo' })
  await expect.poll(() => undo.isEnabled()).toBe(true)
  await keyboard.press('u')
  await twins.waitFor()
  await expect.poll(() => productsOf(ids.get('TWIN_a.pdf'))).toEqual([])

  await expect.poll(focused).toBe(ALMANAC)
  await keyboard.press('k')
  await keyboard.press('x')
  await page.getByText('2 files stay without a product').waitFor()
  // The next card has the focus, and its best candidate is chosen.
  await expect.poll(focused).toBe(ALMANAC)
  await keyboard.press('Enter')
  await page.getByText('Nothing to review').waitFor()
  await expect.poll(() => productsOf(ids.get(ALMANAC))).toHaveLength(1)
})

test('a rule about names is made, applied, and brought back after it was deleted', async () => {
  const ids = await importFiles('FLG one.pdf')
  opened = await openPage(browser, server, '/settings/mapping-rules')
  const { page } = opened
  await page.getByText('No rules yet').waitFor()
  await page.getByRole('button', { name: 'Add a rule' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Text' }).fill('flg')
  await dialog.getByText('1 file has such a name now: FLG one.pdf').waitFor()
  await dialog.getByLabel('Search products by title or SKU').fill('flags')
  await onlyChoice(dialog.getByRole('radiogroup', { name: 'Products' }).getByRole('radio'))
  await dialog.getByRole('radio', { name: /Signal Flags/ }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => productsOf(ids.get('FLG one.pdf'))).toEqual(['Signal Flags'])
  const rules = page.getByRole('list', { name: 'Mapping rules' })
  await rules.getByRole('button', { name: 'Delete: Names that start with flg' }).click()
  await page.getByText('No rules yet').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await rules.getByText('Names that start with flg').waitFor()
  const later = await importFiles('FLG two.pdf')
  expect(await productsOf(later.get('FLG two.pdf'))).toEqual(['Signal Flags'])
  await rules.getByRole('button', { name: 'Change: Names that start with flg' }).click()
  await dialog.getByLabel('Files whose names').selectOption({ label: 'are like a pattern' })
  await dialog.getByRole('textbox', { name: 'Pattern' }).fill('flg*_*')
  await dialog.getByText('The product whose SKU is in the name').click()
  await dialog.getByRole('textbox', { name: 'SKU' }).fill('HLA-{3}')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('{3} is the text of a * that the pattern does not have').waitFor()
  await dialog.getByRole('textbox', { name: 'SKU' }).fill('HLA-{2}')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await rules.getByText('The product with the SKU HLA-{2}').waitFor()
  const third = await importFiles('FLG x_2.pdf')
  expect(await productsOf(third.get('FLG x_2.pdf'))).toEqual([
    'Harbour Lights Almanac for Coastal Navigator',
  ])
})

test('all above a score are accepted after a count; ties are left to a person', async () => {
  // Another test has imported the document.
  const almanac = ALMANAC.replace('.pdf', '.epub')
  const ids = await importFiles(almanac, 'TWIN_tie.pdf')
  const page = await open()
  await card(page, 'TWIN_tie.pdf').waitFor()
  // The title has a typing error, and another product is one letter away.
  const scores = card(page, almanac).getByText(/^(8|9)\d%$/)
  await expect.poll(() => scores.count()).toBe(2)
  await page.getByRole('button', { name: 'Accept all above …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 file is attached to its best candidate').waitFor()
  await dialog.getByLabel('Score of at least').fill('101')
  await dialog.getByText('Enter a number from 0 to 100').waitFor()
  await dialog.getByLabel('Score of at least').fill('80')
  await dialog.getByText(`${almanac} → `).waitFor()
  await dialog.getByRole('button', { name: 'Accept 1 file' }).click()
  await card(page, almanac).waitFor({ state: 'detached' })
  await page.getByText('1 file is attached to its best candidate').waitFor()
  await card(page, 'TWIN_tie.pdf').waitFor()
  await expect
    .poll(() => productsOf(ids.get(almanac)))
    .toEqual(['Harbour Lights Almanac for Coastal Navigators'])
})
