// What pages say when a change fails: what is gone, refused, not answered or lost on the way. The
// button works again, nothing that was typed is lost, and a success is said although its row is gone.
import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { type Origin, startOrigin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { type CallShop, shopCaller } from '../shop-caller.ts'
import { usePages } from './page-browser.ts'
import { soakTest } from '../scale.ts'

let call: CallShop
let origin: Origin
let url: string

const open = usePages(startOrigin, async (world) => {
  origin = world.origin
  ;({ url } = world.server)
  call = shopCaller(world.server)
  const files = [{ filename: 'Tides.pdf', url: `${origin.url}/bytes/500/1` }]
  expect((await importUntilEnd(world.server, { files, auto_map: false })).imported).toBe(1)
})

/** The address of the page of a new webhook. */
async function newWebhook(): Promise<string> {
  const body = { url: 'https://example.com/hooks', events: ['operation.finished'] }
  const { id } = (await call('POST', '/api/webhooks', body)) as { id: string }
  return `/settings/webhooks/${id}`
}

const button = (page: Page, text: string) => page.getByRole('button', { name: text, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
const alert = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text })
const toast = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text })

/** Answers the changes of a page with this until the returned function is called. */
async function answerWith(
  page: Page,
  answer: (route: Route) => unknown,
): Promise<() => Promise<void>> {
  const take = (route: Route) =>
    void (route.request().method() === 'GET' ? route.continue() : answer(route))
  await page.route('**/api/**', take)
  return () => page.unroute('**/api/**', take)
}

const refusal =
  (status: number, code: string, message: string, details?: object[]) => (route: Route) =>
    route.fulfill({ status, json: { error: { type: 'api', code, message, details } } })

const FAILURES: readonly (readonly [said: string, answer: (route: Route) => unknown])[] = [
  ['does not exist any more', refusal(404, 'not_found', 'There is nothing at this address')],
  [
    'has changed meanwhile',
    refusal(409, 'conflict', 'The request is not possible in the current state'),
  ],
  [
    'Too many requests',
    refusal(429, 'rate_limited', 'Too many requests: wait as long as Retry-After says'),
  ],
  ['went wrong on our side', refusal(500, 'internal', 'Something went wrong on our side')],
  ['Check your connection', (route) => route.abort('connectionreset')],
]

test('a failed change is announced, and its dialog can be sent again', async () => {
  const page = await open(await newWebhook())
  await button(page, 'Edit').click()
  const description = dialog(page).getByLabel('Description')
  await description.fill('Nightly')
  for (const [said, answer] of FAILURES) {
    const real = await answerWith(page, answer)
    await button(page, 'Save').press('Enter')
    await alert(page, said).waitFor()
    await expect.poll(() => button(page, 'Save').isEnabled()).toBe(true)
    expect(await description.inputValue()).toBe('Nightly')
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('BUTTON')
    await real()
  }
  await button(page, 'Save').press('Enter')
  await dialog(page).waitFor({ state: 'detached' })
  await page.locator('main').getByText('Nightly').waitFor()
})

soakTest(
  'a change that is never answered ends, and so does the wait for what is read afterwards',
  async () => {
    const page = await open('/settings')
    await page.clock.install()
    const address = await newWebhook()
    await page.goto(url + address)
    const held: Route[] = []
    const real = await answerWith(page, (route) => held.push(route))
    await button(page, 'Switch off').click()
    await expect.poll(() => held.length).toBe(1)
    await page.clock.fastForward(61_000)
    await alert(page, 'look before you try again').waitFor()
    await real()

    await expect.poll(() => button(page, 'Switch off').isEnabled()).toBe(true)
    const reads: Route[] = []
    await page.route(`**/api/webhooks/*`, (route) =>
      route.request().method() === 'GET' ? void reads.push(route) : route.continue(),
    )
    await button(page, 'Switch off').click()
    await expect.poll(() => reads.length).toBeGreaterThan(0)
    await page.clock.fastForward(4000)
    await expect.poll(() => button(page, 'Switch off').isEnabled()).toBe(true)
    expect(await alert(page, 'look before').count()).toBe(0)
    await page.unrouteAll()
  },
)

soakTest('what somebody else has deleted meanwhile counts as deleted', async () => {
  const { id } = (await call('POST', '/api/packs', { name: 'Almanac' })) as { id: string }
  const page = await open(`/packs/${id}`)
  await button(page, 'Delete').click()
  await dialog(page).waitFor()
  await call('DELETE', `/api/packs/${id}`)
  await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
  await page.waitForURL(/\/packs$/)
})

soakTest(
  'a success is said before the list is read again, which removes the row of its dialog',
  async () => {
    const { data } = (await call('GET', '/api/files')) as { data: { id: string }[] }
    await call('POST', '/api/links', { file_ids: [data[0]!.id] })
    const page = await open('/settings')
    await page.clock.install()
    await page.goto(`${url}/links?status=active`)
    await page.getByRole('button', { name: /^More for/ }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await dialog(page).getByRole('button', { name: 'Revoke' }).waitFor()
    const reads: Route[] = []
    await page.route('**/api/links?*', (route) => void reads.push(route))
    // Its button would be released after three seconds without the list.
    await page.clock.pauseAt(new Date(Date.now() + 1000))
    await dialog(page).getByRole('button', { name: 'Revoke' }).press('Enter')
    let passed = 0
    const toasts = async () => {
      await page.clock.runFor(5)
      passed += 5
      return toast(page, 'The link was revoked').count()
    }
    await expect.poll(toasts).toBe(1)
    expect(passed).toBeLessThan(3000)
    await page.clock.resume()
    await expect.poll(() => reads.length).toBeGreaterThan(0)
    await page.unroute('**/api/links?*')
    await page.getByRole('heading', { name: 'No link matches' }).waitFor()
  },
)

soakTest('a failure is said although its dialog was closed before', async () => {
  const page = await open(await newWebhook())
  const held: Route[] = []
  await answerWith(page, (route) => held.push(route))
  await button(page, 'Delete').click()
  await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
  await expect.poll(() => held.length).toBe(1)
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
  await refusal(500, 'internal', 'Something went wrong on our side')(held[0]!)
  await alert(page, 'Not done: Something went wrong on our side').waitFor()
})

soakTest(
  'the error of a field ends when it is corrected, and that of an action with another one',
  async () => {
    const page = await open('/settings/api-keys')
    await button(page, 'Create API key').first().click()
    const details = [{ param: 'name', code: 'invalid_value', message: 'Not this one' }]
    await answerWith(page, refusal(422, 'validation_failed', 'No', details))
    const name = dialog(page).getByLabel('Name')
    await name.fill('Night')
    await button(page, 'Create').click()
    await dialog(page).getByText('Not this one').waitFor()
    await name.fill('Nightly')
    await dialog(page).getByText('Not this one').waitFor({ state: 'detached' })
    await page.unrouteAll()

    await page.goto(url + (await newWebhook()))
    const real = await answerWith(page, refusal(500, 'internal', 'Something went wrong'))
    await button(page, 'Switch off').click()
    await alert(page, 'went wrong').waitFor()
    await real()
    await button(page, 'Send a test').click()
    await alert(page, 'went wrong').waitFor({ state: 'detached' })
  },
)

soakTest('the focus stays in a dialog when the button that had it disappears', async () => {
  const { data } = (await call('GET', '/api/files')) as { data: { id: string }[] }
  const path = `/files/${data[0]!.id}`
  await call('PATCH', `/api${path}`, { tags: ['autumn', 'winter'] })
  const page = await open(path)
  await button(page, 'Edit').click()
  await dialog(page).getByRole('button', { name: 'Remove autumn' }).press('Enter')
  await dialog(page).getByRole('button', { name: 'Remove autumn' }).waitFor({ state: 'detached' })
  const within = "document.activeElement.closest('[role=dialog]') !== null"
  await expect.poll(() => page.evaluate(within)).toBe(true)
})
