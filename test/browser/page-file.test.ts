// One file's page in a real browser: its dialogs, what is done with the file, and its links.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { dialogOf, type FileRecord } from './dialogs.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
let origin: Origin

const open = usePages(startOrigin, (world) => {
  ;({ server, origin } = world)
})

/** Imports one file and gives its id. */
async function importFile(filename: string, more: Record<string, unknown> = {}): Promise<string> {
  const file = { filename, url: `${origin.url}/bytes/22528/${encodeURIComponent(filename)}`, ...more }
  const reply = await importUntilEnd(server, { files: [file], auto_map: false })
  expect(reply.imported).toBe(1)
  return reply.files[0]!.file_id!
}

const read = async (id: string) => (await (await server.call('GET', `/api/files/${id}`)).json()) as FileRecord

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

test('a dialog opens with the focus in its first field, also where the field is drawn late', async () => {
  const id = await importFile('Focus.pdf')
  const page = await open(`/files/${id}`)
  await page.getByRole('button', { name: 'Create link' }).click()
  await focusedTerm(page).waitFor()
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })

  const pack = (await (await server.call('POST', '/api/packs', { name: 'Late' })).json()) as { id: string }
  const moved = { action: 'move-to-pack', select: { file_ids: [id] }, options: { pack: pack.id } }
  const { id: moving } = (await (await server.call('POST', '/api/operations', moved)).json()) as { id: string }
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

/** The first field of a new link, once it has the focus. */
const focusedTerm = (page: Page) =>
  dialogOf(page).getByRole('group', { name: 'Expiry' }).getByRole('radio').and(page.locator(':focus'))
