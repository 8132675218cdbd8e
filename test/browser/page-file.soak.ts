// The page of one file, in a real browser: its dialogs, actions and links.
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { uniqueSkus } from '../flows/catalog.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { dialogOf, type FileRecord, launched } from './dialogs.ts'
import { onlyChoice, usePages } from './page-browser.ts'

let server: RunningServer
let origin: Origin

const open = usePages(startOrigin, (world) => {
  ;({ server, origin } = world)
})

/** Imports one file and returns its id. */
async function importFile(filename: string, more: Record<string, unknown> = {}): Promise<string> {
  const file = {
    filename,
    url: `${origin.url}/bytes/22528/${encodeURIComponent(filename)}`,
    ...more,
  }
  const reply = await importUntilEnd(server, { files: [file], auto_map: false })
  expect(reply.imported).toBe(1)
  return reply.files[0]!.file_id!
}

const read = async (id: string) =>
  (await (await server.call('GET', `/api/files/${id}`)).json()) as FileRecord

test('tags typed one after another with Enter are all kept', async () => {
  const id = await importFile('Words.pdf')
  const page = await open(`/files/${id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialogOf(page).getByLabel('Tags', { exact: true }).focus()
  await page.keyboard.type('north')
  await page.keyboard.press('Enter')
  await page.keyboard.type('south')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await dialogOf(page).waitFor({ state: 'detached' })
  expect((await read(id)).tags).toEqual(['north', 'south'])
})

test('a dialog opens with focus in its first field, even if the field renders late', async () => {
  const id = await importFile('Focus.pdf')
  const page = await open(`/files/${id}`)
  await page.getByRole('button', { name: 'Create link' }).click()
  await focusedTerm(page).waitFor()
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })

  const pack = (await (await server.call('POST', '/api/packs', { name: 'Late' })).json()) as {
    id: string
  }
  const moved = { action: 'move-to-pack', select: { file_ids: [id] }, options: { pack: pack.id } }
  const { id: moving } = (await (await server.call('POST', '/api/operations', moved)).json()) as {
    id: string
  }
  await (await server.call('GET', `/api/operations/${moving}/events`)).text()
  await page.goto(`${server.url}/packs/${pack.id}`)
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/api/settings', async (route) => {
    await held
    await route.continue()
  })
  await page.getByRole('button', { name: 'Create link' }).first().click()
  await dialogOf(page).getByRole('status', { name: 'Loading the settings' }).waitFor()
  release()
  await focusedTerm(page).waitFor()
})

/** The first field of a new link, once it has focus. */
const focusedTerm = (page: Page) =>
  dialogOf(page)
    .getByRole('group', { name: 'Expiry' })
    .getByRole('radio')
    .and(page.locator(':focus'))

/** Holds back the answer to an undo until the undo has ended: the page never sees it running. */
const answerUndoWhenEnded = (page: Page) =>
  page.route('**/undo', async (route) => {
    const { id } = (await (await route.fetch()).json()) as { id: string }
    await (await server.call('GET', `/api/operations/${id}/events`)).text()
    const ended = await server.call('GET', `/api/operations/${id}`)
    await route.fulfill({ status: 202, contentType: 'application/json', body: await ended.text() })
  })

test('a file is mapped, unmapped and deleted from its page, and the deletion can be undone', async () => {
  const [sku] = uniqueSkus()
  const id = await importFile('Own page.pdf')
  const page = await open(`/files/${id}`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const done = () => launched(page).getByRole('button', { name: 'Undo' })

  await button('Map to product').click()
  await dialogOf(page).getByRole('textbox').fill(sku!)
  await onlyChoice(dialogOf(page).getByRole('radio'))
  await dialogOf(page).getByRole('radio').check()
  await dialogOf(page)
    .getByRole('button', { name: /^Map to / })
    .click()
  await page.getByText('100% confidence').waitFor()
  const [mapping] = (await read(id)).mappings
  await page.getByRole('heading', { name: mapping!.product_title }).waitFor()

  await button('Remove mapping').click()
  await dialogOf(page).getByRole('button', { name: 'Remove mappings' }).click()
  await page.getByText('Not mapped to a product.').waitFor()
  expect((await read(id)).mappings).toEqual([])

  await button('Delete').click()
  await dialogOf(page).getByRole('button', { name: 'Delete 1 file' }).click()
  await page.getByRole('heading', { name: 'This file doesn’t exist' }).waitFor()
  await answerUndoWhenEnded(page)
  await done().click()
  await page.getByRole('heading', { name: 'Own page.pdf' }).waitFor()
  expect((await read(id)).filename).toBe('Own page.pdf')

  // Its history says all that, and how each change was made.
  const history = page.locator('.file-history > li')
  await history.filter({ hasText: 'Restored from the trash' }).waitFor()
  await history.filter({ hasText: 'Undone' }).filter({ hasText: 'Moved to the trash' }).waitFor()
  await history
    .filter({ hasText: `Mapped to: ${mapping!.product_title}` })
    .first()
    .waitFor()
  const imported = history.filter({ hasText: 'New file' })
  await imported.getByRole('link', { name: 'API import' }).click()
  await page.getByRole('heading', { name: 'API import' }).waitFor()
})

test.each([1920, 1280, 1024, 768, 390])(
  'the links of a file fit in their card at %d px',
  async (width) => {
    const id = await importFile(`Wide ${width}.pdf`)
    const email = 'a.customer.with.a.very.long.name@mail.example.org'
    expect((await server.call('POST', '/api/links', { file_ids: [id], email })).status).toBe(201)
    const page = await open(`/files/${id}`)
    await page.setViewportSize({ width, height: 900 })
    const more = page.getByRole('button', { name: `More for the link of ${email}` })
    const card = page.locator('.Polaris-ShadowBevel', { has: more })
    await more.scrollIntoViewIfNeeded()
    const right = async (part: Locator) => {
      const { x, width } = (await part.boundingBox())!
      return x + width
    }
    await expect.poll(async () => (await right(more)) - (await right(card))).toBeLessThan(0)
  },
)

test('a file is replaced by dropping one with another name on its page', async () => {
  const id = await importFile('Notes.txt')
  const page = await open(`/files/${id}`)
  await page.getByRole('heading', { name: 'Versions' }).waitFor()
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['The second edition'], 'Edition 2.txt', { type: 'text/plain' }))
    return transfer
  })()`)
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer })
  const dialog = dialogOf(page)
  await dialog.getByText('Edition 2.txt').waitFor()
  await dialog.getByRole('cell', { name: '18 bytes', exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Replace', exact: true }).click()
  await dialog.getByText('The file was replaced').waitFor()
  await dialog.getByText('No buyer with an email address has this file.').waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Version 2', { exact: true }).waitFor()
  expect(await read(id)).toMatchObject({ filename: 'Notes.txt', size_bytes: 18, version: 2 })
})
