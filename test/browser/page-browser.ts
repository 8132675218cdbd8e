// Chromium on the admin page of a running server, and a watch over what a page must never do.
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import type { RunningServer } from '../flows/server.ts'

const EXECUTABLE = process.env.CHROMIUM_EXECUTABLE ?? '/usr/bin/chromium'
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: EXECUTABLE, args: FLAGS, timeout: 60_000 })

export interface OpenPage {
  page: Page
  /** Errors on the console, exceptions, and requests to other hosts. Failed calls are the test's own doing. */
  complaints: string[]
  close(): Promise<void>
}

export async function openPage(
  browser: Browser,
  server: RunningServer,
  path: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 }, ...options })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(server.url) && !/^(data|blob):/.test(url)) complaints.push(`asked ${url}`)
  })
  await page.goto(server.url + path)
  return { page, complaints, close: () => context.close() }
}
