// `npm run bench page`: the admin page in Chromium with a slow processor and network, over the
// sample shop of 100,000 files: how soon each page is painted, what moves, how long an interaction
// blocks the next paint (INP), what is loaded first, and what an open page sends. `theirs` are the
// goals.
import { chmod } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { startBrowser } from '../browser/page-browser.ts'
import { startServer, type ServerProcess } from '../flows/server.ts'
import { addressOf, PAGE_PATHS } from '../page-routes.ts'
import { shopCaller } from '../shop-caller.ts'
import { findViolations } from './page/accessibility.ts'
import { eachDialog, refuseChanges } from './page/dialogs.ts'
import { idleRequests, isOfPlatform } from './page/idle.ts'
import { INTERACTIONS } from './page/interactions.ts'
import { inputDelay, installObservers, readVitals } from './page/vitals.ts'
import { median, type Bench, type Context, type Row } from './bench.ts'

const SLOW_DOWN = 4
const NETWORK = { latency: 60, downloadThroughput: 1e6, uploadThroughput: 1e6, offline: false }
const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } } as const
type Size = keyof typeof SIZES
const GOALS = { lcp: { wide: 2000, narrow: 2500 }, cls: 0.05, interaction: 200 }
const FIRST_LOAD_KB = { Script: 150, Stylesheet: 30 } as const
const REQUESTS_A_MINUTE = 6
const FILLED_WITHIN_MS = 600_000
const SETTLED_MS = 400
/** A page whose first measurements are below this part of the goals is not measured more often. */
const CLEARLY = 0.85
const FEWEST_ROUNDS = 2

export const pageBench: Bench = {
  name: 'page',
  async run(context) {
    const unknown = ONLY?.find((name) => !(name in PARTS))
    if (unknown !== undefined) throw new Error(`There is no part ${unknown}`)
    const dataDir = path.join(context.folder, 'data')
    const server = await startServer({ dataDir, args: ['--sample'] })
    const browser = await startBrowser()
    try {
      await filled(server, context)
      const routes = await routesOf(server)
      const rows: Row[] = []
      for (const [name, measure] of Object.entries(PARTS)) {
        if (ONLY && !ONLY.includes(name)) continue
        const measured = await measure(context, server, browser, routes)
        // Each part takes minutes: its figures are shown before the next one begins.
        for (const { what, ours, unit } of measured)
          context.say(`${what}: ${Number(ours.toPrecision(3))} ${unit}`)
        rows.push(...measured)
      }
      return rows
    } finally {
      await browser.close()
      await server.stop()
    }
  },
}

type Part = (
  context: Context,
  server: ServerProcess,
  browser: Browser,
  routes: readonly string[],
) => Promise<Row[]>

const PARTS: Record<string, Part> = {
  paint: paintRows,
  interactions: interactionRows,
  load: firstLoadRows,
  idle: idleRows,
  axe: accessibilityRows,
}
/** `BENCH_PARTS=paint,axe` measures these parts alone. */
const ONLY = process.env.BENCH_PARTS?.split(',')

async function filled(server: ServerProcess, { say, folder }: Context): Promise<void> {
  say('filling the sample shop')
  await chmod(folder, 0o711)
  const until = Date.now() + FILLED_WITHIN_MS
  while (!server.output().includes('The sample shop is ready')) {
    if (Date.now() > until) throw new Error(`The sample shop was not filled: ${server.output()}`)
    await delay(500)
  }
}

/** The addresses of all pages; `BENCH_PAGES=/files,/buyers` measures these alone. */
async function routesOf(server: ServerProcess): Promise<string[]> {
  const only = process.env.BENCH_PAGES?.split(',')
  const routes: string[] = []
  const call = shopCaller(server)
  for (const path of PAGE_PATHS)
    if (!only || only.includes(path)) routes.push(await addressOf(path, call))
  return routes
}

interface SlowPage {
  page: Page
  session: CDPSession
  context: BrowserContext
}

/** A page of a browser without a cache, slowed down. */
async function slowPage(browser: Browser, size: Size): Promise<SlowPage> {
  const context = await browser.newContext({ viewport: SIZES[size], locale: 'en-GB' })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', NETWORK)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN })
  await installObservers(page)
  return { page, session, context }
}

/** Opens a route and waits until the page has been quiet for a moment. */
async function openQuiet(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: 'load' })
  await page.locator('#main h1, main h1, h1').first().waitFor()
  await page.waitForLoadState('networkidle')
  await delay(SETTLED_MS)
}

const nameOf = (route: string): string => route.replace(/_[0-9a-f]{32}|\?.*/, '')

async function paintRows(
  { rounds, say }: Context,
  server: ServerProcess,
  browser: Browser,
  routes: readonly string[],
): Promise<Row[]> {
  const rows: Row[] = []
  for (const size of ['wide', 'narrow'] as const)
    for (const route of routes) {
      say(`${size} ${route}`)
      const lcp: number[] = []
      const cls: number[] = []
      const isClear = () =>
        lcp.length >= FEWEST_ROUNDS &&
        Math.max(...lcp) <= GOALS.lcp[size] * CLEARLY &&
        Math.max(...cls) <= GOALS.cls * CLEARLY
      for (let round = 0; round < rounds && !isClear(); round++) {
        const { page, context } = await slowPage(browser, size)
        await openQuiet(page, server.url + route)
        const vitals = await readVitals(page)
        lcp.push(vitals.lcp)
        cls.push(vitals.cls)
        await context.close()
      }
      const name = `${nameOf(route)} at ${SIZES[size].width} px`
      rows.push(
        goal(`painted: ${name}`, 'ms', median(lcp), GOALS.lcp[size]),
        goal(`moved: ${name}`, 'of the view', median(cls), GOALS.cls),
      )
    }
  return rows
}

async function interactionRows(
  { rounds, say }: Context,
  server: ServerProcess,
  browser: Browser,
): Promise<Row[]> {
  const figures = new Map<string, number[]>()
  for (let round = 0; round < rounds; round++) {
    say(`interactions, round ${round + 1} of ${rounds}`)
    const { page, context } = await slowPage(browser, 'wide')
    await openQuiet(page, `${server.url}/files`)
    for (const { name, act } of INTERACTIONS) {
      const ms = await inputDelay(page, () => act(page))
      figures.set(name, [...(figures.get(name) ?? []), ms])
    }
    await context.close()
  }
  const goals = new Map(INTERACTIONS.map(({ name, within }) => [name, within]))
  return [...figures].map(([name, ms]) =>
    goal(name, 'ms', median(ms), goals.get(name) ?? GOALS.interaction),
  )
}

/** Script and CSS that are loaded before the list of files works, compressed. */
async function firstLoadRows(
  _context: Context,
  server: ServerProcess,
  browser: Browser,
): Promise<Row[]> {
  const { page, session, context } = await slowPage(browser, 'wide')
  const types = new Map<string, string>()
  const bytes = { Script: 0, Stylesheet: 0 }
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (!isOfPlatform(response.url)) types.set(requestId, type)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId)
    if (type === 'Script' || type === 'Stylesheet') bytes[type] += encodedDataLength
  })
  await page.goto(`${server.url}/files`)
  await page.getByRole('checkbox').nth(1).waitFor()
  const loaded = { ...bytes }
  await context.close()
  return (['Script', 'Stylesheet'] as const).map((type) =>
    goal(`${type} before Files works`, 'KB', loaded[type] / 1000, FIRST_LOAD_KB[type]),
  )
}

/** All pages at the same time: each has a tab, and a minute is a minute for all of them. */
async function idleRows(
  { say }: Context,
  server: ServerProcess,
  browser: Browser,
  routes: readonly string[],
): Promise<Row[]> {
  say('a minute without input, on every page')
  const context = await browser.newContext({ viewport: SIZES.wide, locale: 'en-GB' })
  const found = await idleRequests(
    context,
    routes.map((route) => server.url + route),
  )
  await context.close()
  return routes.map((route, at) =>
    goal(`requests of ${nameOf(route)}`, 'a minute', found[at]!, REQUESTS_A_MINUTE),
  )
}

async function accessibilityRows(
  { say }: Context,
  server: ServerProcess,
  browser: Browser,
  routes: readonly string[],
): Promise<Row[]> {
  const rows: Row[] = []
  for (const size of ['wide', 'narrow'] as const) {
    const context = await browser.newContext({ viewport: SIZES[size], locale: 'en-GB' })
    const page = await context.newPage()
    await refuseChanges(page)
    const found = { pages: 0, dialogs: 0, opened: 0 }
    const look = async (what: 'pages' | 'dialogs', place: string) => {
      // What is behind a dialog was looked at with the page.
      const within = what === 'dialogs' ? '[role="dialog"]' : undefined
      for (const violation of await findViolations(page, within)) {
        found[what]++
        say(`${size} ${place}: ${violation}`)
      }
    }
    for (const route of routes) {
      await openQuiet(page, server.url + route)
      await look('pages', route)
      await eachDialog(page, route, async (button) => {
        found.opened++
        await look('dialogs', `${route}, ${button}`)
      })
    }
    await context.close()
    say(`${size}: ${found.opened} dialogs were opened`)
    for (const what of ['pages', 'dialogs'] as const)
      rows.push({
        what: `findings of axe on ${what} at ${SIZES[size].width} px`,
        unit: '',
        ours: found[what],
        theirs: 0,
        ratio: found[what],
        ceiling: 0,
      })
  }
  return rows
}

const goal = (what: string, unit: string, ours: number, theirs: number): Row => ({
  what,
  unit,
  ours,
  theirs,
  ratio: ours / theirs,
  ceiling: 1,
})
