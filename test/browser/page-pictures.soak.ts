// Pictures of files: small ones in the list, and those before and after a trial of a workflow, side
// by side. And the page in another language whose texts cannot be loaded.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../app.ts'
import { addFile } from '../deliveries.ts'
import { photo } from '../images.ts'
import { openPage, sharedBrowser, type OpenPage } from './page-browser.ts'

let app: TestApp
let browser: Browser
let opened: OpenPage
beforeAll(async () => {
  ;[app, browser] = await Promise.all([openTestApp(), sharedBrowser()])
  const image = await photo(600, 400).jpeg().toBuffer()
  await addFile({ ...app.engine, scope: app.demo.scope }, 'Harbour.jpg', image)
  opened = await openPage(browser, app, '/files')
})
afterAll(async () => {
  expect(opened.complaints).toEqual([])
  await opened.close()
  await app.close()
})

const widthOf = (image: unknown) => (image as { naturalWidth: number }).naturalWidth

test('the list shows a small picture of an image', async () => {
  const picture = opened.page.locator('img.file-thumbnail').first()
  await expect.poll(() => picture.evaluate(widthOf).catch(() => 0)).toBeGreaterThan(0)
})

test('a trial shows the picture before and after, side by side', async () => {
  const made = await app.demo.call('POST', '/api/workflows', {
    name: 'Smaller',
    kind: 'bulk',
    steps: [{ plugin: 'optimize-image', options: { max_px: 100 } }],
  })
  expect(made.body).toMatchObject({ id: expect.any(String) })
  const { page } = opened
  await page.goto(`${app.url}/workflows/${made.body.id}`)
  await page.getByRole('button', { name: 'Try it on the newest files' }).click()
  const pictures = page.locator('.tried-pictures figure')
  await expect.poll(() => pictures.count()).toBe(2)
  const captions = () => pictures.locator('figcaption').allTextContents()
  await expect.poll(captions).toEqual(['Before', 'After'])
  const widths = () =>
    pictures
      .locator('img')
      .evaluateAll((all) =>
        all.map((one) => (one as unknown as { naturalWidth: number }).naturalWidth),
      )
  await expect.poll(widths).toEqual([600, 100])
  const [before, after] = await Promise.all([0, 1].map((at) => pictures.nth(at).boundingBox()))
  expect(after!.x).toBeGreaterThanOrEqual(before!.x + before!.width)
  expect(Math.abs(after!.y - before!.y)).toBeLessThan(2)
})

test('texts that cannot be loaded are shown in English, and the page works', async () => {
  const page = await openPage(browser, app, '/files?locale=de')
  await page.page.getByRole('heading', { name: 'Dateien', exact: true }).waitFor()
  await page.page.route('**/assets/texts-*', (route) => route.fulfill({ status: 404, body: '' }))
  await page.page.goto(`${app.url}/files`)
  await page.page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
  await page.page.getByRole('link', { name: 'Harbour.jpg' }).click()
  await page.page.getByRole('heading', { name: 'Harbour.jpg' }).waitFor()
  expect(page.complaints).toEqual([])
  await page.close()
})
