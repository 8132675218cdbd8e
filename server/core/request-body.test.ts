import { once } from 'node:events'
import { createServer, request as ask, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readBodyPieces } from './request-body.ts'

/** A request whose body is not sent yet, as its client and as the server has it. */
async function open() {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = ask({ port, method: 'POST', headers: { 'content-length': 4 } })
  onTestFinished(() => void client.destroy())
  client.on('error', () => {}).flushHeaders()
  const [received] = (await once(server, 'request')) as [IncomingMessage]
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  return { client, pieces: readBodyPieces(received, { countsAs: 1 }) }
}

test('a body is not slow while its reader is', async () => {
  const { client, pieces } = await open()
  client.write('ab')
  expect(String((await pieces.next()).value)).toBe('ab')
  vi.advanceTimersByTime(60_000)
  client.end('cd')
  expect(String((await pieces.next()).value)).toBe('cd')
  expect((await pieces.next()).done).toBe(true)
})

test('a body is slow for a reader that waits for it', async () => {
  const { client, pieces } = await open()
  client.write('ab')
  await pieces.next()
  const next = pieces.next()
  const refused = expect(next).rejects.toMatchObject({ code: 'request_timeout' })
  vi.advanceTimersByTime(10_000)
  await refused
})
