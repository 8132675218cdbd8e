// Large files that the browser sends straight to a bucket: with CORS rules their bytes do not pass
// the server, also after a reload in the middle; without them the page sends to the server.
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DeleteBucketCorsCommand, PutBucketCorsCommand } from '@aws-sdk/client-s3'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openBucket } from '../../server/core/store/s3-calls.ts'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { openTestApp, type TestApp } from '../app.ts'
import { BUCKET, startS3, type FakeS3 } from '../fakes/s3.ts'
import { openPage, sharedBrowser } from './page-browser.ts'

const MB = 1024 ** 2
const SIZE = 24 * MB + 1

let s3: FakeS3
let app: TestApp
let worker: EngineWorker
let browser: Browser
let folder: string
beforeAll(async () => {
  ;[s3, browser, folder] = await Promise.all([
    startS3(),
    sharedBrowser(),
    mkdtemp(path.join(tmpdir(), 'stevedore-direct-')),
  ])
  const directUploads = { min_bytes: 8 * MB, piece_bytes: 4 * MB }
  app = await openTestApp({ bucket: s3.location(), directUploads })
  worker = await app.engine.startWorker()
})
afterAll(async () => {
  await worker?.stop()
  await app?.close()
  await s3?.close()
  await rm(folder, { recursive: true, force: true })
})

async function setCors(allowed: boolean): Promise<void> {
  const { client } = openBucket(s3.location())
  const rule = { AllowedOrigins: [app.url], AllowedMethods: ['PUT'], AllowedHeaders: ['*'] }
  const CORSConfiguration = { CORSRules: [rule] }
  await (allowed
    ? client.send(new PutBucketCorsCommand({ Bucket: BUCKET, CORSConfiguration }))
    : client.send(new DeleteBucketCorsCommand({ Bucket: BUCKET })))
  client.destroy()
}

async function made(name: string): Promise<{ at: string; hash: string }> {
  const bytes = randomBytes(SIZE)
  const at = path.join(folder, name)
  await writeFile(at, bytes)
  return { at, hash: createHash('sha256').update(bytes).digest('hex') }
}

async function open() {
  const opened = await openPage(browser, app, '/import/upload')
  onTestFinished(opened.close)
  await opened.page.getByRole('button', { name: 'Choose files' }).waitFor()
  return opened
}
const choose = (page: Page, file: string) =>
  page.getByLabel('Choose files', { exact: true }).and(page.locator('input')).setInputFiles(file)

/** The bytes that the page sends to the server in PATCH requests, and the pieces in the bucket. */
function watch(page: Page) {
  const seen = { patches: 0, pieces: 0 }
  page.on('request', (request) => {
    if (request.method() === 'PATCH') seen.patches++
  })
  page.on('response', (response) => {
    if (response.request().method() === 'PUT' && response.ok()) seen.pieces++
  })
  return seen
}

const sha256Of = async (filename: string) =>
  (await app.demo.call('GET', `/api/files?search=${filename}`)).body.data[0]?.sha256

test('sends a large file straight to the bucket, and continues after a reload', async () => {
  await setCors(true)
  const { at, hash } = await made('straight.bin')
  const { page, complaints } = await open()
  const seen = watch(page)
  const client = await page.context().newCDPSession(page)
  const limited = (uploadThroughput: number) =>
    client.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  await client.send('Network.enable')
  await limited(4 * MB)
  page.on('dialog', (dialog) => void dialog.accept())
  await choose(page, at)
  await expect.poll(() => seen.pieces).toBeGreaterThan(1)
  await page.reload()
  const before = seen.pieces
  await limited(-1)
  await page.getByText('1 upload was interrupted when you left this page').waitFor()
  await choose(page, at)
  await expect.poll(() => sha256Of('straight.bin')).toBe(hash)
  expect(before).toBeGreaterThan(1)
  expect(seen.patches).toBe(0)
  // The piece that the reload has interrupted may have arrived nevertheless.
  expect(seen.pieces).toBeLessThanOrEqual(7)
  // Requests to another origin than the page's are reported: these are the wanted ones.
  const bucket = `asked http://127.0.0.1:${s3.port}/${BUCKET}/uploads/`
  expect(complaints.filter((line) => !line.startsWith(bucket))).toEqual([])
})

test('sends to the server where the bucket has no CORS rules', async () => {
  await setCors(false)
  const { at, hash } = await made('blocked.bin')
  const { page } = await open()
  const seen = watch(page)
  await choose(page, at)
  await expect.poll(() => sha256Of('blocked.bin')).toBe(hash)
  expect(seen.patches).toBeGreaterThan(0)
})
