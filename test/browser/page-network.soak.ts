// Requests of an open page: few while nothing happens, and new scripts once after an upgrade.
import type { Browser, Page, Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type RunningServer } from '../flows/server.ts'
import { openPage, usePages } from './page-browser.ts'

let server: RunningServer
let browser: Browser

const open = usePages(
  startOrigin,
  async (world: { server: RunningServer; origin: Origin; browser: Browser }) => {
    ;({ server, browser } = world)
    const files = Array.from({ length: 60 }, (_, n) => ({
      filename: `Quiet ${n}.pdf`,
      url: `${world.origin.url}/bytes/900/${n}`,
    }))
    expect((await importUntilEnd(server, { files, auto_map: false })).imported).toBe(60)
  },
)

/** Counts the API calls from now on, and whether one is pending. */
function watchCalls(page: Page) {
  const calls: string[] = []
  const sent = new Set<Request>()
  page.on('request', (request) => {
    if (!request.url().includes('/api/')) return
    calls.push(new URL(request.url()).pathname)
    sent.add(request)
  })
  page.on('requestfinished', (request) => sent.delete(request))
  page.on('requestfailed', (request) => sent.delete(request))
  return { calls, settled: () => expect.poll(() => sent.size, { interval: 5 }).toBe(0) }
}

/** Advances the page's clock by a minute, second by second, so that responses arrive in between. */
async function passMinute(page: Page, settled: () => Promise<void>): Promise<void> {
  for (let second = 0; second < 60; second++) {
    await page.clock.runFor(1000)
    await settled()
  }
}

test('an idle list of files sends at most four requests a minute, and none while hidden', async () => {
  const page = await open('/settings')
  await page.clock.install()
  const { calls, settled } = watchCalls(page)
  await page.goto(`${server.url}/files`)
  await page.getByText('1–50 of 60 files').waitFor()
  await passMinute(page, settled)
  calls.length = 0
  await passMinute(page, settled)
  expect(calls.length).toBeLessThanOrEqual(4)
  expect(calls).toContain('/api/files')
  expect(calls).toContain('/api/activity')

  await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
    document.dispatchEvent(new Event('visibilitychange'))`)
  calls.length = 0
  await passMinute(page, settled)
  // Web vitals are sent once, when the page is hidden.
  expect(calls.filter((call) => call !== '/api/web-vitals')).toEqual([])
  expect(calls.length).toBeLessThanOrEqual(1)
})

test('an operation started elsewhere is shown, and the list is read again', async () => {
  const page = await open('/settings')
  await page.clock.install()
  const { settled } = watchCalls(page)
  await page.goto(`${server.url}/files?search=quiet+59`)
  await page.getByText('1 file', { exact: true }).waitFor()
  const { data } = (await (await server.call('GET', '/api/files?search=quiet+59')).json()) as {
    data: { id: string }[]
  }
  const reply = await server.call('POST', '/api/files/bulk-delete', {
    file_ids: data.map(({ id }) => id),
  })
  expect(reply.status).toBe(200)
  for (let second = 0; second < 25; second++) {
    await page.clock.runFor(1000)
    await settled()
  }
  await page.getByRole('heading', { name: 'No file matches' }).waitFor()
})

test('a dialog that cannot be loaded leaves the list, and after an upgrade the rows are still ticked', async () => {
  const { page, close } = await openPage(browser, server, '/files?search=quiet+57')
  const row = page.getByRole('checkbox', { name: 'Select Quiet 57.pdf' })
  await row.check()
  let loads = 0
  page.on('load', () => loads++)
  await page.route('**/assets/open-dialog*.js', (route) => route.abort())
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Change tags' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Check your connection and try again').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => row.isChecked()).toBe(true)
  await page.context().setOffline(false)
  expect(loads).toBe(0)
  await page.unroute('**/assets/open-dialog*.js')
  await page.route('**/assets/open-dialog*.js', (route) =>
    loads === 0 ? route.fulfill({ status: 404 }) : route.continue(),
  )
  await page.getByRole('button', { name: 'Change tags' }).click()
  await expect.poll(() => loads).toBe(1)
  await expect.poll(() => row.isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Change tags' }).click()
  await page.getByRole('heading', { name: 'Tags of 1 file' }).waitFor()
  await close()
})

test('a page from before an upgrade reloads itself, once', async () => {
  // The console reports the missing scripts.
  const { page, close } = await openPage(browser, server, '/files')
  await page.getByText('1–50 of 59 files').waitFor()
  let loads = 0
  let gone = true
  page.on('load', () => loads++)
  await page.route('**/assets/workflows-page*.js', (route) =>
    gone && loads === 0 ? route.fulfill({ status: 404 }) : route.continue(),
  )
  await page.getByRole('link', { name: 'Workflows', exact: true }).click()
  await page.getByRole('heading', { name: 'Workflows', exact: true }).waitFor()
  expect(loads).toBe(1)

  // A script that is missing for another reason is an error, not a reload loop.
  await page.route('**/assets/schedules-page*.js', (route) => route.fulfill({ status: 404 }))
  gone = false
  await page.getByRole('link', { name: 'Scheduled tasks' }).click()
  await page.getByText('This page could not be shown').waitFor()
  expect(loads).toBe(1)

  // Without a connection the page stays, and is loaded again when there is one.
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Packs', exact: true }).click()
  await page.getByText('Check your connection and try again').waitFor()
  // It must have failed before the connection is back: it would succeed without a second click.
  const isPage = (address: string) => new URL(address).pathname === '/packs'
  const failed = page.waitForEvent('requestfailed', (request) => isPage(request.url()))
  await page.getByRole('button', { name: 'Try again' }).click()
  await failed
  await page.getByText('Check your connection and try again').waitFor()
  expect(loads).toBe(1)
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Packs', exact: true }).waitFor()
  expect(loads).toBe(2)
  await close()
})

test('a script that does not exist is 404, not the page', async () => {
  expect((await fetch(`${server.url}/assets/gone-12345678.js`)).status).toBe(404)
  expect((await fetch(`${server.url}/gone.pdf`)).status).toBe(404)
})

test.each([1280, 390])('late results shift no layout on a screen of %d px', async (width) => {
  const page = await open('/files?sort=filename')
  await page.setViewportSize({ width, height: 900 })
  await page.getByText('1–50 of 59 files').waitFor()
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/api/files?*', async (route) => {
    await held
    await route.continue()
  })
  const asked = page.waitForRequest((request) => request.url().includes('search=quiet+5'))
  await page.getByPlaceholder('Search files').fill('quiet 5')
  await asked
  // Shifts within half a second of a key press are not counted, so the response comes later than
  // that.
  await page.evaluate(`window.shift = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.shift += entry.value
    }).observe({ type: 'layout-shift' })`)
  release()
  await page.getByText('10 files', { exact: true }).waitFor()
  // Two frames, because a shift is reported with the next frame.
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
  )
  await expect.poll(() => page.evaluate('window.shift')).toBeLessThan(0.1)
})
