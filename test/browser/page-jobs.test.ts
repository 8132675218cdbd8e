// The jobs of a merchant from their beginning to their end, by mouse and by keyboard alone, in a real
// browser on the real server.
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import pg from 'pg'
import { expect, test } from 'vitest'
import { insertManyFiles } from '../factories.ts'
import { readDemo, type RunningServer } from '../flows/server.ts'
import { launched } from './dialogs.ts'
import { soakCases, soakTest, someOf } from '../scale.ts'
import { handOf, MODES } from './hand.ts'
import { usePages } from './page-browser.ts'

const MANY = 500
/** By keyboard each step also presses Tab many times. */
const TESTED = someOf(MODES, (mode) => mode === 'mouse')
/** What is done to many files, each step of which is also in the tests of bulk operations. */
const IN_SOAK = soakCases(MODES)

let server: RunningServer
let browser: Browser
let folder: string

const open = usePages(
  () => Promise.resolve({ close: () => Promise.resolve() }),
  async (world) => {
    ;({ server, browser } = world)
    folder = path.join(server.dataDir, 'demo-cloud', 'boats')
    await mkdir(folder, { recursive: true })
    await write('tides.pdf')
  },
)

const write = (name: string) => writeFile(path.join(folder, name), name)

async function insertFiles(prefix: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: server.databaseUrl, max: 1 })
  const { rows } = await pool.query<{ id: number }>('select id from shops')
  await insertManyFiles(pool, { shop: rows[0]!.id, count: MANY, prefix })
  await pool.end()
}

async function tagged(): Promise<number> {
  const reply = await server.call('GET', '/api/files?tags=spring&limit=1')
  return ((await reply.json()) as { total: number }).total
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).last()

test.each(TESTED)('from the first file to the first download, by %s', async (mode) => {
  const page = await open('/')
  const hand = handOf(mode, page)
  await page.getByRole('heading', { name: 'Start here' }).waitFor()
  await hand.press(page.getByRole('link', { name: 'Import', exact: true }).first())
  await hand.press(page.getByRole('link', { name: 'Upload files' }))
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    hand.press(page.getByRole('button', { name: 'Choose files' })),
  ])
  const name = `Almanac by ${mode}.txt`
  await chooser.setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(mode) })
  await page.getByRole('heading', { name: '1 imported, 1 needs a product' }).waitFor()
  await hand.press(page.getByRole('button', { name: /^Not mapped: choose/ }))
  const dialog = page.getByRole('dialog')
  await hand.type(dialog.getByLabel('Search products by title or SKU'), 'EB-001')
  await expect.poll(() => dialog.getByRole('radio').count()).toBe(1)
  await hand.choose(dialog.getByRole('radio'))
  await hand.press(dialog.getByRole('button', { name: 'Choose', exact: true }))
  await page.getByRole('heading', { name: /needs? a product$/ }).waitFor({ state: 'detached' })

  const { storefront } = await readDemo(server.dataDir)
  const shopFront = await browser.newPage()
  const buyer = handOf(mode, shopFront)
  await shopFront.goto(`${storefront.url}/demo/shop?q=EB-001`)
  await buyer.type(shopFront.getByLabel('Your email address'), `${mode}@example.com`)
  await buyer.press(shopFront.getByRole('button', { name: 'Buy' }))
  await buyer.press(shopFront.getByRole('link', { name: 'Your files' }))
  const [download] = await Promise.all([
    shopFront.waitForEvent('download'),
    buyer.press(shopFront.getByRole('button', { name: `Download ${name}` })),
  ])
  expect(download.suggestedFilename()).toBe(name)
  await download.path()
  await shopFront.close()

  await hand.press(page.getByRole('link', { name: 'Home', exact: true }))
  await page.getByText('4 of 5 steps done').waitFor()
  await hand.press(page.getByRole('link', { name: 'Deliveries', exact: true }))
  await page
    .getByRole('row')
    .filter({ hasText: `${mode}@example.com` })
    .waitFor()

  // Its name has no SKU: the row shows by which one it was found.
  const files = await open('/files?search=eb-001')
  const found = files.getByRole('row').filter({ hasText: name })
  await found.locator('mark', { hasText: 'EB-001' }).waitFor()
})

test.each(IN_SOAK)('500 files are tagged, renamed, and both undone, by %s', async (mode) => {
  await insertFiles(`many-${mode}`)
  const page = await open('/files')
  const hand = handOf(mode, page)
  await hand.type(page.getByPlaceholder('Search files'), `many ${mode}`)
  await page.getByText(`1–50 of ${MANY} files`).waitFor()
  await hand.choose(page.getByRole('checkbox', { name: 'Select all files' }))
  await hand.press(button(page, `Select all ${MANY} files`))
  await page.getByText(`All ${MANY} files selected`).first().waitFor()

  await hand.press(button(page, 'Change tags'))
  const dialog = page.getByRole('dialog')
  await hand.pick(dialog.getByLabel('How'), 'Add to the tags they have')
  await hand.type(dialog.getByLabel('Tags', { exact: true }), 'spring')
  await hand.press(dialog.getByRole('button', { name: 'Add tags' }))
  await launched(page).getByText(`Tags of ${MANY} files changed`).waitFor()
  expect(await tagged()).toBe(MANY)
  await hand.press(launched(page).getByRole('button', { name: 'Undo' }))
  await expect.poll(tagged).toBe(0)

  // The selection is still there.
  await hand.press(
    page.locator('main thead, main').getByRole('button', { name: 'More actions' }).last(),
  )
  await hand.press(page.locator('.Polaris-Popover').getByRole('menuitem', { name: 'Rename' }))
  await hand.type(dialog.getByLabel('Pattern'), `${mode} many {sequence}`)
  await hand.press(dialog.getByRole('button', { name: 'Preview' }))
  await hand.press(dialog.getByRole('button', { name: `Rename ${MANY} files` }))
  await launched(page).getByText(`${MANY} files renamed`).waitFor()
  await page
    .getByRole('link', { name: new RegExp(`^${mode} many \\d+\\.`) })
    .first()
    .waitFor()
  await hand.press(launched(page).getByRole('button', { name: 'Undo' }))
  await page
    .getByRole('link', { name: new RegExp(`^many-${mode}-`) })
    .first()
    .waitFor()
})

soakTest('a connection is made, synced, and synced again by keyboard alone', async () => {
  const page = await open('/import/connections')
  const hand = handOf('keyboard', page)
  await hand.press(page.getByRole('link', { name: 'Connect', exact: true }))
  const local = page.getByRole('listitem').filter({ hasText: 'A folder of this server' })
  await hand.press(local.getByRole('button'))
  await hand.press(button(page, 'Continue'))
  await hand.press(button(page, 'Choose a folder'))
  const dialog = page.getByRole('dialog')
  await hand.press(dialog.getByRole('button', { name: 'boats' }))
  await hand.press(dialog.getByRole('button', { name: 'Choose this folder' }))
  await dialog.waitFor({ state: 'detached' })
  await hand.press(button(page, 'Preview the first sync'))
  await hand.press(button(page, 'Confirm and run'))
  await page.getByText(/: 1 new$/).waitFor()
  await page.getByText(/^1 file,/).waitFor()
  await write('moon.pdf')
  await hand.press(button(page, 'Sync now'))
  await page.getByText(/^2 files,/).waitFor()
  await page.getByText(/: 1 new$/).waitFor()
})
