// What tests of dialogs about many files share: select files, open menus and dialogs, read the
// results.
import { type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { type RunningServer } from '../flows/server.ts'

export interface FileRecord {
  id: string
  filename: string
  tags: string[]
  size_bytes: number
  version: number
  mappings: { product_title: string }[]
  packs: { name: string }[]
  links_active?: number
}

export const dialogOf = (page: Page): Locator => page.getByRole('dialog')
/** The text of the line about the operation that was just started. */
export const launched = (page: Page): Locator => page.locator('.operation-toast')

export async function filesBy(server: RunningServer, search: string): Promise<FileRecord[]> {
  const query = new URLSearchParams({ name_contains: search, sort: 'filename' })
  return (
    (await (await server.call('GET', `/api/files?${query}`)).json()) as { data: FileRecord[] }
  ).data
}

/** Checks a checkbox, and tries again if the page re-renders it meanwhile. */
export const check = (box: Locator): Promise<void> =>
  expect
    .poll(async () => {
      await box.check({ force: true }).catch(() => {})
      return box.isChecked()
    })
    .toBe(true)

export async function tick(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) await check(page.getByRole('checkbox', { name: `Select ${name}` }))
  await page.getByText(`${names.length} selected`).first().waitFor()
}

/** The selection stays after actions that keep its files. */
export async function untick(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const box = page.getByRole('checkbox', { name: `Select ${name}` })
    const isOff = async () => {
      await box.uncheck({ force: true }).catch(() => {})
      return !(await box.isChecked())
    }
    await expect.poll(isOff).toBe(true)
  }
}

/** Chooses an action of the bar of selected files, or of its menu, which is called `more`. */
export async function choose(page: Page, name: string, more = 'More actions'): Promise<Locator> {
  const inBar = page.getByRole('button', { name, exact: true })
  const menu = page.getByRole('button', { name: more }).last()
  const inMenu = page.locator('.Polaris-Popover').getByRole('menuitem')
  const named = inMenu.and(page.getByRole('menuitem', { name, exact: true }))
  // Until the browser has measured the bar, it has buttons that move to the menu.
  const click = async () => {
    if ((await inBar.count()) > 0) {
      await inBar.last().click()
      return true
    }
    await menu.click()
    await inMenu.first().waitFor()
    const found = (await named.count()) > 0
    await (found ? named : menu).click()
    return found
  }
  await expect.poll(click).toBe(true)
  await dialogOf(page).waitFor()
  return dialogOf(page)
}

/** The headings of a preview: the number of files per result. */
export const previewedTitles = (dialog: Locator): Promise<string[]> =>
  dialog.locator('.preview-part h3').allTextContents()
