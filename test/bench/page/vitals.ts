// What the browser itself reports about a page: largest contentful paint, layout shifts, and the
// time from an input to the paint that follows it.
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'

interface Vitals {
  /** Milliseconds from the navigation to the largest contentful paint. */
  lcp: number
  /** The largest group of layout shifts within five seconds. */
  cls: number
  /** Durations of the interactions since they were last read. */
  interactions: number[]
}

/** Long enough for the browser to report the entries of the last input. */
const REPORTED_MS = 300

/** Installs the observers in every document that the page opens. */
export const installObservers = (page: Page): Promise<unknown> =>
  page.addInitScript({ content: OBSERVERS })

const OBSERVERS = `
  const vitals = { lcp: 0, cls: 0, interactions: [] }
  window.benchVitals = vitals
  const observe = (type, use, options) =>
    new PerformanceObserver((list) => list.getEntries().forEach(use))
      .observe({ type, buffered: true, ...options })
  observe('largest-contentful-paint', ({ startTime }) => (vitals.lcp = startTime))
  let group = { value: 0, first: 0, last: 0 }
  observe('layout-shift', ({ startTime, value, hadRecentInput }) => {
    if (hadRecentInput) return
    const continues = startTime - group.last < 1000 && startTime - group.first < 5000
    group = continues
      ? { value: group.value + value, first: group.first, last: startTime }
      : { value, first: startTime, last: startTime }
    vitals.cls = Math.max(vitals.cls, group.value)
  })
  observe('event', ({ interactionId, duration }) => {
    if (interactionId > 0) vitals.interactions.push(duration)
  }, { durationThreshold: 16 })`

export const readVitals = (page: Page): Promise<Vitals> => page.evaluate('window.benchVitals')

/** The longest time from an input of `act` to the next paint, in milliseconds. */
export async function inputDelay(page: Page, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate('window.benchVitals.interactions = []')
  await act()
  await delay(REPORTED_MS)
  const { interactions } = await readVitals(page)
  return Math.max(0, ...interactions)
}
