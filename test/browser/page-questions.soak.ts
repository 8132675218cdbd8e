// A workflow that asks, in a real browser: built, approved from the mail on a phone, and from Home.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startMailFake, type MailFake } from '../fakes/smtp.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd } from '../flows/imports.ts'
import {
  openPage,
  sharedBrowser,
  startPageServer,
  type OpenPage,
  type PageServer,
} from './page-browser.ts'

const ANNA = 'anna@example.com'

let smtp: MailFake
let server: PageServer
let origin: Origin
let browser: Browser
const opened: OpenPage[] = []
beforeAll(async () => {
  smtp = await startMailFake()
  ;[server, origin, browser] = await Promise.all([
    startPageServer({ SMTP_URL: smtp.url }),
    startOrigin(),
    sharedBrowser(),
  ])
})
afterEach(async () => {
  for (const { complaints, close } of opened.splice(0)) {
    await close()
    expect(complaints).toEqual([])
  }
})
afterAll(async () => {
  await server.end()
  await Promise.all([origin.close(), smtp.close()])
})

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const one = await openPage(browser, server, path, options)
  opened.push(one)
  return one.page
}
const read = async (route: string) => (await server.call('GET', route)).json()
const tagsOf = async (file: string) =>
  ((await read(`/api/files/${file}`)) as { tags: string[] }).tags

async function importFile(filename: string): Promise<string> {
  const url = `${origin.url}/bytes/500/${filename.length}`
  const { files } = await importUntilEnd(server, { files: [{ filename, url }], auto_map: false })
  return files[0]!.file_id!
}
async function run(workflow: string, file: string): Promise<void> {
  const body = { workflow, select: { file_ids: [file] } }
  expect((await server.call('POST', '/api/operations', body)).status).toBe(202)
}

const addStep = async (page: Page, title: string) => {
  await page.getByRole('button', { name: 'Add step' }).click()
  await page.getByRole('menuitem', { name: title, exact: true }).click()
}
const step = (page: Page, n: number) =>
  page.getByRole('listitem', { name: new RegExp(`^Step ${n},`) })

/** The path of the link in the mail to this address. */
async function mailedLink(to: string): Promise<string> {
  const find = () => smtp.mails.find((mail) => mail.to.includes(to))?.raw ?? ''
  await expect.poll(find).not.toBe('')
  const text = find().replace(/=\r\n/g, '').replaceAll('=3D', '=')
  return /\/answers\/[\w-]+/.exec(text)?.[0] ?? ''
}

test('a workflow that asks is built, and a person approves it from the mail on a phone', async () => {
  const file = await importFile('Tide tables of the outer harbour.pdf')
  const page = await open('/workflows/new')
  await page.getByLabel('Name', { exact: true }).fill('Supplier A')
  await addStep(page, 'Ask')
  await step(page, 1).getByLabel('Who may answer').fill(ANNA)
  await page.keyboard.press('Enter')
  await addStep(page, 'Tag files')
  await step(page, 2).getByLabel('How').selectOption('Add')
  await step(page, 2).getByRole('textbox', { name: /^Tags/ }).fill('approved')
  await page.keyboard.press('Enter')
  await step(page, 1).getByText(`Continues when it is approved by ${ANNA}`).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL(/\/workflows\/workflow_/)
  await run(page.url().split('/').at(-1)!, file)
  const link = await mailedLink(ANNA)
  await page.reload()
  await page.getByText(new RegExp(`^Waits for ${ANNA} until`)).waitFor()

  const phone = await open(link, { viewport: { width: 390, height: 844 } })
  await phone.getByRole('heading', { name: 'May “Supplier A” continue?' }).waitFor()
  await phone.getByText('Tide tables of the outer harbour.pdf').waitFor()
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  expect(await tagsOf(file)).toEqual([])
  await phone.getByRole('button', { name: 'Approve' }).click()
  await phone.getByRole('heading', { name: 'You have approved it' }).waitFor()
  await expect.poll(() => tagsOf(file)).toEqual(['approved'])
  await phone.goto(server.url + link)
  await phone.getByText(`${ANNA} has approved this already.`).waitFor()
})

test('Home counts the runs that wait, and the page of the run answers', async () => {
  const file = await importFile('Lighthouses.pdf')
  const made = await server.call('POST', '/api/workflows', {
    name: 'Anyone',
    kind: 'bulk',
    steps: [{ plugin: 'ask' }, { plugin: 'tag-files', options: { mode: 'add', tags: ['seen'] } }],
  })
  await run(((await made.json()) as { id: string }).id, file)
  await expect
    .poll(async () => {
      const { data } = (await read('/api/operations?waiting=true&status=previewed')) as {
        data: unknown[]
      }
      return data.length
    })
    .toBe(1)
  const page = await open('/')
  await page.getByText('1 run of a workflow waits for an answer').waitFor()
  await page.getByRole('link', { name: /^Decide/ }).click()
  await page.getByText('Waits for an answer').first().waitFor()
  await page.getByRole('link', { name: 'Anyone' }).click()
  await page.getByText(/^Waits for an answer until/).waitFor()
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByText(/^Approved by/).waitFor()
  await expect.poll(() => tagsOf(file)).toEqual(['seen'])
})
