// The memory of the product while it receives and starts an import of 100,000 entries in one body. The
// figures are printed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { residentMb } from '../drop-process.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { makeDataDir, removeDataDir, startServer, type ServerProcess } from '../flows/server.ts'

const ENTRIES = 100_000
const MAX_GROWTH_MB = 250

let dataDir: string
let server: ServerProcess
let origin: Origin
beforeAll(async () => {
  dataDir = await makeDataDir()
  ;[server, origin] = await Promise.all([startServer({ dataDir }), startOrigin()])
})
afterAll(async () => {
  await Promise.all([server.stop(), origin.close()])
  await removeDataDir(dataDir)
})

async function* lines(count: number): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  yield encoder.encode('{"import":{"notify":false,"headers":{"Authorization":"Bearer feed"}}}\n')
  for (let at = 0; at < count; at += 1000) {
    const part = Array.from({ length: Math.min(1000, count - at) }, (_, n) =>
      JSON.stringify({
        filename: `catalogue of the publisher, volume ${at + n}.pdf`,
        url: `${origin.url}/bytes/1000/${at + n}?signature=${'s'.repeat(64)}`,
        product_sku: `BOOK-${at + n}`,
        tags: ['spring', `series ${n % 50}`],
        expiry_days: 60,
        download_limit: 5,
      }),
    )
    yield encoder.encode(`${part.join('\n')}\n`)
  }
}

async function send(count: number) {
  const answer = await fetch(`${server.url}/api/files/import`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.apiKey}`,
      'content-type': 'application/x-ndjson',
      prefer: 'respond-async',
    },
    body: ReadableStream.from(lines(count)),
    duplex: 'half',
  } as RequestInit)
  const { job_id } = (await answer.json()) as { job_id: string }
  await server.call('POST', `/api/operations/${job_id}/cancel`)
  return { status: answer.status, job_id }
}

test('100,000 entries in one request', async () => {
  const pid = server.child.pid!
  expect((await send(100)).status).toBe(202)
  const idle = residentMb(pid)
  let most = idle
  const look = setInterval(() => (most = Math.max(most, residentMb(pid))), 50)
  const begun = performance.now()
  const { status, job_id } = await send(ENTRIES)
  const seconds = (performance.now() - begun) / 1000
  clearInterval(look)
  process.stdout.write(
    `${ENTRIES} entries: ${seconds.toFixed(1)} s, ${Math.round(idle)} MB before, ${Math.round(most - idle)} MB more\n`,
  )
  expect(status).toBe(202)
  const job = await (await server.call('GET', `/api/operations/${job_id}`)).json()
  expect(job).toMatchObject({ total: ENTRIES })
  expect(most - idle).toBeLessThan(MAX_GROWTH_MB)
})
