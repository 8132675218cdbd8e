// What open pages send while nobody touches them, after a minute without a touch.
import { setTimeout as delay } from 'node:timers/promises'
import type { BrowserContext, Page } from 'playwright-core'

const MINUTE_MS = 60_000
/** A page is idle after it has been left alone for a while: then it polls more rarely. */
const SETTLED_MS = MINUTE_MS

/** Is it an address of the platform, which is the demo here? */
export const isOfPlatform = (address: string): boolean =>
  new URL(address).pathname.startsWith('/demo/')

/** The requests of each page in one minute. */
export async function idleRequests(
  context: BrowserContext,
  addresses: readonly string[],
): Promise<number[]> {
  const pages: Page[] = []
  for (const address of addresses) {
    const page = await context.newPage()
    await page.goto(address, { waitUntil: 'load' })
    await page.locator('h1').first().waitFor()
    pages.push(page)
  }
  await delay(SETTLED_MS)
  const counts = pages.map(() => 0)
  for (const [at, page] of pages.entries())
    page.on('request', (request) => {
      // The platform's script asks for session tokens without the server; the demo's cannot.
      if (!isOfPlatform(request.url())) counts[at]!++
    })
  await delay(MINUTE_MS)
  return counts
}
