// Bodies that do not end: their bytes in memory are limited, slow ones end, and none leaves its
// connection open.
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openTestApp, type TestApp } from '../app.ts'
import { sendUnfinished, WEBHOOK, type UnfinishedBody } from '../unfinished-bodies.ts'

const MB = 1024 ** 2
/** The part of a shop, and of a network. */
const SHARE = 32 * MB

let app: TestApp
let port: number
beforeAll(async () => {
  app = await openTestApp()
  port = Number(new URL(app.url).port)
})
afterAll(() => app.close())

async function metric(series: string): Promise<number> {
  const text = await (await fetch(`${app.url}/metrics`)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1],
  )
}
const held = (client: string) => metric(`stevedore_body_bytes{client="${client}"}`)
const refused = (reason: string) => metric(`stevedore_bodies_refused_total{reason="${reason}"}`)

const api = () => ({
  'Content-Type': 'application/json',
  Authorization: `Bearer ${app.owner.key}`,
})
const statusOf = ({ answer }: UnfinishedBody) => / (\d+) /.exec(answer())?.[1]
const closeAll = async (bodies: readonly UnfinishedBody[]) => {
  for (const { socket } of bodies) socket.destroy()
  await expect.poll(async () => [await held('signed_in'), await held('unsigned')]).toEqual([0, 0])
}

/** Sends bodies of 5 MB without their last bytes: more than a share together. */
const send = (path: string, headers: Record<string, string>, from?: string) =>
  Promise.all(
    Array.from({ length: 8 }, () =>
      sendUnfinished(port, path, headers, {
        length: 5 * MB - 1000,
        missing: 100_000,
        ...(from ? { from } : {}),
      }),
    ),
  )

test('a network of strangers and a shop hold a share of the memory, and others are answered', async () => {
  const domain = 'known.myshopify.com'
  await app.stranger(domain)
  const strangers = await send('/webhooks', { ...WEBHOOK, 'X-Shopify-Shop-Domain': domain })
  const ofKey = await send('/api/files/import', api())
  for (const bodies of [strangers, ofKey]) {
    await expect
      .poll(() => bodies.map(statusOf).filter((status) => status !== undefined).length)
      .toBeGreaterThanOrEqual(1)
    const ended = bodies.filter((body) => statusOf(body) !== undefined)
    expect(new Set(ended.map(statusOf))).toEqual(new Set(['429']))
    for (const { answer } of ended) expect(answer()).toMatch(/^retry-after: 10\r$/im)
  }
  expect(await refused('share')).toBeGreaterThanOrEqual(2)
  for (const client of ['unsigned', 'signed_in'])
    expect(await held(client)).toSatisfy((bytes: number) => bytes > 0 && bytes <= SHARE)
  // Another shop, and a stranger of another network, are answered meanwhile.
  const other = await app.stranger('other.myshopify.com')
  expect((await other.call('POST', '/api/packs', { name: 'Meanwhile' })).status).toBe(201)
  const elsewhere = await sendUnfinished(port, '/webhooks', WEBHOOK, {
    length: 1000,
    missing: 0,
    from: '127.0.9.1',
  })
  await expect.poll(() => statusOf(elsewhere)).toBe('401')
  await closeAll([...strangers, ...ofKey, elsewhere])
})

test('a body that stops is answered with 408, and its connection is closed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const forms = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const json = { 'Content-Type': 'application/json' }
  const ways: [string, Record<string, string>, number][] = [
    ['/webhooks', WEBHOOK, 900_000],
    ['/flow/actions/send-download-links', WEBHOOK, 900_000],
    ['/api/packs', api(), 900_000],
    ['/licences/verify', json, 8000],
    ['/library/request', forms, 8000],
  ]
  const before = await refused('slow')
  const bodies = await Promise.all(
    ways.map(([path, headers, length]) =>
      sendUnfinished(port, path, headers, { length, missing: 10 }),
    ),
  )
  const arrived = async () => (await held('signed_in')) + (await held('unsigned'))
  const sent = ways.reduce((sum, [, , length]) => sum + length - 10, 0)
  await expect.poll(arrived).toBe(sent)
  await vi.advanceTimersByTimeAsync(20_000)
  await expect.poll(() => bodies.map(statusOf)).toEqual(ways.map(() => '408'))
  expect((await refused('slow')) - before).toBe(ways.length)
  expect(await arrived()).toBe(0)
  // What is left of them is waited for as long again.
  await vi.advanceTimersByTimeAsync(20_000)
  await Promise.all(bodies.map(({ closed }) => closed))
})

test('nothing is read of what the headers refuse, and its connection is closed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const unsigned = { ...WEBHOOK, 'X-Shopify-Hmac-Sha256': 'short' }
  const ways: [string, Record<string, string>, string][] = [
    ['/webhooks', unsigned, '401'],
    ['/flow/actions/send-download-links', unsigned, '401'],
    ['/api/packs', { ...api(), Authorization: 'Bearer none' }, '401'],
    ['/extensions/thank-you', { 'Content-Type': 'application/json' }, '401'],
    ['/mail-reports/ses', {}, '404'],
    ['/api/nothing', api(), '404'],
    ['/nothing', {}, '404'],
  ]
  const bodies = await Promise.all(
    ways.map(([path, headers]) =>
      sendUnfinished(port, path, headers, { length: 900_000, missing: 10 }),
    ),
  )
  const answered = () => bodies.map(statusOf)
  await expect.poll(answered).toEqual(ways.map(([, , status]) => status))
  expect(await held('unsigned')).toBe(0)
  await vi.advanceTimersByTimeAsync(20_000)
  await Promise.all(bodies.map(({ closed }) => closed))
})
