// Imports from hosts that allow few requests: every file arrives, and no attempt is used up by the
// host's limit.
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { soakTest, someOf } from '../../test/scale.ts'
import { fetchUrl } from '../../plugins/fetch-url/plugin.ts'
import { createTestEngine, workflowOf, type TestEngine } from '../../test/engine.ts'

type Refuse = (response: ServerResponse) => void

const REST_MS = 20
/** Three windows of the hosts below, and more than the failures after which a host is given up. */
const FILES = 15
/** A served request takes longer than all refusals that a client without turns would cause. */
const SERVED_MS = 50
let engine: TestEngine
let stop: () => Promise<void>
const servers: Server[] = []
beforeAll(async () => {
  engine = await createTestEngine([fetchUrl], [], {}, { restMs: REST_MS })
  const worker = await engine.startWorker()
  stop = () => worker.stop()
})
afterAll(async () => {
  await stop()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  await engine.close()
})

/** A host that serves `most` requests at a time, or in a window of 100 ms, and refuses others. */
async function startBusyHost(
  { most, per }: { most: number; per: 'open' | 'window' },
  refuse: Refuse,
) {
  let [used, mostOpen, open, refused] = [0, 0, 0, 0]
  const server = createServer((request, response) => {
    mostOpen = Math.max(mostOpen, ++open)
    response.once('close', () => open--)
    if (used >= most) {
      refused++
      return refuse(response)
    }
    used++
    if (per === 'open') response.once('close', () => used--)
    else setTimeout(() => used--, 100)
    setTimeout(() => response.end(`%PDF-1.4 ${request.url}`), SERVED_MS)
  })
  server.on('connection', (socket: Socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen: () => ({ mostOpen, refused }),
  }
}

async function importFrom(url: string, count = FILES) {
  const files = Array.from({ length: count }, (_, n) => ({
    filename: `${url.slice(-5)}-${n}.pdf`,
    url: `${url}/${n}.pdf`,
  }))
  const { operation, items } = await engine.untilEnd(
    await engine.startImport(workflowOf('fetch-url'), files),
  )
  return { operation, attempts: Math.max(...items.map(({ attempt }) => attempt)) }
}

const answering =
  (status: number, headers: Record<string, string> = {}): Refuse =>
  (response) =>
    void response.writeHead(status, headers).end()
const soon = () => new Date(Date.now() + 1000).toUTCString()

test.concurrent.each(
  someOf<[string, 'open' | 'window', number, Refuse]>(
    [
      ['503', 'open', 2, answering(503)],
      ['a reset', 'open', 2, (response) => response.socket!.resetAndDestroy()],
      ['429', 'open', 1, answering(429)],
      ['429 with seconds', 'window', 5, answering(429, { 'retry-after': '1' })],
      [
        '503 with a date',
        'window',
        5,
        (response) => answering(503, { 'retry-after': soon() })(response),
      ],
      ['403 with a used up limit', 'window', 3, answering(403, { 'x-ratelimit-remaining': '0' })],
      ['420', 'window', 3, answering(420)],
      ['509', 'window', 3, answering(509)],
      // Apache's mod_evasive and IIS; CloudLinux; proxies whose programs are busy.
      ['403', 'open', 2, answering(403)],
      ['403', 'window', 3, answering(403)],
      ['508', 'open', 2, answering(508)],
      ['502', 'window', 3, answering(502)],
      ['500', 'open', 1, answering(500)],
      ['408', 'open', 2, answering(408)],
    ],
    (_, at) => at === 0 || at === 3 || at === 8,
  ),
)('every file of a host that refuses by %s (%s, %i) is imported', async (_, per, most, refuse) => {
  const host = await startBusyHost({ most, per }, refuse)
  const { operation, attempts } = await importFrom(host.url)
  expect(operation).toMatchObject({ status: 'success', done: FILES, failed: 0 })
  expect(attempts).toBe(1)
  expect(host.seen().mostOpen).toBeLessThanOrEqual(4)
})

soakTest('a host that refuses everything ends after three attempts of each file', async () => {
  let asked = 0
  const host = await startBusyHost({ most: 0, per: 'open' }, (response) => {
    asked++
    answering(429)(response)
  })
  const { operation } = await importFrom(host.url, 20)
  expect(operation).toMatchObject({ status: 'failed', failed: 20 })
  expect(asked).toBeLessThan(40)
})

test.concurrent('files that a host really forbids fail soon, beside others of it', async () => {
  let asked = 0
  const server = createServer((request, response) => {
    if (Number(/\d+/.exec(request.url ?? '')) % 3 > 0) return void response.end('%PDF-1.4')
    asked++
    answering(403)(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  const { port } = server.address() as AddressInfo
  const { operation } = await importFrom(`http://127.0.0.1:${port}`, 60)
  expect(operation).toMatchObject({ status: 'partial', done: 40, failed: 20 })
  // Again at most once, alone.
  expect(asked).toBeLessThanOrEqual(40)
})

test.concurrent('a host that forbids everything is asked once for most files', async () => {
  let asked = 0
  const host = await startBusyHost({ most: 0, per: 'open' }, (response) => {
    asked++
    answering(403)(response)
  })
  const { operation } = await importFrom(host.url, 20)
  expect(operation).toMatchObject({ status: 'failed', failed: 20 })
  expect(asked).toBeLessThanOrEqual(24)
})
