// Bodies that do not end: their bytes in memory are limited, slow ones end, and none leaves its
// connection open.
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openTestApp, type TestApp } from '../app.ts'
import { sendUnfinished, WEBHOOK, type UnfinishedBody } from '../unfinished-bodies.ts'
import { soakTest } from '../scale.ts'

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

const ofKey = (type: string) => ({ ...api(), 'Content-Type': type })
/** What a table counts as that is stored while it arrives. */
const STREAMED = 4 * MB

test('tables of one shop that do not end hold a share, and another shop’s is read', async () => {
  const tables = (path: string, start: string) =>
    Array.from({ length: 3 }, () =>
      sendUnfinished(port, path, ofKey('application/octet-stream'), {
        length: 3 * MB,
        missing: MB,
        start,
      }),
    )
  const bodies = await Promise.all(
    ['/api/csv', '/api/moves'].flatMap((path) =>
      ['PK\x03\x04', 'filename,file_url\n'].flatMap((start) => tables(path, start)),
    ),
  )
  const statuses = () => bodies.map(statusOf).filter((status) => status !== undefined)
  await expect.poll(() => statuses().length).toBe(bodies.length - SHARE / STREAMED)
  expect(new Set(statuses())).toEqual(new Set(['429']))
  expect(await held('signed_in')).toBe(SHARE)
  const other = await app.stranger('tables.myshopify.com')
  const sent = await fetch(`${app.url}/api/csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${other.key}`, 'content-type': 'text/csv' },
    body: 'filename,file_url\na.pdf,https://cdn.example.com/a.pdf\n',
  })
  expect(sent.status).toBe(201)
  await closeAll(bodies)
})

test('what follows the file of a form is read after the answer, and the connection answers again', async () => {
  const start = `--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nfilename,file_url\na.pdf,https://cdn.example.com/a.pdf\r\n--x--\r\n`
  const rest = 3 * MB
  const form = await sendUnfinished(port, '/api/csv', ofKey('multipart/form-data; boundary=x'), {
    length: start.length + rest,
    missing: rest,
    start,
  })
  await expect.poll(() => statusOf(form)).toBe('201')
  form.socket.write(Buffer.alloc(rest, ' '))
  form.socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await form.closed
  expect(form.answer().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200'])
  await closeAll([form])
})

soakTest('the largest list of keys is read while a shop’s tables arrive', async () => {
  const made = await app.owner.call('POST', '/api/licence-lists', { name: 'Largest' })
  const table = await sendUnfinished(port, '/api/csv', ofKey('text/csv'), {
    length: 3 * MB,
    missing: MB,
    start: 'filename,file_url\n',
  })
  await expect.poll(() => held('signed_in')).toBe(STREAMED)
  // Storing a key takes longer than receiving it: few keys, in long lines with more columns.
  const line = (at: number) => `KEY-${String(at).padStart(4, '0')},${'x'.repeat(3900)}\n`
  const keys = Array.from({ length: 5200 }, (_, at) => line(at)).join('')
  const { status } = await fetch(`${app.url}/api/licence-lists/${made.body.id}/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.owner.key}`, 'content-type': 'text/plain' },
    body: keys,
  })
  expect(keys.length).toBeGreaterThan(19 * MB)
  expect(status).toBe(200)
  await closeAll([table])
})

soakTest('a body that stops is answered with 408, and its connection is closed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const forms = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const json = { 'Content-Type': 'application/json' }
  const list = await app.owner.call('POST', '/api/licence-lists', { name: 'Slow' })
  const ways: [string, Record<string, string>, number, number?][] = [
    ['/webhooks', WEBHOOK, 900_000],
    ['/flow/actions/send-download-links', WEBHOOK, 900_000],
    ['/api/packs', api(), 900_000],
    ['/licences/verify', json, 8000],
    ['/library/request', forms, 8000],
    [`/api/licence-lists/${list.body.id}/keys`, ofKey('text/plain'), 900_000],
    ['/api/csv', ofKey('text/csv'), 900_000, STREAMED],
    ['/api/moves', ofKey('text/csv'), 900_000, STREAMED],
  ]
  const before = await refused('slow')
  const bodies = await Promise.all(
    [false, true].flatMap((chunked) =>
      ways.map(([path, headers, length]) =>
        sendUnfinished(port, path, headers, { length, missing: 10, chunked, start: ' \n' }),
      ),
    ),
  )
  const arrived = async () => (await held('signed_in')) + (await held('unsigned'))
  const sent = ways.reduce((sum, [, , length, counted = length - 10]) => sum + counted, 0)
  await expect.poll(arrived).toBe(2 * sent)
  await vi.advanceTimersByTimeAsync(20_000)
  await expect.poll(() => bodies.map(statusOf)).toEqual(bodies.map(() => '408'))
  expect((await refused('slow')) - before).toBe(bodies.length)
  expect(await arrived()).toBe(0)
  // What is left of them is waited for as long again.
  await vi.advanceTimersByTimeAsync(20_000)
  await Promise.all(bodies.map(({ closed }) => closed))
})

test('two bodies of lines are a shop’s share, and end with 408 when they stop', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const send = () =>
    sendUnfinished(port, '/api/files/import', ofKey('application/x-ndjson'), {
      length: 900_000,
      missing: 10,
      start: ' \n',
    })
  const bodies = [await send(), await send()]
  await expect.poll(() => held('signed_in')).toBe(SHARE)
  const third = await send()
  await expect.poll(() => statusOf(third)).toBe('429')
  await vi.advanceTimersByTimeAsync(20_000)
  await expect.poll(() => bodies.map(statusOf)).toEqual(['408', '408'])
  expect(await held('signed_in')).toBe(0)
  await closeAll([...bodies, third])
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
