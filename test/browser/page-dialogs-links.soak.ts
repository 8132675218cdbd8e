// Dialogs whose result is handed over: download links to copy, save and send, and exported file
// lists.
import { readFile } from 'node:fs/promises'
import { type Locator, type Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { startOrigin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { choose, launched, tick } from './dialogs.ts'
import { usePages } from './page-browser.ts'

const CHAPTERS = 103

let server: RunningServer

const open = usePages(startOrigin, async (world) => {
  ;({ server } = world)
  const file = (filename: string, tags: string[]) => ({
    filename,
    tags,
    url: `${world.origin.url}/bytes/700/${encodeURIComponent(filename)}`,
  })
  const files = [
    ...['a', 'b', 'c'].map((letter) => file(`Guide ${letter}.pdf`, ['guide', '2026'])),
    ...Array.from({ length: CHAPTERS }, (_, n) => file(`Chapter ${n}.zip`, ['audio'])),
  ]
  expect((await importUntilEnd(server, { files, auto_map: false })).imported).toBe(files.length)
})

interface LinkRecord {
  filename: string
  url: string
  email: string | null
  expires_at: string | null
  download_limit: number | null
}

async function newestLinks(count: number): Promise<LinkRecord[]> {
  const list = await server.call('GET', `/api/links?limit=${count}`)
  return ((await list.json()) as { data: LinkRecord[] }).data
}

const daysLeft = ({ expires_at }: LinkRecord) =>
  expires_at === null ? null : Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000)

/** Returns what the browser saves when this button is pressed. */
async function saved(page: Page, button: Locator): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}

describe('download links', () => {
  test('for a few files have their own terms, and are copied, saved and sent', async () => {
    const page = await open('/files?search=guide&sort=filename', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await tick(page, ['Guide a.pdf', 'Guide b.pdf', 'Guide c.pdf'])
    const dialog = await choose(page, 'Create download links')
    await dialog.getByLabel('Links expire', { exact: true }).selectOption('After a number of days')
    await dialog.getByLabel('Days until links expire').fill('0')
    await dialog.getByText('Enter a whole number from 1 to 36,500').waitFor()
    await dialog.getByLabel('Days until links expire').fill('30')
    await dialog.getByLabel('Links allow', { exact: true }).selectOption('Unlimited')
    await dialog.getByRole('button', { name: 'Set another expiry for some files' }).click()
    await dialog.getByLabel('Days for Guide b.pdf').fill('7')
    await dialog.getByLabel('Send the links to this address').check({ force: true })
    await dialog.getByRole('button', { name: 'Create 3 download links' }).click()
    await dialog.getByText('Enter the email address').waitFor()
    await dialog.getByLabel('Customer’s email').fill('buyer@example.com')
    await dialog.getByLabel('Customer’s email').press('Enter')
    await dialog.getByText('3 links are being sent by email.').waitFor()
    const links = (await newestLinks(3)).toSorted((one, other) =>
      one.filename.localeCompare(other.filename),
    )
    expect(links.map(daysLeft)).toEqual([30, 7, 30])
    expect(links).toMatchObject(Array(3).fill({ download_limit: null, email: 'buyer@example.com' }))
    await dialog.getByRole('button', { name: 'Copy all: all links' }).click()
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toBe(links.map(({ url }) => url).join('\n'))
    const { name, text } = await saved(page, dialog.getByRole('button', { name: 'Save as CSV' }))
    expect(name).toBe('download-links.csv')
    // The byte order mark makes spreadsheets read it as UTF-8.
    expect(text.startsWith('\ufefffilename,')).toBe(true)
    expect(text.split('\r\n')[1]).toContain(`Guide a.pdf,${links[0]!.url},buyer@example.com,`)
    await dialog.getByRole('button', { name: /^Send to .*: Guide c\.pdf$/ }).click()
    await dialog.getByText('1 link is being sent by email.').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'detached' })
  })

  test('for many files are created in the background and delivered as a list', async () => {
    const page = await open('/files?tags=audio')
    await page.getByRole('checkbox', { name: 'Select all files' }).first().press('Space')
    await page.getByRole('button', { name: `Select all ${CHAPTERS} files` }).click()
    const dialog = await choose(page, 'Create download links')
    await dialog.getByText('All files with: tagged audio.').waitFor()
    await dialog.getByLabel('Links expire', { exact: true }).selectOption('Never')
    await dialog.getByRole('button', { name: `Create ${CHAPTERS} download links` }).click()
    await launched(page).getByText(`Links to ${CHAPTERS} files created`).waitFor()
    const { name, text } = await saved(
      page,
      launched(page).getByRole('button', { name: /^Download / }),
    )
    expect(name).toMatch(/^links-.*\.csv$/)
    const rows = text.trimEnd().split('\r\n')
    expect(rows).toHaveLength(CHAPTERS + 1)
    expect((await fetch(rows[1]!.split(',')[1]!)).status).toBe(200)
  })
})

describe('export', () => {
  test('has the usual columns of the selected files, and can be saved again from its operation', async () => {
    const page = await open('/files?search=guide&sort=filename')
    await tick(page, ['Guide a.pdf', 'Guide b.pdf'])
    const dialog = await choose(page, 'Export')
    await expect.poll(() => dialog.getByLabel('File URLs').isChecked()).toBe(false)
    await expect.poll(() => dialog.getByLabel('File ID').isChecked()).toBe(false)
    await dialog.getByRole('button', { name: 'Export 2 files' }).click()
    await launched(page).getByText('2 files exported').waitFor()
    const { name, text } = await saved(
      page,
      launched(page).getByRole('button', { name: /^Download / }),
    )
    expect(name).toMatch(/^files-.*\.csv$/)
    const [head, ...rows] = text.replace('\ufeff', '').trimEnd().split('\r\n')
    expect(head).toBe(
      'filename,size_bytes,upload_date,products,tags,downloads,expiry_days,download_limit',
    )
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatch(/^Guide a\.pdf,700,\d{4}-\d{2}-\d{2},,guide;2026,0,60,5$/)
    await launched(page).getByRole('link', { name: 'View details' }).click()
    await page.getByText('ready to be downloaded').waitFor()
    const again = await saved(page, page.getByRole('button', { name: /^Download files-/ }))
    expect(again).toEqual({ name, text })
  })

  test('of filtered files, or of all files, in other columns and as JSON', async () => {
    const page = await open('/files?tags=audio')
    await page.getByText(`of ${CHAPTERS} files`).waitFor()
    await page.getByRole('button', { name: 'More actions' }).first().click()
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`The ${CHAPTERS} files that match: tagged audio`).waitFor()
    await dialog.getByText('JSON, for programs').click()
    for (const column of [
      'Filename',
      'File size',
      'Upload date',
      'Product mappings',
      'Tags',
      'Download count',
    ])
      await dialog.getByLabel(column, { exact: true }).uncheck({ force: true })
    for (const column of ['Expiry settings', 'Download limits'])
      await dialog.getByLabel(column, { exact: true }).uncheck({ force: true })
    await dialog.getByText('Choose at least one column').waitFor()
    await dialog.getByLabel('Filename').check({ force: true })
    await dialog.getByLabel('File URLs').check({ force: true })
    await dialog.getByRole('button', { name: `Export ${CHAPTERS} files` }).click()
    await launched(page).getByText(`${CHAPTERS} files exported`).waitFor()
    const { name, text } = await saved(
      page,
      launched(page).getByRole('button', { name: /^Download / }),
    )
    expect(name).toMatch(/\.json$/)
    const files = JSON.parse(text) as Record<string, string>[]
    expect(files).toHaveLength(CHAPTERS)
    expect(Object.keys(files[0]!)).toEqual(['id', 'filename', 'url'])
  })
})

test('a pack of many files is read page by page, and its last file is moved and removed', async () => {
  const options = { new_pack: 'All chapters' }
  const body = { action: 'move-to-pack', select: { filter: { tags: ['audio'] } }, options }
  const { id } = (await (await server.call('POST', '/api/operations', body)).json()) as {
    id: string
  }
  await server.call('GET', `/api/operations/${id}/events`).then((events) => events.text())
  const page = await open('/packs')
  await page.getByRole('link', { name: 'All chapters' }).click()
  await page.getByText(`100 of ${CHAPTERS} files`).waitFor()
  await page.getByRole('button', { name: 'Show more files' }).click()
  const names = () => page.locator('.pack-files li a').allTextContents()
  await expect.poll(async () => (await names()).length).toBe(CHAPTERS)
  const last = (await names()).at(-1)!
  await page.getByRole('button', { name: `Move ${last} up` }).click()
  await expect.poll(async () => (await names()).at(-2)).toBe(last)
  await page.getByRole('button', { name: `Remove: ${last}` }).click()
  await expect.poll(async () => (await names()).length).toBe(CHAPTERS - 1)
})
