// A feature that touches its two folders, a migration, and one place in each list: its table, its
// endpoint, its background task, its notice, its webhook event, and its page in three languages.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { startReceiver } from '../fakes/receiver.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { ROOT, startServer, type RunningServer } from '../flows/server.ts'
import { copyWithSampleFeature } from '../sample-feature.ts'
import { openPage, sharedBrowser } from './page-browser.ts'

const HOUSE = path.join(ROOT, '.test', 'sample-feature')
let server: RunningServer
let origin: Origin
beforeAll(async () => {
  await copyWithSampleFeature(HOUSE)
  ;[server, origin] = await Promise.all([
    startServer({ root: HOUSE, env: { ROLE: 'web,worker' } }),
    startOrigin(),
  ])
})
afterAll(() => Promise.all([server.stop(), origin.close()]))

const json = async (route: string) =>
  (await server.call('GET', route)).json() as Promise<{ paths: object }>

test('its endpoint, event and texts are where the product’s are', async () => {
  const document = await json('/api/openapi.json')
  expect(document.paths).toMatchObject({ '/api/wishes': { get: {}, post: {} } })
  expect(JSON.stringify(document)).toContain('wish.granted')
})

test('a wish is granted by its task, with a notice and a message to webhooks', async () => {
  const hook = await startReceiver()
  onTestFinished(() => hook.close())
  const events = ['wish.granted']
  const made = await server.call('POST', '/api/webhooks', { url: hook.url, events })
  expect(made.status).toBe(201)
  const url = `${origin.url}/bytes/900/tide-tables.pdf`
  await importUntilEnd(server, { files: [{ filename: 'tide-tables.pdf', url }] })
  const opened = await openPage(await sharedBrowser(), server, '/')
  const { page } = opened
  await page.getByRole('navigation').getByRole('link', { name: 'Wishes' }).click()
  await page.getByLabel('Name of the file').fill('tide-tables.pdf')
  await page.getByRole('button', { name: 'Wish for it' }).click()
  await page.getByText('tide-tables.pdf: granted').waitFor()
  await page.goto(`${server.url}/notices`)
  await page.getByRole('heading', { name: '“tide-tables.pdf” has arrived' }).waitFor()
  expect(opened.complaints).toEqual([])
  await opened.close()
  await expect.poll(() => hook.posts.length).toBe(1)
  expect(JSON.parse(hook.posts[0]!.body)).toMatchObject({
    type: 'wish.granted',
    data: { filename: 'tide-tables.pdf' },
  })
})

test('both sides type-check', async () => {
  const tsc = path.join(ROOT, 'node_modules/typescript-native/bin/tsc')
  const server = { extends: '../../tsconfig.json', include: [], files: ['server/features.ts'] }
  await writeFile(path.join(HOUSE, 'tsconfig.json'), JSON.stringify(server))
  for (const project of [HOUSE, path.join(HOUSE, 'web')])
    await promisify(execFile)(process.execPath, [tsc, '--noEmit', '--project', project])
})

test.each([
  ['de', 'Wünsche'],
  ['ja', 'リクエスト'],
])('its page is in %s', async (locale, title) => {
  const opened = await openPage(await sharedBrowser(), server, `/wishes?locale=${locale}`)
  await opened.page.getByRole('heading', { name: title }).waitFor()
  await opened.close()
})
