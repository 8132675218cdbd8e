// The dialogs of a page, found by pressing its buttons and the entries of their menus while no request
// can change anything, and those of the actions on files, found in their menu.
import type { Locator, Page } from 'playwright-core'

/** Buttons of one page that are pressed. */
const MAX_BUTTONS = 25
const OPENS_WITHIN_MS = 700
const BULK = '/files'

/** Answers every change with an error, so that a button can be pressed safely. */
export async function refuseChanges(page: Page): Promise<void> {
  await page.route('**/api/**', (route) =>
    route.request().method() === 'GET' ? route.continue() : route.abort(),
  )
}

/** Opens each dialog of the page at a path, calls `use` and closes it. */
export async function eachDialog(
  page: Page,
  address: string,
  use: (button: string) => Promise<void>,
): Promise<void> {
  const buttons = page.locator('main').getByRole('button')
  const look = async (name: string) => {
    await useOpened(page, name, use)
    if (!page.url().endsWith(address)) await reopen(page, address)
  }
  for (const name of await namesOf(page)) {
    const press = () => tryClick(buttons.and(page.getByRole('button', { name, exact: true })))
    await press()
    const entries = await openedEntries(page)
    await look(name)
    for (const entry of entries) {
      await press()
      await tryClick(entriesOf(page).filter({ hasText: entry }))
      await look(`${name}: ${entry}`)
    }
  }
  if (new URL(page.url()).pathname === BULK) await eachAction(page, use)
}

/** Clicks the first one, if there is one that can be clicked. */
const tryClick = (all: Locator) =>
  all
    .first()
    .click({ timeout: 3000 })
    .catch(() => undefined)

/** The entries of an open menu that can be chosen. */
const entriesOf = (page: Page) =>
  page.locator('.Polaris-Popover').getByRole('menuitem', { disabled: false })

/** Those of the menu that a button has opened; none if it has opened a dialog, or nothing. */
async function openedEntries(page: Page): Promise<string[]> {
  await dialogOf(page)
    .or(entriesOf(page))
    .first()
    .waitFor({ timeout: OPENS_WITHIN_MS })
    .catch(() => undefined)
  return entriesOf(page).allTextContents()
}

/** What is read of a button in the browser. */
interface Button {
  disabled: boolean
  offsetParent: unknown
  textContent: string
  getAttribute(name: string): string | null
}

async function namesOf(page: Page): Promise<string[]> {
  const names: string[] = await page
    .locator('main')
    .getByRole('button')
    .evaluateAll((all) =>
      (all as unknown as Button[])
        .filter((one) => !one.disabled && one.offsetParent !== null)
        .map((one) => one.getAttribute('aria-label') ?? one.textContent.trim()),
    )
  // Further rows of a table have the same buttons, named `Extend: guide.pdf`.
  const first = new Map<string, string>()
  for (const name of names) {
    const [action = ''] = name.split(': ')
    if (action !== '' && !first.has(action)) first.set(action, name)
  }
  return [...first.values()].slice(0, MAX_BUTTONS)
}

/** What is in it: in a narrow window the dialog itself has no size, and is not visible. */
const dialogOf = (page: Page) => page.getByRole('dialog').locator('> *').first()

async function useOpened(
  page: Page,
  name: string,
  use: (button: string) => Promise<void>,
): Promise<void> {
  const opened = await dialogOf(page)
    .waitFor({ timeout: OPENS_WITHIN_MS })
    .then(() => true)
    .catch(() => false)
  if (opened) await use(name)
  await page.keyboard.press('Escape')
  await dialogOf(page)
    .waitFor({ state: 'hidden', timeout: 3000 })
    .catch(() => undefined)
}

/** The address may have changed to the page of a record. */
async function reopen(page: Page, address: string): Promise<void> {
  await page.goto(new URL(address, page.url()).href)
  await page.locator('main h1').first().waitFor()
  await page.waitForLoadState('networkidle')
}

/** The actions on ticked files: all are in one menu of a narrow window. */
async function eachAction(page: Page, use: (button: string) => Promise<void>): Promise<void> {
  const wide = page.viewportSize() ?? { width: 1280, height: 900 }
  await page.setViewportSize({ width: 390, height: wide.height })
  await reopen(page, BULK)
  await page.locator('main').getByRole('checkbox').nth(1).click({ force: true })
  const menu = page.getByRole('button', { name: 'Actions', exact: true })
  // An action that does not fit the file is disabled, with its reason.
  const items = entriesOf(page)
  await menu.click()
  await items.first().waitFor()
  const names = await items.allTextContents()
  for (const name of names) {
    if (!(await items.first().isVisible())) await menu.click()
    await items.filter({ hasText: name }).first().click()
    await page.setViewportSize(wide)
    await useOpened(page, name, use)
    await page.setViewportSize({ width: 390, height: wide.height })
  }
  await page.setViewportSize(wide)
}
