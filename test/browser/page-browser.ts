// Opens the admin page of a running server in Chromium, and checks what a page must never do.
import { existsSync } from 'node:fs'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { startLocalServer } from '../flows/local-server.ts'
import { removeDataDir, SECRET, startServer, type RunningServer } from '../flows/server.ts'
import { WAIT_MS } from '../wait.ts'

/** The headless shell renders as Chromium does and takes a fifth less processor time. */
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
  // Pages with invented origins call servers on this machine (extension-host.ts).
  // Isolated frames without scripts stay empty where only one renderer is allowed (below).
  '--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessChecks,IsolateSandboxedIframes',
  // Pages of one context share a process, if one of them is still open (usePages): starting a
  // process for each page and compiling the scripts again takes a tenth of the processor time.
  '--renderer-process-limit=1',
]

/**
 * A UTF-8 locale, independent of this machine's: in the C locale Chromium saves files as
 * "download".
 */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: EXECUTABLE,
    args: FLAGS,
    timeout: WAIT_MS,
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })

let shared: Promise<Browser> | undefined

/**
 * The browser of all test files of this process; it ends with the process. Each test file opens
 * separate contexts in it.
 */
export const sharedBrowser = (): Promise<Browser> => (shared ??= startBrowser())

export interface OpenPage {
  page: Page
  /**
   * Console errors, exceptions, and requests to other hosts. Failed API calls are excluded, because
   * tests cause them.
   */
  complaints: string[]
  close(): Promise<void>
}

/**
 * Pages without animations: drawing their frames takes a fifth of Chromium's processor time. The
 * pages' content policies do not restrict such a style sheet. In a frame that allows no scripts the
 * listener would be a complaint.
 */
const STILL = `if (parent === window) addEventListener('DOMContentLoaded', () => {
  const still = new CSSStyleSheet()
  still.replaceSync('*, *::before, *::after { animation: none !important; transition: none !important }')
  document.adoptedStyleSheets = [still]
})`

/** Lets the animations of a page run. */
export const animate = (page: Page): Promise<void> =>
  page.evaluate('document.adoptedStyleSheets = []')

/** Waits until a search has left one choice: a click misses in a list that becomes shorter. */
export const onlyChoice = (choices: Locator): Promise<unknown> =>
  expect.poll(() => choices.count()).toBe(1)

type Places = Pick<RunningServer, 'url'> & Partial<Pick<RunningServer, 'adminUrl'>>

/** Opens a page in a separate context, as in another browser. `path` may be an address. */
export async function openPage(
  browser: Browser,
  server: Places,
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
  await context.addInitScript(STILL)
  context.setDefaultTimeout(WAIT_MS)
  return context
}

async function openIn(context: BrowserContext, server: Places, path: string): Promise<OpenPage> {
  const page = await context.newPage()
  const complaints: string[] = []
  const own = [server.url, ...(server.adminUrl ? [new URL(server.adminUrl).origin] : [])]
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!own.some((one) => url.startsWith(one)) && !/^(data|blob):/.test(url))
      complaints.push(`asked ${url}`)
  })
  await page.goto(path.startsWith('/') ? server.url + path : path)
  return { page, complaints, close: () => page.close() }
}

export interface PageServer extends RunningServer {
  /** Stops the server and removes its data. */
  end(): Promise<void>
}

export interface PageProcess extends PageServer {
  /** Kills the server and starts another one with the same data and address. */
  dieAndStart(): Promise<void>
}

export const startPageServer = async (env: Record<string, string> = {}): Promise<PageServer> =>
  endingAll(await startLocalServer(env))

/** In a separate process. */
export async function startPageProcess({ drop = false } = {}): Promise<PageProcess> {
  const server = await startServer({ drop })
  let running = server
  return {
    ...server,
    dieAndStart: async () => {
      await running.kill()
      running = await startServer({
        drop,
        dataDir: server.dataDir,
        env: {
          DATABASE_URL: server.databaseUrl,
          APP_SECRET: SECRET,
          PORT: new URL(server.url).port,
        },
      })
    },
    end: () => endingAll(running).end(),
  }
}

const endingAll = (server: RunningServer): PageServer => ({
  ...server,
  end: async () => {
    await server.stop()
    await removeDataDir(server.dataDir)
  },
})

export interface World<Origin> {
  server: PageServer
  origin: Origin
  browser: Browser
}

/**
 * A server, an origin and a browser for a whole test file, started concurrently. `prepare` receives
 * them before the first test. Returns a function that opens a page. Pages are closed after their
 * test, which fails if there are complaints.
 */
export function usePages<Origin extends { close(): Promise<unknown> }>(
  startOrigin: () => Promise<Origin>,
  prepare: (world: World<Origin>) => Promise<void> | void,
  { drop = false } = {},
): (address: string, options?: BrowserContextOptions) => Promise<Page> {
  let world: World<Origin> | undefined
  let context: BrowserContext | undefined
  const opened: OpenPage[] = []
  beforeAll(async () => {
    const [server, origin, browser] = await Promise.all([
      drop ? startPageProcess({ drop }) : startPageServer(),
      startOrigin(),
      sharedBrowser(),
    ])
    world = { server, origin, browser }
    context = await contextOf(browser)
    // Stays open, and with it the process of the pages.
    await (await context.newPage()).goto(`${server.url}/healthz`)
    await prepare(world)
  })
  afterEach(async ({ task }) => {
    // What the server logged may say why the page did not show what the test waited for.
    if (task.result?.state === 'fail') process.stderr.write(world!.server.output())
    for (const { complaints, close } of opened.splice(0)) {
      await close()
      expect(complaints).toEqual([])
    }
  })
  afterAll(async () => {
    // After a failed start there is less to close. Another error would hide the reason.
    await Promise.all([context?.close(), world?.server.end()])
    await world?.origin.close()
  })
  return async (address, options) => {
    const { browser, server } = world!
    // Within one context the page's scripts are fetched and compiled once for all tests; `options`
    // can request a separate context.
    const page = await (options
      ? openPage(browser, server, address, options)
      : openIn(context!, server, address))
    opened.push(page)
    return page.page
  }
}
