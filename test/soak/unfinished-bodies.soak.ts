// The memory of the product under bodies that do not end: 500 unsigned webhooks and 300 requests of
// one key, each 4.9 of 5 MB. The figures are printed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { residentMb } from '../drop-process.ts'
import { makeDataDir, removeDataDir, startServer, type ServerProcess } from '../flows/server.ts'
import { sendUnfinished, WEBHOOK, type UnfinishedBody } from '../unfinished-bodies.ts'
import { WAIT_MS } from '../wait.ts'

const MB = 1024 ** 2
/** Of bodies in memory, and what the sockets and the heap need for hundreds of connections. */
const MAX_GROWTH_MB = 400

let dataDir: string
let server: ServerProcess
beforeAll(async () => {
  dataDir = await makeDataDir()
  server = await startServer({ dataDir })
})
afterAll(async () => {
  await server.stop()
  await removeDataDir(dataDir)
})

async function measure(name: string, count: number, path: string, headers: Record<string, string>) {
  const port = Number(new URL(server.url).port)
  const idle = residentMb(server.child.pid!)
  let most = idle
  const look = setInterval(() => (most = Math.max(most, residentMb(server.child.pid!))), 100)
  let open = count
  const bodies: UnfinishedBody[] = await Promise.all(
    Array.from({ length: count }, async () => {
      const body = await sendUnfinished(port, path, headers, { length: 5 * MB, missing: 0.1 * MB })
      void body.closed.then(() => open--)
      return body
    }),
  )
  const begun = performance.now()
  await expect.poll(() => open, { timeout: WAIT_MS }).toBe(0)
  clearInterval(look)
  const seconds = (performance.now() - begun) / 1000
  process.stdout.write(
    `${name}: ${idle.toFixed(0)} MB → at most ${most.toFixed(0)} MB; all closed after ${seconds.toFixed(0)} s\n`,
  )
  for (const { socket } of bodies) socket.destroy()
  expect(most - idle).toBeLessThan(MAX_GROWTH_MB)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
}

test('500 unsigned webhooks', () => measure('500 unsigned webhooks', 500, '/webhooks', WEBHOOK))

test('500 webhooks without a plausible signature', () =>
  measure('500 webhooks without a signature', 500, '/webhooks', {}))

test('300 requests of one key', () =>
  measure('300 requests of one key', 300, '/api/files/import', {
    'Content-Type': 'application/json',
    Authorization: `Bearer ${server.apiKey}`,
  }))
