import { environmentManager, QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from './error.ts'
import {
  CALM_MS,
  intervalOf,
  isRepeatedRarely,
  LIVE_MS,
  type Polling,
  wakeOnTouch,
} from './polling.ts'

const MINUTE_MS = 60_000

let clients: QueryClient[] = []
beforeEach(() => {
  // Without a window, React Query polls nothing.
  environmentManager.setIsServer(() => false)
  vi.useFakeTimers({ now: new Date('2030-01-01') })
})
afterEach(() => {
  for (const client of clients) client.clear()
  clients = []
  vi.useRealTimers()
  environmentManager.setIsServer(() => true)
})

/** A page that polls an endpoint; `answer` is what it answers now. */
function openPage(poll: Polling<{ n: number }>) {
  const client = new QueryClient()
  clients.push(client)
  const page = {
    answer: { n: 0 },
    reads: 0,
    client,
    touched: new EventTarget(),
    error: null as ApiError | null,
  }
  wakeOnTouch(client, page.touched)
  const observer = new QueryObserver<{ n: number }>(client, {
    queryKey: ['list'],
    queryFn: async () => {
      page.reads++
      if (page.error) throw page.error
      return { ...page.answer }
    },
    refetchInterval: intervalOf(poll),
    retry: false,
  })
  observer.subscribe(() => undefined)
  const readsIn = async (ms: number) => {
    page.reads = 0
    await vi.advanceTimersByTimeAsync(ms)
    return page.reads
  }
  return { ...page, page, readsIn }
}

test('an untouched page whose data stays the same is read once a minute', async () => {
  const { readsIn } = openPage(CALM_MS)
  expect(await readsIn(MINUTE_MS)).toBeLessThanOrEqual(5)
  await readsIn(MINUTE_MS)
  expect(await readsIn(10 * MINUTE_MS)).toBe(10)
})

test('data that changes is read as often as stated', async () => {
  const { page, readsIn } = openPage(CALM_MS)
  let reads = 0
  for (let n = 1; n <= 24; n++) {
    page.answer = { n }
    reads += await readsIn(CALM_MS)
  }
  expect(reads).toBeGreaterThanOrEqual(24)
})

test('a touch reads what was left alone, and once', async () => {
  const { page, touched, readsIn } = openPage(CALM_MS)
  await readsIn(10 * MINUTE_MS)
  page.reads = 0
  touched.dispatchEvent(new Event('pointermove'))
  touched.dispatchEvent(new Event('pointermove'))
  await vi.advanceTimersByTimeAsync(1)
  expect(page.reads).toBe(1)
  expect(await readsIn(4 * CALM_MS)).toBeGreaterThanOrEqual(2)
})

test('work that runs is read at its interval', async () => {
  const { readsIn } = openPage(LIVE_MS)
  await readsIn(MINUTE_MS)
  expect(await readsIn(MINUTE_MS)).toBe(60)
})

test('what was refused is read every two minutes, and as stated once it is answered', async () => {
  const { page, readsIn } = openPage(LIVE_MS)
  await readsIn(MINUTE_MS)
  page.error = new ApiError('internal', 'Something went wrong', { status: 500 })
  await readsIn(MINUTE_MS)
  expect(await readsIn(10 * MINUTE_MS)).toBe(5)
  expect(isRepeatedRarely(page.error)).toBe(true)
  page.error = null
  await readsIn(2 * MINUTE_MS)
  expect(await readsIn(MINUTE_MS)).toBe(60)
})

test('what does not exist any more is not read again, and a busy server not before it says', async () => {
  const { page, readsIn } = openPage(LIVE_MS)
  await readsIn(MINUTE_MS)
  page.error = new ApiError('rate_limited', 'Too many', { status: 429, retryAfterMs: 20_000 })
  await readsIn(20_000)
  expect(await readsIn(MINUTE_MS)).toBe(3)
  page.error = new ApiError('not_found', 'Nothing', { status: 404 })
  await readsIn(MINUTE_MS)
  expect(await readsIn(MINUTE_MS)).toBe(0)
})
