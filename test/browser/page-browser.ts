// Chromium on the admin page of a running server, and a watch over what a page must never do.
import { existsSync } from 'node:fs'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { removeDataDir, startServer, type RunningServer } from '../flows/server.ts'

/**
 * The shell draws what Chromium draws, without the rest of a browser around it: it takes a fifth
 * less of the machine.
 */
const EXECUTABLES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const EXECUTABLE =
  process.env.CHROMIUM_EXECUTABLE ?? EXECUTABLES.find((file) => existsSync(file)) ?? EXECUTABLES[1]
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages of made-up origins call servers of this machine (extension-host.ts).
  '--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessChecks',
]

/** The browser waits as long as `expect.poll` does: longer than a page needs on a busy machine. */
const WAIT_MS = 60_000

/**
 * In a locale whose files can have any name, regardless of this machine's: in the plain one Chromium
 * saves them as "download".
 */
const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...{ executablePath: EXECUTABLE, args: FLAGS, timeout: 60_000 },
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })

let shared: Promise<Browser> | undefined

/**
 * The browser of all test files of this process; it ends with the process. A test file opens
 * separate contexts in it.
 */
export const sharedBrowser = (): Promise<Browser> => (shared ??= startBrowser())

export interface OpenPage {
  page: Page
  /**
   * Errors on the console, exceptions, and requests to other hosts. Failed calls are the test's own
   * doing.
   */
  complaints: string[]
  close(): Promise<void>
}

/** A page in a separate context, as in another browser. */
export async function openPage(
  browser: Browser,
  server: Pick<RunningServer, 'url'>,
  path: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await contextOf(browser, options)
  return { ...(await openIn(context, server, path)), close: () => context.close() }
}

async function contextOf(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1280, height: 900 },
    ...options,
  })
  context.setDefaultTimeout(WAIT_MS)
  return context
}

async function openIn(
  context: BrowserContext,
  server: Pick<RunningServer, 'url'>,
  path: string,
): Promise<OpenPage> {
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
  return { page, complaints, close: () => page.close() }
}

export interface PageServer extends RunningServer {
  /** It is killed, and another one replaces it: same data, same address. */
  dieAndStart(): Promise<void>
  /** Stops it, and nothing of it is left. */
  end(): Promise<void>
}

const SECRET = 'p'.repeat(32)

/**
 * A server on a database of the run's PostgreSQL: starting a separate PostgreSQL takes longer
 * than all the rest.
 */
export async function startPageServer(
  env: Record<string, string> = {},
  drop = false,
): Promise<PageServer> {
  const database = await createTestDatabase()
  const all = { DATABASE_URL: database.url, APP_SECRET: SECRET, ...env }
  const server = await startServer({ drop, env: all })
  let running = server
  return {
    ...server,
    dieAndStart: async () => {
      await running.kill()
      running = await startServer({
        dataDir: server.dataDir,
        env: { ...all, PORT: new URL(server.url).port },
      })
    },
    end: async () => {
      await running.stop()
      await database.drop()
      await removeDataDir(server.dataDir)
    },
  }
}

export interface World<Origin> {
  server: PageServer
  origin: Origin
  browser: Browser
}

/**
 * A server, an origin and a browser for a whole test file, started concurrently; `prepare` gets
 * them before the first test. Gives how to open a page. What a test has opened is closed after it,
 * and nothing may have been complained of.
 */
export function usePages<Origin extends { close(): Promise<unknown> }>(
  startOrigin: () => Promise<Origin>,
  prepare: (world: World<Origin>) => Promise<void> | void,
  { drop = false } = {},
): (address: string, options?: BrowserContextOptions) => Promise<Page> {
  let world: World<Origin> | undefined
  let context: BrowserContext
  const opened: OpenPage[] = []
  beforeAll(async () => {
    const [server, origin, browser] = await Promise.all([
      startPageServer({}, drop),
      startOrigin(),
      sharedBrowser(),
    ])
    world = { server, origin, browser }
    context = await contextOf(browser)
    await prepare(world)
  })
  afterEach(async () => {
    for (const { complaints, close } of opened.splice(0)) {
      await close()
      expect(complaints).toEqual([])
    }
  })
  afterAll(async () => {
    await Promise.all([context.close(), world?.server.end()])
    await world?.origin.close()
  })
  return async (address, options) => {
    const { browser, server } = world!
    // In one context the page's scripts are fetched and compiled once for all tests; who wants
    // another browser gets one.
    const page = await (options
      ? openPage(browser, server, address, options)
      : openIn(context, server, address))
    opened.push(page)
    return page.page
  }
}
