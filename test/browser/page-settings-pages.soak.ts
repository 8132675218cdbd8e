// Settings pages in a real browser: licence keys, with an invalid line named and the list used in a
// workflow for deliveries; the keys of buyers; webhooks; the plan; and customers' data requests.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { startReceiver } from '../fakes/receiver.ts'
import { startMailFake } from '../fakes/smtp.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { readDemo, type RunningServer } from '../flows/server.ts'
import { usePages } from './page-browser.ts'

let server: RunningServer
let origin: Origin
const open = usePages(startOrigin, (world) => {
  ;({ server, origin } = world)
})

const dialog = (page: Page) => page.getByRole('dialog')
const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).last().click()
const LONG = `${'Long name '.repeat(9)}ten chars.`

test('a list of licence keys is created, filled and chosen in a workflow for deliveries', async () => {
  const page = await open('/settings/licences')
  await page.getByRole('heading', { name: 'No lists of licence keys yet' }).waitFor()
  await page.getByRole('button', { name: 'Create list' }).first().click()
  await press(page, 'Create')
  await dialog(page).getByText('Give it a name').waitFor()
  await dialog(page).getByLabel('Name').fill(`${LONG}x`)
  await press(page, 'Create')

  // An invalid line is named, and no key is added.
  await dialog(page)
    .getByLabel('Keys, one a line')
    .fill(`GOOD-1\n${'x'.repeat(501)}`)
  await press(page, 'Add keys')
  await dialog(page).getByText('Line 2: A key has at most 500 characters').waitFor()
  await dialog(page).getByLabel('Keys, one a line').fill('GOOD-1\nGOOD-2\nGOOD-1')
  await press(page, 'Add keys')
  const list = page.getByRole('listitem').filter({ hasText: LONG })
  await list.getByText('2 keys left · 0 given').waitFor()
  await list.getByText('Few keys left').waitFor()

  // From a file; keys that exist already are skipped.
  await list.getByRole('button', { name: /^Add keys/ }).click()
  const keys = Array.from({ length: 20 }, (_, n) => `GOOD-${n + 1}`).join('\n')
  const file = { name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from(`key\n${keys}\n`) }
  await dialog(page).getByLabel('Choose a file').setInputFiles(file)
  await page.getByText('18 keys added, 2 were there already').waitFor()
  await list.getByText('20 keys left · 0 given').waitFor()

  await page.goto(`${server.url}/workflows/new?kind=delivery`)
  await page.getByLabel('Name').fill('Keys for buyers')
  await expect.poll(() => page.getByRole('radio', { name: 'Deliveries' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Add step' }).click()
  const checked = page.waitForResponse(
    (response) =>
      response.url().endsWith('/api/workflows/check') &&
      (response.request().postData() ?? '').includes('assign-licence-key'),
  )
  await page.getByRole('menuitem', { name: 'Assign licence keys' }).click()
  // Wait for the check that reports the missing list, so that no later response arrives after Save.
  await checked
  await page.route('**/api/workflows/check', () => {})
  await page
    .getByRole('combobox', { name: 'List of licence keys' })
    .selectOption({ label: `${LONG} (20 keys left · 0 given)` })
  await press(page, 'Save')
  await page.waitForURL(/\/workflows\/workflow_/)
  await page.goto(`${server.url}/workflows`)
  await page
    .getByRole('row', { name: /Keys for buyers/ })
    .getByText('Deliveries')
    .waitFor()

  await page.goto(`${server.url}/settings/deliveries`)
  await page
    .getByRole('combobox', { name: 'Run on each new delivery' })
    .selectOption('Keys for buyers')
  await press(page, 'Save')
  await expect
    .poll(async () => (await (await server.call('GET', '/api/settings')).json()) as object)
    .toMatchObject({ delivery_workflow: expect.stringMatching(/^workflow_/) as string })

  await page.goto(`${server.url}/settings/licences`)
  await list.getByRole('button', { name: /^Delete/ }).click()
  await dialog(page).getByText('Its 20 unused keys are deleted.').waitFor()
  await press(page, 'Delete')
  await page.getByRole('heading', { name: 'No lists of licence keys yet' }).waitFor()
})

test('a list generates keys; a buyer’s key is found, revoked, restored, replaced and reset', async () => {
  const page = await open('/settings/licences')
  await page.getByRole('button', { name: 'Create list' }).first().click()
  await dialog(page).getByLabel('Name').fill('Generated')
  await dialog(page).getByText('Generate keys', { exact: true }).click()
  await dialog(page).getByLabel('Pattern').fill('XXXXX-XXXX')
  await dialog(page).getByLabel('Prefix').fill('PRO-')
  const example = dialog(page).getByRole('status', { name: 'Example of a key' })
  await example.getByText(/PRO-[2-9A-Z]{5}-[2-9A-Z]{5}$/).waitFor()
  await press(page, 'Create')
  await dialog(page).getByText('could be guessed: add 2 more X').waitFor()
  await dialog(page).getByLabel('Pattern').fill('XXXXX-XXXXX-XX')
  await dialog(page).getByLabel('Activations of a key', { exact: true }).selectOption('Set to')
  await press(page, 'Create')
  await dialog(page).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Generated', exact: true }).click()
  await page.getByRole('heading', { name: 'No buyer has a key yet' }).waitFor()
  const key = await giveKey(page.url().split('/').at(-1)!)
  const active = { key, instance: 'studio-mac' }
  expect((await server.call('POST', '/licences/activate', active)).status).toBe(200)

  await page.reload()
  await page.getByLabel('Search keys').fill('#9')
  await page.getByRole('heading', { name: 'No key matches' }).waitFor()
  await page.getByLabel('Search keys').fill(key)
  const row = page.getByRole('row').filter({ hasText: key })
  await row.getByText('Active').waitFor()
  await row.getByRole('button', { name: `Activations of ${key}: 1 of 3` }).click()
  await dialog(page).getByText('studio-mac').waitFor()
  await press(page, 'Close')
  const act = async (name: string) => {
    await row.getByRole('button', { name: `More for ${key}` }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
    await press(page, name)
    await dialog(page).waitFor({ state: 'detached' })
  }
  await act('Revoke')
  await row.getByText('Revoked').waitFor()
  await act('Restore')
  await act('End all activations')
  await row.getByText('0 of 3').waitFor()
  await act('Replace')
  await row.getByText('Replaced').waitFor()
})

/** Gives a key of the list (a public id) to the buyer of a new order, who opens the page. */
async function giveKey(list: string): Promise<string> {
  const read = async <Body>(route: string) =>
    (await (await server.call('GET', route)).json()) as Body
  const steps = [{ plugin: 'assign-licence-key', options: { list } }]
  const made = await server.call('POST', '/api/workflows', { name: list, kind: 'delivery', steps })
  const { id: delivery_workflow } = (await made.json()) as { id: string }
  await server.call('PATCH', '/api/settings', { delivery_workflow })
  const { url } = origin
  const files = [{ filename: 'keyed.bin', url: `${url}/bytes/9/keyed`, product_sku: 'EB-001' }]
  await importUntilEnd(server, { files })
  const { storefront } = await readDemo(server.dataDir)
  await fetch(`${storefront.url}/demo/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'keyed@example.com', lines: [{ sku: 'EB-001' }] }),
  })
  const keys = () =>
    read<{ data: { key: string | null; delivery_id: string }[] }>(`/api/licence-lists/${list}/keys`)
  await expect.poll(async () => (await keys()).data.length).toBe(1)
  const { delivery_id } = (await keys()).data[0]!
  // Who opens the delivery sees the key.
  await expect
    .poll(async () => {
      await read(`/api/deliveries/${delivery_id}`)
      return (await keys()).data[0]!.key
    })
    .not.toBeNull()
  await server.call('PATCH', '/api/settings', { delivery_workflow: null })
  return (await keys()).data[0]!.key!
}

test('a webhook’s deliveries are read and replayed, and it is deleted after confirmation', async () => {
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  const made = await server.call('POST', '/api/webhooks', { url: receiver.url })
  const { id } = (await made.json()) as { id: string }
  const page = await open(`/settings/webhooks/${id}`)
  await press(page, 'Send a test')
  await expect.poll(() => receiver.posts.length).toBe(1)
  await page.reload()
  await page.getByRole('button', { name: /webhook\.test/ }).click()
  await dialog(page).getByText('Attempts').waitFor()
  await press(page, 'Replay')
  await dialog(page).waitFor({ state: 'detached' })
  await expect.poll(() => receiver.posts.length).toBe(2)
  const [first, second] = receiver.posts.map(({ headers, body }) => ({
    id: headers['webhook-id'],
    body,
  }))
  expect(second).toEqual(first)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog(page).getByText('Messages that wait for it are not sent').waitFor()
  await press(page, 'Delete')
  await page.waitForURL(/\/settings\/webhooks$/)
})

test('an installation without plans shows that nothing is limited', async () => {
  const page = await open('/settings')
  await page.getByRole('link', { name: 'Plan', exact: true }).click()
  await page.getByRole('heading', { name: 'This server has no plans' }).waitFor()
})

test('a customer’s data request is listed with its document, which is downloaded and deleted', async () => {
  const page = await open('/settings/customer-data')
  await page.getByRole('heading', { name: 'No requests' }).waitFor()
  const { storefront } = await readDemo(server.dataDir)
  const asked = await fetch(`${storefront.url}/demo/customers/data-request`, {
    method: 'POST',
    body: JSON.stringify({ email: 'asks@example.com' }),
    headers: { 'content-type': 'application/json' },
  })
  expect(asked.status).toBe(202)
  await expect
    .poll(async () => {
      const answer = await server.call('GET', '/api/customer-data')
      return ((await answer.json()) as { data: object[] }).data.length
    })
    .toBe(1)
  await page.reload()
  const request = page.getByRole('list', { name: 'Requests' }).getByRole('listitem')
  await request.getByText('All data that is stored about them').waitFor()
  const saved = page.waitForEvent('download')
  await request.getByRole('button', { name: /^Download the data of Customer/ }).click()
  const download = await saved
  expect(download.suggestedFilename()).toMatch(/^customer-data-\d{4}-\d\d-\d\d\.json$/)
  const document = JSON.parse(await readFile(await download.path(), 'utf8')) as object
  expect(document).toMatchObject({ customer: { email: 'asks@example.com' } })
  await request.getByRole('button', { name: /^Delete the data/ }).click()
  await press(page, 'Delete')
  await page.getByRole('heading', { name: 'No requests' }).waitFor()
})

test('the shop’s watermark is saved, and an empty one is refused', async () => {
  const page = await open('/settings#watermark')
  await expect.poll(() => page.getByRole('radio', { name: 'No watermark' }).isChecked()).toBe(true)
  await page.getByText('A text', { exact: true }).click()
  await press(page, 'Save')
  await page.getByText('Enter the text of the watermark').first().waitFor()
  await page.getByLabel('Text', { exact: true }).fill('Harbour Books')
  await page.getByRole('combobox', { name: 'Position' }).selectOption('center')
  const drawn = page.getByRole('img', { name: 'A page with the watermark' })
  await drawn.getByText('Harbour Books').waitFor()
  await press(page, 'Save')
  await page.getByText('Settings saved').waitFor()
  const { watermark } = (await (await server.call('GET', '/api/settings')).json()) as {
    watermark: unknown
  }
  expect(watermark).toEqual({ text: 'Harbour Books', position: 'center', opacity: 0.3 })
  // Steps that add a watermark use it from now on.
  await page.goto(new URL('/workflows/new', page.url()).href)
  await page.getByRole('button', { name: 'Add step' }).click()
  await page.getByRole('menuitem', { name: 'Watermark PDF documents' }).click()
  const choice = page.getByRole('radio', { name: 'The shop’s watermark' })
  await expect.poll(() => choice.isChecked()).toBe(true)
})

test('mail to buyers: an own server is confirmed by a test mail, and a text is previewed', async () => {
  const smtp = await startMailFake()
  onTestFinished(() => smtp.close())
  const page = await open('/settings/mail-to-buyers')
  await page.getByLabel('Name', { exact: true }).fill('Harbour Books')
  await page.getByLabel('Address for replies').fill('help@example.com')
  await press(page, 'Save')
  await page.getByText('The next mail comes from Harbour Books').waitFor()

  await press(page, 'Add a mail server')
  await page.getByLabel('Server', { exact: true }).fill('127.0.0.1')
  await page.getByLabel('Encryption').selectOption('none')
  await page.getByLabel('Port').fill(String(smtp.port))
  await page.getByLabel('From this address').fill('shop@')
  await press(page, 'Save the server')
  await page.getByText('Enter the address that mails are sent from').waitFor()
  await page.getByLabel('From this address').fill('shop@example.com')
  await press(page, 'Save the server')
  smtp.behaviour = 'refuse'
  await press(page, 'Send')
  await page.getByText('550 No such user shop@example.com').waitFor()
  smtp.behaviour = 'accept'
  await press(page, 'Send')
  await page.getByLabel('Code from the test mail').fill('1')
  await press(page, 'Confirm')
  await page.getByText('This is not the code of the last test mail').waitFor()
  const code = /\r\n(\d{6})\r\n/.exec(smtp.mails.at(-1)!.raw)![1]!
  await page.getByLabel('Code from the test mail').fill(code)
  await press(page, 'Confirm')
  await page.getByRole('radio', { name: 'Through your own mail server' }).waitFor()
  await expect
    .poll(() => page.getByRole('radio', { checked: true }).getAttribute('value'))
    .toBe('server')

  await page.goto(`${server.url}/settings/mail-to-buyers/texts`)
  await page.getByLabel('Language', { exact: true }).selectOption('de')
  await page.getByRole('textbox', { name: 'Subject' }).fill('Hallo {kunde}')
  await page.getByText('This mail has no variable {kunde}').waitFor()
  await press(page, 'Save')
  await page.getByRole('textbox', { name: 'Subject' }).fill('Hallo zu {order}')
  const preview = page.frameLocator('iframe[title="Preview of the email"]')
  await preview.getByRole('heading', { name: 'Hallo zu #1042' }).waitFor()
  await press(page, 'Save')
  await page.getByText('Texts saved').waitFor()
  await page.reload()
  await page.getByLabel('Language', { exact: true }).selectOption('de')
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Subject' }).inputValue())
    .toBe('Hallo zu {order}')
  await page.getByRole('button', { name: 'Use the usual text' }).click()
  await press(page, 'Save')
  await preview.getByRole('heading', { name: 'Ihre Dateien zur Bestellung #1042' }).waitFor()
})
