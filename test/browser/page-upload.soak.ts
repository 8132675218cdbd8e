// Uploads on the admin page, in a real browser on the real server: a queue is paused, interrupted,
// reloaded and resumed, and its files arrive byte for byte.
import { createHash, randomBytes } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, open as openFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startLine } from '../fakes/line.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd, listAll } from '../flows/imports.ts'
import { soakTest } from '../scale.ts'
import {
  openPage,
  type PageServer,
  sharedBrowser,
  startPageProcess,
  startPageServer,
  type OpenPage,
} from './page-browser.ts'

const MB = 1024 ** 2

let server: PageServer
let browser: Browser
let folder: string
let origin: Origin
let opened: OpenPage | null = null

beforeAll(async () => {
  ;[server, browser, origin, folder] = await Promise.all([
    startPageServer(),
    sharedBrowser(),
    startOrigin(),
    mkdtemp(path.join(tmpdir(), 'stevedore-up-')),
  ])
})
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

async function open(at = server): Promise<Page> {
  opened = await openPage(browser, at, '/import/upload')
  await opened.page.getByRole('button', { name: 'Choose files' }).waitFor()
  return opened.page
}

/** Creates a file of random bytes; returns its path and hash. */
async function made(name: string, size: number): Promise<{ path: string; hash: string }> {
  const bytes = randomBytes(size)
  const place = path.join(folder, name)
  await mkdir(path.dirname(place), { recursive: true })
  await writeFile(place, bytes)
  return { path: place, hash: createHash('sha256').update(bytes).digest('hex') }
}

const choose = (page: Page, files: string | string[]) =>
  page.getByLabel('Choose files', { exact: true }).and(page.locator('input')).setInputFiles(files)
const row = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Uploads' }).getByRole('listitem', { name, exact: true })
const status = (page: Page, name: string, text: string) =>
  row(page, name).getByText(text, { exact: true }).waitFor()
const figure = (page: Page, name: string): Locator =>
  page
    .locator('.figures div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')
const ended = (page: Page) => page.getByText('The import has ended').last().waitFor()

interface Listed {
  id: string
  filename: string
  version: number
}

async function fileNamed(filename: string, at = server): Promise<Listed> {
  const files = (await listAll(at, '/api/files?limit=250')) as unknown as Listed[]
  return (
    files.find((file) => file.filename === filename) ?? expect.fail(`There is no file ${filename}`)
  )
}

async function hashOf(filename: string, at = server): Promise<string> {
  const { id } = await fileNamed(filename, at)
  const response = await at.call('GET', `/api/files/${id}/content`)
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex')
}

/**
 * Limits the upload speed, so that a transfer can be stopped in the middle. Bytes per second; -1:
 * unlimited.
 */
async function speedOf(page: Page) {
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  return (bytes: number) =>
    client.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytes,
    })
}

/**
 * The bytes that all upload requests announce, from their starting offsets. Nothing is sent twice
 * if they add up to the file sizes.
 */
function watchOffsets(context: BrowserContext): number[] {
  const offsets: number[] = []
  context.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
  })
  return offsets
}

soakTest('files that are dropped on another page are uploaded', async () => {
  const page = await open()
  await page.goto(`${server.url}/operations`)
  await page.getByRole('heading', { name: 'Operations', level: 1 }).waitFor()
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['Dropped on the list'], 'dropped-anywhere.txt'))
    return transfer
  })()`)
  await page.dispatchEvent('main', 'dragenter', { dataTransfer: transfer })
  await page.getByText('Drop the files to upload them').waitFor()
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer })
  await page.waitForURL('**/import/upload')
  await page.getByText('Drop the files to upload them').waitFor({ state: 'detached' })
  await ended(page)
  expect((await fileNamed('dropped-anywhere.txt')).version).toBe(1)
})

test('a folder is uploaded, and its result is an operation', async () => {
  const [guide, photo] = await Promise.all([
    made('Spring/Guide to tides.pdf', 300_000),
    made('Spring/photos/Beach.jpg', 2 * MB),
    made('Spring/.DS_Store', 10),
    made('Spring/nothing.txt', 0),
  ])
  const page = await open()
  await page
    .getByLabel('Choose a folder')
    .and(page.locator('input'))
    .setInputFiles(path.join(folder, 'Spring'))
  await page.getByText('1 file can’t be uploaded').waitFor()
  await page.getByText('Spring/nothing.txt (0 bytes): The file is empty').waitFor()
  await status(page, 'Guide to tides.pdf', 'Complete')
  await status(page, 'Beach.jpg', 'Complete')
  await row(page, 'Beach.jpg').getByText('Spring/photos').waitFor()
  await expect.poll(() => figure(page, 'Total files').textContent()).toBe('2')
  await expect.poll(() => figure(page, 'Completed').textContent()).toBe('2')
  await expect.poll(() => figure(page, 'Remaining').textContent()).toBe('0')
  await page
    .locator('main [role=status]', { hasText: 'Uploads ended: 2 complete, 0 failed' })
    .waitFor({ state: 'attached' })
  expect(await hashOf('Guide to tides.pdf')).toBe(guide.hash)
  expect(await hashOf('Beach.jpg')).toBe(photo.hash)
  await page.getByRole('link', { name: 'View details' }).click()
  await page.waitForURL(/\/operations\/import_/)
  await page.getByText('Success').first().waitFor()
})

soakTest(
  'tags and a pack are chosen for all files; files without a product are mapped, together and one by one',
  async () => {
    const made3 = await Promise.all(['one', 'two', 'three'].map((n) => made(`Sea ${n}.txt`, 1000)))
    const page = await open()
    await page.getByLabel('Tags', { exact: true }).fill('spring,')
    await page.getByLabel('Pack', { exact: true }).fill('Sea course')
    await page.getByLabel('Expiry days', { exact: true }).fill('0')
    await page.getByText('Enter a whole number from 1').waitFor()
    await page.getByLabel('Expiry days', { exact: true }).fill('9')
    await page.reload()
    await expect
      .poll(() => page.getByLabel('Pack', { exact: true }).inputValue())
      .toBe('Sea course')
    await choose(
      page,
      made3.map((one) => one.path),
    )
    await page.getByRole('heading', { name: '3 imported, 3 need a product' }).waitFor()
    await page
      .locator('main [role=status]', { hasText: '0 failed. 3 imported, 3 need a product' })
      .waitFor({ state: 'attached' })
    const dialog = page.getByRole('dialog')
    const pick = async (sku: string) => {
      await dialog.getByLabel('Search products by title or SKU').fill(sku)
      await expect.poll(() => dialog.getByRole('radio').count()).toBe(1)
      await dialog.locator('label', { hasText: sku }).getByRole('radio').check()
      await dialog.getByRole('button', { name: 'Choose', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await row(page, 'Sea two.txt')
      .getByRole('button', { name: /^Not mapped: choose/ })
      .click()
    await pick('EB-001')
    await row(page, 'Sea two.txt').getByText('Product: ').waitFor()
    await page.getByRole('heading', { name: '3 imported, 2 need a product' }).waitFor()
    await page.getByRole('button', { name: 'Choose one product for all of these' }).focus()
    await page.keyboard.press('Enter')
    await pick('EB-002')
    await row(page, 'Sea one.txt').getByText('Product: ').waitFor()
    await page.getByRole('heading', { name: /need a product$/ }).waitFor({ state: 'detached' })
    const files = (await listAll(server, '/api/files?search=Sea')) as unknown as {
      tags: string[]
      expiry_days: number
      pack: { name: string } | null
      products: string[]
    }[]
    expect(files.map(({ tags, expiry_days, pack }) => [tags, expiry_days, pack?.name])).toEqual(
      files.map(() => [['spring'], 9, 'Sea course']),
    )
    const products = files.map((file) => file.products.join())
    const rowsOf = (product: string) => products.filter((one) => one === product).length
    expect([...new Set(products)].map(rowsOf).toSorted()).toEqual([1, 2])
    await row(page, 'Sea two.txt').getByRole('link', { name: 'Sea two.txt' }).click()
    await page.waitForURL(/\/files\/file_/)
  },
)

soakTest('asks about a name that exists: rename, new version, or do not send', async () => {
  const [first, second] = await Promise.all([
    made('one/Chart.pdf', 1000),
    made('two/Chart.pdf', 2000),
  ])
  const [other, changed] = await Promise.all([made('Plan.pdf', 1500), made('two/Plan.pdf', 1600)])
  const page = await open()
  await choose(page, [first.path, other.path])
  await ended(page)
  await choose(page, [second.path, changed.path])
  const dialog = page.getByRole('dialog')
  await dialog.getByText('2 files of these names exist').waitFor()
  await dialog
    .getByLabel('What to do with Chart.pdf')
    .selectOption({ label: 'Add as a new version' })
  await dialog.getByLabel('What to do with Plan.pdf').selectOption({ label: 'Don’t upload it' })
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect.poll(async () => (await fileNamed('Chart.pdf')).version).toBe(2)
  expect(await hashOf('Chart.pdf')).toBe(second.hash)

  await page.reload()
  await choose(page, [first.path, changed.path])
  await dialog.getByLabel('For all of them').selectOption({ label: 'Rename the new file' })
  await dialog.getByRole('button', { name: 'Continue' }).click()
  // The import from before the reload is still shown, so the rows must belong to the new upload.
  for (const name of ['Chart.pdf', 'Plan.pdf']) await status(page, name, 'Complete')
  const names = (await listAll(server, '/api/files?search=Chart')).map(({ filename }) => filename)
  expect(names.toSorted()).toEqual(['Chart (2).pdf', 'Chart.pdf'])
})

soakTest(
  'files whose bytes are in the shop are left out, and can be sent all the same',
  async () => {
    const [chart, fresh] = await Promise.all([
      made('Kept chart.pdf', 9 * MB),
      made('Other chart.pdf', 1000),
    ])
    const copy = path.join(folder, 'Copy of the chart.pdf')
    await copyFile(chart.path, copy)
    const page = await open()
    await choose(page, chart.path)
    await ended(page)
    // The server computes the digest when the bytes are read, or later in the background.
    await hashOf('Kept chart.pdf')
    await page.reload()
    await choose(page, [chart.path, copy, fresh.path])
    await page.getByRole('heading', { name: '2 of 3 files are here already' }).waitFor()
    const left = page.getByRole('list', { name: 'Files that are here already' })
    await expect
      .poll(() => left.getByRole('listitem').allTextContents())
      .toEqual(
        ['Copy of the chart.pdf', 'Kept chart.pdf'].map(
          (name) => `${name}The same bytes are here already: Kept chart.pdf`,
        ),
      )
    await status(page, 'Other chart.pdf', 'Complete')
    await expect.poll(() => figure(page, 'Total files').textContent()).toBe('1')

    await page.getByRole('button', { name: 'Send all the same' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('A file of this name exists').waitFor()
    await dialog
      .getByLabel('What to do with Kept chart.pdf')
      .selectOption({ label: 'Add as a new version' })
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await left.waitFor({ state: 'detached' })
    await status(page, 'Copy of the chart.pdf', 'Complete')
    await status(page, 'Kept chart.pdf', 'Complete')
    // Equal bytes are no new version.
    expect((await fileNamed('Kept chart.pdf')).version).toBe(1)
    expect(await hashOf('Copy of the chart.pdf')).toBe(chart.hash)

    await page.reload()
    await choose(page, copy)
    await page.getByRole('button', { name: 'Leave it out' }).click()
    await left.waitFor({ state: 'detached' })
    expect(await page.getByRole('list', { name: 'Uploads' }).count()).toBe(0)
  },
)

soakTest('a comparison that fails or is stopped does not keep files from being sent', async () => {
  const files = await Promise.all([1, 2, 3].map((n) => made(`Uncompared ${n}.txt`, 500 + n)))
  const page = await open()
  await page.route('**/api/uploads/check', (route) => route.fulfill({ status: 500, body: '' }))
  await choose(page, files[0]!.path)
  await status(page, 'Uncompared 1.txt', 'Complete')
  await page.unroute('**/api/uploads/check')
  await page.route('**/sums-worker*', (route) => route.abort())
  await choose(page, files[1]!.path)
  await status(page, 'Uncompared 2.txt', 'Complete')
  await page.unroute('**/sums-worker*')
  // No answer comes until the merchant gives up.
  await page.route('**/api/uploads/check', () => undefined)
  await choose(page, files[2]!.path)
  await page.getByText('Comparing with the files of your shop: ').waitFor()
  await page.getByRole('button', { name: 'Send without comparing' }).click()
  await status(page, 'Uncompared 3.txt', 'Complete')
})

soakTest(
  'of two files with one name the later one offers the choice; adding the same file again changes nothing',
  async () => {
    const [first] = await Promise.all([
      made('Twins/a/Twin.pdf', 1000),
      made('Twins/b/Twin.pdf', 2000),
    ])
    const page = await open()
    const field = page.getByLabel('Choose a folder').and(page.locator('input'))
    const dialog = page.getByRole('dialog')
    await field.setInputFiles(path.join(folder, 'Twins'))
    await dialog.getByText('A file of this name exists').waitFor()
    await dialog
      .getByLabel('What to do with Twins/b/Twin.pdf')
      .selectOption({ label: 'Don’t upload it' })
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await status(page, 'Twin.pdf', 'Complete')
    await expect.poll(() => figure(page, 'Total files').textContent()).toBe('1')
    expect(await hashOf('Twin.pdf')).toBe(first.hash)
    await field.setInputFiles(path.join(folder, 'Twins'))
    await page.getByRole('heading', { name: '1 of 2 files is here already' }).waitFor()
    await dialog
      .getByLabel('What to do with Twins/b/Twin.pdf')
      .selectOption({ label: 'Don’t upload it' })
    await dialog.getByRole('button', { name: 'Continue' }).click()
    // Its row is still there, and is replaced.
    await page.getByRole('button', { name: 'Send all the same' }).click()
    await dialog
      .getByLabel('What to do with Twins/a/Twin.pdf')
      .selectOption({ label: 'Rename the new file' })
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await expect.poll(() => fileNamed('Twin (2).pdf').catch(() => null)).not.toBeNull()
    await status(page, 'Twin.pdf', 'Complete')
    await page.getByRole('button', { name: 'Clear finished' }).click()
    await row(page, 'Twin.pdf').waitFor({ state: 'detached' })
  },
)

soakTest(
  'asks about a name that was taken during the upload; about a name that is being sent, immediately',
  async () => {
    const [file, twin] = await Promise.all([made('Race.pdf', 400_000), made('later/Race.pdf', 500)])
    const page = await open()
    const dialog = page.getByRole('dialog')
    const speed = await speedOf(page)
    await speed(100_000)
    await choose(page, file.path)
    await status(page, 'Race.pdf', 'Uploading')
    await choose(page, file.path)
    await page.getByText('Already in the queue').waitFor()
    await choose(page, twin.path)
    await dialog.getByText('A file of this name exists').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    const other = { filename: 'race.pdf', url: `${origin.url}/bytes/300/race` }
    expect((await importUntilEnd(server, { files: [other] })).imported).toBe(1)
    await speed(-1)
    await row(page, 'Race.pdf').getByText('Duplicate filename').waitFor()
    await page.getByRole('button', { name: 'Choose: Race.pdf' }).click()
    await dialog
      .getByLabel('What to do with Race.pdf')
      .selectOption({ label: 'Add as a new version' })
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await status(page, 'Race.pdf', 'Complete')
    expect((await fileNamed('race.pdf')).version).toBe(2)
  },
)

soakTest(
  'an import whose result cannot be read is neither shown as complete nor waited for',
  async () => {
    const file = await made('Gone.pdf', 500)
    const page = await open()
    const error = { code: 'not_found', message: 'This operation doesn’t exist' }
    await page.route('**/api/uploads/results', (route) =>
      route.fulfill({ status: 404, json: { error } }),
    )
    await choose(page, file.path)
    await row(page, 'Gone.pdf')
      .getByText('The result could not be read: This operation doesn’t exist')
      .waitFor()
    await page.getByText('1 file is not complete: see below.').waitFor()
    // It can be removed from the queue alone, as a file whose upload failed can.
    await page.getByRole('button', { name: 'Remove: Gone.pdf' }).click()
    await row(page, 'Gone.pdf').waitFor({ state: 'detached' })
  },
)

soakTest(
  'a small file is imported before a large one ends, and the import is found after a reload',
  async () => {
    const [small, large] = await Promise.all([made('Small.jpg', 90_000), made('Large.zip', 6 * MB)])
    const page = await open()
    const speed = await speedOf(page)
    await speed(1 * MB)
    await choose(page, [large.path, small.path])
    await status(page, 'Small.jpg', 'Complete')
    await status(page, 'Large.zip', 'Uploading')
    await page.getByText('Each file is imported when it arrives: 1 file so far.').waitFor()
    expect(await hashOf('Small.jpg')).toBe(small.hash)

    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('Each file is imported when it arrives: 1 file so far.').waitFor()
    await choose(page, large.path)
    await ended(page)
    await page.getByText('2 files were imported').waitFor()
    expect(await hashOf('Large.zip')).toBe(large.hash)
    await page.getByRole('link', { name: 'View details' }).click()
    await page.waitForURL(/\/operations\/import_/)
    await page.getByText('Success').first().waitFor()
  },
)

soakTest(
  'three files of one name in a folder are all imported if the choice is to rename',
  async () => {
    await Promise.all(['a', 'b', 'c'].map((part, n) => made(`Triple/${part}/Same.pdf`, 1000 + n)))
    const page = await open()
    await page
      .getByLabel('Choose a folder')
      .and(page.locator('input'))
      .setInputFiles(path.join(folder, 'Triple'))
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('For all of them').selectOption({ label: 'Rename the new file' })
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await ended(page)
    await expect.poll(() => figure(page, 'Completed').textContent()).toBe('3')
    const names = (await listAll(server, '/api/files?search=Same')).map(({ filename }) => filename)
    expect(names.toSorted()).toEqual(['Same (2).pdf', 'Same (3).pdf', 'Same.pdf'])
  },
)

soakTest('uploads are paused, resumed and cancelled, one by one and all together', async () => {
  const files = await Promise.all([1, 2, 3].map((n) => made(`Part ${n}.zip`, 3 * MB)))
  const page = await open()
  const speed = await speedOf(page)
  await speed(200_000)
  await choose(
    page,
    files.map((file) => file.path),
  )
  await status(page, 'Part 1.zip', 'Uploading')
  await page.getByRole('button', { name: 'Pause: Part 1.zip' }).press('Enter')
  await status(page, 'Part 1.zip', 'Paused')
  // The button keeps the focus when its label changes.
  const resume = page.getByRole('button', { name: 'Resume: Part 1.zip' })
  await resume.and(page.locator(':focus')).waitFor()
  await status(page, 'Part 2.zip', 'Uploading')
  await page.getByRole('button', { name: 'Pause all' }).click()
  for (const n of [1, 2, 3]) await status(page, `Part ${n}.zip`, 'Paused')
  await page.getByRole('button', { name: 'Cancel: Part 3.zip' }).press('Enter')
  await row(page, 'Part 3.zip').waitFor({ state: 'detached' })
  // The row is gone: the focus moves to the one before it.
  await page
    .getByRole('button', { name: 'Resume: Part 2.zip' })
    .and(page.locator(':focus'))
    .waitFor()
  await page.getByRole('button', { name: 'Resume all' }).click()
  await status(page, 'Part 1.zip', 'Uploading')
  await speed(-1)
  await ended(page)
  expect(await hashOf('Part 1.zip')).toBe(files[0]!.hash)
  expect(await hashOf('Part 2.zip')).toBe(files[1]!.hash)

  await speed(300_000)
  await choose(page, [files[2]!.path])
  await status(page, 'Part 3.zip', 'Uploading')
  await page.getByRole('button', { name: 'Cancel all' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel uploads' }).click()
  await row(page, 'Part 3.zip').waitFor({ state: 'detached' })
  await expect.poll(() => figure(page, 'Total files').textContent()).toBe('2')
})

soakTest('an upload waits while the network is down, and resumes at its offset', async () => {
  const file = await made('Long way.zip', 6 * MB)
  const line = await startLine(Number(new URL(server.url).port))
  opened = await openPage(browser, { ...server, url: line.url }, '/import/upload')
  const { page } = opened
  const offsets = watchOffsets(page.context())
  const speed = await speedOf(page)
  await speed(MB / 2)
  await choose(page, file.path)
  await row(page, 'Long way.zip')
    .getByText(/^[2-5](\.\d)? MB of 6 MB/)
    .waitFor()
  await page.context().setOffline(true)
  line.cut()
  await expect.poll(() => figure(page, 'Speed').textContent()).toMatch(/^(0 bytes\/s|–)$/)
  await status(page, 'Long way.zip', 'Uploading')
  line.mend()
  await page.context().setOffline(false)
  await speed(-1)
  await ended(page)
  expect(await hashOf('Long way.zip')).toBe(file.hash)
  expect(offsets[0]).toBe(0)
  expect(offsets.at(-1)).toBeGreaterThan(1 * MB)
  await line.close()
})

soakTest('after a reload the same file is chosen again, and only the rest is sent', async () => {
  const file = await made('Half of it.zip', 6 * MB)
  const page = await open()
  const speed = await speedOf(page)
  await speed(1 * MB)
  await choose(page, file.path)
  await row(page, 'Half of it.zip')
    .getByText(/^[2-5](\.\d)? MB of 6 MB/)
    .waitFor()
  // The page warns before it is left.
  page.once('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await page.getByText('1 upload was interrupted when you left this page').waitFor()
  const offsets = watchOffsets(page.context())
  await choose(page, file.path)
  await ended(page)
  expect(offsets).toHaveLength(1)
  expect(offsets[0]).toBeGreaterThan(1 * MB)
  expect(await hashOf('Half of it.zip')).toBe(file.hash)
  await page.reload()
  await page.getByText('Drop files or a folder here').waitFor()
  await expect.poll(() => page.getByText('interrupted').count()).toBe(0)
})

soakTest(
  'after a reload one upload is discarded, and one resumed by choosing its file',
  async () => {
    const [kept, given] = [await made('Resumed.zip', 6 * MB), await made('Given up.zip', 6 * MB)]
    const page = await open()
    const speed = await speedOf(page)
    await speed(1 * MB)
    await choose(page, [kept.path, given.path])
    for (const name of ['Resumed.zip', 'Given up.zip'])
      await row(page, name)
        .getByText(/^[1-5](\.\d)? MB of 6 MB/)
        .waitFor()
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('2 uploads were interrupted when you left this page').waitFor()
    const list = page.getByRole('list', { name: 'Interrupted uploads' })
    await list.getByRole('button', { name: 'Discard Given up.zip' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Discard uploads' }).press('Enter')
    await page.getByText('1 upload was interrupted when you left this page').waitFor()
    const pick = async (file: string) => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        list.getByRole('button', { name: 'Choose file: Resumed.zip' }).press('Enter'),
      ])
      await chooser.setFiles(file)
    }
    await pick(given.path)
    await list.getByText('This is another file. Choose Resumed.zip with 6 MB.').waitFor()
    const offsets = watchOffsets(page.context())
    await pick(kept.path)
    await ended(page)
    expect(offsets[0]).toBeGreaterThan(0)
    expect(await hashOf('Resumed.zip')).toBe(kept.hash)
    await page.reload()
    await page.getByText('Drop files or a folder here').waitFor()
    expect(await page.getByText('interrupted').count()).toBe(0)
  },
)

soakTest(
  'a name that was taken during an interruption is asked about before the rest is sent',
  async () => {
    const file = await made('Paused.zip', 3 * MB)
    const page = await open()
    const speed = await speedOf(page)
    await speed(1 * MB)
    await choose(page, file.path)
    await row(page, 'Paused.zip')
      .getByText(/^[12](\.\d)? MB of 3 MB/)
      .waitFor()
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('1 upload was interrupted when you left this page').waitFor()
    const other = { filename: 'paused.zip', url: `${origin.url}/bytes/300/paused` }
    expect((await importUntilEnd(server, { files: [other] })).imported).toBe(1)
    const offsets = watchOffsets(page.context())
    await choose(page, file.path)
    await row(page, 'Paused.zip').getByText('Duplicate filename').waitFor()
    await page.getByRole('button', { name: 'Choose: Paused.zip' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByLabel('What to do with Paused.zip')
      .selectOption({ label: 'Rename the new file' })
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await status(page, 'Paused.zip', 'Complete')
    expect(offsets).toHaveLength(2)
    expect(offsets[1]).toBeGreaterThan(0.5 * MB)
    expect(await hashOf('Paused (2).zip')).toBe(file.hash)
    opened!.complaints.splice(
      0,
      Infinity,
      ...opened!.complaints.filter((one) => !one.includes('422')),
    )
  },
)

soakTest(
  'a file that is too large is refused with advice, and a large batch shows advice',
  async () => {
    const huge = path.join(folder, 'Huge.iso')
    const handle = await openFile(huge, 'w')
    await handle.truncate(5 * 1024 ** 3 + 1)
    await handle.close()
    const many = await Promise.all(
      Array.from({ length: 101 }, (_, n) => made(`many/Small ${n}.txt`, 20)),
    )
    const page = await open()
    await choose(page, [huge])
    await page.getByText('ask support for assistance').waitFor()
    await choose(
      page,
      many.map((file) => file.path),
    )
    await page.getByText('101 files are chosen.', { exact: false }).waitFor()
    await ended(page)
    await expect.poll(() => figure(page, 'Completed').textContent()).toBe('101')
  },
)

soakTest(
  'uploads continue while another page is open, and through a restart of the server',
  async () => {
    const own = await startPageProcess()
    onTestFinished(() => own.end())
    const file = await made('Through it all.zip', 5 * MB)
    const page = await open(own)
    const speed = await speedOf(page)
    await speed(1 * MB)
    await choose(page, file.path)
    await row(page, 'Through it all.zip')
      .getByText(/^[1-4](\.\d)? MB of 5 MB/)
      .waitFor()
    await own.dieAndStart()
    await speed(-1)
    await page.getByRole('link', { name: 'Operations' }).click()
    await page.waitForURL(/\/operations$/)
    await page.getByRole('link', { name: 'Import' }).first().click()
    await page.getByRole('link', { name: /Upload files|See 1 upload/ }).click()
    await ended(page)
    expect(await hashOf('Through it all.zip', own)).toBe(file.hash)
  },
)
