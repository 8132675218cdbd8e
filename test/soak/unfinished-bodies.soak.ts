// The memory of the product under bodies that do not end: JSON and webhooks of 4.9 of 5 MB, and tables
// of 49 of 50 MB. The figures are printed.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { residentMb } from '../drop-process.ts'
import { makeDataDir, removeDataDir, startServer, type ServerProcess } from '../flows/server.ts'
import {
  sendUnfinished,
  WEBHOOK,
  type Unfinished,
  type UnfinishedBody,
} from '../unfinished-bodies.ts'
import { WAIT_MS } from '../wait.ts'

const MB = 1024 ** 2
/** Of bodies in memory, and what the sockets and the heap need for hundreds of connections. */
const MAX_GROWTH_MB = 400
/** The attack ends then: the machine has other work. */
const ENOUGH_MB = 2500
/** Slow bodies have ended long before on an idle machine: sending 15 GB takes a busy one a minute. */
const PATIENCE_MS = 180_000

let dataDir: string
let server: ServerProcess
// A new process for each: freed memory is not returned to the system.
beforeEach(async () => {
  dataDir = await makeDataDir()
  server = await startServer({ dataDir })
})
afterEach(async () => {
  await server.stop()
  await removeDataDir(dataDir)
})

interface Attack {
  count: number
  path: string
  headers: Record<string, string>
  body?: Unfinished
}

const JSON_BODY: Unfinished = { length: 5 * MB, missing: 0.1 * MB }

/** Sends the bodies and waits until the server has closed all connections, or has taken too much. */
async function measure(name: string, { count, path, headers, body = JSON_BODY }: Attack) {
  const port = Number(new URL(server.url).port)
  const idle = residentMb(server.child.pid!)
  let most = idle
  const look = setInterval(() => (most = Math.max(most, residentMb(server.child.pid!))), 100)
  let open = count
  const begun = performance.now()
  const bodies: UnfinishedBody[] = await Promise.all(
    Array.from({ length: count }, async () => {
      const sent = await sendUnfinished(port, path, headers, body)
      void sent.closed.then(() => open--)
      return sent
    }),
  )
  const isOver = () =>
    open === 0 || most - idle > ENOUGH_MB || performance.now() - begun > PATIENCE_MS
  await expect.poll(isOver, { timeout: 2 * WAIT_MS }).toBe(true)
  clearInterval(look)
  const seconds = (performance.now() - begun) / 1000
  process.stdout.write(
    `${name}: ${idle.toFixed(0)} MB → at most ${most.toFixed(0)} MB; ${open} open after ${seconds.toFixed(0)} s\n`,
  )
  for (const { socket } of bodies) socket.destroy()
  expect(most - idle).toBeLessThan(MAX_GROWTH_MB)
  expect(open).toBe(0)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
}

test('500 webhooks of an unknown shop', () =>
  measure('500 webhooks of an unknown shop', { count: 500, path: '/webhooks', headers: WEBHOOK }))

test('500 webhooks of a known shop with a wrong signature', () =>
  measure('500 webhooks of a known shop', {
    count: 500,
    path: '/webhooks',
    headers: { ...WEBHOOK, 'X-Shopify-Shop-Domain': server.shop },
  }))

test('500 webhooks without a plausible signature', () =>
  measure('500 webhooks without a signature', { count: 500, path: '/webhooks', headers: {} }))

const ofKey = (type: string) => ({
  'Content-Type': type,
  Authorization: `Bearer ${server.apiKey}`,
})
const TABLE: Unfinished = { length: 50 * MB, missing: MB }

test('300 requests of one key', () =>
  measure('300 requests of one key', {
    count: 300,
    path: '/api/files/import',
    headers: ofKey('application/json'),
  }))

test.each(['/api/csv', '/api/moves'])('300 workbooks of one key to %s', (path) =>
  measure(`300 workbooks of one key to ${path}`, {
    count: 300,
    path,
    headers: ofKey('application/octet-stream'),
    body: { ...TABLE, start: 'PK\x03\x04' },
  }),
)

test('300 tables of one key', () =>
  measure('300 tables of one key', {
    count: 300,
    path: '/api/csv',
    headers: ofKey('text/csv'),
    body: { ...TABLE, start: 'filename,file_url\n' },
  }))
