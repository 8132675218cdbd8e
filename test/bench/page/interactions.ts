// What a merchant does in the list of files and the navigation, one after the other on one open
// page.
import type { Page } from 'playwright-core'

export interface Interaction {
  name: string
  /** The goal in milliseconds, if it is not that of all. */
  within?: number
  /** Acts, and resolves when its effect is visible. */
  act(page: Page): Promise<unknown>
}

const firstRow = (page: Page) => page.getByRole('row').nth(1)
/** The header of the page has a menu of the same name. */
const inBar = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).last()
const inNavigation = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name }).first()
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, exact: true, level: 1 }).waitFor()

const TICK_MS = 100

export const INTERACTIONS: readonly Interaction[] = [
  {
    name: 'tick a row',
    within: TICK_MS,
    act: async (page) => {
      await firstRow(page).getByRole('checkbox').click({ force: true })
      await page.getByText('1 selected').first().waitFor()
    },
  },
  {
    name: 'untick it',
    within: TICK_MS,
    act: async (page) => {
      await firstRow(page).getByRole('checkbox').click({ force: true })
      await page.getByText('1 selected').first().waitFor({ state: 'hidden' })
    },
  },
  {
    name: 'select the page',
    act: async (page) => {
      await page.getByRole('checkbox').first().click({ force: true })
      await page.getByText('50 selected').first().waitFor()
    },
  },
  {
    name: 'open the menu of actions',
    act: async (page) => {
      await inBar(page, 'More actions').click()
      await page.locator('.Polaris-Popover').first().waitFor()
    },
  },
  { name: 'close it', act: (page) => page.keyboard.press('Escape') },
  {
    name: 'open a dialog',
    act: async (page) => {
      await inBar(page, 'Change tags').click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'close it with Escape',
    act: async (page) => {
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    },
  },
  {
    name: 'search',
    act: async (page) => {
      await page.getByPlaceholder('Search files').pressSequentially('tide', { delay: 60 })
      await page.waitForURL(/search=tide/)
      await page.waitForLoadState('networkidle')
    },
  },
  {
    name: 'open a filter',
    act: async (page) => {
      await page.getByRole('button', { name: 'Type', exact: true }).click()
      await page
        .getByRole('radio')
        .or(page.getByRole('checkbox', { name: 'PDF' }))
        .first()
        .waitFor()
    },
  },
  { name: 'leave the filter', act: (page) => page.keyboard.press('Escape') },
  {
    name: 'open a file',
    act: async (page) => {
      await firstRow(page).click({ position: { x: 150, y: 20 } })
      await page.waitForURL(/\/files\/file_/)
      await page.waitForLoadState('networkidle')
    },
  },
  {
    name: 'go back to Files',
    act: async (page) => {
      await page.getByRole('link', { name: 'Files' }).first().click()
      await heading(page, 'Files')
      await page.waitForLoadState('networkidle')
    },
  },
  ...['Deliveries', 'Operations', 'Reviews', 'Settings', 'Home', 'Files'].map((name) => ({
    name: `go to ${name}`,
    act: async (page: Page) => {
      await inNavigation(page, name).click()
      await page.waitForLoadState('networkidle')
    },
  })),
  {
    name: 'open the palette',
    act: async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'type into it',
    act: (page) => page.keyboard.type('tide', { delay: 60 }),
  },
]
