// Workflows on the admin page, in a real browser on the real server: created, refused, run,
// attached to imports, deleted.
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd, jobUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { soakTest } from '../scale.ts'
import { onlyChoice, usePages } from './page-browser.ts'

let server: RunningServer
let origin: Origin

const open = usePages(startOrigin, async (world) => {
  ;({ server, origin } = world)
})

interface Step {
  plugin: string
  options: Record<string, unknown>
  when?: Record<string, unknown>
}
interface Workflow {
  id: string
  name: string
  built_in: boolean
  steps: Step[]
}

async function read<T>(route: string): Promise<T> {
  const response = await server.call('GET', route)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}
const own = async () =>
  (await read<{ data: Workflow[] }>('/api/workflows')).data.filter((one) => !one.built_in)

async function importFiles(names: readonly string[]): Promise<string[]> {
  const files = names.map((filename, n) => ({
    filename,
    url: `${origin.url}/bytes/${500 + n}/${n}`,
  }))
  const reply = await importUntilEnd(server, { files, auto_map: false })
  expect(reply.status).toBe('success')
  return reply.files.map(({ file_id }) => file_id!)
}

/** The menu is longer than the screen, and closes when the page is scrolled to an entry of it. */
const addStep = async (page: Page, title: string) => {
  await page.getByRole('button', { name: 'Add step' }).click()
  await page.getByRole('menuitem', { name: title }).dispatchEvent('click')
}
const step = (page: Page, n: number) =>
  page.getByRole('listitem', { name: new RegExp(`^Step ${n},`) })
const tags = (page: Page, n: number) => step(page, n).getByRole('textbox', { name: /^Tags/ })
/** Drags by the mouse to the top of another element. */
async function dragOnto(page: Page, handle: Locator, target: Locator): Promise<void> {
  await handle.hover()
  await page.mouse.down()
  await target.hover({ position: { x: 20, y: 3 } })
  await page.mouse.up()
}
async function showBuiltIn(page: Page): Promise<void> {
  const shown = page.getByRole('button', { name: /^(Show \d+ workflows|Hide: Built in)$/ })
  if ((await shown.getAttribute('aria-expanded')) === 'false') await shown.click()
}
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })

soakTest('without own workflows, the page offers recipes and lists the built-in ones', async () => {
  const page = await open('/workflows')
  await page.getByRole('heading', { name: 'Start with a recipe' }).waitFor()
  await showBuiltIn(page)
  await page.getByRole('link', { name: 'API import' }).click()
  await page.getByRole('heading', { name: 'API import' }).waitFor()
  await page.getByText('Map to products').waitFor()
  await expect.poll(() => save(page).count()).toBe(0)
})

soakTest('a recipe opens in the editor, and is saved', async () => {
  await importFiles(['Recipe guide.pdf'])
  const page = await open('/workflows')
  const recipe = 'Use this recipe: Archive what nobody downloads'
  await page.getByRole('button', { name: recipe }).press('Enter')
  await page.waitForURL('**/workflows/new?recipe=archive')
  await expect
    .poll(() => page.getByLabel('Name', { exact: true }).inputValue())
    .toBe('Archive what nobody downloads')
  await step(page, 2).getByText('Change storage').first().waitFor()
  await save(page).click()
  await page.waitForURL(/\/workflows\/workflow_/)
  await page.goto(new URL('/workflows', page.url()).href)
  await page.getByRole('link', { name: 'Archive what nobody downloads' }).waitFor()
  // The shop has a workflow: the recipes are folded.
  await page.getByRole('button', { name: 'Show 13 recipes' }).click()
  await page.getByRole('button', { name: recipe }).waitFor()
})

test('a workflow of tags and settings is built, run on a selection, and listed in the history', async () => {
  const files = await importFiles(['Harbour guide.pdf', 'Harbour chart.pdf'])
  const page = await open('/workflows')
  await page
    .getByRole('link', { name: 'New workflow' })
    .or(page.getByRole('button', { name: 'New workflow' }))
    .first()
    .click()
  await page.getByLabel('Name', { exact: true }).fill('Summer sale')
  await addStep(page, 'Update settings')
  await step(page, 1)
    .getByLabel('Links expire', { exact: true })
    .selectOption('After a number of days')
  await step(page, 1).getByLabel('Days until links expire').fill('30')
  await addStep(page, 'Tag files')
  await step(page, 2).getByLabel('How').selectOption('Add')
  await tags(page, 2).fill('summer')
  await page.keyboard.press('Enter')
  await tags(page, 2).fill('sale')
  // The effect of each step is described while its options are typed.
  await step(page, 1).getByText('30 days').waitFor()
  await step(page, 2).getByText('summer, sale').waitFor()
  await page.keyboard.press('Alt+ArrowUp')
  await step(page, 1).getByText('Tag files').waitFor()
  await step(page, 1).getByLabel('Only for some files').check()
  await step(page, 1).getByLabel('Name or tags contain').fill('guide')
  await step(page, 1).getByText('Only files with “guide” in the name or a tag').first().waitFor()
  // A step is inserted where it is wanted, dragged by its handle, and removed.
  await page.getByRole('button', { name: 'Insert a step before step 2, Update settings' }).click()
  await page.getByRole('menuitem', { name: 'Remove product mapping' }).dispatchEvent('click')
  await step(page, 2).getByText('Remove product mapping').first().waitFor()
  await page.getByRole('button', { name: 'Options of step 1, Tag files' }).click()
  await dragOnto(page, step(page, 2).locator('.sortable-handle'), step(page, 1))
  await step(page, 1).getByText('Remove product mapping').first().waitFor()
  await page
    .getByText(/^step 2, Remove product mapping is number 1 of 3/)
    .waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Remove step 1, Remove product mapping' }).click()
  // What is below moves up: a click meanwhile would miss it.
  await step(page, 3).waitFor({ state: 'detached' })
  // The draft is tried on chosen files, and changes none of them.
  await page.getByRole('button', { name: 'Choose files' }).click()
  await page.getByLabel('Search files by name').fill('harbour guide')
  await onlyChoice(page.locator('#trial-files input[type=checkbox]'))
  await page.getByLabel(/^Harbour guide\.pdf, /).check()
  await page.getByRole('button', { name: 'Try it on 1 file' }).click()
  const tried = page.locator('.trial > li')
  await tried.getByText('Tags added: summer, sale').waitFor()
  await expect.poll(() => tried.count()).toBe(1)
  expect(await read(`/api/files/${files[0]}`)).toMatchObject({ tags: [] })
  await save(page).click()
  await page.waitForURL(/\/workflows\/workflow_/)
  const [workflow] = await own()
  expect(workflow).toMatchObject({
    name: 'Summer sale',
    kind: 'bulk',
    steps: [
      {
        plugin: 'tag-files',
        options: { mode: 'add', tags: ['summer', 'sale'] },
        when: { search: 'guide' },
      },
      { plugin: 'update-settings', options: { expiry_days: 30 } },
    ],
  })

  const started = await server.call('POST', '/api/operations', {
    workflow: workflow!.id,
    select: { file_ids: files },
  })
  expect(started.status).toBe(202)
  const { id } = (await started.json()) as { id: string }
  expect(await jobUntilEnd(server, id)).toMatchObject({ status: 'success', done: 2 })
  expect(await read(`/api/files/${files[0]}`)).toMatchObject({
    expiry_days: 30,
    tags: ['summer', 'sale'],
  })
  expect(await read(`/api/files/${files[1]}`)).toMatchObject({ expiry_days: 30, tags: [] })

  await page.getByRole('link', { name: 'Operations' }).click()
  await page
    .locator('main tbody tr')
    .filter({ hasText: 'Summer sale' })
    .getByText('Success', { exact: true })
    .waitFor()
})

soakTest('an invalid workflow is not saved, and every reason is next to its field', async () => {
  const before = await own()
  const page = await open('/workflows/new')
  await addStep(page, 'Update settings')
  await addStep(page, 'Tag files')
  await step(page, 2).getByLabel('How').selectOption('Add')
  await step(page, 1)
    .getByLabel('Links expire', { exact: true })
    .selectOption('Add days to what each file has')
  await step(page, 1).getByLabel('Days to add').fill('many')
  await save(page).click()
  await page.getByText('The workflow can’t be saved yet').waitFor()
  const reasons = page.locator('.problem-list li')
  await expect
    .poll(() => reasons.allTextContents())
    .toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Name: /),
        'Step 1, Update settings, Add days to the expiry: Enter a whole number from 1 to 36,500',
        expect.stringMatching(/^Step 2, Tag files, Tags: /),
      ]),
    )
  expect(await own()).toEqual(before)
  await page
    .getByRole('button', { name: 'Step 1, Update settings, Add days to the expiry' })
    .click()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('7')
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await page.keyboard.type('A week more')
  await tags(page, 2).fill('longer')
  await page.getByText('The workflow can’t be saved yet').waitFor({ state: 'detached' })
  await save(page).click()
  await page.waitForURL(/\/workflows\/workflow_/)
  expect((await own()).length).toBe(before.length + 1)
})

soakTest('unsaved changes survive navigation to another page', async () => {
  const page = await open('/workflows')
  await page.getByRole('link', { name: 'A week more' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Two weeks more')
  await page.getByRole('link', { name: 'All files', exact: true }).click()
  await page.getByRole('button', { name: 'Stay' }).click()
  await expect
    .poll(() => page.getByLabel('Name', { exact: true }).inputValue())
    .toBe('Two weeks more')
  await page.goBack()
  await page.getByRole('heading', { name: 'Leave page with unsaved changes?' }).waitFor()
  expect(page.url()).toMatch(/\/workflows\/workflow_/)
  await page.getByRole('button', { name: 'Leave page', exact: true }).click()
  await page.getByRole('heading', { name: 'Workflows', exact: true }).waitFor()
  await page.getByRole('link', { name: 'A week more' }).waitFor()
})

soakTest(
  'a workflow that starts by itself is built by keyboard, and says so in sentences',
  async () => {
    const page = await open('/workflows/new')
    await page.getByLabel('Name', { exact: true }).fill('Mark what is new')
    await page.getByRole('button', { name: 'Add when it runs' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'When something happens' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('When', { exact: true }).selectOption('files were changed')
    await page.getByLabel('Collect what comes for').selectOption('1 minute')
    await page
      .getByText('When files were changed. Runs 1 minute later, on all that came.')
      .waitFor()
    await addStep(page, 'Tag files')
    await tags(page, 1).fill('new')
    await save(page).click()
    await page.waitForURL(/\/workflows\/workflow_/)
    await page.getByRole('checkbox', { name: 'On' }).waitFor()
    const made = (await own()).find(({ name }) => name === 'Mark what is new')
    expect(made).toMatchObject({ enabled: true, when: [{ event: 'file.changed', collect: 60 }] })
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 1000 })
      await page.getByRole('button', { name: /^Options: When files/ }).click()
      await expect
        .poll(() => page.evaluate('document.documentElement.scrollWidth'))
        .toBeLessThanOrEqual(width)
    }
  },
)

soakTest(
  'a copy of the built-in import is changed and attached, and imports then use it',
  async () => {
    const page = await open('/workflows')
    await showBuiltIn(page)
    await page.getByRole('button', { name: 'Duplicate API import' }).click()
    await page.getByRole('button', { name: 'Add a source of imports' }).click()
    await page.getByLabel('Attached to').selectOption('API imports')
    await page.getByLabel('Name', { exact: true }).fill('Imports with a tag')
    await addStep(page, 'Tag files')
    // The last step reports on the whole operation: a step on files is added before it.
    await tags(page, 4).fill('from the api')
    await step(page, 4).getByText('from the api').first().waitFor()
    await save(page).click()
    await page.waitForURL(/\/workflows\/workflow_/)
    const [file] = await importFiles(['Attached.pdf'])
    expect(await read(`/api/files/${file}`)).toMatchObject({ tags: ['from the api'] })
  },
)

soakTest(
  'a workflow that a scheduled task runs cannot be deleted and names the task; another is deleted after confirmation',
  async () => {
    const used = (await own()).find(({ name }) => name === 'Summer sale')!
    const made = await server.call('POST', '/api/schedules', {
      name: 'Sale by night',
      cron: '0 3 * * *',
      workflow: used.id,
    })
    expect(made.status).toBe(201)
    const page = await open('/workflows')
    await page.getByRole('button', { name: 'Delete Summer sale' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByText('Sale by night').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Delete A week more' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('link', { name: 'A week more' }).waitFor({ state: 'detached' })
    expect((await own()).map(({ name }) => name)).toEqual(
      expect.not.arrayContaining(['A week more']),
    )
  },
)

soakTest('shows everything on a phone', async () => {
  const page = await open('/workflows', { viewport: { width: 390, height: 800 } })
  const isWide = () =>
    page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth')
  await page.getByRole('link', { name: 'Summer sale' }).waitFor()
  expect(await isWide()).toBe(false)
  await page.getByRole('link', { name: 'Summer sale' }).click()
  await page.getByRole('button', { name: 'Options of step 2, Update settings' }).click()
  await step(page, 2).getByLabel('Allowed referrers').waitFor()
  expect(await isWide()).toBe(false)
})

soakTest('a condition with alternatives is built as a sentence, and kept', async () => {
  const page = await open('/workflows/new')
  await page.getByRole('textbox', { name: 'Name' }).fill('Marked once')
  await addStep(page, 'Tag files')
  await tags(page, 1).fill('marked')
  await tags(page, 1).press('Enter')
  await step(page, 1).getByRole('checkbox', { name: 'Only for some files' }).check()
  const others = () => page.getByRole('combobox', { name: 'Another condition' })
  await others().selectOption('Has none of these tags')
  await page.getByRole('textbox', { name: 'Has none of these tags' }).fill('marked')
  await page.getByRole('textbox', { name: 'Has none of these tags' }).press('Enter')
  await others().selectOption('One of several')
  const group = page.getByRole('group', { name: 'At least one of these' })
  const inGroup = () => group.getByRole('combobox', { name: 'Another condition' })
  await inGroup().selectOption('Name is like')
  await group.getByRole('textbox', { name: 'Name is like' }).fill('A-*')
  await group.getByRole('button', { name: 'Add an alternative' }).click()
  await inGroup().last().selectOption('In a pack or not')
  await group.getByRole('combobox', { name: 'In a pack or not' }).selectOption('In a pack')
  await page
    .getByText('Only files not tagged marked and either named “A-*” or in a pack')
    .first()
    .waitFor()
  await save(page).click()
  await expect
    .poll(async () => (await own()).find(({ name }) => name === 'Marked once')?.steps[0]?.when)
    .toEqual({ tags_none: ['marked'], any: [{ name_like: 'A-*' }, { pack_none: false }] })
})

soakTest(
  'a workflow with a wait and a time is built, waits, and continues at once when a person says so',
  async () => {
    const files = await importFiles(['Waiting guide.pdf'])
    const page = await open('/workflows/new')
    await page.getByLabel('Name', { exact: true }).fill('In two days')
    await addStep(page, 'Wait')
    await step(page, 1).getByLabel('Wait for').fill('2')
    await addStep(page, 'Tag files')
    await step(page, 2).getByLabel('How').selectOption('Add')
    await tags(page, 2).fill('waited')
    await page.keyboard.press('Enter')
    await step(page, 1).getByText('Continues after 2 days').waitFor()
    await save(page).click()
    await page.waitForURL(/\/workflows\/workflow_/)
    const workflow = page.url().split('/').at(-1)!
    await page.getByRole('button', { name: 'Add when it runs' }).click()
    await page.getByRole('menuitem', { name: 'At times' }).click()
    await page.waitForURL(`**/schedules/new?workflow=${workflow}`)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL(`**/workflows/${workflow}`)
    await page.getByRole('heading', { name: 'Daily at 03:00' }).waitFor()
    const run = await server.call('POST', '/api/operations', {
      workflow,
      select: { file_ids: files },
    })
    const { id } = (await run.json()) as { id: string }
    await page.goto(new URL(`/operations/${id}`, page.url()).href)
    await page.getByText(/^Waits until/).waitFor()
    await page.getByRole('button', { name: 'Continue now' }).click()
    await page.getByRole('link', { name: 'an earlier part of the workflow' }).waitFor()
    await expect
      .poll(async () => (await read<{ tags: string[] }>(`/api/files/${files[0]}`)).tags)
      .toEqual(['waited'])
  },
)
