// Downloads that break off and are started again by the programs that buyers use: one download is
// counted, and the copy that arrives uses it up.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedBrowser } from '../browser/page-browser.ts'
import { createTestShop, openTestDatabase } from '../database.ts'
import { openDepot, type Depot } from '../delivery.ts'

const run = promisify(execFile)
/** More than the buffers of eight connections hold. */
const LARGE = randomBytes(80_000_000)

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let browser: Browser
let base: string
let folder: string
beforeAll(async () => {
  ;[database, browser, folder] = await Promise.all([
    openTestDatabase(),
    sharedBrowser(),
    mkdtemp(path.join(tmpdir(), 'stevedore-continued-')),
  ])
  depot = await openDepot(database, await createTestShop(database))
  const port = await depot.serve({
    others: (_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<p>The shop.</p>')
    },
  })
  base = `http://127.0.0.1:${port}`
})
afterAll(async () => {
  await depot.close()
  await database.drop()
  await rm(folder, { recursive: true })
})

/** A link that allows one download. */
async function linkOnce() {
  const { key, id } = await depot.addLink(LARGE, { download_limit: 1 }, { filename: 'course.zip' })
  return { url: `${base}/download?key=${key}`, counts: () => depot.downloads(id) }
}
const out = (name: string) => path.join(folder, name)
const curl = (url: string, ...options: string[]) =>
  run('curl', ['-sSf', '-o', out('curl'), ...options, url])
const refused = { code: 22 }

/** Waits until a program has written some bytes, and kills it. */
async function killWriting(program: ChildProcess, file: string): Promise<void> {
  const size = () =>
    stat(file).then(
      (found) => found.blocks > 0,
      () => false,
    )
  await expect.poll(size).toBe(true)
  program.kill('SIGKILL')
  await once(program, 'exit')
}

test('curl: one program leaves after the headers, another one of the same address gets the file', async () => {
  const { url, counts } = await linkOnce()
  const leaving = curl(url, '-A', 'In-app browser', '--max-filesize', '1')
  await expect(leaving).rejects.toMatchObject({ code: 63 })
  await curl(url, '-A', 'Download manager')
  expect((await readFile(out('curl'))).equals(LARGE)).toBe(true)
  await expect(curl(url, '-A', 'Download manager')).rejects.toMatchObject(refused)
  await expect(curl(url, '-A', 'In-app browser')).rejects.toMatchObject(refused)
  expect(await counts()).toEqual({ downloads: 1, served: 1 })
})

test('curl: a killed download starts again, and is not resumed for another one', async () => {
  const { url, counts } = await linkOnce()
  const killed = spawn('curl', ['-s', '--limit-rate', '500K', '-o', out('killed'), url])
  await killWriting(killed, out('killed'))
  await curl(url)
  expect((await readFile(out('curl'))).equals(LARGE)).toBe(true)
  await expect(curl(url)).rejects.toMatchObject(refused)
  expect(await counts()).toEqual({ downloads: 1, served: 1 })
})

test('aria2: a killed download with eight connections starts again, also from its beginning', async () => {
  const { url, counts } = await linkOnce()
  const options = ['-x8', '-s8', '-k1M', '-q', '-d', folder, '-o', 'aria']
  const slow = ['--max-overall-download-limit=500K', '--disk-cache=0', '--file-allocation=none']
  await killWriting(spawn('aria2c', [...options, ...slow, url]), out('aria'))
  await run('aria2c', [
    ...options,
    '--allow-overwrite=true',
    '--remove-control-file=true',
    '--continue=false',
    url,
  ])
  expect((await readFile(out('aria'))).equals(LARGE)).toBe(true)
  expect(await counts()).toEqual({ downloads: 1, served: 1 })
  await expect(curl(url)).rejects.toMatchObject(refused)
})

async function withPage(work: (context: BrowserContext) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ acceptDownloads: true })
  try {
    await work(context)
  } finally {
    await context.close()
  }
}

test('Chromium: a cancelled download starts again', async () => {
  const { url, counts } = await linkOnce()
  await withPage(async (context) => {
    const page = await context.newPage()
    const click = async () => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.goto(url).catch(() => {}),
      ])
      return download
    }
    const cancelled = await click()
    await cancelled.cancel()
    expect(await cancelled.failure()).toBe('canceled')
    const again = await click()
    expect((await readFile(await again.path())).equals(LARGE)).toBe(true)
    expect(await counts()).toEqual({ downloads: 1, served: 1 })
    await page.goto(url)
    expect(await page.title()).toContain('This link has been used up')
  })
})
