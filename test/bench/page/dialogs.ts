// The dialogs of a page, found by pressing its buttons and the entries of their menus while no request
// can change anything, and those of the actions on files, found in their menu.
import type { Locator, Page } from 'playwright-core'

/** Buttons of one page that are pressed. */
const MAX_BUTTONS = 25
const OPENS_WITHIN_MS = 500
const CLICKED_WITHIN_MS = 1000
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
    // A list that is sorted or filtered otherwise has the same buttons.
    if (pathOf(page.url()) !== pathOf(address)) await reopen(page, address)
  }
  for (const name of await namesOf(page)) {
    const press = () => tryClick(buttons.and(page.getByRole('button', { name, exact: true })))
    await press()
    const entries = await openedEntries(page)
    await look(name)
    for (const entry of entries) {
      await press()
      await tryClick(entriesOf(page).filter({ hasText: entry }))
      await opened(dialogOf(page))
      await look(`${name}: ${entry}`)
    }
  }
  if (pathOf(page.url()) === BULK) await eachAction(page, use)
}

/** Clicks the first one, if there is one that can be clicked. */
const tryClick = (all: Locator) =>
  all
    .first()
    // What does not move can be clicked immediately; a button that another one covers cannot.
    .click({ timeout: CLICKED_WITHIN_MS })
    .catch(() => undefined)

/** The entries of an open menu that can be chosen. */
const entriesOf = (page: Page) =>
  page.locator('.Polaris-Popover').getByRole('menuitem', { disabled: false })

/** Those of the menu that a button has opened; none if it has opened a dialog, or nothing. */
async function openedEntries(page: Page): Promise<string[]> {
  await opened(dialogOf(page).or(entriesOf(page)).first())
  return entriesOf(page).allTextContents()
}

/** Waits a moment for what a click may open. */
const opened = (what: Locator) => what.waitFor({ timeout: OPENS_WITHIN_MS }).catch(() => undefined)

/** What is read of a button in the browser. */
interface Button {
  disabled: boolean
  offsetParent: unknown
  textContent: string
  getAttribute(name: string): string | null
}

async function namesOf(page: Page): Promise<string[]> {
  const buttons = await page
    .locator('main')
    .getByRole('button')
    .evaluateAll((all) =>
      (all as unknown as Button[])
        .filter((one) => !one.disabled && one.offsetParent !== null)
        .map((one) => {
          const text = one.textContent.trim()
          return { text, name: one.getAttribute('aria-label') ?? text }
        }),
    )
  // Further rows of a table have the same buttons, named `Delete guide.pdf` or `Extend: guide.pdf`.
  const first = new Map<string, string>()
  for (const { text, name } of buttons) {
    const action = text === '' ? name.split(': ')[0]! : text
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
  if ((await dialogOf(page).count()) > 0) await use(name)
  else if ((await entriesOf(page).count()) === 0) return
  await page.keyboard.press('Escape')
  await dialogOf(page)
    .waitFor({ state: 'hidden', timeout: 3000 })
    .catch(() => undefined)
}

const pathOf = (address: string) => new URL(address, 'http://page').pathname

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
    await opened(dialogOf(page))
    await useOpened(page, name, use)
    await page.setViewportSize({ width: 390, height: wide.height })
  }
  await page.setViewportSize(wide)
}
