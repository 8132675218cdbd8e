// Dialogs about many files, each completed on the real server: tags, products, packs, deletion.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { startOrigin } from '../fakes/origin.ts'
import { uniqueSkus } from '../flows/catalog.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { choose, dialogOf, filesBy, previewedTitles, launched, tick, untick } from './dialogs.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
const [sku, otherSku] = uniqueSkus() as [string, string]

const open = usePages(startOrigin, async (world) => {
  ;({ server } = world)
  const at = (name: string) => `${world.origin.url}/bytes/700/${encodeURIComponent(name)}`
  const named = (filename: string, tags: string[] = [], product_sku?: string) => ({
    filename,
    url: at(filename),
    tags,
    ...(product_sku ? { product_sku } : {}),
  })
  const files = [
    ...['a', 'b', 'c'].map((letter) => named(`Tag ${letter}.pdf`, ['Summer', 'chart'])),
    named('Tag d.pdf', ['summer']),
    named(`${sku}_match.pdf`),
    named('match nothing at all.pdf'),
    named('match has one.pdf', [], otherSku),
    ...['a', 'b'].map((letter) => named(`Unmap ${letter}.pdf`, [], sku)),
    ...['a', 'b', 'c'].map((letter) => named(`Pack ${letter}.pdf`)),
    ...['a', 'b'].map((letter) => named(`Keep ${letter}.pdf`, [], sku)),
    ...['a', 'b'].map((letter) => named(`Old ${letter}.zip`, ['old'])),
    named('Old c.zip', ['old'], sku),
  ]
  expect((await importUntilEnd(server, { files, auto_map: false })).imported).toBe(files.length)
})

const by = (search: string) => filesBy(server, search)
const listed = (page: Page, search: string) =>
  page.goto(`${server.url}/files?search=${search}&sort=filename`)

test('tags are saved as a template, chosen from it, and the template is deleted', async () => {
  const page = await open('/files?search=tag&sort=filename')
  await tick(page, ['Tag a.pdf'])
  const dialog = await choose(page, 'Change tags')
  await dialog.getByLabel('Tags', { exact: true }).fill('north, 2026,')
  await dialog.getByRole('button', { name: 'Save as a template' }).click()
  await dialog.getByLabel('Name of the template').fill('Charts')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Delete the template “Charts”' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await choose(page, 'Change tags')
  await dialog.getByLabel('How').selectOption({ label: 'Add to the tags they have' })
  await dialog.getByLabel('Template').selectOption('Charts')
  await dialog.getByRole('button', { name: 'Add tags' }).click()
  await launched(page).getByText('Tags of 1 file changed').waitFor()
  expect((await by('tag a'))[0]!.tags).toEqual(expect.arrayContaining(['north', '2026', 'chart']))
  await tick(page, ['Tag a.pdf'])
  await choose(page, 'Change tags')
  await dialog.getByLabel('Template').selectOption('Charts')
  await dialog.getByRole('button', { name: 'Delete the template “Charts”' }).click()
  await page
    .getByRole('dialog', { name: 'Delete the template “Charts”?' })
    .getByRole('button', { name: 'Delete', exact: true })
    .click()
  await dialog.getByLabel('Template').waitFor({ state: 'detached' })
})

test('one tag replaces another, suggested while it is typed, with Enter alone', async () => {
  const page = await open('/files?search=tag&sort=filename')
  await tick(page, ['Tag b.pdf', 'Tag c.pdf', 'Tag d.pdf'])
  const dialog = await choose(page, 'Find and replace a tag')
  await dialog.getByLabel('Tag to find').fill('chart')
  await dialog.getByText('have this tag').waitFor()
  await dialog.getByLabel('New tag').fill('chart')
  await dialog.getByText('This is the same tag').waitFor()
  await dialog.getByLabel('New tag').fill('map')
  await page.keyboard.press('Enter')
  await launched(page).getByText('2 files done, 1 skipped').waitFor()
  expect((await by('tag')).map(({ tags }) => tags.includes('map'))).toEqual([
    false,
    true,
    true,
    false,
  ])
})

test('spellings of a tag are merged; the preview separates changed files from unchanged ones', async () => {
  const page = await open('/files?search=tag&sort=filename')
  await tick(page, ['Tag b.pdf', 'Tag c.pdf', 'Tag d.pdf'])
  const dialog = await choose(page, 'Merge tags that differ in capitals')
  await dialog.getByText('These change: Summer → summer').waitFor()
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByText('2 files would be changed').waitFor()
  await expect
    .poll(() => previewedTitles(dialog))
    .toEqual(['2 files would be changed', '1 file is left alone: None of its tags has capitals'])
  expect((await by('tag b'))[0]!.tags).toContain('Summer')
  await dialog.getByRole('button', { name: 'Back' }).click()
  await dialog.getByText('These change').waitFor()
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByText('2 files would be changed').waitFor()
  await dialog.getByRole('button', { name: 'Merge tags' }).click()
  await launched(page).getByText('2 files done, 1 skipped').waitFor()
  expect((await by('tag b'))[0]!.tags.filter((tag) => /summer/i.test(tag))).toEqual(['summer'])
})

test('rules are written in the dialog, and missing parts are named', async () => {
  const page = await open('/files?search=tag&sort=filename')
  await tick(page, ['Tag a.pdf'])
  const dialog = await choose(page, 'Tag by rule')
  for (let left = 4; left > 1; left--)
    await dialog.getByRole('button', { name: 'Remove rule 1' }).click()
  await dialog.getByRole('button', { name: 'Add rule' }).click()
  await dialog.getByRole('button', { name: 'Tag by rule' }).click()
  await dialog.getByText('Add at least one').waitFor()
  const rule = dialog.getByRole('group', { name: /Rule 2/ })
  await rule.getByLabel('Name or tags contain').fill('tag a')
  await rule.getByLabel(/get the tags/i).fill('ruled')
  await dialog.getByRole('button', { name: 'Tag by rule' }).click()
  await launched(page).getByText(/done$/).waitFor()
  expect((await by('tag a'))[0]!.tags).toContain('ruled')
})
describe('products', () => {
  test('are found by name; matched and unmatched files are counted before anything changes', async () => {
    const page = await open('/files?search=match&sort=filename')
    await tick(page, [`${sku}_match.pdf`, 'match has one.pdf', 'match nothing at all.pdf'])
    const dialog = await choose(page, 'Map to products automatically')
    await dialog.getByText('Choose for these files').click()
    await dialog.getByLabel('Confidence threshold').fill('0')
    await dialog.getByText('Enter a whole number from 1 to 100').waitFor()
    await dialog.getByLabel('Confidence threshold').fill('90')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('1 file is matched').waitFor()
    await expect
      .poll(() => previewedTitles(dialog))
      .toEqual([
        '1 file is matched',
        '1 file is not matched: It has a product already',
        '1 file is not matched: No product matches it',
      ])
    await dialog.getByRole('button', { name: 'Map files' }).click()
    await launched(page).getByText('1 file mapped, 2 skipped').waitFor()
    expect((await by('_match'))[0]!.mappings).toHaveLength(1)
  })

  test('one is searched and chosen for all selected files', async () => {
    const page = await open('/files?search=match&sort=filename')
    await tick(page, ['match nothing at all.pdf', 'match has one.pdf'])
    const dialog = await choose(page, 'Map to one product')
    await dialog.getByRole('button', { name: 'Map files' }).click()
    await dialog.getByText('Choose a product').waitFor()
    await dialog.getByLabel('Search products by title or SKU').fill(sku)
    const [found] = await Promise.all([
      dialog.getByRole('radio').first(),
      dialog.getByText(`SKU ${sku}`).waitFor(),
    ])
    await found.check({ force: true })
    await dialog.getByLabel('Replace existing products').check({ force: true })
    await dialog.getByRole('button', { name: /^Map to / }).click()
    await launched(page).getByText('2 files mapped').waitFor()
    const mapped = [...(await by('match nothing')), ...(await by('match has'))]
    expect(mapped.map(({ mappings }) => mappings.length)).toEqual([1, 1])
    expect(new Set(mapped.map(({ mappings }) => mappings[0]!.product_title)).size).toBe(1)
  })

  test('are removed after a warning, and an undo restores them', async () => {
    const page = await open('/files?search=unmap&sort=filename')
    await tick(page, ['Unmap a.pdf', 'Unmap b.pdf'])
    const dialog = await choose(page, 'Remove product mappings')
    await dialog.getByText('Download links stop working').waitFor()
    await dialog.getByRole('button', { name: 'Remove mappings' }).click()
    await launched(page).getByText('Product mappings of 2 files removed').waitFor()
    expect((await by('unmap')).map(({ mappings }) => mappings.length)).toEqual([0, 0])
    await launched(page).getByRole('button', { name: 'Undo' }).click()
    await launched(page).getByText('Undone for 2 files').waitFor()
    expect((await by('unmap')).map(({ mappings }) => mappings.length)).toEqual([1, 1])
  })
})

test('packs: a new one is created, an existing one is found, and files are removed from it', async () => {
  const page = await open('/files?search=pack&sort=filename')
  await tick(page, ['Pack a.pdf', 'Pack b.pdf'])
  const dialog = await choose(page, 'Change packs')
  await dialog.getByRole('button', { name: 'Add files' }).click()
  await dialog.getByText('Choose a pack').waitFor()
  await dialog.getByText('Add to a new pack').click()
  await dialog.getByLabel('Name of the pack').fill('Sea songs')
  await page.keyboard.press('Enter')
  await launched(page).getByText('Packs of 2 files changed').waitFor()
  await page.getByText('2 selected').first().waitFor()
  await untick(page, ['Pack a.pdf', 'Pack b.pdf'])
  await tick(page, ['Pack c.pdf'])
  await choose(page, 'Change packs')
  await dialog.getByLabel('Search packs by name').fill('songs')
  await dialog.getByRole('radio', { name: /Sea songs/ }).check({ force: true })
  await dialog.getByRole('button', { name: 'Add files' }).click()
  await launched(page).getByText('Packs of 1 file changed').waitFor()
  const packs = async () =>
    (await by('pack')).map((file) => file.packs.map(({ name }) => name).join())
  await expect.poll(packs).toEqual(['Sea songs', 'Sea songs', 'Sea songs'])
  await untick(page, ['Pack c.pdf'])
  await tick(page, ['Pack a.pdf'])
  await choose(page, 'Change packs')
  await dialog.getByText('Add to a new pack').click()
  await dialog.getByLabel('Name of the pack').fill('Shanties')
  await dialog.getByRole('button', { name: 'Add files' }).click()
  await expect.poll(packs).toEqual(['Sea songs,Shanties', 'Sea songs', 'Sea songs'])
  await choose(page, 'Change packs')
  await dialog.getByText('Remove from all packs').click()
  await dialog.getByRole('button', { name: 'Remove from all packs' }).click()
  await expect.poll(packs).toEqual(['', 'Sea songs', 'Sea songs'])
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('menuitem', { name: 'Pack' }).click()
  await page.locator('label').getByText('Sea songs (2)').click()
  await page.getByText('Pack: Sea songs').waitFor()
  await page.getByText('2 files', { exact: true }).waitFor()
})

describe('deleting', () => {
  test('offers to keep the files and remove only their mappings, and shows the consequences', async () => {
    for (const { id } of await by('keep'))
      await server.call('POST', '/api/links', { file_ids: [id] })
    const page = await open('/files?search=keep&sort=filename')
    await tick(page, ['Keep a.pdf', 'Keep b.pdf'])
    const dialog = await choose(page, 'Delete')
    await dialog.getByText('All of these files are mapped to products').waitFor()
    await dialog.getByText('Customers who bought this product can’t download').waitFor()
    await dialog.getByText('including 2 active links').waitFor()
    // Enter in a field must not delete.
    await dialog.getByLabel('Back up first').focus()
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Keep the files and remove their mappings only').check({ force: true })
    await expect.poll(() => dialog.getByLabel('Back up first').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Remove mappings' }).click()
    await launched(page).getByText('Product mappings of 2 files removed').waitFor()
    expect((await by('keep')).map(({ mappings }) => mappings.length)).toEqual([0, 0])
  })

  test('counts while conditions are typed, and deletes only after its preview', async () => {
    const page = await open('/files')
    await page.getByRole('button', { name: 'More actions' }).first().click()
    await page.getByRole('button', { name: 'Delete by conditions', exact: true }).click()
    const dialog = dialogOf(page)
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('Set at least one condition').waitFor()
    await dialog.getByLabel('Has all of these tags', { exact: true }).fill('old')
    await dialog.getByText('3 files match now').waitFor()
    await dialog.getByText('1 of 3 files is mapped to a product').waitFor()
    await dialog.getByLabel('Delete the files and their mappings').check({ force: true })
    await dialog.getByLabel('Larger than').fill('x')
    await dialog.getByText('Enter a size in MB').waitFor()
    await dialog.getByLabel('Larger than').fill('0')
    await expect.poll(() => dialog.getByRole('button', { name: /^Delete/ }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('3 files would be moved to the trash').waitFor()
    expect(await by('old')).toHaveLength(3)
    // An operation started after the preview must not change the number on the button.
    await server.call('POST', '/api/operations', {
      action: 'tag-files',
      options: { mode: 'add', tags: ['old'] },
      select: { filter: { search: 'match nothing' } },
    })
    await dialog.getByRole('button', { name: 'Delete 3 files' }).click()
    await launched(page).getByText('3 files moved to the trash').waitFor()
    expect(await by('old')).toEqual([])
  })

  test('a closed preview is discarded', async () => {
    const page = await open('/files?search=keep&sort=filename')
    await tick(page, ['Keep a.pdf'])
    const dialog = await choose(page, 'Delete')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('1 file would be moved to the trash').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const waiting = async () =>
      (
        (await (await server.call('GET', '/api/operations?status=previewed')).json()) as {
          data: unknown[]
        }
      ).data.length
    await expect.poll(waiting).toBe(0)
    await listed(page, 'keep')
    await page.getByText('Keep a.pdf').first().waitFor()
  })
})

test('focus returns to the menu that opened the dialog', async () => {
  const page = await open('/files?search=keep&sort=filename')
  await tick(page, ['Keep a.pdf'])
  const dialog = await choose(page, 'Change packs')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'More actions' }).and(page.locator(':focus')).waitFor()
})
