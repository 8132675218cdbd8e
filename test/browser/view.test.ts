// Buyers read and play files in Chromium: pictures, an album, a video with subtitles and a PDF
// document in its frame, with positions that are kept, on pages whose policy nothing violates.
import { StandardFonts, PDFDocument } from 'pdf-lib'
import sharp from 'sharp'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensurePack } from '../../server/files/packs.ts'
import { createPackLink } from '../../server/features/links/model/pack-links.ts'
import { createTestShop, openTestDatabase } from '../database.ts'
import { openDepot, type Depot } from '../delivery.ts'
import { sharedBrowser } from './page-browser.ts'
import { WAIT_MS } from '../wait.ts'
import { wav } from '../sounds.ts'
import { soakTest } from '../scale.ts'

interface Media {
  currentTime: number
  duration: number
  videoWidth: number
  textTracks: readonly { cues: { length: number } | null }[]
}
interface Picture {
  naturalWidth: number
  width: number
}

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let context: BrowserContext
let page: Page
let base: string
let pageKey: string
const complaints: string[] = []

async function pdf(pages: number): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (let at = 1; at <= pages; at++)
    document.addPage([300, 400]).drawText(`Chapter ${at}`, { x: 30, y: 350, size: 24, font })
  return document.save()
}

const RECORD = `(async () => {
  const canvas = document.createElement('canvas')
  const drawing = canvas.getContext('2d')
  const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: 'video/webm' })
  const parts = []
  const recorded = new Promise((resolve) => {
    recorder.ondataavailable = ({ data }) => {
      parts.push(data)
      if (recorder.state === 'recording') recorder.stop()
    }
    recorder.onstop = resolve
  })
  recorder.start(300)
  const drawn = setInterval(() => drawing.fillRect(Math.random() * 200, 10, 20, 20), 40)
  await recorded
  clearInterval(drawn)
  return [...new Uint8Array(await new Blob(parts).arrayBuffer())]
})()`

/** Recorded by the browser itself. */
async function webm(): Promise<Buffer> {
  await page.goto(`${base}/blank`)
  const bytes = await page.evaluate<number[]>(RECORD)
  return Buffer.from(bytes)
}

beforeAll(async () => {
  const [opened, browser] = await Promise.all([openTestDatabase(), sharedBrowser()])
  database = opened
  depot = await openDepot(database, await createTestShop(database))
  const port = await depot.serve({ others: (_request, response) => response.end('') })
  base = `http://127.0.0.1:${port}`
  context = await browser.newContext({ locale: 'en-GB' })
  page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  const video = await webm()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  // Small pictures are made by a task, which this server does not run.
  await page.route('**/download/picture?*', (route) => route.fulfill({ status: 204 }))
  const picture = { width: 1200, height: 800, channels: 3, background: '#0a55ad' } as const
  const files = [
    ['cover.png', 'image/png', await sharp({ create: picture }).png().toBuffer()],
    ['one.wav', 'audio/wav', wav(30)],
    ['two.wav', 'audio/wav', wav(20)],
    ['film.webm', 'video/webm', video],
    ['film.en.vtt', 'text/vtt', Buffer.from('WEBVTT\n\n00:00.000 --> 00:09.000\nHello\n')],
    ['book.pdf', 'application/pdf', await pdf(12)],
  ] as const
  const pack = await ensurePack(depot.scope, 'Course')
  for (const [at, [filename, content_type, bytes]] of files.entries())
    await depot.addFile(bytes, {
      filename,
      name_key: filename,
      content_type,
      view: 'both',
      pack_id: pack,
      pack_position: at + 1,
    })
  const link = await createPackLink(depot.scope, depot.secrets, { pack_id: pack }, depot.time.now)
  pageKey = link.key
})
afterAll(async () => {
  await context.close()
  await depot.close()
  await database.drop()
})

async function openView(button: string): Promise<void> {
  await page.goto(`${base}/download?key=${pageKey}`)
  await page.getByRole('link', { name: button }).click()
}

soakTest('shows pictures, and plays tracks and videos from where they were stopped', async () => {
  await openView('Open cover.png')
  const picture = page.locator('.picture img')
  await expect.poll(() => picture.evaluate((image: Picture) => image.naturalWidth)).toBe(1200)
  await page.getByRole('button', { name: 'Full size' }).press('Enter')
  await expect.poll(() => picture.evaluate((image: Picture) => image.width)).toBe(1200)

  await openView('Play one.wav')
  const audio = page.locator('audio')
  const seconds = () => audio.evaluate((media: Media) => Math.floor(media.currentTime))
  const length = () => audio.evaluate((media: Media) => media.duration)
  await expect.poll(length).toBe(30)
  await audio.evaluate((media: Media) => void (media.currentTime = 12))
  await expect.poll(() => page.evaluate<string[]>('Object.values(localStorage)')).toContain('12')
  await page.reload()
  await expect.poll(seconds).toBe(12)
  await page.getByRole('button', { name: 'two.wav', exact: true }).press('Enter')
  await expect.poll(length).toBe(20)
  await expect.poll(() => page.locator('.track[aria-current]').textContent()).toBe('two.wav')

  await page.getByRole('link', { name: 'All files' }).click()
  await page.getByRole('link', { name: 'Play film.webm' }).click()
  const video = page.locator('video')
  await expect.poll(() => video.evaluate((media: Media) => media.videoWidth)).toBe(300)
  const cues = () => video.evaluate((media: Media) => media.textTracks[0]?.cues?.length ?? 0)
  await expect.poll(cues).toBe(1)
  expect(complaints).toEqual([])
})

test('reads a document page by page, in a frame without an origin, and opens it where it was left', async () => {
  await openView('Read book.pdf')
  const frame = page.frameLocator('iframe')
  await frame.getByText('Chapter 1', { exact: true }).waitFor({ state: 'attached' })
  expect(
    await frame.locator('html').evaluate(() => (globalThis as { origin?: string }).origin),
  ).toBe('null')
  await expect.poll(() => page.locator('[data-count]').textContent()).toBe('/ 12')
  await page.getByLabel('Page', { exact: true }).fill('7')
  await page.getByLabel('Page', { exact: true }).press('Enter')
  await frame.getByText('Chapter 7').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Next page' }).press('Enter')
  await expect.poll(() => page.getByLabel('Page', { exact: true }).inputValue()).toBe('8')
  await page.reload()
  await frame.getByText('Chapter 8').waitFor({ state: 'attached' })
  await expect.poll(() => page.getByLabel('Page', { exact: true }).inputValue()).toBe('8')
  await frame.locator('#pages').press('ArrowLeft')
  await expect.poll(() => page.getByLabel('Page', { exact: true }).inputValue()).toBe('7')
  expect(complaints).toEqual([])
})
