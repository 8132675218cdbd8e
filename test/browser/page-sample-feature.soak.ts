// A feature that touches its two folders, a migration, and one place in each list: its table, its
// endpoint, its background task, its notice, its webhook event, and its page in three languages. And
// a channel with its own bytes that touches its folder, its plugin, its workflow, a migration,
// and the lists of app.config.ts and server/features.ts.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { startReceiver } from '../fakes/receiver.ts'
import { importUntilEnd } from '../flows/imports.ts'
import { ROOT, startServer, type RunningServer } from '../flows/server.ts'
import { addSampleChannel, addSampleFeature, copyProduct } from '../sample-feature.ts'
import { openPage, sharedBrowser } from './page-browser.ts'

const HOUSE = path.join(ROOT, '.test', 'sample-feature')
let server: RunningServer
let origin: Origin
beforeAll(async () => {
  await copyProduct(HOUSE)
  await addSampleFeature(HOUSE)
  await addSampleChannel(HOUSE)
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

test('a file is imported through a channel with its own bytes', async () => {
  const text = 'The tide is high at noon'
  const parcel = { filename: 'tides.txt', text }
  const started = await server.call('POST', '/api/parcels', parcel)
  expect(started.status).toBe(202)
  const { job_id } = (await started.json()) as { job_id: string }
  const { files } = await importUntilEnd(server, null, job_id)
  expect(files).toMatchObject([{ filename: 'tides.txt', status: 'imported' }])
  expect(await json(`/api/operations/${job_id}`)).toMatchObject({
    channel: 'parcels',
    status: 'success',
  })
  const links = { file_ids: [files[0]!.file_id] }
  const made = await (await server.call('POST', '/api/links', links)).json()
  const { url } = (made as { data: { url: string }[] }).data[0]!
  const answer = await fetch(url, { headers: { 'user-agent': 'curl/8' } })
  expect(await answer.text()).toBe(text)
})

test('both sides type-check', async () => {
  const tsc = path.join(ROOT, 'node_modules/typescript-native/bin/tsc')
  const files = ['server/features.ts', 'app.config.ts']
  const server = { extends: '../../tsconfig.json', include: [], files }
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
