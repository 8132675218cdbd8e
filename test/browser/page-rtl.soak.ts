// The page written from right to left, with German texts, which are the longest: it is mirrored, and
// nothing is wider than the window. No language of the page needs it yet.
import { type Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { soakTest } from '../scale.ts'
import { usePages } from './page-browser.ts'

const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 390, height: 844 }
const MIRROR = `document.addEventListener('readystatechange', () => (document.documentElement.dir = 'rtl'))`
const PAGES =
  '/ /reviews /packs /import /import/upload /import/csv /deliveries /links /workflows /schedules /operations /notices /settings /settings/buyer-page'.split(
    ' ',
  )

const open = usePages(startOrigin, async ({ server, origin }) => {
  const filename = 'A very long name of a file that does not fit into its column.pdf'
  const files = [{ filename, url: `${origin.url}/bytes/2000/chart` }]
  await importUntilEnd(server, { files, auto_map: false })
})

/** Opens a page whose text begins at the right side. */
async function openMirrored(path: string, viewport: typeof WIDE): Promise<Page> {
  const page = await open('/notices', { locale: 'de-DE', viewport })
  await page.addInitScript({ content: MIRROR })
  await page.goto(new URL(path, page.url()).href)
  await page.locator('h1').first().waitFor()
  return page
}

/** How many pixels are beyond the window. */
const sideways = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** How far the middle of an element is from the left side, as a part of the window. */
async function placeOf(page: Page, selector: string): Promise<number> {
  const box = await page.locator(selector).first().boundingBox()
  return (box!.x + box!.width / 2) / page.viewportSize()!.width
}

test('the list of files and the menu are mirrored', async () => {
  const wide = await openMirrored('/files', WIDE)
  await wide.getByRole('checkbox').nth(1).waitFor()
  await expect.poll(() => placeOf(wide, '.Polaris-Frame__Navigation')).toBeGreaterThan(0.8)
  await expect.poll(() => placeOf(wide, 'main h1, h1')).toBeGreaterThan(0.6)
  await expect.poll(() => placeOf(wide, 'tbody .Polaris-Checkbox')).toBeGreaterThan(0.7)
  await expect.poll(() => sideways(wide)).toBeLessThanOrEqual(0)
  const narrow = await openMirrored('/files', NARROW)
  await expect.poll(() => sideways(narrow)).toBeLessThanOrEqual(0)
  await narrow.locator('.Polaris-TopBar__NavigationIcon').click()
  await expect.poll(() => placeOf(narrow, '.Polaris-Frame__Navigation')).toBeGreaterThan(0.5)
})

soakTest('the heading of a column of numbers ends where its cells end', async () => {
  const page = await openMirrored('/files', WIDE)
  await page.getByRole('checkbox').nth(1).waitFor()
  for (const heading of ['Größe', 'Downloads']) {
    const column = page.getByRole('columnheader', { name: heading })
    const at = await column.evaluate((cell) => (cell as { cellIndex?: number }).cellIndex ?? -1)
    const title = column.locator('button .Polaris-Text--root').last()
    const cells = page.locator('tbody tr').first().locator('td, th')
    const cell = cells.nth(at).locator('.Polaris-Text--numeric')
    const apart = async () =>
      Math.abs((await title.boundingBox())!.x - (await cell.boundingBox())!.x)
    await expect.poll(apart, { message: heading }).toBeLessThanOrEqual(1)
  }
})

soakTest('no page is wider than the window', async () => {
  for (const viewport of [WIDE, NARROW])
    for (const path of PAGES) {
      const page = await openMirrored(path, viewport)
      await page.waitForLoadState('networkidle')
      const message = `${path} at ${viewport.width}`
      await expect.poll(() => sideways(page), { message }).toBeLessThanOrEqual(0)
    }
})
