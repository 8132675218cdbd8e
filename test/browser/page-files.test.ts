// Files on the admin page, in a real browser on the real server: first use, the list, one file, its
// links, failures.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { contentOf } from '../fakes/content.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { uniqueSkus } from '../flows/catalog.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { sized, soakTest } from '../scale.ts'
import { animate, usePages } from './page-browser.ts'

let server: RunningServer
let origin: Origin

const open = usePages(startOrigin, async (world) => {
  ;({ server, origin } = world)
})

const rows = (page: Page) => page.locator('main tbody tr')
/** With its own storage, which keeps columns and the number of rows. */
const OWN_BROWSER = { viewport: { width: 1280, height: 900 } }
const search = (page: Page) => page.getByPlaceholder('Search files')

soakTest('a shop without files shows how to import them', async () => {
  const page = await open('/files')
  await page.getByRole('heading', { name: 'Import your first files' }).waitFor()
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  await expect.poll(() => page.title()).toBe('Files · Stevedore')
})

describe('with 120 files', () => {
  const skus = uniqueSkus()

  beforeAll(async () => {
    const files = Array.from({ length: sized(3, 120) }, (_, n) => ({
      filename: `Sea chart ${String(n).padStart(3, '0')}.${n % 4 === 0 ? 'zip' : 'pdf'}`,
      url: `${origin.url}/bytes/${1000 + n * 100}/chart-${n}`,
      tags: n % 3 === 0 ? ['chart', 'north'] : ['chart'],
      ...(n % 2 === 0 ? { product_sku: skus[n % skus.length]! } : {}),
    }))
    const reply = await importUntilEnd(server, { files, auto_map: false })
    expect(reply.imported).toBe(files.length)
  })

  soakTest('pages change, and reload and Back keep the position', async () => {
    const page = await open('/files?sort=filename')
    await page.getByText('1–50 of 120 files').waitFor()
    await page.getByRole('button', { name: 'Next page of files' }).click()
    await page.getByText('51–100 of 120 files').waitFor()
    await page.getByRole('button', { name: 'Next page of files' }).click()
    await page.getByText('101–120 of 120 files').waitFor()
    await page.reload()
    await page.getByText('101–120 of 120 files').waitFor()
    await expect.poll(() => rows(page).first().textContent()).toContain('Sea chart 100.zip')
    await page.getByRole('button', { name: 'Previous page of files' }).click()
    await page.getByText('51–100 of 120 files').waitFor()
    await page.getByRole('link', { name: 'Sea chart 051.pdf' }).click()
    await page.getByRole('heading', { name: 'Sea chart 051.pdf' }).waitFor()
    await expect.poll(() => page.title()).toBe('Sea chart 051.pdf · Stevedore')
    await page.goBack()
    await page.getByText('51–100 of 120 files').waitFor()
  })

  soakTest('a search adds one history entry, regardless of the intermediate input', async () => {
    const page = await open('/files')
    await page.getByText('1–50 of 120 files').waitFor()
    await search(page).pressSequentially('chart 11', { delay: 20 })
    await page.getByText('10 files', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?search=chart+11')
    await search(page).press('End')
    await search(page).pressSequentially('7')
    await page.getByText('1 file', { exact: true }).waitFor()
    await page.goBack()
    await page.getByText('1–50 of 120 files').waitFor()
    await expect.poll(() => search(page).inputValue()).toBe('')
  })

  soakTest('filters combine, are shown, and are removed one by one or all together', async () => {
    const page = await open('/files')
    await page.getByRole('button', { name: 'Type' }).click()
    await page.locator('label').getByText('PDF', { exact: true }).click()
    await page.getByText('1–50 of 90 files').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Products' }).click()
    await page.locator('label').getByText('Mapped to a product').click()
    await page.getByText('30 files', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?type=pdf&mapped=true')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Clear', exact: true }).first().click()
    await page.getByText('1–50 of 60 files').waitFor()
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.getByText('1–50 of 120 files').waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  soakTest(
    'a view keeps its filters, order and columns for everybody; it is renamed, replaced and deleted',
    async () => {
      const page = await open('/files?sort=filename', OWN_BROWSER)
      await page.getByRole('button', { name: 'Add filter' }).click()
      await page.getByRole('menuitem', { name: 'Backup', exact: true }).click()
      await page.locator('label').getByText('Never backed up').click()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Columns of the list' }).click()
      await page.locator('label').getByText('Pack', { exact: true }).click()
      await page.locator('label').getByText('Tags', { exact: true }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('columnheader', { name: 'Pack' }).waitFor()
      await page.getByRole('button', { name: 'Downloads' }).click()
      await page.waitForURL(/sort=-downloads/)
      const dialog = page.getByRole('dialog')
      const save = async (name: string) => {
        await page.getByRole('button', { name: 'Save view' }).click()
        await dialog.getByLabel('Name').fill(name)
        await dialog.getByRole('button', { name: 'Save', exact: true }).click()
      }
      await server.call('POST', '/api/views', { name: 'Taken' })
      await save('taken')
      await dialog.getByText('Another view has this name').waitFor()
      await dialog.getByLabel('Name').fill('To back up')
      await dialog.getByRole('button', { name: 'Save', exact: true }).click()
      const tab = page.getByRole('link', { name: /^To back up/ })
      await tab.and(page.locator('[aria-current]')).waitFor()
      await tab.getByText('120').waitFor()

      // Another browser shows the same list with the view’s own columns.
      const other = await open('/files')
      await other.getByRole('link', { name: /^To back up/ }).click()
      await other.getByText('Never backed up').waitFor()
      await other.getByRole('columnheader', { name: 'Pack' }).waitFor()
      await expect.poll(() => other.getByRole('columnheader', { name: 'Tags' }).count()).toBe(0)
      await other.getByRole('button', { name: 'Type', exact: true }).click()
      await other.locator('label').getByText('PDF', { exact: true }).click()
      await other.keyboard.press('Escape')
      await other.getByRole('button', { name: 'Save changes' }).click()
      await other
        .getByRole('link', { name: /^To back up/ })
        .getByText('90')
        .waitFor()
      await other.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' })
      const act = async (action: string) => {
        await other.getByRole('button', { name: 'View “To back up”' }).click()
        await other.getByRole('menuitem', { name: action }).click()
      }
      await act('Rename view')
      await other.getByRole('dialog').getByLabel('Name').fill('Taken')
      await other.keyboard.press('Enter')
      await other.getByText('Another view has this name').waitFor()
      await other.keyboard.press('Escape')
      await act('Delete view')
      await other.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
      await other.getByRole('link', { name: /^To back up/ }).waitFor({ state: 'detached' })
      await other.getByText('1–50 of 90 files').waitFor()
    },
  )

  soakTest(
    'a page is opened by its number, and the way back from a file leads to its row',
    async () => {
      const page = await open('/files?sort=filename', OWN_BROWSER)
      await page.getByLabel('Rows per page').selectOption('25')
      await page.getByText('1–25 of 120 files').waitFor()
      await page.getByLabel('Page', { exact: true }).fill('4')
      await page.keyboard.press('Enter')
      await page.getByText('76–100 of 120 files').waitFor()
      await rows(page).first().getByText('Sea chart 075.pdf').first().waitFor()
      await page.getByRole('button', { name: 'Previous page of files' }).click()
      await page.getByText('51–75 of 120 files').waitFor()
      await rows(page).first().getByText('Sea chart 050.pdf').first().waitFor()
      const row = page.getByRole('link', { name: 'Sea chart 070.pdf' })
      const back = page.getByRole('link', { name: 'Files', exact: true }).last()
      for (const goBack of [() => back.click(), () => page.goBack()]) {
        await row.scrollIntoViewIfNeeded()
        await page.evaluate('scrollTo({ top: scrollY })')
        const top = await page.evaluate('scrollY')
        expect(top).toBeGreaterThan(0)
        await row.click()
        await page.getByRole('heading', { name: 'Sea chart 070.pdf' }).waitFor()
        await goBack()
        await page.getByText('51–75 of 120 files').waitFor()
        await expect.poll(() => page.evaluate('scrollY')).toBe(top)
      }
      // Another browser has its own number of rows.
      const other = await open('/files?sort=filename')
      await other.getByText('1–50 of 120 files').waitFor()
      // A list at rest makes the browser draw no frames.
      await animate(other)
      await expect.poll(() => other.evaluate('document.getAnimations().length')).toBe(0)
    },
  )

  const tiles = (page: Page) => page.getByRole('list', { name: 'Files' }).getByRole('listitem')
  const counted = (page: Page, text: string) =>
    page.getByRole('status').getByText(text, { exact: true }).waitFor()

  soakTest(
    'the grid has the selection, the order and the pages of the list, and this browser keeps it',
    async () => {
      const page = await open('/files?sort=filename', OWN_BROWSER)
      await page.getByRole('button', { name: 'Grid' }).click()
      await expect.poll(() => tiles(page).count()).toBe(50)
      const tile = tiles(page).filter({ hasText: 'Sea chart 002.pdf' })
      await tile.getByText('5 downloads, 60 days').waitFor()
      await tile.locator('.tile-picture').click({ modifiers: ['Control'] })
      await counted(page, '1 selected')
      await tiles(page)
        .nth(4)
        .locator('.tile-picture')
        .click({ modifiers: ['Shift'] })
      await counted(page, '3 selected')
      await tiles(page).nth(3).locator('.tile-picture').click()
      await counted(page, '2 selected')
      await page.getByRole('button', { name: 'Select all 120 files' }).click()
      await counted(page, 'All 120 files selected')
      await page.getByRole('button', { name: 'Next page of files' }).click()
      await page.getByText('51–100 of 120 files').waitFor()
      await tiles(page).first().getByRole('checkbox', { checked: true }).waitFor()
      await page.getByRole('button', { name: 'Order of the files' }).click()
      await page.getByRole('menuitem', { name: 'Name Z–A' }).click()
      await tiles(page).first().getByText('Sea chart 119.pdf').first().waitFor()
      await page.reload()
      await expect.poll(() => tiles(page).count()).toBe(50)
      await tiles(page).first().locator('.tile-picture').click()
      await page.getByRole('heading', { name: 'Sea chart 119.pdf' }).waitFor()
      await page.goBack()
      await page.getByRole('button', { name: 'List', exact: true }).click()
      await expect.poll(() => rows(page).count()).toBe(50)
    },
  )

  soakTest('tiles are reached and selected with the arrow keys, Space and Shift', async () => {
    const page = await open('/files?sort=filename', OWN_BROWSER)
    await page.getByRole('button', { name: 'Grid' }).press('Enter')
    const focused = (number: string) =>
      page.locator('.record-tile:focus-within', { hasText: `Sea chart ${number}` }).waitFor()
    await tiles(page).first().getByRole('link').focus()
    await page.keyboard.press('Space')
    await counted(page, '1 selected')
    await page.keyboard.press('ArrowRight')
    await focused('001')
    await page.keyboard.press('Shift+ArrowRight')
    await counted(page, '3 selected')
    await page.keyboard.press('Shift+ArrowRight')
    await counted(page, '4 selected')
    await page.keyboard.press('Shift+ArrowLeft')
    await counted(page, '3 selected')
    await focused('002')
    const columns = await page.evaluate(
      `getComputedStyle(document.querySelector('.record-tiles')).gridTemplateColumns.split(' ').length`,
    )
    await page.keyboard.press('ArrowDown')
    await focused(String(2 + Number(columns)).padStart(3, '0'))
    await page.keyboard.press('Home')
    await page.keyboard.press('End')
    await focused('049')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /Sea chart 049/ }).waitFor()
  })

  soakTest('a filter that only the address can set is shown too', async () => {
    const page = await open('/files?older_than_days=1&not_downloaded_for_days=180')
    await page.getByText('Not downloaded for 180 days').waitFor()
    await page.getByRole('heading', { name: 'No file matches' }).waitFor()
    await page.getByText('Uploaded more than 1 day ago').waitFor()
  })

  soakTest('column headings sort the list', async () => {
    const page = await open('/files')
    const sortedBy = () =>
      page
        .getByRole('columnheader')
        .evaluateAll((all) => all.map((one) => `${one.textContent} ${one.ariaSort}`))
    await page.getByRole('button', { name: 'Size' }).click()
    await page.waitForURL('**/files?sort=-size_bytes')
    await page.locator('main tbody tr:first-child', { hasText: 'Sea chart 119.pdf' }).waitFor()
    expect(await sortedBy()).toEqual(expect.arrayContaining(['Size descending', 'File none']))
    await page.getByRole('button', { name: 'Size' }).click()
    await page.locator('main tbody tr:first-child', { hasText: 'Sea chart 000.zip' }).waitFor()
    expect(await sortedBy()).toEqual(expect.arrayContaining(['Size ascending', 'File none']))
  })

  soakTest('an empty result says so and offers to clear the filters', async () => {
    const page = await open('/files?search=treasure')
    await page.getByRole('heading', { name: 'No file matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear search and filters' }).click()
    await page.getByText('1–50 of 120 files').waitFor()
    await expect.poll(() => search(page).inputValue()).toBe('')
  })

  soakTest('a file can be opened and left by keyboard alone', async () => {
    const page = await open('/files?search=chart+003')
    await page.getByText('1 file', { exact: true }).waitFor()
    const focused = page.locator('a:focus', { hasText: 'Sea chart 003.pdf' })
    await search(page).focus()
    for (let keys = 0; keys < 30 && (await focused.count()) === 0; keys++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sea chart 003.pdf' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('1 file', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?search=chart+003')
  })

  test('a file shows its mapping and can be downloaded', async () => {
    const page = await open('/files?search=chart+002')
    await page.getByRole('link', { name: 'Sea chart 002.pdf' }).click()
    await page.getByText('100% confidence').waitFor()
    await page.getByText('Product SKU', { exact: true }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download', exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe('Sea chart 002.pdf')
    const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-page-'))
    await download.saveAs(path.join(folder, 'bytes'))
    expect((await readFile(path.join(folder, 'bytes'))).equals(contentOf(1200, 'chart-2'))).toBe(
      true,
    )
    await rm(folder, { recursive: true })
  })

  soakTest(
    'a link with invalid fields is refused next to them, then created, and works',
    async () => {
      const page = await open('/files?search=chart+004')
      await page.getByRole('link', { name: 'Sea chart 004.zip' }).click()
      await page.getByText('No links yet', { exact: false }).waitFor()
      await page.getByRole('button', { name: 'Create link' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Days until the link expires').fill('0')
      await dialog.getByLabel('Customer’s email').fill('nobody')
      await dialog.getByLabel('Customer’s email').press('Enter')
      await dialog.getByText('Enter a whole number from 1 to 36,500').waitFor()
      await dialog.getByText('Enter an address like name@example.com').waitFor()
      // The server may refuse what the page's validation accepts; its message is then next to the
      // field.
      await dialog.getByLabel('Days until the link expires').fill('30')
      await dialog.getByLabel('Customer’s email').fill('buyer@exa_mple.com')
      await dialog.getByRole('button', { name: 'Create link' }).click()
      await dialog.getByText('Send an email address').waitFor()
      await dialog.getByLabel('Customer’s email').fill('buyer@example.com')
      await dialog.getByLabel('Maximum downloads').fill('2')
      await dialog.getByRole('button', { name: 'Create link' }).click()
      await dialog.getByText('allows 2 downloads', { exact: false }).waitFor()
      const url = await dialog.getByRole('group', { name: 'link' }).textContent()
      expect((await fetch(url!)).status).toBe(200)
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page.reload()
      const made = page.getByRole('listitem').filter({ hasText: 'buyer@example.com' })
      await made.filter({ hasText: 'Active' }).getByText('1 of 2').waitFor()
    },
  )

  soakTest('a failed call shows an error, and Retry loads the list', async () => {
    const page = await open('/notices')
    await page.getByRole('heading', { name: 'Notices' }).waitFor()
    let failing = true
    await page.route('**/api/files?*', (route) => (failing ? route.abort() : route.fallback()))
    await page.getByRole('link', { name: 'Files' }).first().click()
    await page.getByText('The files could not be loaded').waitFor()
    await page.getByText('Stevedore can’t be reached').waitFor()
    failing = false
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('1–50 of 120 files').waitFor()
  })

  soakTest('an expired token is requested again, once', async () => {
    const page = await open('/notices')
    await page.getByRole('heading', { name: 'Notices' }).waitFor()
    let refused = 0
    const body = {
      error: { code: 'unauthenticated', message: 'Send a valid API key or session token' },
    }
    await page.route('**/api/files?*', (route) => {
      refused += 1
      return refused === 1 ? route.fulfill({ status: 401, json: body }) : route.fallback()
    })
    await page.getByRole('link', { name: 'Files' }).first().click()
    await page.getByText('1–50 of 120 files').waitFor()
    expect(refused).toBe(2)
  })

  soakTest('nothing is wider than a phone’s screen', async () => {
    const viewport = { width: 390, height: 844 }
    const shown = {
      '/files': 'Sea chart 000.zip',
      '/operations': '120 of 120',
      '/notices': 'View details',
    }
    for (const [address, text] of Object.entries(shown)) {
      const page = await open(`${address}?sort=filename`, {
        viewport,
        hasTouch: true,
        isMobile: true,
      })
      await page.getByText(text).first().waitFor()
      const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth')
      await expect.poll(fits, { message: address }).toBe(true)
    }
  })
})

soakTest('an unknown address shows a page that says so', async () => {
  const page = await open('/files/file_00000000000000000000000000000000')
  await page.getByRole('heading', { name: 'This file doesn’t exist' }).waitFor()
  await page.goto(`${server.url}/no/such/place`)
  await page.getByRole('heading', { name: 'There is nothing at this address' }).waitFor()
  await expect.poll(() => page.title()).toBe('Page not found · Stevedore')
})

soakTest(
  'files with the same content are found from the menu, and merged after a preview',
  async () => {
    const twins = ['Twin of the north.bin', 'Twin of the south.bin']
    await importUntilEnd(server, {
      files: twins.map((filename) => ({ filename, url: `${origin.url}/bytes/5000000/twin` })),
      auto_map: false,
    })
    const page = await open('/files')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Same content', exact: true }).click()
    await page.getByText(twins[0]!, { exact: true }).click()
    await expect.poll(() => page.getByRole('radio', { name: twins[0]! }).isChecked()).toBe(true)
    const { width, height } = page.viewportSize()!
    await page.setViewportSize({ width: 390, height: 844 })
    const total = page.getByText('1 group of files with the same content.')
    await expect.poll(async () => (await total.boundingBox())?.x).toBe(16)
    await page.setViewportSize({ width, height })
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('This is a preview: nothing has been changed').waitFor()
    await page.getByRole('button', { name: 'Confirm and run' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Confirm and run' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
    await page.goto(`${server.url}/same-content`)
    await page.getByText('No two files have the same content').waitFor()
  },
)
