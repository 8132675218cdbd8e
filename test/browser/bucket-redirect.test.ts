// Large files that a bucket sends: the button of a page leads there in Chromium, which applies the
// policy of the page to each redirect after its form.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createS3Store } from '../../server/core/store/s3.ts'
import { originOf } from '../../server/core/store/s3-origin.ts'
import type { BlobStore } from '../../server/core/store/store.ts'
import { createPackLink } from '../../server/features/links/model/pack-links.ts'
import { ensurePack } from '../../server/files/packs.ts'
import { openTestDepot, type TestDepot } from '../delivery.ts'
import { BUCKET, startS3, type FakeS3 } from '../fakes/s3.ts'
import { soakTest, someOf } from '../scale.ts'
import { sharedBrowser } from './page-browser.ts'
import { WAIT_MS } from '../wait.ts'

/** A picture that cannot be compressed: 750 kB. */
const raw = { width: 500, height: 500, channels: 3 } as const
const LARGE = await sharp(randomBytes(750_000), { raw }).png().toBuffer()

let opened: TestDepot
let s3: FakeS3
let context: BrowserContext
let page: Page
/** What the page's policy blocked. */
const blocked: string[] = []

beforeAll(async () => {
  const [depot, started, browser] = await Promise.all([openTestDepot(), startS3(), sharedBrowser()])
  opened = depot
  s3 = started
  context = await browser.newContext({ locale: 'en-GB', acceptDownloads: true })
  page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  page.on('console', (message) => {
    if (message.text().includes('form-action')) blocked.push(message.text())
  })
})
afterAll(async () => {
  await context.close()
  await opened.end()
  await s3.close()
})

/**
 * The bucket at a path, or at its own host, which browsers find on this machine. The fake bucket
 * knows no hosts, so the addresses on that host have the path too; the policy compares origins.
 */
const locations = () => {
  const endpoint = `http://${BUCKET}.s3.localhost:${s3.port}`
  return {
    path: { configured: s3.location(), signing: s3.location() },
    host: {
      configured: s3.location({ endpoint: `http://s3.localhost:${s3.port}`, pathStyle: false }),
      signing: s3.location({ endpoint }),
    },
  }
}

/** A server that redirects to the bucket. */
async function serveFrom(way: 'path' | 'host', origins: readonly string[]): Promise<string> {
  const store = createS3Store(s3.location())
  const { signedAddress } = createS3Store(locations()[way].signing)
  const bucket: BlobStore = { ...store, signedAddress: signedAddress! }
  await bucket.write(opened.depot.shop, [LARGE] as never)
  const port = await opened.depot.serve({
    stores: new Map([['primary', bucket]]),
    bucketRedirect: { fromBytes: 500_000, seconds: 60, origins },
  })
  return `http://127.0.0.1:${port}`
}

/** Presses the button; returns what the browser saved, and where it came from. */
async function press(name: RegExp): Promise<{ from: string; name: string; bytes: Buffer }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).first().click(),
  ])
  const bytes = await readFile(await download.path())
  return { from: new URL(download.url()).origin, name: download.suggestedFilename(), bytes }
}

const named = (filename: string) => ({ filename, name_key: `${randomBytes(8).toString('hex')}` })

soakTest(
  'without the bucket’s origin Chromium stops at the redirect: the others can fail',
  async () => {
    const base = await serveFrom('path', [])
    const { key } = await opened.depot.addLink(LARGE, {}, named('guide.pdf'))
    await page.goto(`${base}/download?key=${key}&page=1`)
    await page.getByRole('button', { name: /Download/ }).click()
    await expect.poll(() => blocked.length).toBeGreaterThan(0)
    blocked.length = 0
  },
)

test.each(someOf(['path', 'host'] as const, (way) => way === 'host'))(
  'the buttons of a link, a pack and a view download from a bucket with its own %s',
  async (way) => {
    const { depot } = opened
    const origin = await originOf(locations()[way].configured)
    const base = await serveFrom(way, [origin])
    const link = await depot.addLink(
      LARGE,
      { download_limit: 3 },
      { ...named('guide.png'), content_type: 'image/png', view: 'both' },
    )
    const pack = await ensurePack(depot.scope, `Course ${way}`)
    await depot.addFile(LARGE, { ...named('map.pdf'), pack_id: pack, pack_position: 1 })
    const packed = await createPackLink(
      depot.scope,
      depot.secrets,
      { pack_id: pack },
      depot.time.now,
    )
    const pages = [
      [`/download?key=${link.key}&page=1`, 'guide.png'],
      [`/view?key=${link.key}`, 'guide.png'],
      [`/download?key=${packed.key}`, 'map.pdf'],
    ] as const
    for (const [path, name] of pages) {
      await page.goto(base + path)
      const saved = await press(/^Download/)
      expect([path, saved.from, saved.name]).toEqual([path, origin, name])
      expect(saved.bytes.equals(LARGE)).toBe(true)
    }
    expect((await depot.downloads(link.id)).downloads).toBe(2)
    expect(blocked).toEqual([])
  },
)
