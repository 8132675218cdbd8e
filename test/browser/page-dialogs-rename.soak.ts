// Renaming many files: the new names and their problems are shown while the pattern is typed.
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { soakTest } from '../scale.ts'
import { choose, filesBy, launched, tick } from './dialogs.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer

const open = usePages(startOrigin, async (world) => {
  ;({ server } = world)
  const names = [
    'Knots draft 1.pdf',
    'Knots draft 2.pdf',
    'Knots draft 3.pdf',
    'Taken.pdf',
    'Rope 1.pdf',
    'Rope 2.pdf',
  ]
  const files = names.map((filename, n) => ({
    filename,
    url: `${world.origin.url}/bytes/${700 + n}/${n}`,
  }))
  expect((await importUntilEnd(server, { files, auto_map: false })).imported).toBe(files.length)
})

const namesOf = async (search: string) =>
  (await filesBy(server, search)).map(({ filename }) => filename)
const newNames = (dialog: Locator) =>
  dialog.locator('.new-names tbody tr td:nth-child(2)').allInnerTexts()

test('by a pattern, whose variables are inserted by a click; Enter renames', async () => {
  const page = await open('/files?search=draft&sort=filename')
  await tick(page, ['Knots draft 1.pdf', 'Knots draft 2.pdf', 'Knots draft 3.pdf'])
  const dialog = await choose(page, 'Rename')
  await expect.poll(() => newNames(dialog)).toEqual(Array(3).fill('Does not change'))
  await dialog.getByLabel('Pattern').fill('Knots {sequense}')
  await dialog.getByText('Unknown variable: {sequense}').waitFor()
  await dialog.getByLabel('Pattern').fill('Knots ')
  await dialog.getByRole('button', { name: '+ {sequence}' }).click()
  await expect.poll(() => dialog.getByLabel('Pattern').inputValue()).toBe('Knots {sequence}')
  await dialog.getByLabel('First number').fill('9')
  await dialog.getByLabel('Minimum digits').fill('2')
  await expect
    .poll(() => newNames(dialog))
    .toEqual(['Knots 09.pdf', 'Knots 10.pdf', 'Knots 11.pdf'])
  expect(await namesOf('draft')).toHaveLength(3)
  await dialog.getByLabel('Pattern').press('Enter')
  await launched(page).getByText('3 files renamed').waitFor()
  expect(await namesOf('knots')).toEqual(['Knots 09.pdf', 'Knots 10.pdf', 'Knots 11.pdf'])
})

soakTest(
  'by find and replace; a taken name and an invalid expression are reported immediately',
  async () => {
    const page = await open('/files?search=rope&sort=filename')
    await tick(page, ['Rope 1.pdf', 'Rope 2.pdf'])
    const dialog = await choose(page, 'Rename')
    await dialog.getByRole('tab', { name: 'Find and replace' }).click()
    await dialog.getByLabel('Regular expression').check({ force: true })
    await dialog.getByLabel('Find', { exact: true }).fill('(rope')
    await dialog.locator('[id$=Error]').first().waitFor()
    await dialog.getByLabel('Find', { exact: true }).fill('^rope \\d$')
    await dialog.getByLabel('Replace with').fill('Taken')
    await expect.poll(() => dialog.getByText('“Taken.pdf” is taken').count()).toBe(2)
    await dialog.getByText('2 of these keep their names.').waitFor()
    await dialog.getByLabel('Find', { exact: true }).fill('(r)ope')
    await dialog.getByLabel('Replace with').fill('$1iver')
    await expect.poll(() => newNames(dialog)).toEqual(['River 1.pdf', 'River 2.pdf'])
    await dialog.getByLabel('Case sensitive').check({ force: true })
    await expect.poll(() => newNames(dialog)).toEqual(['Does not change', 'Does not change'])
    await dialog.getByLabel('Find', { exact: true }).fill('Rope (1|2)')
    await dialog.getByLabel('Replace with').fill('$1 ropes')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('2 files would get a new name').waitFor()
    await dialog.getByRole('button', { name: 'Rename 2 files' }).click()
    await launched(page).getByText('2 files renamed').waitFor()
    expect(await namesOf('ropes')).toEqual(['1 ropes.pdf', '2 ropes.pdf'])
  },
)
