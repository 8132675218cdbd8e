// Two people edit the same record on the admin page: the second is asked which version to keep.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type RunningServer } from '../flows/server.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { soakTest } from '../scale.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
let origin: Origin
const open = usePages(startOrigin, async (world) => {
  ;({ server, origin } = world)
})

const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
  const response = await server.call(method, path, body)
  expect(response.ok).toBe(true)
  return (await response.json()) as T
}
const tagging = (name: string, tag: string) => ({
  name,
  kind: 'bulk',
  parallel: 1,
  channel: null,
  steps: [{ plugin: 'tag-files', options: { tags: [tag] } }],
})
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const question = (page: Page) =>
  page.getByRole('dialog', { name: 'This was changed while you edited it' })

soakTest('a workflow that was changed meanwhile: both versions are offered', async () => {
  const { id } = await call<{ id: string }>('POST', '/api/workflows', tagging('Sale', 'a'))
  const nameOf = async () => (await call<{ name: string }>('GET', `/api/workflows/${id}`)).name
  const page = await open(`/workflows/${id}`)
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('My sale')
  await call('PUT', `/api/workflows/${id}`, tagging('Their sale', 'a'))
  await save(page).click()
  await question(page).getByText('Name: Their sale').waitFor()
  expect(await nameOf()).toBe('Their sale')
  await question(page).getByRole('button', { name: 'Keep the other version' }).click()
  await expect.poll(() => name.inputValue()).toBe('Their sale')

  await name.fill('My sale')
  await call('PUT', `/api/workflows/${id}`, tagging('Their second sale', 'a'))
  await save(page).click()
  // Escape saves nothing, and loses nothing.
  await question(page).getByText('Name: Their second sale').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('The workflow could not be saved').waitFor()
  expect(await name.inputValue()).toBe('My sale')
  expect(await nameOf()).toBe('Their second sale')
  await save(page).click()
  await question(page).getByRole('button', { name: 'Save my version' }).click()
  await expect.poll(nameOf).toBe('My sale')
  await question(page).waitFor({ state: 'detached' })
  // What was saved is what the form knows now.
  await name.fill('My last sale')
  await save(page).click()
  await expect.poll(nameOf).toBe('My last sale')
  await expect.poll(() => question(page).count()).toBe(0)

  await name.fill('Given up')
  await call('PUT', `/api/workflows/${id}`, tagging('Their last sale', 'a'))
  await save(page).click()
  await question(page).getByText('Name: Their last sale').waitFor()
  await page.keyboard.press('Escape')
  await expect
    .poll(async () => {
      const discard = page.getByRole('button', { name: 'Discard', exact: true })
      if (await discard.isEnabled()) await discard.click()
      return name.inputValue()
    })
    .toBe('Their last sale')
  await name.fill('My next sale')
  await save(page).click()
  await expect.poll(nameOf).toBe('My next sale')
})

soakTest('what is typed while a workflow is being saved is kept', async () => {
  const { id } = await call<{ id: string }>('POST', '/api/workflows', tagging('Slow', 'a'))
  const page = await open(`/workflows/${id}`)
  const name = page.getByLabel('Name', { exact: true })
  const gate = Promise.withResolvers<void>()
  const asked = page.waitForRequest((request) => request.method() === 'PUT')
  await page.route(`**/api/workflows/${id}`, async (route) => {
    if (route.request().method() === 'PUT') await gate.promise
    await route.continue()
  })
  await name.fill('Saved')
  await save(page).click()
  await asked
  await name.fill('Typed meanwhile')
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT')
  gate.resolve()
  await saved
  await page.getByText('Workflow saved').waitFor()
  await expect.poll(() => name.inputValue()).toBe('Typed meanwhile')
  await save(page).click()
  await expect
    .poll(async () => (await call<{ name: string }>('GET', `/api/workflows/${id}`)).name)
    .toBe('Typed meanwhile')
})

soakTest('the name of a file in a dialog', async () => {
  const files = [{ filename: 'two.pdf', url: `${origin.url}/bytes/50/two` }]
  const [file] = (await importUntilEnd(server, { files })).files
  const page = await open(`/files/${file!.file_id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit two.pdf' })
  await dialog.getByLabel('Name').fill('mine.pdf')
  await call('PATCH', `/api/files/${file!.file_id}`, { filename: 'theirs.pdf' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await question(page).getByText('Filename: theirs.pdf').waitFor()
  await question(page).getByRole('button', { name: 'Save my version' }).click()
  await page.getByRole('heading', { name: 'mine.pdf', exact: true }).waitFor()
})

test('another tab’s changes are shown until something is typed, and are never reverted', async () => {
  await call('PATCH', '/api/settings', { download_limit: 5 })
  const page = await open('/settings')
  const limit = page.getByLabel('Links allow: number')
  // As if the merchant came back from another tab.
  const comeBack = () => page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
  await expect.poll(() => limit.inputValue()).toBe('5')
  await call('PATCH', '/api/settings', { download_limit: 7 })
  await comeBack()
  await expect.poll(() => limit.inputValue()).toBe('7')
  await expect.poll(() => save(page).count()).toBe(0)

  await limit.fill('9')
  await call('PATCH', '/api/settings', { expiry_days: 30 })
  const read = page.waitForResponse((answer) => answer.url().endsWith('/api/settings'))
  await comeBack()
  await read
  // The palette asks before it leaves the page, as a link does.
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Find pages/ }).fill('packs')
  await page.getByRole('option', { name: 'Packs', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: /^Leave page/ }).waitFor()
  await page.getByRole('button', { name: 'Stay' }).click()
  expect(await limit.inputValue()).toBe('9')
  await save(page).click()
  await expect
    .poll(() => call('GET', '/api/settings'))
    .toMatchObject({ download_limit: 9, expiry_days: 30 })
})
