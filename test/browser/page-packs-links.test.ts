// Packs, links, API keys and versions on the admin page, in a real browser on the real server.
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { usePages } from './page-browser.ts'
import { soakTest } from '../scale.ts'

let server: RunningServer
let origin: Origin
let ids: string[]

/** For results of an operation or of a server's response. */
const NAMES = ['Chart of the bay.pdf', 'Sea shanties.mp3', 'Tide tables.pdf']

const open = usePages(startOrigin, async (world) => {
  ;({ server, origin } = world)
  const files = NAMES.map((filename, n) => ({
    filename,
    url: `${origin.url}/bytes/${900 + n}/${n}`,
  }))
  expect((await importUntilEnd(server, { files, auto_map: false })).status).toBe('success')
  const list = await json<{ data: { id: string }[] }>('GET', '/api/files?sort=filename')
  ids = list.data.map(({ id }) => id)
})

const json = async <T>(method: string, route: string, body?: unknown): Promise<T> =>
  (await (await server.call(method, route, body)).json()) as T
const dialog = (page: Page) => page.getByRole('dialog')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const row = (page: Page, name: string) => page.locator('main tbody tr').filter({ hasText: name })
/** Drags a row by its handle with a finger to the top of another row. */
async function dragByTouch(page: Page, row: Locator, target: Locator): Promise<void> {
  const handle = (await row.locator('.sortable-handle').boundingBox())!
  const x = handle.x + handle.width / 2
  const touch = await page.context().newCDPSession(page)
  const points = [handle.y + handle.height / 2, (await target.boundingBox())!.y + 2].map((y) => ({
    x,
    y,
  }))
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: typeof points) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints })
  await send('touchStart', points.slice(0, 1))
  await send('touchMove', points.slice(1))
  await send('touchEnd', [])
  await touch.detach()
}
/** Pastes into the field that has the focus. */
const paste = (page: Page, text: string) =>
  page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', ${JSON.stringify(text)})
    const pasted = { clipboardData, bubbles: true, cancelable: true }
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', pasted))
  }`)
const status = async (url: string) => (await fetch(url)).status

soakTest(
  'a pack is sold as a new product, its buyers’ page is shown, and Undo detaches the product',
  async () => {
    const { id } = await json<{ id: string }>('POST', '/api/packs', { name: 'Bundle of charts' })
    await server.call('PATCH', `/api/files/${ids[0]}`, { pack_id: id })
    const page = await open(`/packs/${id}`)
    await button(page, 'Sell as a product').click()
    await dialog(page).getByLabel('Title').fill('All charts')
    await dialog(page).getByLabel('Price').fill('twelve')
    await button(page, 'Create product').click()
    await dialog(page).getByText('Write a price as 12.50').waitFor()
    await dialog(page).getByLabel('Price').fill('12,50')
    await dialog(page).getByLabel('Price').press('Enter')
    await page.getByRole('heading', { name: 'Sold as All charts' }).waitFor()
    const buyers = page.frameLocator('iframe[title="Preview of the buyer’s page"]')
    await buyers.getByText('All charts').waitFor()
    await buyers.getByText('Chart of the bay.pdf').waitFor()
    await button(page, 'Undo').press('Enter')
    await page.getByText('The product stays in your store').waitFor()
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByText('None. Files in this pack are mapped to its products').waitFor()
    await server.call('DELETE', `/api/packs/${id}`)
  },
)

test('a pack is created, filled, ordered, mapped, linked and deleted; its files are kept', async () => {
  const page = await open('/packs')
  await page.getByRole('heading', { name: 'No packs yet' }).waitFor()
  await button(page, 'Create pack').first().click()
  await dialog(page).getByRole('button', { name: 'Create', exact: true }).click()
  await dialog(page).getByText('Enter a name for the pack').waitFor()
  await dialog(page).getByLabel('Name').fill('Coast of Maine')
  await dialog(page).getByLabel('Name').press('Enter')
  await page.waitForURL(/\/packs\/pack_/)
  const pack = page.url().split('/').at(-1)!
  await page.getByText('No files yet').waitFor()
  await button(page, 'Add files').click()
  await dialog(page).getByLabel('Search files').fill('bay')
  await dialog(page).getByLabel('Chart of the bay.pdf').check()
  await dialog(page).getByLabel('Search files').focus()
  await paste(page, 'SEA SHANTIES.mp3\r\nTide tables.pdf\nNo such.pdf\n')
  await dialog(page).getByText('2 files found. No file has this name: No such.pdf').waitFor()
  await button(page, 'Add 3 files').click()
  await page.locator('.pack-files li').nth(2).waitFor()
  await button(page, 'Undo').click()
  await page.getByText('No files yet').waitFor()
  await button(page, 'Add files').click()
  await dialog(page).getByLabel('Search files').focus()
  await paste(page, NAMES.join('\n'))
  await button(page, 'Add 3 files').click()
  await page.locator('.pack-files li').nth(2).waitFor()
  const saved = Promise.withResolvers<void>()
  await page.route(`**/api/packs/${pack}/order`, async (route) => {
    await saved.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Move Tide tables.pdf up' }).click()
  const order = () => page.locator('.pack-files li a').allTextContents()
  await expect.poll(order).toEqual(['Chart of the bay.pdf', 'Tide tables.pdf', 'Sea shanties.mp3'])
  await dragByTouch(
    page,
    page.locator('.pack-files li').nth(1),
    page.locator('.pack-files li').first(),
  )
  await expect.poll(order).toEqual(['Tide tables.pdf', 'Chart of the bay.pdf', 'Sea shanties.mp3'])
  await page.getByRole('button', { name: 'Move Chart of the bay.pdf up' }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await expect.poll(order).toEqual(['Chart of the bay.pdf', 'Tide tables.pdf', 'Sea shanties.mp3'])
  await page.getByRole('button', { name: 'Remove: Sea shanties.mp3' }).click()
  const inPack = `/api/files?pack=${pack}&sort=pack_position`
  const stored = async () =>
    (await json<{ data: { filename: string }[] }>('GET', inPack)).data.map((file) => file.filename)
  await expect.poll(stored).not.toContain('Sea shanties.mp3')
  // The orders that waited list a file that has left the pack.
  saved.resolve()
  await expect.poll(stored).toEqual(['Chart of the bay.pdf', 'Tide tables.pdf'])
  await expect.poll(order).toEqual(['Chart of the bay.pdf', 'Tide tables.pdf'])

  await button(page, 'Add product').click()
  await dialog(page).getByRole('radio').first().check()
  await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('The products of its files are being updated').waitFor()
  const mappings = async () =>
    (await json<{ mappings: { method: string }[] }>('GET', `/api/files/${ids[0]}`)).mappings.map(
      ({ method }) => method,
    )
  await expect.poll(mappings).toEqual(['pack'])

  expect(
    (await server.call('PATCH', '/api/settings', { expiry_days: 12, download_limit: null })).status,
  ).toBe(200)
  await button(page, 'Create link').first().click()
  // The form shows the shop's defaults.
  await expect
    .poll(() => dialog(page).getByLabel('Days until the link expires').inputValue())
    .toBe('12')
  await expect.poll(() => dialog(page).getByLabel('Unlimited').isChecked()).toBe(true)
  await dialog(page).getByLabel('Customer’s email (optional)').fill('reader@example.com')
  await dialog(page).getByRole('button', { name: 'Create link', exact: true }).click()
  const url = (await dialog(page).getByRole('group', { name: 'link' }).textContent())!
  await dialog(page).getByRole('button', { name: 'Done', exact: true }).click()
  await page
    .getByRole('listitem')
    .filter({ hasText: 'reader@example.com' })
    .getByText('Active')
    .waitFor()
  const buyer = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
  expect(buyer).toContain('Tide tables.pdf')
  expect(buyer).not.toContain('Sea shanties.mp3')

  await button(page, 'Delete').click()
  await dialog(page).getByText('Its 2 files stay among your files').waitFor()
  await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('heading', { name: 'No packs yet' }).waitFor()
  expect(await status(url)).not.toBe(200)
  expect((await json<{ data: unknown[] }>('GET', '/api/files')).data).toHaveLength(NAMES.length)
})

soakTest(
  'links are found by customer, extended, reset and revoked; the export has them',
  async () => {
    const made = await json<{ data: { id: string; url: string }[] }>('POST', '/api/links', {
      // The other two files lost the product of their pack, so their links are suspended.
      file_ids: [ids[1]],
      email: 'captain@example.com',
      download_limit: 1,
      expiry_days: 3,
    })
    const [first] = made.data
    expect(await status(first!.url)).toBe(200)
    expect(await status(first!.url)).toBe(410)
    const page = await open('/links')
    await page.getByLabel('Search links').fill('captain')
    await expect.poll(() => page.locator('main tbody tr').count()).toBe(1)
    await row(page, NAMES[1]!).getByText('Used up').waitFor()
    // oxfmt-ignore
    const more = () => row(page, NAMES[1]!).getByRole('button', { name: /^More for/ }).click()
    await more()
    await page.getByRole('menuitem', { name: 'Email to captain@example.com' }).click()
    await page.getByText('1 link was not sent: It has reached its download limit').waitFor()
    await more()
    await page.getByRole('menuitem', { name: 'Reset download count' }).click()
    await row(page, NAMES[1]!).getByText('Active').waitFor()
    expect(await status(first!.url)).toBe(200)
    await more()
    await page.getByRole('menuitem', { name: 'Change expiry' }).click()
    await dialog(page).getByLabel('Days from now').last().fill('0')
    await dialog(page).getByRole('button', { name: 'Change', exact: true }).click()
    await dialog(page).getByText('Enter a whole number from 1').waitFor()
    await dialog(page).getByText('Never', { exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Change', exact: true }).click()
    await row(page, NAMES[1]!).getByText('Never').waitFor()
    // The link asks for what its file asks for, and a dialog that was only confirmed leaves it so.
    await json('PATCH', `/api/files/${ids[1]}`, { ask_for: 'email' })
    await page.reload()
    await row(page, NAMES[1]!).getByText('Email needed').waitFor()
    await more()
    await page.getByRole('menuitem', { name: 'Ask before a download' }).click()
    await dialog(page).getByRole('button', { name: 'Change', exact: true }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await json('PATCH', `/api/files/${ids[1]}`, { ask_for: null })
    await page.reload()
    await row(page, NAMES[1]!).getByText('Never').waitFor()
    await expect.poll(() => row(page, NAMES[1]!).getByText('Email needed').count()).toBe(0)
    const download = page.waitForEvent('download')
    await button(page, 'Export as CSV').click()
    expect((await download).suggestedFilename()).toBe('download-links.csv')
    await more()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await dialog(page).getByRole('button', { name: 'Revoke', exact: true }).click()
    await row(page, NAMES[1]!).getByText('Revoked').waitFor()
    expect(await status(first!.url)).not.toBe(200)
  },
)

soakTest(
  'an API key is shown once, works within its scopes, and stops when it is revoked',
  async () => {
    const page = await open('/settings/api-keys')
    await button(page, 'Create API key').first().click()
    await dialog(page).getByRole('button', { name: 'Create', exact: true }).click()
    await dialog(page).getByText('Enter a name that').waitFor()
    await dialog(page).getByLabel('Name').fill('Nightly import')
    await dialog(page).getByLabel('Create and view download links').uncheck()
    await dialog(page).getByRole('button', { name: 'Create', exact: true }).click()
    await dialog(page).getByText('Copy the key now').waitFor()
    const key = (await dialog(page).getByRole('group', { name: 'API key' }).textContent())!
    await dialog(page).getByRole('button', { name: 'Done', exact: true }).click()
    const asked = async (route: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {}
      return (await fetch(server.url + route, { headers, ...sent })).status
    }
    expect([await asked('/api/files'), await asked('/api/links', { file_ids: [ids[0]] })]).toEqual([
      200, 403,
    ])
    await row(page, 'Nightly import').getByText('Active').waitFor()
    await page.getByRole('button', { name: 'Revoke Nightly import' }).click()
    await dialog(page).getByRole('button', { name: 'Revoke', exact: true }).click()
    await row(page, 'Nightly import').getByText('Revoked').waitFor()
    expect(await asked('/api/files')).toBe(401)
  },
)

soakTest('a file is edited, replaced, and its previous version restored', async () => {
  const page = await open(`/files/${ids[2]}`)
  await button(page, 'Edit').click()
  await dialog(page).getByLabel('Name').fill(NAMES[0]!)
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click()
  await dialog(page).getByText('Another file has this name').waitFor()
  await dialog(page).getByLabel('Name').fill('Tides 2027.pdf')
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Tides 2027.pdf', exact: true }).waitFor()
  await button(page, 'Replace file').click()
  const address = dialog(page).getByLabel('URL of the new file')
  await address.fill(`${origin.url}/nothing`)
  await dialog(page).getByRole('button', { name: 'Replace', exact: true }).click()
  await dialog(page).getByText('File URL not accessible').waitFor()
  await address.fill(`${origin.url}/bytes/4321/new`)
  await dialog(page).getByRole('button', { name: 'Replace', exact: true }).click()
  await dialog(page).getByRole('button', { name: 'Done' }).click()
  await page.getByText('Version 2', { exact: true }).waitFor()
  const size = async () =>
    (await json<{ size_bytes: number }>('GET', `/api/files/${ids[2]}`)).size_bytes
  expect(await size()).toBe(4321)
  await page.getByRole('button', { name: 'Restore version 1' }).click()
  await expect.poll(size).toBe(902)
})
